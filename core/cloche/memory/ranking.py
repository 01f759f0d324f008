"""Which recalled records a turn gets, and in which order. Pure.

Order: tier (stated rule, preference or warning, stated fact, inferred; what is merely recent
last), then search score, importance, specificity, recency, confidence, and the id as tie-break.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final

from cloche.memory.recall import Recalled
from cloche.memory.records import MemoryRecord
from cloche.prompt import Why
from cloche.vocabulary import bare_words

REASONS: Final[tuple[Why, ...]] = ("listed", "about", "meaning", "fits", "profile", "other")
"""Reasons from the strongest: what was asked for by its kind, what is about whom the words name,
what fits, what is merely there."""


def is_current(record: MemoryRecord, now: datetime) -> bool:
    """True when a record still holds: neither archived (superseded) nor expired."""
    expires_at = record.validity.expires_at
    return record.validity.archived_at is None and (expires_at is None or expires_at > now)


def rank(candidates: Iterable[Recalled], *, now: datetime) -> tuple[Recalled, ...]:
    """The records that may enter a turn, best first.

    Each record once (with its strongest reason and best score), each statement once, and only
    what holds now. The order does not depend on the order given.
    """
    best: dict[str, Recalled] = {}
    for candidate in candidates:
        known = best.get(candidate.record.id, candidate)
        best[candidate.record.id] = Recalled(
            candidate.record,
            min(candidate.why, known.why, key=REASONS.index),
            max(candidate.score, known.score),
        )
    current = [c for c in best.values() if is_current(c.record, now)]
    return tuple(_once_per_statement(sorted(current, key=_key)))


def _key(candidate: Recalled) -> tuple[int, float, int, int, float, float, str]:
    record = candidate.record
    return (
        _tier(candidate),
        -candidate.score,
        -record.trust.importance,
        -len(record.metadata),
        -record.validity.updated_at.timestamp(),
        -record.trust.confidence,
        record.id,
    )


def _tier(candidate: Recalled) -> int:
    if candidate.why == "other":
        return 3
    if not candidate.record.source.stated:
        return 2
    return 0 if candidate.record.kind in ("rule", "preference", "warning") else 1


def _once_per_statement(ranked: Sequence[Recalled]) -> list[Recalled]:
    seen: set[tuple[str, str]] = set()
    kept = []
    for candidate in ranked:
        text = candidate.record.text
        statement = (candidate.record.subject, bare_words(text) or text)
        if statement not in seen:
            seen.add(statement)
            kept.append(candidate)
    return kept
