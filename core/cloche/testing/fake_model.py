"""A scripted model in process, for the tests of plugins: no server, no account, no network."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import TYPE_CHECKING

from pydantic_ai.exceptions import (
    ModelAuthenticationError,
    ModelConnectionError,
    ModelHTTPError,
    ModelRateLimitError,
    ModelRequestRejectedError,
    ModelServerError,
)
from pydantic_ai.messages import (
    BinaryContent,
    FinishReason,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    ModelResponsePart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import (
    AgentInfo,
    DeltaToolCall,
    DeltaToolCalls,
    FunctionModel,
)

from cloche.testing.prompt_cache import canonical
from cloche.testing.script import Asked, Call, Fault, Player, Reply, Script, say

if TYPE_CHECKING:
    from cloche.llm.providers import ChosenModel

MODEL_NAME = "fake"
_FINISH: Mapping[str, FinishReason] = {
    "end": "stop",
    "tools": "tool_call",
    "length": "length",
    "filter": "content_filter",
}


class FakeModel(FunctionModel):
    """Answers by a script, whole or streamed, wherever pydantic-ai takes a model.

    A streamed answer does not say why it stopped, because ``FunctionModel`` has no way to.

    Args:
        script: The answers: a list, or a function of what was asked.
        faults: Faults by call number, from 1.

    Attributes:
        asked: Every call so far, as scripts see it.
    """

    def __init__(
        self,
        script: Script = lambda _: say("All right."),
        *,
        faults: Mapping[int, Fault] | None = None,
    ) -> None:
        """Take the script."""
        super().__init__(
            self._answer_whole, stream_function=self._answer_streamed, model_name=MODEL_NAME
        )
        self.asked: list[Asked] = []
        self._player = Player(script, faults)

    def chosen(self) -> ChosenModel:
        """The model as ``cloche.llm.providers.choose_model`` would give it."""
        from cloche.llm.providers import ChosenModel

        return ChosenModel("demo", MODEL_NAME, self, {}, "a scripted model")

    def _next(
        self, messages: list[ModelMessage], info: AgentInfo, *, stream: bool
    ) -> Reply | Fault:
        self.asked.append(_asked(len(self.asked) + 1, messages, info, stream=stream))
        return self._player.answer(self.asked[-1])

    async def _answer_whole(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        answer = self._next(messages, info, stream=False)
        if isinstance(answer, Fault):
            await _fail(answer)
            return ModelResponse(parts=[], finish_reason="stop")
        parts: list[ModelResponsePart] = [TextPart(answer.text)] if answer.text else []
        for at, call in enumerate(answer.calls):
            parts.append(ToolCallPart(call.tool, _arguments(call), f"call_{len(self.asked)}_{at}"))
        return ModelResponse(parts=parts, finish_reason=_FINISH[answer.stop])

    async def _answer_streamed(
        self, messages: list[ModelMessage], info: AgentInfo
    ) -> AsyncIterator[str | DeltaToolCalls]:
        answer = self._next(messages, info, stream=True)
        if isinstance(answer, Fault):
            if answer.trouble == "cut" or answer.midway:
                yield "I was just ab"
            await _fail(answer)
            yield ""
            return
        for piece in answer.pieces or ("",):
            yield piece
            await asyncio.sleep(answer.pause)
        for at, call in enumerate(answer.calls):
            call_id = f"call_{len(self.asked)}_{at}"
            yield {at: DeltaToolCall(call.tool, _arguments(call), tool_call_id=call_id)}


def _arguments(call: Call) -> str:
    return call.raw if call.raw is not None else canonical(dict(call.arguments)).decode()


async def _fail(fault: Fault) -> None:
    """Raise what pydantic-ai would; ``empty`` and ``truncated`` raise nothing."""
    if fault.trouble == "slow":
        await asyncio.Event().wait()
    if fault.trouble == "cut":
        raise ModelConnectionError(MODEL_NAME, fault.message, phase="read")
    if fault.status:
        raise _http_error(fault)


def _http_error(fault: Fault) -> ModelHTTPError:
    return ModelHTTPError.for_category(
        _category(fault.status),
        status_code=fault.status,
        model_name=MODEL_NAME,
        body={"message": fault.message},
        retry_after=fault.retry_after,
        in_stream=fault.midway,
    )


def _category(
    status: int,
) -> type[ModelRateLimitError | ModelServerError | ModelRequestRejectedError]:
    if status == 429:
        return ModelRateLimitError
    if status in (401, 403):
        return ModelAuthenticationError
    return ModelServerError if status >= 500 else ModelRequestRejectedError


def _asked(
    number: int, messages: Sequence[ModelMessage], info: AgentInfo, *, stream: bool
) -> Asked:
    requests = [message for message in messages if isinstance(message, ModelRequest)]
    prompts = [part for r in requests for part in r.parts if isinstance(part, UserPromptPart)]
    said = prompts[-1].content if prompts else ""
    items = [said] if isinstance(said, str) else said
    return Asked(
        number=number,
        model=MODEL_NAME,
        stream=stream,
        system=info.instructions or "",
        words="\n".join(item for item in items if isinstance(item, str)),
        tools=tuple(tool.name for tool in info.function_tools),
        results=tuple(
            part.model_response_str(wrap_if_error=False)
            for part in (requests[-1].parts if requests else ())
            if isinstance(part, ToolReturnPart)
        ),
        images=tuple(item.media_type for item in items if isinstance(item, BinaryContent)),
    )
