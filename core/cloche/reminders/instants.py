"""From local times to instants, where clocks are set forward or back. Pure."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo


def instant_of(local: datetime, zone: ZoneInfo) -> datetime:
    """The instant (UTC) that a local time without a zone stands for.

    A time that clocks show twice is the first of both. One that they never show, because they are
    set forward, is the first instant after the gap.
    """
    first = local.replace(tzinfo=zone, fold=0).astimezone(UTC)
    if local_of(first, zone) == local:
        return first
    # In a gap the two folds take the offset of before and of after the change: it lies between.
    before, after = local.replace(tzinfo=zone, fold=1).astimezone(UTC), first
    offset = before.astimezone(zone).utcoffset()
    while after - before > timedelta(seconds=1):
        middle = (before + (after - before) / 2).replace(microsecond=0)
        if middle.astimezone(zone).utcoffset() == offset:
            before = middle
        else:
            after = middle
    return after


def exists(local: datetime, zone: ZoneInfo) -> bool:
    """True when clocks of the zone show a local time at all."""
    return local_of(local.replace(tzinfo=zone).astimezone(UTC), zone) == local


def local_of(instant: datetime, zone: ZoneInfo) -> datetime:
    """What clocks of a zone show at an instant, without the zone."""
    return instant.astimezone(zone).replace(tzinfo=None, fold=0)
