"""A text cut into parts, each within all limits of a platform at once."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from cloche.channels.declared import Limits
from cloche.channels.parts import Entity
from cloche.delivery.rendering.boundaries import is_blank, last_boundary
from cloche.delivery.rendering.shaping import within


class Splitter:
    """Takes one part after another off a text, in time that grows with its length alone."""

    def __init__(self, text: str, entities: Sequence[Entity], limits: Limits) -> None:
        """Take a text with its formatting, as ``shaped`` gives it."""
        self._text, self._limits = text, limits
        self._entities = entities if limits.entities > 0 else ()
        self._units, self._bytes = _counted(text, limits.unit), _counted(text, "bytes")
        self._at, self._next = 0, 0
        self._open: list[Entity] = []
        self._before = (0, 0, self._open)

    def parts(self) -> Iterator[tuple[str, tuple[Entity, ...]]]:
        """All parts in order; none of them blank."""
        while (part := self.take()) is not None:
            yield part

    def take(self, share: float = 1.0) -> tuple[str, tuple[Entity, ...]] | None:
        """The next part that has something to see, None at the end.

        Args:
            share: How much of the limits on length it may use, above 0 and up to 1.
        """
        self._before = (self._at, self._next, self._open)
        while self._skip_space() < len(self._text):
            start, end = self._at, self._end(share)
            if end < len(self._text):
                end = last_boundary(self._text, start, end)
            entities = self._entities_to(end)
            self._at = end
            part = self._text[start:end].rstrip()
            if not is_blank(part):
                return part, within(entities, start, start + len(part))[: self._limits.entities]
        return None

    def give_back(self) -> None:
        """Undo the last ``take``."""
        self._at, self._next, self._open = self._before

    def _skip_space(self) -> int:
        """Empty lines before a part go; the indentation of its first line stays."""
        text, at = self._text, self._at
        while at < len(text) and text[at].isspace():
            at += 1
            if text[at - 1] == "\n" or at == len(text):
                self._at = at
        # A cut in the middle of a line leaves a space that belongs to neither part.
        if self._at and text[self._at - 1] != "\n":
            self._at = at
        return self._at

    def _end(self, share: float) -> int:
        start, limits = self._at, self._limits
        end = min(
            _furthest(self._units, start, max(int(limits.text * share), 1)),
            _furthest(self._bytes, start, max(int(limits.text_bytes * share), 1)),
            self._end_by_entities(),
        )
        return max(end, start + 1)

    def _end_by_entities(self) -> int:
        """Where one more entity would be too many."""
        still_open = sum(each.end > self._at for each in self._open)
        beyond = self._next + max(self._limits.entities - still_open, 0)
        return self._entities[beyond].start if beyond < len(self._entities) else len(self._text)

    def _entities_to(self, end: int) -> list[Entity]:
        """What is formatted before ``end``; what goes on beyond it is opened again there."""
        entities = [each for each in self._open if each.end > self._at]
        while self._next < len(self._entities) and self._entities[self._next].start < end:
            entities.append(self._entities[self._next])
            self._next += 1
        self._open = [each for each in entities if each.end > end]
        return entities


def _counted(text: str, unit: str) -> Sequence[int]:
    """For each place in the text how long it is up to there."""
    if unit == "characters" or text.isascii():
        return range(len(text) + 1)
    if unit == "utf16":
        return list(accumulate((1 + (char > "\uffff") for char in text), initial=0))
    sizes = (1 + (char > "\x7f") + (char > "\u07ff") + (char > "\uffff") for char in text)
    return list(accumulate(sizes, initial=0))


def _furthest(counted: Sequence[int], start: int, limit: int) -> int:
    return bisect_right(counted, counted[start] + limit) - 1
