"""The turns under way: what ties the gateway's calls to a person.

A turn has a nonce. It goes to the gateway as the model id, comes back to the model endpoint, and is
in the ``_turn`` argument of every tool call handed out; so every call is made for one turn, and its
tools act for that turn's person. When the turn ends, its nonce is worth nothing.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import Context, copy_context
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from cloche.agents.agent import ToolUse
from cloche.agents.openclaw.control_words import PlainWords
from cloche.agents.openclaw.transcript import (
    PREFIX,
    TURN,
    gateway_s_own,
    lay_out,
    plain_name,
    request_parameters,
    system_text,
    without_turn,
)
from cloche.agents.speech import Speech
from cloche.agents.tool_runs import ToolRuns
from cloche.errors import ModelError
from cloche.llm.calls import Question
from cloche.llm.openai_wire import WireCall, WireRequest
from cloche.llm.providers import ChosenModel
from cloche.llm.usage import Usage
from cloche.prompt import Prompt
from cloche.state.store import Json
from cloche.tools import BoundTool
from cloche.tools.results import ToolResult

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse, ToolCallPart

MODEL_PREFIX: Final = "turn-"
MAX_MODEL_CALLS: Final = 8
"""Per turn, as for the embedded agent; the last one may not call tools."""
NOT_LIVE: Final = ToolResult("Not run: this call belongs to no turn that is under way.", ok=False)


class LiveTurn:
    """One turn, from the question to its answer or failure.

    What the model says is said here, as it is made: what the gateway makes of it on the way to its
    own reply (it drops what was said before a tool call, and puts sentences of its own in the place
    of nothing) reaches no person.

    Attributes:
        model: Who answers.
        tools: What may be called.
        speech: What was said so far.
        patience: How long it is waited for.
        is_answered: True when the last answer called no tool: all is said.
        usage: What the model used so far.
        failure: Set when the model failed.
        busy: How many model and tool calls are under way; the gateway is waiting for them.
        touched: When one last began or ended, on the loop's clock.
    """

    def __init__(
        self,
        model: ChosenModel,
        prompt: Prompt,
        tools: tuple[BoundTool, ...],
        sent: Sequence[str],
        speech: Speech,
    ) -> None:
        """Begin.

        Args:
            model: Who answers.
            prompt: The turn's.
            tools: Bound to the turn's person.
            sent: What was sent to this session of the gateway, this turn's text last.
            speech: Takes what is said; when somebody listens to it, the model streams.
        """
        self.model, self.tools, self.speech = model, tools, speech
        self._context = copy_context()
        self._prompt, self._sent, self.patience = prompt, tuple(sent), prompt.patience
        self._nonce = secrets.token_hex(12)
        self._runs = ToolRuns(tools, self.patience)
        self._read: dict[str, ToolUse] = {}
        self._handed: dict[str, ToolCallPart] = {}
        self._made: dict[str, asyncio.Task[ToolResult]] = {}
        self._one_at_a_time = asyncio.Lock()
        self._waited_for: set[asyncio.Task[object]] = set()
        self._closed = False
        self._calls = 0
        self._words = PlainWords()
        self.is_answered = False
        self.usage = Usage()
        self.failure: asyncio.Future[ModelError] = asyncio.get_running_loop().create_future()
        self.busy = 0
        self.touched = time.monotonic()

    @property
    def model_id(self) -> str:
        """What the gateway calls the model."""
        return f"{MODEL_PREFIX}{self._nonce}"

    @property
    def context(self) -> Context:
        """What the turn's work runs in, whichever connection asks for it: its ids, its span."""
        return self._context.copy()

    @property
    def is_heard(self) -> bool:
        """True when somebody listens while the answer is made."""
        return self.speech.is_heard

    @property
    def tool_uses(self) -> tuple[ToolUse, ...]:
        """Every tool call so far: ours, then what the gateway read."""
        return (*self._runs.uses, *self._read.values())

    @contextmanager
    def under_way(self) -> Iterator[None]:
        """Count a call as long as the block runs, however it ends: the gateway waits for it."""
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 (all that runs in a loop is in one)
        self._waited_for.add(task)
        self.busy += 1
        self.touched = time.monotonic()
        try:
            yield
        finally:
            self._waited_for.discard(task)
            self.busy -= 1
            self.touched = time.monotonic()

    def question(self, request: WireRequest) -> Question:
        """What the model is asked.

        Raises:
            ModelError: there were too many questions, or the turn is over.
        """
        if self.failure.done():
            raise self.failure.result()
        if self.is_answered:
            raise ModelError("the gateway asks on after the answer.", cause="refused")
        self._read |= gateway_s_own(request.messages)
        self._calls += 1
        self._words = PlainWords()
        self.speech.new_paragraph()
        if self._calls > MAX_MODEL_CALLS:
            raise ModelError("the gateway asks without end.", cause="refused")
        parameters = request_parameters(system_text(request.messages), self.tools, request.tools)
        settings = self.model.settings
        if parameters.function_tools and not (request.may_call and self._may_call):
            # The tools stay in the request: without them the cached prefix would be another.
            settings = {**settings, "tool_choice": "none"}
        messages = lay_out(request.messages, self._prompt, self._sent)
        return Question(messages, parameters, settings, self.patience, self.took)

    @property
    def _may_call(self) -> bool:
        return not self._runs.is_over and self._calls < MAX_MODEL_CALLS

    async def said(self, piece: str) -> None:
        """Say a piece of an answer, without what is meant for programs."""
        await self.speech.say(self._words.feed(piece))

    def took(self, usage: Usage) -> None:
        """Count what a model used; once the turn is over whoever asked it is told apart."""
        if self._closed:
            self._prompt.lost(usage)
        else:
            self.usage += usage

    async def answered(self, response: ModelResponse) -> None:
        """Take note of an answer.

        Raises:
            ModelError: it is empty.
        """
        await self.speech.say(self._words.end())
        if not self._may_call and response.tool_calls:
            response.parts = [p for p in response.parts if p.part_kind != "tool-call"]
        if not response.tool_calls and not any(
            part.part_kind == "text" and part.content.strip() for part in response.parts
        ):
            raise ModelError(f"{self.model.note}: the answer has no text.", cause="empty")
        self.is_answered = not response.tool_calls

    def failed(self, error: ModelError) -> None:
        """Take note that there was no answer, and what it took; the first failure is told."""
        self.took(error.usage)
        error.usage = Usage()
        if not self.failure.done() and not self.is_answered:
            self.failure.set_result(error)

    def hand_out(self, call: ToolCallPart) -> WireCall:
        """A call as the gateway shall make it: with a mark that is good for one call.

        A model that names a tool as the gateway does means the tool.
        """
        call = replace(call, tool_name=plain_name(call.tool_name))
        if not any(tool.name == call.tool_name for tool in self.tools):
            return WireCall(call.tool_call_id, call.tool_name, call.args_as_json_str())
        mark = f"{self._nonce}.{len(self._handed)}"
        self._handed[mark] = call
        arguments = {**without_turn(_arguments(call) or {}), TURN: mark}
        made = json.dumps(arguments, ensure_ascii=False)
        return WireCall(call.tool_call_id, f"{PREFIX}{call.tool_name}", made)

    async def run(self, mark: str, name: str, arguments: Mapping[str, Json]) -> ToolResult:
        """What a tool gives; the same mark again gives the same result, without a second run."""
        call = self._handed.get(mark)
        if call is None or call.tool_name != name:
            return NOT_LIVE
        if mark not in self._made:
            if _arguments(call) is not None:
                call.args = without_turn(arguments)
            self._made[mark] = asyncio.create_task(self._run(call), context=self.context)
        task = self._made[mark]
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if task.cancelled():  # the turn has ended, and not whoever waits here
                return NOT_LIVE
            raise

    async def close(self) -> None:
        """End: whatever tool still runs is given up, and so is what a model still makes.

        What that took is in ``usage`` then.
        """
        tasks = {*self._made.values(), *self._waited_for} - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._closed = True
        if not self.failure.done():
            self.failure.cancel()

    async def _run(self, call: ToolCallPart) -> ToolResult:
        with self.under_way():
            async with self._one_at_a_time:
                result = await self._runs.run(call)
        return ToolResult(str(result.content), ok=result.outcome == "success")


class LiveTurns:
    """All turns under way, by nonce."""

    def __init__(self) -> None:
        """Begin with none."""
        self._turns: dict[str, LiveTurn] = {}
        self._none = asyncio.Event()
        self._none.set()

    def open(self, turn: LiveTurn) -> None:
        """Let a turn's calls in."""
        self._turns[turn.model_id] = turn
        self._none.clear()

    async def close(self, turn: LiveTurn) -> None:
        """Let no more of its calls in."""
        self._turns.pop(turn.model_id, None)
        await turn.close()
        if not self._turns:
            self._none.set()

    async def until_none(self) -> None:
        """Wait until no turn is under way."""
        await self._none.wait()

    def of_model(self, model_id: str) -> LiveTurn | None:
        """The turn that a model id stands for."""
        return self._turns.get(model_id)

    async def call(self, name: str, arguments: Mapping[str, Json]) -> ToolResult:
        """Make a tool call for the turn whose mark it carries; refused when there is none."""
        mark = arguments.get(TURN)
        nonce = mark.partition(".")[0] if isinstance(mark, str) else ""
        turn = self._turns.get(f"{MODEL_PREFIX}{nonce}")
        return await turn.run(str(mark), name, arguments) if turn else NOT_LIVE


def _arguments(call: ToolCallPart) -> dict[str, object] | None:
    """A call's arguments; None when they are no JSON object."""
    try:
        return call.args_as_dict(raise_if_invalid=True)
    except (ValueError, AssertionError):
        return None
