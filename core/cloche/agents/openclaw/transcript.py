"""From what a gateway sends to what the host's model reads.

The gateway renders its system text and its transcript anew for every call, with the turn's nonce,
the day and this machine's name in them. Here they are made what they were before, so that from
turn to turn the prefix is the same bytes; the session part goes into the first user message and the
turn part into the live one, which no transcript ever has::

    tools | gateway's system text | session | history ... | turn part, words
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from cloche.agents.agent import ToolUse
from cloche.agents.openclaw.config import SERVER
from cloche.llm.openai_wire import WireCall, WireMessage, WireTool
from cloche.prompt import Prompt
from cloche.tools import BoundTool

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelResponsePart, UserContent
    from pydantic_ai.models import ModelRequestParameters

TURN: Final = "_turn"
"""The argument that says which call of which turn a tool call is; no model ever sees it."""
PREFIX: Final = f"{SERVER}__"
READ: Final = "read"
"""The one tool of the gateway's own."""

_MARKED: Final = r"""\\?"_turn\\?":\s*\\?"[0-9a-f]{24}\.\d+\\?\""""
_MARK: Final = re.compile(rf"(?:,\s*)?{_MARKED}")
_NAMED: Final = re.compile(rf"\b{PREFIX}(?=\w)")
_OUTSIDE: Final = re.compile(r"(escapes sandbox root) \([^()\n]*\)")
_IDENTITY: Final = re.compile(r"^Current model identity: .*\n?", re.MULTILINE)
_DAY: Final = re.compile(r"^## Temporal Context\nCurrent date: .*\nTime zone: .*\n?", re.MULTILINE)
_RUNTIME: Final = re.compile(r"\n\nRuntime: agent=[^\n]*\Z")
_MISSED: Final = re.compile(r'\A(<missed about="[^"\n]*">\n.*?\n</missed>)\n', re.DOTALL)
_STAMP: Final = re.compile(r"\A\[[A-Z][a-z]{2} \d{4}-\d\d-\d\d \d\d:\d\d [^\]\n]{1,40}\] ")


def system_text(messages: Sequence[WireMessage]) -> str:
    """The gateway's system text without nonce and day, tools called as the model knows them."""
    text = "\n\n".join(message.text for message in messages if message.role == "system")
    text = text.replace(f"- {PREFIX}", "- ")
    return _DAY.sub("", _IDENTITY.sub("", text))


def request_parameters(
    system: str, tools: Sequence[BoundTool], offered: Sequence[WireTool]
) -> ModelRequestParameters:
    """Instructions and tools: the turn's own as they are, then what else the gateway offers."""
    from pydantic_ai.messages import InstructionPart
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.tools import ToolDefinition

    own = [
        ToolDefinition(name=t.name, description=t.description, parameters_json_schema=t.schema)
        for t in tools
    ]
    names = {tool.name for tool in tools}
    others = [
        ToolDefinition(name=t.name, description=t.description, parameters_json_schema=t.schema)
        for t in offered
        if not t.name.startswith(PREFIX) and t.name not in names
    ]
    return ModelRequestParameters(
        function_tools=[*own, *others],
        instruction_parts=[InstructionPart(system)] if system.strip() else [],
    )


def lay_out(
    messages: Sequence[WireMessage], prompt: Prompt, sent: Sequence[str]
) -> list[ModelMessage]:
    """History and live message with the prompt's parts and cache points.

    Args:
        messages: As the gateway sends them.
        prompt: The live turn's.
        sent: What was sent to this session of the gateway as user messages, the live one last.
    """
    from pydantic_ai.messages import (
        ModelRequest,
        ModelResponse,
        TextPart,
        ToolCallPart,
        ToolReturnPart,
        UserPromptPart,
    )

    talk = [message for message in messages if message.role != "system"]
    texts = _user_texts(talk, sent)
    first, live = min(texts, default=-1), max(texts, default=-1)
    names = {call.id: plain_name(call.name) for message in talk for call in message.calls}
    laid_out: list[ModelMessage] = []
    for at, message in enumerate(talk):
        if message.role == "user":
            content = _user_content(
                message, texts.get(at), prompt, first=at == first, live=at == live
            )
            laid_out.append(ModelRequest(parts=[UserPromptPart(content)]))
        elif message.role == "assistant":
            said: list[ModelResponsePart] = [
                *([TextPart(message.text.strip())] if message.text.strip() else []),
                *(ToolCallPart(plain_name(c.name), _arguments(c), c.id) for c in message.calls),
            ]
            laid_out += [ModelResponse(parts=said)] if said else []
        else:
            name = names.get(message.call_id, "tool")
            result = ToolReturnPart(name, result_text(message.text), tool_call_id=message.call_id)
            laid_out.append(ModelRequest(parts=[result]))
    return laid_out


def plain_name(name: str) -> str:
    """A tool's name as the model knows it."""
    return name.removeprefix(PREFIX)


def result_text(text: str) -> str:
    """A tool's result as the model reads it.

    What the gateway says by itself of a call may quote it as it was handed out, and may say where
    on this machine it looked.
    """
    return _OUTSIDE.sub(r"\1", _NAMED.sub("", _MARK.sub("", text)))


def gateway_s_own(talk: Sequence[WireMessage]) -> dict[str, ToolUse]:
    """What the gateway made by itself of the last calls, by the call's id: its own tools.

    Besides `read` it has none; of a tool that is not there it says so.
    """
    results: dict[str, str] = {}
    for message in reversed(talk):
        if message.role == "tool":
            results[message.call_id] = message.text
        else:
            return {
                call.id: ToolUse(
                    call.name, call.arguments, ok=call.name == READ and not _is_refusal(made)
                )
                for call in message.calls
                if not call.name.startswith(PREFIX) and (made := results.get(call.id)) is not None
            }
    return {}


def without_turn(arguments: Mapping[str, object]) -> dict[str, object]:
    """A call's arguments as the model gave them."""
    return {name: value for name, value in arguments.items() if name != TURN}


def _is_refusal(result: str) -> bool:
    try:
        told = json.loads(result)
    except (ValueError, RecursionError):
        return False
    return isinstance(told, dict) and told.get("status") == "error" and "tool" in told


def _arguments(call: WireCall) -> dict[str, object]:
    try:
        given = json.loads(call.arguments)
    except (ValueError, RecursionError):
        given = None
    return without_turn(given) if isinstance(given, dict) else {}


def _user_texts(talk: Sequence[WireMessage], sent: Sequence[str]) -> dict[int, str]:
    """What was sent, by the place of the message that carries it.

    The gateway puts the hour before most messages and a line about this machine after the first.
    A message that carries nothing of ours is the gateway's own.
    """
    texts: dict[int, str] = {}
    waiting = list(sent)
    for at, message in enumerate(talk):
        if message.role == "user" and waiting and waiting[0] in message.text:
            texts[at] = waiting.pop(0)
    if waiting:  # it has been changed on the way: what is known of the format has to do
        users = (at for at, message in enumerate(talk) if message.role == "user")
        texts = {at: _STAMP.sub("", _RUNTIME.sub("", talk[at].text)) for at in users}
    return texts


def _parted(text: str) -> list[str]:
    """The words, and before them what the session had missed: no words of the person's now."""
    found = _MISSED.match(text)
    return [found[1], text[found.end() :]] if found else [text]


def _user_content(
    message: WireMessage, text: str | None, prompt: Prompt, *, first: bool, live: bool
) -> list[UserContent]:
    from pydantic_ai.messages import BinaryContent, CachePoint

    content: list[UserContent] = []
    if first and prompt.session.strip():
        content += [prompt.session, CachePoint()]
    elif live and not first:
        content.append(CachePoint())
    if live and prompt.turn.strip():
        content.append(prompt.turn)
    content += _parted(text if text is not None else message.text)
    content += [BinaryContent(image.data, media_type=image.media_type) for image in message.images]
    return content
