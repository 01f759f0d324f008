"""How long records live, and what is due. Pure: acting on a plan is somebody else's.

A record's end comes from the person or tool that gave one, else from its kind, else from its
scope. What has no end is looked at again after a while, so that nothing stays true by neglect.

| kind | ends after | looked at again after |
|---|---|---|
| summary | 180 days | - |
| task_state | 30 days | - |
| warning | the scope's lifetime | 180 days |
| fact, decision, note | the scope's lifetime | 365 days |
| preference, rule | the scope's lifetime | 730 days |
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final, Literal
from zoneinfo import ZoneInfo

from cloche.clock import DAY_STARTS
from cloche.memory.records import Kind, MemoryRecord, Validity
from cloche.namespaces import MemoryScope

LIFETIMES: Final[dict[Kind, timedelta]] = {
    "summary": timedelta(days=180),
    "task_state": timedelta(days=30),
}
REVIEW_AFTER: Final[dict[Kind, timedelta]] = {
    "warning": timedelta(days=180),
    "preference": timedelta(days=730),
    "rule": timedelta(days=730),
}
REVIEW_OTHERS_AFTER: Final = timedelta(days=365)


@dataclass(frozen=True, slots=True)
class Action:
    """What is due for one record.

    Attributes:
        record_id: Which record.
        do: "archive" takes it out of search and keeps it as history; "review" asks whether it
            still holds.
        since: Since when it is due.
    """

    record_id: str
    do: Literal["archive", "review"]
    since: datetime


def lifetime_for(kind: Kind, scope: MemoryScope) -> timedelta | None:
    """How long a record of that kind lives in that scope unless told otherwise; None = no end."""
    return LIFETIMES.get(kind, scope.lifetime)


def validity_for(
    kind: Kind, scope: MemoryScope, at: datetime, *, lifetime: timedelta | None = None
) -> Validity:
    """From when to when a record written at ``at`` holds, and when it is looked at again.

    Args:
        kind: The record's.
        scope: Where it lies.
        at: When it was said, aware.
        lifetime: An explicit one, which counts before kind and scope.
    """
    lifetime = lifetime or lifetime_for(kind, scope)
    if lifetime:
        return Validity(at, at, expires_at=at + lifetime)
    return Validity(at, at, review_after=at + REVIEW_AFTER.get(kind, REVIEW_OTHERS_AFTER))


def last_day(ends: datetime, zone: ZoneInfo) -> date:
    """The last day on which what ends then holds, as the person counts days: they end at four."""
    return (ends.astimezone(zone) - DAY_STARTS - timedelta(microseconds=1)).date()


def plan(records: Iterable[MemoryRecord], now: datetime) -> tuple[Action, ...]:
    """What is due at ``now``, longest due first: an end comes before a review, archived is done."""
    due = []
    for record in records:
        validity = record.validity
        if validity.archived_at is not None:
            continue
        if validity.expires_at is not None and validity.expires_at <= now:
            due.append(Action(record.id, "archive", validity.expires_at))
        elif validity.review_after is not None and validity.review_after <= now:
            due.append(Action(record.id, "review", validity.review_after))
    return tuple(sorted(due, key=lambda action: (action.since, action.record_id)))
