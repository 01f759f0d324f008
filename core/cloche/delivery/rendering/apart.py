"""Blocks inside the items of a list, each on lines of its own.

The renderer behind this sets blocks apart, but not in a list: what follows code there would stand
on its last line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

_BLOCKS: Final = ("Paragraph", "BlockQuote", "CodeBlock", "Table", "Heading")
_UNENDED: Final = ("CodeBlock", "Table", "Heading")
"""Blocks after which the renderer leaves the line open."""
_WHOLE: Final = ("CodeBlock", "Table")
"""Blocks that the renderer writes when they end, with all that is in them."""
_NOWHERE: Final[Mapping[str, int]] = {}


def apart(
    events: Iterable[tuple[Any, Mapping[str, int]]],
) -> Iterator[tuple[Any, Mapping[str, int]]]:
    """The events, with a line's end wherever one block of an item would run into the next."""
    line = _Line()
    for payload, where in events:
        starts, ends = _name(payload, "Start"), _name(payload, "End")
        if line.must_end(payload, starts, ends):
            yield "SoftBreak", _NOWHERE
        yield payload, where
        line.go_on(payload, starts, ends)


class _Line:
    """The line that is being written: "" = nothing is in it, but the sign of an item perhaps."""

    def __init__(self) -> None:
        self._lists, self._in_whole = 0, False
        self._after = ""

    def must_end(self, payload: Any, starts: str, ends: str) -> bool:
        if not self._lists or self._in_whole or ends or starts in ("List", "Item"):
            return False
        if starts in _BLOCKS or payload == "Rule":
            return bool(self._after)
        before, self._after = self._after, "words"
        return before == "block"

    def go_on(self, payload: Any, starts: str, ends: str) -> None:
        self._lists += (starts == "List") - (ends == "List")
        self._in_whole = (self._in_whole or starts in _WHOLE) and ends not in _WHOLE
        if not self._lists or starts in ("Item", *_BLOCKS) or ends in ("Item", "Paragraph"):
            self._after = ""
        elif ends in _UNENDED or payload == "Rule":
            self._after = "block"


def _name(payload: Any, side: str) -> str:
    tag = payload.get(side) if isinstance(payload, dict) else None
    return str(next(iter(tag)) if isinstance(tag, dict) else tag or "")
