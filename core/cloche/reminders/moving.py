"""Moves what comes again and again to another time of day, by the same rule. Pure."""

from __future__ import annotations

from cloche.reminders.plain_words import read_clock
from cloche.reminders.schedule import Calendar, Schedule


def moved(schedule: Schedule, written: str) -> Calendar | None:
    """The same rule at another time of day.

    Args:
        schedule: What is to be moved.
        written: A time of day alone, such as "20:00" or "at 8 in the evening".

    Returns:
        None where the text says anything else, or the schedule has no one time of day.
    """
    if not isinstance(schedule, Calendar):
        return None
    parts = dict(schedule.parts)
    one = all(parts.get(name, "").isdecimal() for name in ("BYHOUR", "BYMINUTE"))
    clock = read_clock(written) if one and parts["FREQ"] != "HOURLY" else None
    if clock is None:
        return None
    parts["BYHOUR"], parts["BYMINUTE"] = map(str, clock)
    rule = ";".join(f"{name}={value}" for name, value in parts.items())
    return Calendar(rule, schedule.start, schedule.zone)
