"""One paragraph with its formatting as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import Enum
from typing import Final

from cloche.channels.parts import Entity
from cloche.delivery.rendering.escaping import escaped

_TICKS: Final = re.compile(r"`+")
_MARKS: Final = {"bold": "**", "strikethrough": "~~", "spoiler": "||"}
_AS_ITSELF: Final = re.compile(r"(?:https?://|mailto:)[^\s<>\\]+", re.IGNORECASE)


class Care(Enum):
    """How much is done so that signs of formatting are taken for what they are."""

    READABLE = 0
    EVERY_SIGN = 1
    """Escape every sign of the text."""


def written_inline(text: str, entities: Sequence[Entity], care: Care) -> str:
    """A paragraph, which has neither empty lines nor newlines at its ends."""
    shown = [each for each in entities if each.kind not in ("blockquote", "pre", "underline")]
    edges = {at for each in shown for at in (each.start, each.end)}
    links = {each.start for each in shown if each.kind == "link"}
    signs = escaped(text, edges, links, all_signs=care is Care.EVERY_SIGN)
    return "".join(_Inline(text, shown, signs).pieces())


class _Inline:
    def __init__(self, text: str, entities: Sequence[Entity], signs: Sequence[str]) -> None:
        self._text, self._entities, self._signs = text, entities, signs
        self._next = 0

    def pieces(self, start: int = 0, end: int | None = None) -> Iterator[str]:
        """Between two places, with everything that begins there; entities are nested."""
        at, end = start, len(self._text) if end is None else end
        while self._next < len(self._entities) and self._entities[self._next].start < end:
            entity = self._entities[self._next]
            self._next += 1
            yield from self._signs[at : entity.start]
            yield from self._formatted(entity)
            at = entity.end
        yield from self._signs[at:end]

    def _formatted(self, entity: Entity) -> Iterator[str]:
        start, end = entity.start, entity.end
        words = self._text[start:end]
        if entity.kind == "code":
            yield _code(words)
        elif entity.kind == "link" and words == entity.url and self._stands_alone(entity):
            yield f"<{words}>"
        elif entity.kind == "link":
            yield from ("[", *self.pieces(start, end), f"]({destination(entity.url)})")
        else:
            mark = _MARKS.get(entity.kind) or self._italic(start, end)
            yield from (mark, *self.pieces(start, end), mark)

    def _stands_alone(self, entity: Entity) -> bool:
        """Whether an address can stand in angle brackets: nothing is formatted in it."""
        following = self._entities[self._next : self._next + 1]
        inside = any(each.start < entity.end for each in following)
        return not inside and bool(_AS_ITSELF.fullmatch(entity.url))

    def _italic(self, start: int, end: int) -> str:
        around = self._text[max(start - 1, 0) : start], self._text[end : end + 1]
        return "*" if any(each.isalnum() for each in around) else "_"


def _code(code: str) -> str:
    code = code.replace("\n", " ")
    longest = max(map(len, _TICKS.findall(code)), default=0)
    ticks = "`" * (1 if not longest else longest + 1)
    pad = " " if code[0] in "` " or code[-1] in "` " else ""
    return f"{ticks}{pad}{code}{pad}{ticks}"


def destination(url: str) -> str:
    """An address as it is written behind a link's words."""
    for sign in ("\\", "<", ">"):
        url = url.replace(sign, f"%{ord(sign):02X}")
    url = re.sub(r"&(?=#|[A-Za-z][A-Za-z0-9]*;)", "&amp;", url)
    return f"<{url}>"
