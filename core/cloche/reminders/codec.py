"""Schedules as JSON documents, for whatever keeps them. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta

from cloche.reminders.cron import Cron
from cloche.reminders.schedule import Calendar, Every, Once, Schedule
from cloche.state.store import Json


def schedule_to_json(schedule: Schedule) -> dict[str, Json]:
    """A schedule as a document; ``schedule_from_json`` gives it back."""
    match schedule:
        case Once(at, zone):
            return {"once": at.isoformat(), "zone": zone}
        case Every(first, interval, zone):
            seconds = int(interval.total_seconds())
            return {"every": seconds, "first": first.isoformat(), "zone": zone}
        case Calendar(rule, start, zone):
            return {"rule": rule, "start": start.isoformat(), "zone": zone}
        case Cron(expression, zone):
            return {"cron": expression, "zone": zone}


def schedule_from_json(document: Json) -> Schedule:
    """The schedule of a document.

    Raises:
        ValueError: it is none; names the field.
    """
    if not isinstance(document, dict):
        raise ValueError("a schedule is an object.")
    zone = _text(document, "zone")
    if "once" in document:
        return Once(_time(document, "once"), zone)
    if "every" in document:
        seconds = document["every"]
        if isinstance(seconds, bool) or not isinstance(seconds, int) or seconds < 1:
            raise ValueError("every: is no number of seconds.")
        return Every(_time(document, "first"), timedelta(seconds=seconds), zone)
    if "rule" in document:
        return Calendar(_text(document, "rule"), _time(document, "start"), zone)
    return Cron(_text(document, "cron"), zone)


def _text(document: dict[str, Json], field: str) -> str:
    value = document.get(field)
    if not isinstance(value, str) or not value:
        raise ValueError(f"{field}: is missing.")
    return value


def _time(document: dict[str, Json], field: str) -> datetime:
    try:
        return datetime.fromisoformat(_text(document, field))
    except ValueError as error:
        raise ValueError(f"{field}: is no time.") from error
