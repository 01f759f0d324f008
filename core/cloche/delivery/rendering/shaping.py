"""Entities as platforms take them: nested or apart, never empty, nothing inside code."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final, TypeAlias

from cloche.channels.parts import Entity, EntityKind

_ORDER: Final[tuple[EntityKind, ...]] = (
    "blockquote", "link", "spoiler", "bold", "italic", "underline", "strikethrough", "code", "pre",
)  # fmt: skip
"""Which is outside where two cover the same text."""
_RANK: Final = {kind: rank for rank, kind in enumerate(_ORDER)}
_Style: TypeAlias = "tuple[EntityKind, str, str]"


def shaped(text: str, entities: Iterable[Entity]) -> tuple[Entity, ...]:
    """The same formatting: in order, each inside or beside the others, at visible characters.

    Nothing but a quote stands around code, because platforms refuse it: there a spoiler or a link
    wins over the code's own look, and code over all the rest. Links are not nested: the outer one
    stays.
    """
    runs = (_trimmed(text, each) for each in _runs(text, entities))
    return tuple(_nested(each for each in runs if each is not None))


def within(entities: Sequence[Entity], start: int, end: int) -> tuple[Entity, ...]:
    """What is formatted between two places, counted from the first."""
    return tuple(
        Entity(
            each.kind,
            max(each.start, start) - start,
            min(each.end, end) - start,
            each.url,
            each.language,
        )
        for each in entities
        if each.start < end and each.end > start
    )


def _runs(text: str, entities: Iterable[Entity]) -> Iterator[Entity]:
    """Every style in the longest stretches it has."""
    begun: dict[_Style, int] = {}
    for at, styles in _styles(text, entities):
        for style in [each for each in begun if each not in styles]:
            kind, url, language = style
            yield Entity(kind, begun.pop(style), at, url, language)
        for style in styles:
            begun.setdefault(style, at)


def _styles(text: str, entities: Iterable[Entity]) -> Iterator[tuple[int, frozenset[_Style]]]:
    """Where the styles change, and what they are from there on; last of all none."""
    active: dict[EntityKind, dict[int, Entity]] = {}
    changes = sorted(_changes(text, entities), key=lambda each: each[0])
    for at, group in groupby(changes, key=lambda each: each[0]):
        for _, number, entity, begins in group:
            if begins:
                active.setdefault(entity.kind, {})[number] = entity
            else:
                active[entity.kind].pop(number)
        yield at, frozenset(_wins({kind: each for kind, each in active.items() if each}))


def _changes(text: str, entities: Iterable[Entity]) -> Iterator[tuple[int, int, Entity, bool]]:
    inside = sorted(entities, key=lambda each: (each.start, -each.end))
    for number, each in enumerate(inside):
        start, end = max(each.start, 0), min(each.end, len(text))
        if start < end:
            yield start, number, each, True
            yield end, number, each, False


def _wins(active: Mapping[EntityKind, Mapping[int, Entity]]) -> Iterator[_Style]:
    kinds = set(active)
    if kinds & {"spoiler", "link"}:
        kinds -= {"code", "pre"}
    elif "pre" in kinds:
        kinds &= {"pre", "blockquote"}
    elif "code" in kinds:
        kinds &= {"code", "blockquote"}
    for kind in kinds:
        first = next(iter(active[kind].values()))
        yield kind, first.url, first.language


def _trimmed(text: str, entity: Entity) -> Entity | None:
    """Without the space at its ends; a block of code keeps its indentation."""
    piece = text[entity.start : entity.end]
    edge = "\n" if entity.kind == "pre" else None
    start = entity.start + len(piece) - len(piece.lstrip(edge))
    end = entity.end - len(piece) + len(piece.rstrip(edge))
    if start >= end or not piece.strip():
        return None
    return Entity(entity.kind, start, end, entity.url, entity.language)


def _nested(runs: Iterable[Entity]) -> Iterator[Entity]:
    """Cut in two what begins inside another and ends outside."""
    waiting = [
        (each.start, -each.end, _RANK[each.kind], number, each) for number, each in enumerate(runs)
    ]
    heapq.heapify(waiting)
    number, around = len(waiting), list[Entity]()
    while waiting:
        entity = heapq.heappop(waiting)[-1]
        while around and around[-1].end <= entity.start:
            around.pop()
        if around and entity.end > (end := around[-1].end):
            rest = Entity(entity.kind, end, entity.end, entity.url, entity.language)
            heapq.heappush(waiting, (end, -rest.end, _RANK[rest.kind], number, rest))
            entity = Entity(entity.kind, entity.start, end, entity.url, entity.language)
            number += 1
        around.append(entity)
        yield entity
