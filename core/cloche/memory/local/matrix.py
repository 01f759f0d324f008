"""Vectors of one actor's items as one matrix that grows, and the best of them. Needs numpy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cloche.memory.local.dense import (
    Arrays,
    Floats,
    best,
    calibration,
    closeness,
    score_hybrid,
    standardise,
)
from cloche.memory.local.scoring import ALONE_HYBRID, HYBRID, Asked, Row

Bools = NDArray[np.bool_]

CLOSEST: Final = 5
"""So many of the closest may fit where none is far above the usual."""
FLOOR: Final = 0.5
"""How many spreads above the cosine of unrelated texts they must be."""


class Matrix:
    """A row per position; rows without a vector are known to have none."""

    def __init__(self, model_id: str, dimensions: int) -> None:
        """Take the model of the vectors and their length."""
        self._calibration = calibration(model_id)
        self._rows: NDArray[np.float32] = np.zeros((64, dimensions), np.float32)
        self._known: Bools = np.zeros(64, np.bool_)
        self._size = 0
        self._arrays: Arrays | None = None

    @property
    def has_vectors(self) -> bool:
        """True when some row has a vector."""
        return bool(self._known[: self._size].any())

    def put(self, position: int, vector: bytes | None) -> None:
        """Set the row of a position, at most one beyond the last."""
        if position == len(self._rows):
            self._rows = np.concatenate([self._rows, np.zeros_like(self._rows)])
            self._known = np.concatenate([self._known, np.zeros_like(self._known)])
        self._size = max(self._size, position + 1)
        self._known[position] = vector is not None
        self._rows[position] = 0 if vector is None else np.frombuffer(vector, "<f4")
        self._arrays = None

    def move_last(self, position: int) -> None:
        """Put the last row in the place of another, which is given up."""
        self._size -= 1
        self._rows[position] = self._rows[self._size]
        self._known[position] = self._known[self._size]
        self._known[self._size] = False
        self._arrays = None

    def best(
        self,
        vector: Sequence[float],
        lexical: Mapping[int, float],
        rows: Sequence[Row],
        asked: Asked,
        fits: Sequence[bool],
        *,
        limit: int,
        near: float | None,
    ) -> list[tuple[int, float]]:
        """The best positions, with their scores; of equal ones, by id.

        Args:
            vector: The question's, of length 1.
            lexical: BM25 by position, of the items that hold a word of the question.
            rows: The item of each position.
            asked: What the question tells beside its words.
            fits: Which positions may be found.
            limit: How many to give.
            near: For items that stand alone: from so many spreads above the usual cosine on they
                fit without a word of the question, and the closest few already when that is
                above the cosine of unrelated texts. None = items lend their fit to their
                neighbours, and all are ranked.
        """
        weights = HYBRID if near is None else ALONE_HYBRID
        if self._arrays is None:
            self._arrays = Arrays.of(rows, weights)
        known = self._known[: self._size]
        cosines = (self._rows[: self._size] @ np.asarray(vector, np.float32)).astype(np.float64)
        dense = standardise(cosines, known, self._calibration)
        wanted = np.array(fits, np.bool_)
        if near is not None:
            close = (dense >= near) | self._closest(cosines, known)
            close[list(lexical)] = True
            if asked.when:
                close |= closeness(self._arrays.at, asked.when) == 1
            wanted &= close
        return best(score_hybrid(lexical, dense, self._arrays, asked, weights), wanted, rows, limit)

    def _closest(self, cosines: Floats, known: Bools) -> Bools:
        """The closest few: where everything is about one thing, none is far above the usual."""
        least = self._calibration.centre + FLOOR * self._calibration.spread
        own = np.sort(cosines[known])[-CLOSEST:]
        return known & (cosines >= max(least, float(own[0])))
