"""What memory tells of what it did."""

from __future__ import annotations

from dataclasses import dataclass

from cloche.memory.records import MemoryRecord


@dataclass(frozen=True, slots=True)
class Remembered:
    """What followed a turn: records made of it, and how many writes wait in the spool."""

    records: tuple[MemoryRecord, ...] = ()
    waiting: int = 0


@dataclass(frozen=True, slots=True)
class Erased:
    """How much a forget removed, by where it was."""

    events: int
    records: int
    waiting: int
    state: int
