"""Tools bound to a turn: called within limits, and any failure told in a sentence."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import math
from collections import Counter
from collections.abc import Callable, Mapping
from copy import copy
from functools import partial
from typing import Final

from cloche.errors import MemoryUnavailableError, ToolError, raised_at
from cloche.state.store import Json
from cloche.texts import say
from cloche.tools.arguments import canonical_json, parse_arguments
from cloche.tools.context import ToolContext
from cloche.tools.crossing import Crossing, across
from cloche.tools.lanes import Answer, Lanes, StuckError
from cloche.tools.results import ToolResult, told_to_a_person
from cloche.tools.tool import Tool
from cloche.tracing import span

_log = logging.getLogger(__name__)

MAX_REASON_CHARS: Final = 2_000  # of a sentence on why a call failed
_PASSING: Final = Lanes(idle=0)


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
        self._refused = ""

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

    def beside_pictures(self, words: str) -> BoundTool:
        """The same in a turn with pictures, which may have orders written in them.

        Args:
            words: What the person wrote beside them.
        """
        asked = self.tool.hears is not None and self.tool.hears(words) is not None
        if asked or not self.tool.removes:
            return self
        kept = copy(self)
        kept._refused = say("tool_beside_picture", self._language)
        return kept

    async def call(self, arguments: Mapping[str, Json], *, at_most: float = math.inf) -> ToolResult:
        """Check the arguments, run the tool within its limits, tell any failure in a sentence.

        Args:
            arguments: As the model gave them.
            at_most: Seconds that the turn has for it, where that is less than the tool's own.

        Raises:
            asyncio.CancelledError: the turn was given up.
        """
        about = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.type": "function"}
        with span("execute_tool", {**about, "gen_ai.tool.name": self.name}):
            return await self._result(arguments, min(self.tool.timeout_seconds, at_most))

    async def _result(self, arguments: Mapping[str, Json], seconds: float) -> ToolResult:
        if self._refused:
            return ToolResult(self._refused, ok=False)
        try:
            checked = parse_arguments(self.tool.arguments, arguments)
            given = self._context(self._call_id(checked.canonical()))
            with Crossing() as way:
                call = partial(self.tool.function, across(given, way), **checked.by_name())
                text = await self._within_time(call, seconds)
            return ToolResult(self._within_size(text, self.tool.max_result_chars), ok=True)
        except ToolError as error:
            if error.absent and not str(error):
                return ToolResult("There is nothing of the kind.", False, absent=True, silent=True)
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
                # What it left behind takes none of its time: an answer is not lost for that.
                return await self._lanes.carry(self.name, answer, lambda: limit.reschedule(None))
        except TimeoutError as error:
            if not limit.expired():  # the tool's own affair, not our limit
                raise
            _log.warning("tool %s: given up after %.3g s", self.name, seconds)
            shown = f"{seconds:.0f}" if seconds >= 10 else f"{seconds:.2g}"
            told = say("tool_timeout", self._language, seconds=shown)
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
