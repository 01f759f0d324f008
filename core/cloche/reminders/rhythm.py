"""How often a reminder comes, in words. Pure."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from cloche.reminders.cron import Cron
from cloche.reminders.schedule import Calendar, Every, Once, Schedule
from cloche.texts import say

_DAYS: Final = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_UNITS: Final = {
    "HOURLY": "hours",
    "DAILY": "days",
    "WEEKLY": "weeks",
    "MONTHLY": "months",
    "YEARLY": "years",
}
_LENGTHS: Final = (
    ("weeks", timedelta(weeks=1)),
    ("days", timedelta(days=1)),
    ("hours", timedelta(hours=1)),
)


def rhythm(schedule: Schedule, language: str) -> str:
    """How often it is due, for a list: the hour is told by the times that come."""
    match schedule:
        case Once():
            return say("rhythm_once", language)
        case Every(_, interval, _):
            unit, length = next(
                ((unit, length) for unit, length in _LENGTHS if not interval % length),
                ("minutes", timedelta(minutes=1)),
            )
            return _every(unit, interval // length, language)
        case Calendar():
            return _by_calendar(schedule, language)
        case Cron():
            return say("rhythm_other", language)


def _by_calendar(schedule: Calendar, language: str) -> str:
    """The rule's step, and its days of the week where it names some."""
    parts = schedule.parts
    unit, count = _UNITS[parts["FREQ"]], int(parts.get("INTERVAL", "1"))
    days = [day for day in parts.get("BYDAY", "").split(",") if day]
    if not days or unit not in ("days", "weeks"):
        return _every(unit, count, language)
    if unit == "days" and count == 1:
        unit = "weeks"
    names = say("reminder_weekdays", language).split()
    named = [names[_DAYS.index(day)] for day in _DAYS if day in days]
    if len(named) == len(_DAYS):
        return _every("days", 1, language)
    apart = say("names_apart", language)
    return say("rhythm_on", language, every=_every(unit, count, language), days=apart.join(named))


def _every(unit: str, count: int, language: str) -> str:
    key = f"rhythm_{unit.removesuffix('s')}" if count == 1 else f"rhythm_{unit}"
    return say(key, language, count=count)
