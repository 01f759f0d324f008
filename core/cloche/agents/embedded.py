"""The turn through pydantic-ai, in this process.

The tool loop is ours, on ``pydantic_ai.direct``: a turn makes the model calls one sees here and no
others (``pydantic_ai.Agent`` asks again, with words of its own, when an answer is empty), and its
bounds are the host's.
"""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack, aclosing
from typing import TYPE_CHECKING, Final

from cloche.agents.agent import Answer, OnDelta
from cloche.agents.layout import lay_out, request_parameters
from cloche.agents.openclaw.control_words import without_control_words
from cloche.agents.speech import Speech
from cloche.agents.tool_runs import ToolRuns
from cloche.errors import ModelError
from cloche.llm.calls import Question, streamed_answer, usage_of_call, whole_answer
from cloche.llm.providers import ChosenModel
from cloche.llm.usage import Usage
from cloche.prompt import Prompt
from cloche.tools import BoundTool
from cloche.visible import is_visible

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.models import ModelRequestParameters

MAX_MODEL_CALLS: Final = 8
"""Per turn; the last one may not call tools."""


class EmbeddedAgent:
    """Answers a prompt with one model; use it on one event loop, and close it in the end."""

    name = "embedded"

    def __init__(self, chosen: ChosenModel) -> None:
        """Answer with this model."""
        self._chosen = chosen
        self._connections = AsyncExitStack()
        self._connecting = asyncio.Lock()
        self._connected = False

    async def ask(
        self, prompt: Prompt, tools: tuple[BoundTool, ...], on_delta: OnDelta | None = None
    ) -> Answer:
        """The answer, with the tools' help; streamed when somebody listens, whole otherwise.

        What a model says before it calls a tool is part of the answer, in a paragraph of its own.

        Raises:
            ModelError: there is no usable answer. Cause ``cut``, whatever happened, when a part of
                it has been handed out already.
        """
        await self._connect()
        speech = Speech(on_delta)
        try:
            return await self._converse(prompt, tools, speech)
        except ModelError as error:
            if speech.was_heard and error.cause != "cut":
                told = f"broke off after it had begun: {error}"
                raise ModelError(told, cause="cut", usage=error.usage) from error
            raise

    async def close(self) -> None:
        """Close the connections to the model's provider; the next question opens them again."""
        self._connected = False
        await self._connections.aclose()

    async def _connect(self) -> None:
        async with self._connecting:
            if not self._connected:
                await self._connections.enter_async_context(self._chosen.connected())
                self._connected = True

    async def _converse(
        self, prompt: Prompt, tools: tuple[BoundTool, ...], speech: Speech
    ) -> Answer:
        from pydantic_ai.messages import ModelRequest

        messages, parameters = lay_out(prompt), request_parameters(prompt.stable, tools)
        runs, usage = ToolRuns(tools, prompt.patience), Usage()
        try:
            for number in range(1, MAX_MODEL_CALLS + 1):
                last = runs.is_over or number == MAX_MODEL_CALLS
                asked = self._question(messages, parameters, prompt, may_call=not last)
                response = await self._respond(asked, speech)
                usage += usage_of_call(self._chosen, response)
                if last or not response.tool_calls:
                    break
                results = [await runs.run(call) for call in response.tool_calls]
                messages += [response, ModelRequest(parts=results)]
            if response.finish_reason == "length" and speech.text:
                await speech.say(" …")  # so that one sees it goes no further
        except ModelError as error:
            error.usage = usage + error.usage
            raise
        except BaseException:
            prompt.lost(usage)
            raise
        text = speech.text if speech.is_heard else without_control_words(speech.text).strip()
        # What is for programs alone, or cannot be seen, is no answer, whoever has been handed it.
        if not is_visible(without_control_words(text)):
            told = f"{self._chosen.note}: the answer has no text."
            raise ModelError(told, cause="empty", usage=usage)
        return Answer(text, usage, tuple(runs.uses))

    def _question(
        self,
        messages: list[ModelMessage],
        parameters: ModelRequestParameters,
        prompt: Prompt,
        *,
        may_call: bool,
    ) -> Question:
        settings = self._chosen.settings
        if parameters.function_tools and not may_call:
            # The tools stay in the request: without them the cached prefix would be another.
            settings = {**settings, "tool_choice": "none"}
        return Question(messages, parameters, settings, prompt.patience, prompt.lost)

    async def _respond(self, question: Question, speech: Speech) -> ModelResponse:
        """One model call; its text goes into the speech."""
        from pydantic_ai.messages import TextPart

        speech.new_paragraph()
        if not speech.is_heard:
            response = await whole_answer(self._chosen, question)
            await speech.say("".join(p.content for p in response.parts if isinstance(p, TextPart)))
            return response
        async with aclosing(streamed_answer(self._chosen, question)) as pieces:
            async for piece in pieces:
                if not isinstance(piece, str):
                    return piece
                await speech.say(piece)
        raise ModelError(f"{self._chosen.note}: the answer never ended.", cause="cut")
