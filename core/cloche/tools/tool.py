"""Tools: typed Python functions that a skill offers to the agent.

A tool is an async function whose first parameter is a ``ToolContext``; the others are what the
model fills in. Who it acts for comes from the context, never from an argument.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import math
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Final, overload

from cloche.clock import Clock
from cloche.errors import MemoryUnavailableError, PluginError, ToolError, raised_at
from cloche.state.store import Json
from cloche.texts import say
from cloche.tools.arguments import (
    Arguments,
    canonical_json,
    parse_arguments,
    read_function,
    schema_of,
)
from cloche.tools.crossing import Crossing, across
from cloche.tools.files import ToolFiles
from cloche.tools.hearing import Hear, checked_hearing
from cloche.tools.lanes import Answer, Lanes, StuckError
from cloche.tools.memory import ToolMemory
from cloche.tools.reminders import ToolReminders
from cloche.tools.results import ToolResult, told_to_a_person
from cloche.tools.settings import ToolSettings
from cloche.tools.storage import ToolStorage
from cloche.tracing import span
from cloche.vocabulary import Vocabulary

if TYPE_CHECKING:
    import aiohttp

_log = logging.getLogger(__name__)

DEFAULT_TIMEOUT_SECONDS: Final = 20.0
DEFAULT_RESULT_CHARS: Final = 8_000
MIN_RESULT_CHARS: Final = 100
MAX_REASON_CHARS: Final = 2_000  # of a sentence on why a call failed
_PASSING: Final = Lanes(idle=0)


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What the host hands to every tool call.

    Attributes:
        actor: Who the turn acts for.
        call_id: The same when a turn is run again, so that nothing is done twice.
        memory: The actor's memory.
        storage: The skill's own data about the actor.
        files: The actor's files: what they sent, and what tools made.
        reminders: The actor's reminders.
        http: The session to ask other servers with, opened when it is first called for.
        settings: What the person chose or told of how they live.
        config: The skill's settings from the manifest.
        vocabulary: The assistant's vocabulary.
        clock: The present instant.
        language: Language of the person, for answers that are shown as they are.
        time_zone: IANA name of the person's zone.
    """

    actor: str
    call_id: str
    memory: ToolMemory
    storage: ToolStorage
    files: ToolFiles
    reminders: ToolReminders
    http: Callable[[], aiohttp.ClientSession]
    settings: ToolSettings
    config: Mapping[str, Json]
    vocabulary: Vocabulary
    clock: Clock
    language: str
    time_zone: str


ToolFunction = Callable[..., Awaitable[str]]


@dataclass(frozen=True, slots=True)
class Tool:
    """One function of a skill, as a model sees it; made by ``@tool``.

    Attributes:
        name: The function's name, unique within an assistant.
        description: The docstring up to its first section.
        schema: JSON Schema of the arguments; the same bytes for the same signature.
        function: What is called.
        timeout_seconds: Longer than this and the call is given up.
        max_result_chars: Longer answers are cut, with a note that says so.
        arguments: The type that checks arguments.
        hears: Arguments from words that it understands by itself; None where they are not for it.
        exact: True where it hears whole sentences, part for part: it goes before templates then.
        keeps: True when memory need not keep the words that ask for it: what they tell is data of
            its skill, or they only look something up.
        when_due: True for one that the host runs before it tells a reminder, with the reminder's
            id; no model sees it. It may change what the reminder says; its answer is not told.
    """

    name: str
    description: str
    schema: dict[str, Json] = field(hash=False)
    function: ToolFunction
    timeout_seconds: float
    max_result_chars: int
    arguments: type[Arguments] = field(repr=False)
    hears: Hear | None = field(default=None, repr=False)
    exact: bool = False
    keeps: bool = False
    when_due: bool = False


@overload
def tool(function: ToolFunction, /) -> Tool: ...
@overload
def tool(
    *,
    timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS,
    max_result_chars: int = DEFAULT_RESULT_CHARS,
    hears: Hear | None = None,
    exact: bool = False,
    keeps: bool = False,
    when_due: bool = False,
) -> Callable[[ToolFunction], Tool]: ...
def tool(
    function: ToolFunction | None = None,
    /,
    *,
    timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS,
    max_result_chars: int = DEFAULT_RESULT_CHARS,
    hears: Hear | None = None,
    exact: bool = False,
    keeps: bool = False,
    when_due: bool = False,
) -> Tool | Callable[[ToolFunction], Tool]:
    """Make a tool of an async function: ``@tool`` or ``@tool(timeout_seconds=5)``.

    Args:
        function: The function; its first parameter is the ``ToolContext``, the others are what
            the model fills in, its docstring is what the model reads.
        timeout_seconds: How long a call may take.
        max_result_chars: How long an answer may be, at least 100.
        hears: Makes arguments of words that templates cannot list; see ``Tool``.
        exact: See ``Tool``.
        keeps: See ``Tool``.
        when_due: See ``Tool``; its only argument is ``reminder``.

    Raises:
        PluginError: it cannot be a tool; the reason says what to change.
    """

    def make(target: ToolFunction) -> Tool:
        made = _make_tool(target, timeout_seconds, max_result_chars)
        heard = checked_hearing(made.name, hears, made.arguments)
        if when_due and set(made.arguments.names()) != {"reminder"}:
            raise PluginError(made.name, "a tool of what is due takes `reminder` and nothing else.")
        return replace(made, hears=heard, exact=exact, keeps=keeps, when_due=when_due)

    return make if function is None else make(function)


def _make_tool(function: ToolFunction, timeout_seconds: float, max_result_chars: int) -> Tool:
    name, description, arguments = read_function(function, ToolContext)
    if timeout_seconds <= 0 or max_result_chars < MIN_RESULT_CHARS:
        raise PluginError(
            name,
            f"timeout_seconds must be above 0 and max_result_chars at least {MIN_RESULT_CHARS}.",
        )
    return Tool(
        name=name,
        description=description,
        schema=schema_of(arguments),
        function=function,
        timeout_seconds=timeout_seconds,
        max_result_chars=max_result_chars,
        arguments=arguments,
    )


class BoundTool:
    """A tool for the length of one turn. ``call`` never raises what a tool raised."""

    def __init__(
        self,
        tool: Tool,
        *,
        turn_id: str,
        context: Callable[[str], ToolContext],
        language: str = "en",
        lanes: Lanes = _PASSING,
    ) -> None:
        """Bind a tool to a turn.

        Args:
            tool: What to call.
            turn_id: Id of the turn, the same when the turn is run again.
            context: Makes the context of a call from its id.
            language: Language of the sentences on failures.
            lanes: Where it runs; without, on a thread of each call's own.
        """
        self.tool = tool
        self._turn_id = turn_id
        self._context = context
        self._language, self._lanes = language, lanes
        self._calls: Counter[str] = Counter()

    @property
    def name(self) -> str:
        """The tool's name."""
        return self.tool.name

    @property
    def description(self) -> str:
        """What the model reads about it."""
        return self.tool.description

    @property
    def schema(self) -> dict[str, Json]:
        """JSON Schema of the arguments."""
        return self.tool.schema

    def renewed(self) -> BoundTool:
        """The same for another try of its turn: the same calls get the same ids."""
        again = copy(self)
        again._calls = Counter()
        return again

    async def call(self, arguments: Mapping[str, Json], *, at_most: float = math.inf) -> ToolResult:
        """Check the arguments, run the tool within its limits, tell any failure in a sentence.

        Args:
            arguments: As the model gave them.
            at_most: Seconds that the turn has for it, where that is less than the tool's own.

        Raises:
            asyncio.CancelledError: the turn was given up.
        """
        with span("execute_tool", {"gen_ai.tool.name": self.name}):
            return await self._result(arguments, min(self.tool.timeout_seconds, at_most))

    async def _result(self, arguments: Mapping[str, Json], seconds: float) -> ToolResult:
        try:
            checked = parse_arguments(self.tool.arguments, arguments)
            given = self._context(self._call_id(checked.canonical()))
            with Crossing() as way:
                call = partial(self.tool.function, across(given, way), **checked.by_name())
                text = await self._within_time(call, seconds)
            return ToolResult(self._within_size(text, self.tool.max_result_chars), ok=True)
        except ToolError as error:
            reason = self._within_size(str(error), MAX_REASON_CHARS)
            told = told_to_a_person(error, self._language)
            return ToolResult(reason, ok=False, told=told, absent=error.absent)
        except MemoryUnavailableError as error:
            _log.warning("tool %s: memory unavailable, cause %s", self.name, error.cause)
            return ToolResult(say("tool_memory_away", self._language), ok=False)
        except Exception as error:
            # Neither the exception's text nor its traceback's values: they may quote the person.
            _log.error("tool %s: %s at %s", self.name, type(error).__name__, raised_at(error))
            return ToolResult(say("tool_failed", self._language), ok=False)

    async def _within_time(self, answer: Answer, seconds: float) -> str:
        try:
            async with asyncio.timeout(seconds) as limit:
                return await self._lanes.carry(self.name, answer)
        except TimeoutError as error:
            if not limit.expired():  # the tool's own affair, not our limit
                raise
            _log.warning("tool %s: given up after %.3g s", self.name, seconds)
            told = say("tool_timeout", self._language, seconds=f"{seconds:.3g}")
            raise ToolError(told) from error
        except StuckError as error:
            _log.error("tool %s: not called, %s", self.name, error)
            raise ToolError(say("tool_stuck", self._language)) from error

    def _call_id(self, canonical: str) -> str:
        ordinal = self._calls[canonical]
        self._calls[canonical] += 1
        parts = canonical_json([self._turn_id, self.name, canonical, ordinal])
        return hashlib.sha256(parts.encode()).hexdigest()

    def _within_size(self, text: str, limit: int) -> str:
        if not text.strip():
            return say("tool_done", self._language)
        if len(text) <= limit:
            return text
        note = f" [cut: {len(text)} characters, {limit} fit]"
        return text[: limit - len(note)].rstrip() + note
