"""What memory tells of what it did."""

from __future__ import annotations

from dataclasses import dataclass, field

from cloche.llm.usage import Usage
from cloche.memory.records import MemoryRecord


@dataclass(frozen=True, slots=True)
class Remembered:
    """What followed a turn.

    Attributes:
        records: Records made of it.
        waiting: How many writes wait in the spool.
        usage: What a model used to sum up a session.
    """

    records: tuple[MemoryRecord, ...] = ()
    waiting: int = 0
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class Erased:
    """How much a forget removed, by where it was."""

    events: int
    records: int
    waiting: int
    state: int
