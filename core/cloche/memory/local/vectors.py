"""The vectors of what is searched: which are missing, which are kept, which are damaged."""

from __future__ import annotations

import hashlib
import math
import sys
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from sqlite3 import Connection
from typing import Final, TypeGuard

from cloche.memory.local import passages
from cloche.memory.local.passages import CODES, WAITING, Item

UNIT: Final = 0.02
"""A vector's length is 1; where it is further from that, bytes of it are damaged."""


@dataclass(frozen=True, slots=True)
class Pending:
    """An item that waits for a vector.

    Attributes:
        row: Row of the passage.
        changed: The counter when it was read: another number later means another text.
        text: What is to be embedded.
    """

    row: int
    changed: int
    text: str

    @property
    def hash(self) -> bytes:
        """Tells equal texts, so that none is embedded twice."""
        return text_hash(self.text)


def text_hash(text: str) -> bytes:
    """Sixteen bytes that tell texts apart."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:16]


def model_number(connection: Connection, model_id: str, dimensions: int) -> int | None:
    """The number of a model; None while nothing was embedded by it."""
    row = connection.execute(
        "SELECT number FROM models WHERE id = ? AND dimensions = ?", (model_id, dimensions)
    ).fetchone()
    return None if row is None else int(row[0])


_PENDING: Final = (
    # The newest of those that have none, then those of another model.
    "SELECT row, item, number, changed FROM passages WHERE model = 0 ORDER BY row DESC LIMIT ?",
    "SELECT row, item, number, changed FROM passages WHERE model > 0 AND model < ? LIMIT ?",
    "SELECT row, item, number, changed FROM passages WHERE model > ? LIMIT ?",
)


def pending(
    connection: Connection, model_id: str, dimensions: int, limit: int
) -> tuple[list[Pending], dict[bytes, bytes]]:
    """Items that wait for a vector of the model, new ones first; and vectors known by text hash."""
    model = model_number(connection, model_id, dimensions) or 0
    found = connection.execute(_PENDING[0], (limit,)).fetchall()
    for statement in _PENDING[1:]:
        if len(found) < limit:
            found += connection.execute(statement, (model, limit - len(found))).fetchall()
    waiting = [
        Pending(row, changed, passages.text_of(connection, item, number))
        for row, item, number, changed in found
    ]
    known = {}
    for one in waiting:
        row = connection.execute(
            "SELECT v.vector FROM passages p JOIN vectors v ON v.number = p.vector "
            "WHERE p.hash = ? AND p.model = ? LIMIT 1",
            (one.hash, model),
        ).fetchone()
        if row is not None and sound(row[0], dimensions):
            known[one.hash] = row[0]
    return waiting, known


def count_pending(connection: Connection, model_id: str, dimensions: int) -> int:
    """How many items wait for a vector of the model."""
    row = connection.execute(
        "SELECT count(*) FROM passages WHERE model >= 0 AND model IS NOT ?",
        (model_number(connection, model_id, dimensions),),
    ).fetchone()
    return int(row[0])


def set_vectors(
    connection: Connection,
    model_id: str,
    dimensions: int,
    vectors: Sequence[tuple[Pending, bytes]],
) -> None:
    """Keep vectors, each unless its item has changed since its text was read."""
    connection.execute(
        "INSERT INTO models (id, dimensions) VALUES (?, ?) ON CONFLICT DO NOTHING",
        (model_id, dimensions),
    )
    model = model_number(connection, model_id, dimensions)
    for one, vector in vectors:
        row = connection.execute(
            "SELECT actor FROM passages WHERE row = ? AND changed = ?", (one.row, one.changed)
        ).fetchone()
        if row is not None:
            added = connection.execute("INSERT INTO vectors (vector) VALUES (?)", (vector,))
            connection.execute(
                "UPDATE passages SET changed = ?, model = ?, hash = ?, vector = ? WHERE row = ?",
                (
                    passages.next_change(connection, row[0]),
                    model,
                    one.hash,
                    added.lastrowid,
                    one.row,
                ),
            )


def renew(connection: Connection, items: Iterable[tuple[Item, int]]) -> None:
    """Have items wait for a vector again: those they have are damaged."""
    for item, number in items:
        row = connection.execute(
            "SELECT actor FROM passages WHERE item = ? AND number = ? AND model > 0",
            (CODES[item], number),
        ).fetchone()
        if row is not None:
            connection.execute(
                "UPDATE passages SET changed = ?, model = ?, hash = NULL, vector = NULL "
                "WHERE item = ? AND number = ?",
                (passages.next_change(connection, row[0]), WAITING, CODES[item], number),
            )


def packed(vector: Sequence[float]) -> bytes:
    """A vector as it is stored: 32-bit floats, the lowest byte first."""
    floats = array("f", vector)
    if sys.byteorder == "big":
        floats.byteswap()
    return floats.tobytes()


def sound(stored: object, dimensions: int) -> TypeGuard[bytes]:
    """True for what is stored of a vector and is one: so many floats, of length 1."""
    if not has_length(stored, dimensions):
        return False
    floats = array("f")
    floats.frombytes(stored)
    if sys.byteorder == "big":
        floats.byteswap()
    size = math.sqrt(sum(value * value for value in floats))
    return abs(size - 1) < UNIT


def has_length(stored: object, dimensions: int) -> TypeGuard[bytes]:
    """True for bytes of so many floats."""
    return isinstance(stored, bytes) and len(stored) == 4 * dimensions
