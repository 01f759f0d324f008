"""The tool calls of one turn, bounded."""

from __future__ import annotations

import logging
from collections import Counter
from typing import TYPE_CHECKING, Final

from cloche.agents.agent import ToolUse
from cloche.patience import WORK, Patience
from cloche.tools import BoundTool
from cloche.tools.results import ToolResult

if TYPE_CHECKING:
    from pydantic_ai.messages import ToolCallPart, ToolReturnPart

MAX_TOOL_CALLS: Final = 16
SAME_ERROR_LIMIT: Final = 2
"""A tool that fails this often with the same words ends the tool calls of the turn."""

_log = logging.getLogger(__name__)


class ToolRuns:
    """Runs what a model calls, one call after another, until a bound is reached.

    The last bound is the person's patience: who must still answer needs a part of it.

    Attributes:
        uses: Every call so far.
        is_over: True when the model must answer with what it has.
    """

    def __init__(self, tools: tuple[BoundTool, ...], patience: Patience) -> None:
        """Offer these tools, as long as somebody waits for what they give."""
        self._patience = patience
        self._tools = {tool.name: tool for tool in tools}
        self._errors: Counter[tuple[str, str]] = Counter()
        self.uses: list[ToolUse] = []
        self.is_over = False

    async def run(self, call: ToolCallPart) -> ToolReturnPart:
        """What a call gives, as the model reads it; never raises what a tool raised."""
        from pydantic_ai.messages import ToolReturnPart

        result = await self._result(call)
        self.uses.append(ToolUse(call.tool_name, call.args_as_json_str(), result.ok))
        if not result.ok:
            self._errors[call.tool_name, result.text] += 1
            if self._errors[call.tool_name, result.text] >= SAME_ERROR_LIMIT:
                # What is no tool's name are a model's words.
                name = call.tool_name if call.tool_name in self._tools else "that is not there"
                _log.info("tool %s: the same failure again, no more calls", name)
                self.is_over = True
        return ToolReturnPart(
            tool_name=call.tool_name,
            content=result.text,
            tool_call_id=call.tool_call_id,
            outcome="success" if result.ok else "failed",
            # No model reads it: for one that passes a result on as it is.
            metadata=result if result.told or result.absent else None,
        )

    async def _result(self, call: ToolCallPart) -> ToolResult:
        if len(self.uses) >= MAX_TOOL_CALLS:
            self.is_over = True
        if self.is_over:
            return ToolResult("Not run: there were too many calls in this turn.", ok=False)
        left = self._patience.left(WORK)
        if not left:
            self.is_over = True
            return ToolResult("Not run: there is no time left for it in this turn.", ok=False)
        tool = self._tools.get(call.tool_name)
        if tool is None:
            known = ", ".join(self._tools) or "none"
            return ToolResult(f"There is no tool {call.tool_name}; there are: {known}.", ok=False)
        try:
            arguments = call.args_as_dict(raise_if_invalid=True)
        except (ValueError, AssertionError):
            return ToolResult("Not run: the arguments are not a JSON object.", ok=False)
        return await tool.call(arguments, at_most=left)
