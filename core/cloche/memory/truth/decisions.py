"""What is decided of a new record, and of two that were written at the same time."""

from __future__ import annotations

from dataclasses import dataclass

from cloche.memory.records import MemoryRecord
from cloche.memory.truth.judging import Verdict


@dataclass(frozen=True, slots=True)
class Decision:
    """What a new record does.

    Attributes:
        confirms: The record that says the same already; None = there is none.
        replaces: Records it takes the place of, and the verdict on each.
        stands_behind: The record that holds in spite of it (the person said so, or said so later);
            then it goes into the history at once.
        rule: Why it stands behind.
        seen: Ids of the records it was compared with.
    """

    confirms: MemoryRecord | None = None
    replaces: tuple[tuple[MemoryRecord, Verdict], ...] = ()
    stands_behind: MemoryRecord | None = None
    rule: str = ""
    seen: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Meeting:
    """Two records that were written at the same time and cannot both hold.

    Attributes:
        holds: The one that was said later; of two said at once, the one whose id is greater.
        ends: The other one.
        verdict: How the first stands to the second.
    """

    holds: MemoryRecord
    ends: MemoryRecord
    verdict: Verdict
