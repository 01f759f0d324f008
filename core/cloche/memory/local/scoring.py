"""How well events and records fit a question: the formula, without vectors. Pure.

    score(d) = base(d) + context * sum over r=1..3 of 2^-r * (base(d-r) + base(d+r))
             + named  * [d was said by, or is about, the one person the question names]
             - asks   * [d is a question without its answer]
             + date   * closeness of d's day to the date the question speaks of
             + length * ln(1 + min(words of d, 60))
    base(d)  = dense * (cos(question, d) - centre) / spread + lexical * bm25(question, d)

d-r and d+r are the neighbours of d in its session; a record has none. Every number is of one
actor's data, so nobody else's can move it. Items are given by position in a list
of rows; equal scores are ordered by id, and ids within an actor are unique.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from cloche.memory.local.dates import Span

DAY_MICROS: Final = 86_400_000_000
REACH: Final = 3
"""Neighbours on each side that lend their fit, half as much at every step."""
DECAY: Final = 0.5
FADE_DAYS: Final = 15.0
"""After so many days closeness to a date is 1/e; before it in half the time: people tell later."""


@dataclass(frozen=True, slots=True)
class Weights:
    """What each part of the formula counts for."""

    dense: float
    lexical: float
    context: float
    named: float = 2.0
    asks: float = 0.75
    date: float = 1.5
    length: float = 1.0


HYBRID: Final = Weights(dense=1.0, lexical=0.3, context=0.5)
LEXICAL: Final = Weights(dense=0.0, lexical=0.5, context=1.0)
ALONE_HYBRID: Final = replace(HYBRID, context=0.0, length=0.5)
ALONE_LEXICAL: Final = replace(LEXICAL, context=0.0, length=0.5)
"""For records, which have no neighbours and are as long as they were put."""


@dataclass(frozen=True, slots=True)
class Instants:
    """The asked days as instants: microseconds from the first, and to the end of the last."""

    start: int
    end: int


class Row(NamedTuple):
    """What the formula needs of an event or a record beside its words and its vector.

    Attributes:
        number: Row number of the item.
        id: Its id, which orders equal scores.
        session: Session of an event, "" for a record.
        at: Microseconds of its instant.
        who: Speaker of an event, subject of a record; "" = the actor.
        words: Its length in words, at most 60.
        asks: True when it is a question without its answer.
        conversation: Where it was said.
        kind: Kind of a record, "" for an event.
        scope: Scope of a record, "" for an event.
        expires_at: Microseconds of the instant a record holds until; None = for good.
    """

    number: int
    id: str
    session: str
    at: int
    who: str
    words: int
    asks: bool
    conversation: str
    kind: str = ""
    scope: str = ""
    expires_at: int | None = None


@dataclass(frozen=True, slots=True)
class Order:
    """Positions so that a session's stand together, in the order they were said.

    Attributes:
        positions: The positions in that order.
        index: Where in it each position is.
    """

    positions: list[int]
    index: list[int]

    @classmethod
    def of(cls, rows: Sequence[Row]) -> Order:
        """The order of some rows."""
        keys = [(row.session, row.at, row.number) for row in rows]
        positions = sorted(range(len(keys)), key=keys.__getitem__)
        index = [0] * len(positions)
        for at, position in enumerate(positions):
            index[position] = at
        return cls(positions, index)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question tells beside its words.

    Attributes:
        who: The one person it names; None = none or several.
        when: The days it speaks of; empty = none.
    """

    who: str | None = None
    when: tuple[Instants, ...] = ()


def instants(spans: Iterable[Span], zone: ZoneInfo) -> tuple[Instants, ...]:
    """Days in a time zone as instants; days no clock can show are left out."""
    found = []
    for first, last in spans:
        try:
            found.append(Instants(_midnight(first, zone), _midnight(last + timedelta(1), zone)))
        except OverflowError:
            continue
    return tuple(found)


def closeness(at: int, when: Sequence[Instants]) -> float:
    """1 inside the asked days, falling with every day outside of them."""
    best = 0.0
    for days in when:
        if at >= days.end:
            gap = (at - days.end) // DAY_MICROS + 1
        elif at < days.start:
            gap = 2 * ((days.start - at - 1) // DAY_MICROS + 1)
        else:
            gap = 0
        best = max(best, math.exp(-gap / FADE_DAYS))
    return best


def static(row: Row, weights: Weights) -> float:
    """The part of a score that no question changes."""
    return weights.length * math.log1p(row.words) - weights.asks * row.asks


def rank_lexical(
    lexical: Mapping[int, float],
    rows: Sequence[Row],
    order: Order | None,
    asked: Asked,
    fits: Callable[[int], bool],
    *,
    everything: bool,
    weights: Weights = LEXICAL,
) -> dict[int, float]:
    """Scores by position, without vectors.

    Args:
        lexical: BM25 by position, of the items that hold a word of the question.
        rows: All items of the actor.
        order: Their order by session; None for items without neighbours.
        asked: What the question tells beside its words.
        fits: Which positions may be found.
        everything: True to score items with no word of the question near them too; else only
            those whose day is asked for.
        weights: What each part counts for.
    """
    scores = {position: weights.lexical * score for position, score in lexical.items()}
    if order is not None:
        scores = _with_neighbours(scores, rows, order, weights.context)
    if everything and scores:
        scores = dict.fromkeys(range(len(rows)), 0.0) | scores
    for position, row in enumerate(rows) if asked.when else ():
        if position not in scores and any(days.start <= row.at < days.end for days in asked.when):
            scores[position] = 0.0
    found = {}
    for position, base in scores.items():
        if fits(position):
            row = rows[position]
            score = base + static(row, weights)
            if asked.who is not None and row.who == asked.who:
                score += weights.named
            if asked.when:
                score += weights.date * closeness(row.at, asked.when)
            found[position] = score
    return found


def best(scores: Mapping[int, float], rows: Sequence[Row], limit: int) -> list[tuple[int, float]]:
    """The best positions with their scores; of equal ones, by id."""
    return heapq.nsmallest(limit, scores.items(), key=lambda item: (-item[1], rows[item[0]].id))


def _with_neighbours(
    bases: Mapping[int, float], rows: Sequence[Row], order: Order, context: float
) -> dict[int, float]:
    scores: dict[int, float] = {}
    # In the order of the talk, so that sums are the same however the hits came.
    for index in sorted(order.index[position] for position in bases):
        position = order.positions[index]
        scores[position] = scores.get(position, 0.0) + bases[position]
        for step in range(1, REACH + 1):
            for other in (index - step, index + step):
                if not 0 <= other < len(order.positions):
                    continue
                near = order.positions[other]
                if rows[near].session == rows[position].session:
                    lent = context * DECAY**step * bases[position]
                    scores[near] = scores.get(near, 0.0) + lent
    return scores


def _midnight(day: date, zone: ZoneInfo) -> int:
    local = datetime(day.year, day.month, day.day, tzinfo=zone)
    return round(local.timestamp()) * 1_000_000
