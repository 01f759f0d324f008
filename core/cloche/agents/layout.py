"""From the prompt's parts to messages with cache points, for whatever provider.

A cache point stands after the tools and after the stable part (the provider's settings put those
two), after the session part, and after the history; nothing volatile stands before any of them::

    tools | stable | session | history ... | turn part, words, pictures

The history point opens the live message: pydantic-ai moves it to the end of what came before.
Providers without cache points leave them out. Four is the most that Bedrock and Anthropic take.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cloche.prompt import Prompt
from cloche.tools import BoundTool

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, UserContent
    from pydantic_ai.models import ModelRequestParameters

NO_WORDS: Final = "(a picture or file without words)"
"""Stands for words that are not there: providers refuse an empty text."""


def lay_out(prompt: Prompt) -> list[ModelMessage]:
    """History and live message; what is said of one turn is the same bytes in every later one."""
    from pydantic_ai.messages import (
        BinaryContent,
        CachePoint,
        ModelRequest,
        ModelResponse,
        TextPart,
        UserPromptPart,
    )

    messages: list[ModelMessage] = []
    opening: list[UserContent] = [prompt.session, CachePoint()] if prompt.session.strip() else []
    for exchange in prompt.history:
        said = [*opening, _words(exchange.user)]
        messages.append(ModelRequest(parts=[UserPromptPart(said)]))
        opening = []
        if exchange.assistant.strip():
            messages.append(ModelResponse(parts=[TextPart(exchange.assistant)]))
    if messages:
        opening = [CachePoint()]
    turn = [prompt.turn] if prompt.turn.strip() else []
    pictures = [BinaryContent(image.data, media_type=image.media_type) for image in prompt.images]
    live = [*opening, *turn, _words(prompt.words), *pictures]
    messages.append(ModelRequest(parts=[UserPromptPart(live)]))
    return messages


def request_parameters(stable: str, tools: tuple[BoundTool, ...]) -> ModelRequestParameters:
    """Instructions and tools, in the order given."""
    from pydantic_ai.messages import InstructionPart
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.tools import ToolDefinition

    return ModelRequestParameters(
        function_tools=[
            ToolDefinition(
                name=tool.name, description=tool.description, parameters_json_schema=tool.schema
            )
            for tool in tools
        ],
        instruction_parts=[InstructionPart(stable)] if stable.strip() else [],
    )


def _words(text: str) -> str:
    return text if text.strip() else NO_WORDS
