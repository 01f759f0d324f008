"""Which formatting can stand beside the letters of a text in Markdown.

Signs of formatting between a letter and a sign are none: for CommonMark ``a**(b)**c`` has no bold.
No letter is changed for that: the formatting becomes smaller, ``a(**b**)c``, or goes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Final

from cloche.channels.parts import Entity
from cloche.delivery.rendering.flanking import is_punctuation
from cloche.delivery.rendering.shaping import shaped
from cloche.delivery.rendering.spoilers import is_in_word

_EMPHASIS: Final = ("bold", "italic", "strikethrough")
_MOST_TRIES: Final = 24


def standing(text: str, entities: Iterable[Entity]) -> tuple[Entity, ...]:
    """The formatting whose signs are taken for such as far as the letters around tell."""
    found = (_standing(text, each) for each in entities)
    return shaped(text, [each for each in found if each is not None])


def most_of(
    text: str, entities: Sequence[Entity], reads: Callable[[Sequence[Entity]], bool]
) -> tuple[Entity, ...]:
    """As much of the formatting as reads as it should, found in few tries.

    Args:
        text: The text.
        entities: Its formatting, of which not all reads so.
        reads: Whether this much of it does.
    """
    kept: tuple[Entity, ...] = ()
    middle = len(entities) // 2
    waiting = [entities[middle:], entities[:middle]] if middle else []
    for _ in range(_MOST_TRIES):
        if not waiting:
            break
        part = waiting.pop()
        more = shaped(text, (*kept, *part))
        if reads(more):
            kept = more
        elif len(part) > 1:
            middle = len(part) // 2
            waiting += [part[middle:], part[:middle]]
    return kept


def _standing(text: str, entity: Entity) -> Entity | None:
    start, end = entity.start, entity.end
    if entity.kind == "spoiler":
        around = text[start - 1 : start] if start else "", text[end : end + 1]
        return None if any(map(is_in_word, around)) else entity
    if entity.kind not in _EMPHASIS:
        return entity
    while start < end and not _stands(text[start - 1 : start] if start else "", text[start]):
        start += 1
    while start < end and not _stands(text[end : end + 1], text[end - 1]):
        end -= 1
    return replace(entity, start=start, end=end) if start < end else None


def _stands(outside: str, inside: str) -> bool:
    """Whether signs between these two begin or end something."""
    parted = not outside or outside.isspace() or is_punctuation(outside)
    return not inside.isspace() and (parted or not is_punctuation(inside))
