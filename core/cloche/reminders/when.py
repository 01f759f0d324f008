"""What a model fills in for a time, as a schedule: a duration, a local time, or a rule. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice, pairwise
from typing import Final
from zoneinfo import ZoneInfo

from cloche.reminders.instants import instant_of, local_of
from cloche.reminders.schedule import (
    EITHER,
    FURTHEST,
    SHORTEST,
    Calendar,
    Every,
    Once,
    Schedule,
    WhenError,
    occurrences,
)

_DURATION: Final = re.compile(
    r"P(?:(?P<years>\d{1,3})Y)?(?:(?P<months>\d{1,4})M)?(?:(?P<weeks>\d{1,4})W)?(?:(?P<days>\d{1,5})D)?"
    r"(?:T(?:(?P<hours>\d{1,5})H)?(?:(?P<minutes>\d{1,6})M)?(?:(?P<seconds>\d{1,7})S)?)?"
)
_BY_CLOCK: Final = frozenset({"HOURLY", "MINUTELY"})
LOOKED_AT: Final = 50
"""So many times to come tell how often a rule is due."""
_PER_STEP: Final = {"HOURLY": timedelta(hours=1), "MINUTELY": timedelta(minutes=1)}


def parse_when(text: str, *, now: datetime, zone: str) -> Schedule:
    """The schedule that a text says.

    Args:
        text: An ISO 8601 duration from now (``PT20M``), a local date and time
            (``2026-03-04T09:00``) or an RRULE (``FREQ=WEEKLY;BYDAY=SU;BYHOUR=9``).
        now: The present instant.
        zone: IANA name of the person's zone.

    Raises:
        WhenError: it can be read in no such way, or nothing of it is to come.
    """
    written = text.strip().upper().removeprefix("RRULE:")
    if written.endswith(EITHER):
        raise WhenError("either", "morning or afternoon? Say it like 05:00 or 17:00.")
    if "=" in written:
        schedule = _rule(written, now, zone)
    elif written.startswith("P"):
        schedule = _from_now(written, now, zone)
    else:
        schedule = _at(written, zone)
    return _to_come(schedule, now)


def _to_come(schedule: Schedule, now: datetime) -> Schedule:
    due = occurrences(schedule, after=now, limit=2)
    if not due and isinstance(schedule, Once):
        raise WhenError("past", "that time is over.")
    if not due:
        raise WhenError("never", "the rule gives no time to come.")
    if due[0] - now > FURTHEST:
        raise WhenError("too_far", "that is more than 50 years away.")
    if _closest(schedule, due, now) < SHORTEST:
        minutes = int(SHORTEST.total_seconds() // 60)
        raise WhenError("too_often", f"it would be due more often than every {minutes} minutes.")
    return schedule


def _closest(schedule: Schedule, due: Sequence[datetime], now: datetime) -> timedelta:
    """The least time between two; by what clocks show, not by what they skip."""
    times: Iterable[datetime] = due
    if isinstance(schedule, Calendar):
        local = schedule.local_times(local_of(now, ZoneInfo(schedule.zone)))
        times = islice(local, LOOKED_AT)
    return min((second - first for first, second in pairwise(times)), default=SHORTEST)


def _from_now(written: str, now: datetime, zone: str) -> Schedule:
    """Days and longer go by the calendar, hours and shorter by elapsed time."""
    from dateutil.relativedelta import relativedelta

    found = _DURATION.fullmatch(written)
    amounts = {k: int(v) for k, v in found.groupdict().items() if v} if found else {}
    if not amounts or written.endswith("T"):
        raise WhenError("unreadable", f"{written!r} is no ISO 8601 duration such as PT20M or P2D.")
    by_clock = timedelta(**{k: amounts.pop(k, 0) for k in ("hours", "minutes", "seconds")})
    try:
        tz, at = ZoneInfo(zone), now.astimezone(UTC)
        if amounts:
            years, months, weeks, days = (
                amounts.get(unit, 0) for unit in ("years", "months", "weeks", "days")
            )
            by_calendar = relativedelta(years=years, months=months, weeks=weeks, days=days)
            at = instant_of(local_of(at, tz) + by_calendar, tz)
        return Once((at + by_clock).replace(microsecond=0), zone)
    except (OverflowError, ValueError) as error:
        raise WhenError("too_far", "that is more than 50 years away.") from error


def _at(written: str, zone: str) -> Schedule:
    if re.fullmatch(r"\d{4}-\d{2}-\d{2}", written):
        raise WhenError("no_time", f"{written} is a day: add the time, such as {written}T09:00.")
    try:
        local = datetime.fromisoformat(written).replace(microsecond=0)
        instant = local if local.tzinfo else instant_of(local, ZoneInfo(zone))
        return Once(instant.astimezone(UTC), zone)
    except (ValueError, OverflowError) as error:
        raise WhenError(
            "unreadable", f"{written!r} is no date and time such as 2026-03-04T09:00."
        ) from error


def _rule(written: str, now: datetime, zone: str) -> Schedule:
    parts = dict(part.partition("=")[::2] for part in written.split(";"))
    if set(parts) <= {"FREQ", "INTERVAL"} and parts.get("FREQ") in _BY_CLOCK:
        return _every(parts, now, zone)
    if "BYHOUR" not in parts and parts.get("FREQ") not in _BY_CLOCK:
        raise WhenError("no_time", "the rule lacks the time: add BYHOUR, and BYMINUTE.")
    for name in ("BYMINUTE", "BYSECOND"):
        parts.setdefault(name, "0")
    rule = ";".join(f"{name}={value}" for name, value in parts.items())
    start = local_of(now, ZoneInfo(zone)).replace(hour=0, minute=0, second=0, microsecond=0)
    try:
        return Calendar(rule, start, zone)
    except ValueError as error:
        raise WhenError("unreadable", str(error)) from error


def _every(parts: dict[str, str], now: datetime, zone: str) -> Schedule:
    interval = parts.get("INTERVAL", "1")
    if not re.fullmatch(r"[1-9]\d{0,5}", interval):
        raise WhenError("unreadable", "the rule's INTERVAL must be a number from 1.")
    step = int(interval) * _PER_STEP[parts["FREQ"]]
    return Every((now + step).astimezone(UTC).replace(microsecond=0), step, zone)
