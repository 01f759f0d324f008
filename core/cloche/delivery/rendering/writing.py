"""Formatted text as Markdown: what people wrote with a platform's formatting, and split replies."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import accumulate, pairwise
from typing import Final, TypeAlias

from cloche.channels.parts import Entity
from cloche.delivery.rendering.addresses import can_be_opened
from cloche.delivery.rendering.boundaries import is_blank
from cloche.delivery.rendering.inline import Care, written_inline
from cloche.delivery.rendering.reading import clean, read_strictly
from cloche.delivery.rendering.shaping import shaped, within
from cloche.delivery.rendering.standing import most_of, standing

_BLOCKS: Final = ("blockquote", "pre")
_EMPTY_LINES: Final = re.compile(r"\n\s*\n")
_TICKS: Final = re.compile(r"`+")
_Look: TypeAlias = "tuple[str, str, str, int, int]"


def to_markdown(text: str, entities: Sequence[Entity]) -> str:
    """Markdown that reads as ``text`` with its formatting; spaces and empty lines may differ.

    Offsets count code points. Underlining and links that a chat cannot open have no Markdown: only
    their text stays. Letters stay what they are: where signs of formatting cannot stand beside
    them, that piece of formatting becomes smaller or is given up.
    """
    if is_blank(text):
        return text
    if text != clean(text):
        text, entities = clean(text), () if len(clean(text)) != len(text) else entities
    wanted = shaped(text, [each for each in entities if _has_markdown(each)])
    fitting = standing(text, wanted)
    for kept in dict.fromkeys((wanted, fitting)):
        if _reads(text, kept):
            return _blocks(text, kept, Care.READABLE)
    if most := most_of(text, fitting, partial(_reads, text)):
        return _blocks(text, most, Care.READABLE)
    for kept, care in ((fitting, Care.EVERY_SIGN), ((), Care.READABLE)):
        if _reads(text, kept, care):
            return _blocks(text, kept, care)
    return _blocks(text, (), Care.EVERY_SIGN)


def _reads(text: str, entities: Sequence[Entity], care: Care = Care.READABLE) -> bool:
    """Whether whoever knows CommonMark alone would see this formatting and no other."""
    seen = read_strictly(_blocks(text, entities, care))
    return _look(*seen) == _look(text, entities)


def shortest_markdown(text: str, entities: Sequence[Entity]) -> str:
    """What ``to_markdown`` gives at the least: nothing of it is read again to be sure."""
    return _blocks(text, shaped(text, filter(_has_markdown, entities)), Care.READABLE)


def _has_markdown(entity: Entity) -> bool:
    if entity.kind == "link":
        return can_be_opened(entity.url)
    return entity.kind != "underline"


def _look(text: str, entities: Iterable[Entity]) -> tuple[str, frozenset[_Look]]:
    """What can be seen: the characters that are no space, and what is formatted of them."""
    seen = list(accumulate((not char.isspace() for char in text), initial=0))
    runs: dict[tuple[str, str, str], list[tuple[int, int]]] = {}
    for each in entities:
        if each.kind == "underline":
            continue
        style = (each.kind, each.url, each.language)
        start, end = seen[each.start], seen[each.end]
        stretches = runs.setdefault(style, [])
        if stretches and stretches[-1][1] == start:
            start = stretches.pop()[0]
        stretches.append((start, end))
    looks = {(*style, *stretch) for style, each in runs.items() for stretch in each}
    return "".join(text.split()), frozenset(looks)


def _blocks(text: str, entities: Sequence[Entity], care: Care) -> str:
    """Paragraphs, quotes and blocks of code, each on lines of its own."""
    written, gap, was_quoted = list[str](), "", False
    for start, end, quoted, code in _pieces(text, entities):
        piece = text[start:end]
        if not piece.strip():
            gap = gap or ("\n\n" if piece.count("\n") > 1 else "\n")
            continue
        lead = piece[: len(piece) - len(piece.lstrip("\n"))]
        if written:
            written.append("\n\n" if quoted or was_quoted or "\n\n" in (gap, lead) else "\n")
        block = (
            _fenced(piece, code) if code else _paragraphs(piece, within(entities, start, end), care)
        )
        written.append(re.sub("^", "> ", block, flags=re.MULTILINE) if quoted else block)
        tail = piece[len(piece.rstrip("\n")) :]
        gap, was_quoted = "\n\n" if len(tail) > 1 else "", quoted
    return "".join(written)


def _pieces(
    text: str, entities: Sequence[Entity]
) -> Iterator[tuple[int, int, bool, Entity | None]]:
    """The text cut at the edges of quotes and blocks of code."""
    blocks = [each for each in entities if each.kind in _BLOCKS]
    edges = {0, len(text), *(at for each in blocks for at in (each.start, each.end))}
    around: list[Entity] = []
    upcoming = iter(blocks)
    following = next(upcoming, None)
    for start, end in pairwise(sorted(edges)):
        around = [each for each in around if each.end > start]
        while following and following.start <= start:
            around.append(following)
            following = next(upcoming, None)
        code = next((each for each in around if each.kind == "pre"), None)
        yield start, end, any(each.kind == "blockquote" for each in around), code


def _fenced(code: str, entity: Entity) -> str:
    longest = max(map(len, _TICKS.findall(code)), default=0)
    fence = "`" * max(3, longest + 1)
    language = "".join(entity.language.replace("`", "").split())
    return f"{fence}{language}\n{code}\n{fence}"


def _paragraphs(text: str, entities: Sequence[Entity], care: Care) -> str:
    written = []
    for start, end in _between_empty_lines(text):
        piece = text[start:end].strip("\n")
        at = start + text[start:end].find(piece)
        inside = shaped(piece, within(entities, at, at + len(piece)))
        written.append(written_inline(piece, inside, care))
    return "\n\n".join(written)


def _between_empty_lines(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    for gap in _EMPTY_LINES.finditer(text):
        if text[at : gap.start()].strip():
            yield at, gap.start()
        at = gap.end()
    if text[at:].strip():
        yield at, len(text)
