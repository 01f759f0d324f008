"""Moves a reminder by the part of its time that is said: an hour alone, or a day alone. Pure."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time
from zoneinfo import ZoneInfo

from cloche.reminders.instants import instant_of, local_of
from cloche.reminders.plain_words import read_clock, read_words
from cloche.reminders.schedule import Calendar, Once, Schedule


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


def _rule(schedule: Calendar, written: str) -> Calendar | None:
    parts = dict(schedule.parts)
    one = all(parts.get(name, "").isdecimal() for name in ("BYHOUR", "BYMINUTE"))
    if not one or parts["FREQ"] == "HOURLY":
        return None
    clock = _nearest(written, time(int(parts["BYHOUR"]), int(parts["BYMINUTE"])))
    if clock is None:
        return None
    parts["BYHOUR"], parts["BYMINUTE"] = str(clock.hour), str(clock.minute)
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
