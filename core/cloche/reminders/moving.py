"""Moves a reminder by what is said of its time: an hour, a day, or by how much. Pure."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from cloche.reminders.instants import instant_of, local_of
from cloche.reminders.plain_words import read_amount, read_clock, read_words
from cloche.reminders.schedule import Calendar, Once, Schedule, WhenError
from cloche.reminders.when import parse_when

_SIGNED: Final = re.compile(r"([+\-\u2212])\s*(.+)", re.DOTALL)


def moved(schedule: Schedule, written: str, *, now: datetime) -> Schedule | None:
    """The same rule at another time of day; what comes once on its day, or at its hour.

    "Seven" is the seven that is nearer to the time of day it had.

    Args:
        schedule: What is to be moved.
        written: A time of day alone, such as "20:00" or "at 8 in the evening"; of what comes once
            also a day alone, such as "Friday".
        now: The present instant.

    Returns:
        None where the text says anything else, or the schedule has no one time of day.
    """
    match schedule:
        case Calendar():
            return _rule(schedule, written)
        case Once():
            return _once(schedule, written, now)
        case _:
            return None


def put_off(schedule: Schedule, written: str, *, now: datetime) -> Schedule | None:
    """The same so much later or earlier; of a rule, as far as it keeps its days.

    Args:
        schedule: What is to be moved.
        written: A sign and an ISO 8601 duration ("+PT2H"), or an amount in words ("-half an hour").
        now: The present instant.

    Returns:
        None where the text says no amount, or the rule has no one time of day, or another day's.

    Raises:
        WhenError: then it is over, or more than 50 years away.
    """
    found = _SIGNED.fullmatch(written.strip())
    amount = found and (found[2] if re.match(r"P[\dT]", found[2]) else read_amount(found[2]))
    if not found or not amount:
        return None
    later = found[1] == "+"
    match schedule:
        case Once(at, zone):
            return _shifted(at, zone, amount, later=later, now=now)
        case Calendar():
            return _rule_shifted(schedule, amount, later=later)
        case _:
            return None


def _shifted(at: datetime, zone: str, amount: str, *, later: bool, now: datetime) -> Once:
    """Days go by the calendar, hours by elapsed time, as everywhere."""
    ahead = parse_when(amount, now=at, zone=zone)
    if not isinstance(ahead, Once):
        raise WhenError("unreadable", "it is no amount of time.")
    moved_to = ahead.at
    if not later:
        tz = ZoneInfo(zone)
        apart = local_of(ahead.at, tz) - local_of(at, tz)
        moved_to = instant_of(local_of(at, tz) - apart, tz).astimezone(UTC)
    if moved_to <= now:
        raise WhenError("past", "that time is over.")
    return Once(moved_to, zone)


def _rule_shifted(schedule: Calendar, amount: str, *, later: bool) -> Calendar | None:
    had = _one_time(schedule)
    if had is None or not re.fullmatch(r"PT.+", amount):
        return None
    start = datetime.combine(date(2026, 1, 1), had, UTC)
    ahead = parse_when(amount, now=start, zone="UTC")
    by = ahead.at - start if isinstance(ahead, Once) else timedelta()
    other = start + by if later else start - by
    return _at_time(schedule, other.time()) if other.date() == start.date() else None


def _rule(schedule: Calendar, written: str) -> Calendar | None:
    had = _one_time(schedule)
    clock = _nearest(written, had) if had else None
    return _at_time(schedule, clock) if clock else None


def _one_time(schedule: Calendar) -> time | None:
    """The time of day at which it always comes; None where there are several."""
    parts = schedule.parts
    one = all(parts.get(name, "").isdecimal() for name in ("BYHOUR", "BYMINUTE"))
    if not one or parts["FREQ"] == "HOURLY":
        return None
    return time(int(parts["BYHOUR"]), int(parts["BYMINUTE"]))


def _at_time(schedule: Calendar, clock: time) -> Calendar:
    parts = {**schedule.parts, "BYHOUR": str(clock.hour), "BYMINUTE": str(clock.minute)}
    rule = ";".join(f"{name}={value}" for name, value in parts.items())
    return Calendar(rule, schedule.start, schedule.zone)


def _once(schedule: Once, written: str, now: datetime) -> Once | None:
    """None also for a time that is over: then the next one of that hour is meant."""
    zone = ZoneInfo(schedule.zone)
    local = local_of(schedule.at, zone)
    if clock := _nearest(written, local.time()):
        local = datetime.combine(local.date(), clock)
    elif day := _day(read_words(written, now=now, zone=schedule.zone)):
        local = datetime.combine(day, local.time())
    else:
        return None
    at = instant_of(local, zone).astimezone(UTC)
    return Once(at, schedule.zone) if at > now else None


def _nearest(written: str, had: time) -> time | None:
    found = [time(*clock) for clock in read_clock(written)]
    return min(found, key=lambda one: abs(_minutes(one) - _minutes(had)), default=None)


def _minutes(clock: time) -> int:
    return clock.hour * 60 + clock.minute


def _day(spoken: str) -> date | None:
    return date.fromisoformat(spoken) if re.fullmatch(r"\d{4}-\d{2}-\d{2}", spoken) else None
