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
        waiting: Writes of the person that wait in the spool or in this process.
        usage: What extraction, judging (for tools of the turn, too) and summing up took.
        unsaved: Writes that are nowhere but in this process: neither store nor spool takes them.
    """

    records: tuple[MemoryRecord, ...] = ()
    waiting: int = 0
    usage: Usage = field(default_factory=Usage)
    unsaved: int = 0


@dataclass(frozen=True, slots=True)
class Erased:
    """How much a forget removed, by where it was."""

    events: int
    records: int
    waiting: int
    state: int
    files: int = 0
