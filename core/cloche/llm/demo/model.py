"""The stand-in as a model of pydantic-ai; whole and streamed answers are the same text."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from cloche.llm.demo.answers import Reasons, Reply, reply_to
from cloche.llm.demo.calling import Call
from cloche.llm.demo.seen import read
from cloche.utterances import Example
from cloche.vocabulary import Vocabulary

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.models import Model
    from pydantic_ai.models.function import AgentInfo, DeltaToolCalls

NAME: Final = "demo"


def demo_model(
    *,
    vocabulary: Vocabulary,
    examples: Sequence[Example] = (),
    reasons: Reasons = MappingProxyType({}),
    titles: Reasons = MappingProxyType({}),
) -> Model:
    """The stand-in for one assistant. Deterministic: the same messages give the same answer.

    Args:
        vocabulary: The assistant's; what it names in a question finds what it names in memory.
        examples: How people ask for the tools of the assistant's skills; looked at in each turn.
        reasons: By skill and language, why it is not available; instructions are in English.
        titles: By skill and language, what it is called where that is not its name.
    """
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import DeltaToolCall, FunctionModel

    def reply(messages: list[ModelMessage], info: AgentInfo) -> Reply:
        """Runs in a thread: words may be many, and skills say themselves what they hear."""
        tools = frozenset(tool.name for tool in info.function_tools)
        seen = read(messages, info.instructions or "", tools)
        called = (titles.get(name, {}).get(seen.language, name) for name in seen.skills)
        return reply_to(replace(seen, skills=tuple(called)), vocabulary, examples, reasons)

    async def whole(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        said = await asyncio.to_thread(reply, messages, info)
        if isinstance(said, Call):
            call = ToolCallPart(said.tool, dict(said.arguments), tool_call_id=_call_id(messages))
            return ModelResponse(parts=[call], finish_reason="tool_call")
        return ModelResponse(parts=[TextPart(said)], finish_reason="stop")

    async def streamed(
        messages: list[ModelMessage], info: AgentInfo
    ) -> AsyncIterator[str | DeltaToolCalls]:
        said = await asyncio.to_thread(reply, messages, info)
        if isinstance(said, Call):
            arguments = json.dumps(said.arguments, ensure_ascii=False)
            yield {0: DeltaToolCall(said.tool, arguments, tool_call_id=_call_id(messages))}
            return
        for piece in _PIECES.findall(said):
            yield piece

    return FunctionModel(whole, stream_function=streamed, model_name=NAME)


def _call_id(messages: list[ModelMessage]) -> str:
    """The same for the same place in the talk; nothing of it needs to be secret or random."""
    return f"demo-{len(messages)}"


_PIECES: Final = re.compile(r"\s*\S{1,12}\s*|\s+")
