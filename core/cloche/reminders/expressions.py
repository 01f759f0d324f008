"""Schedules as EventBridge Scheduler writes them: ``at()``, ``rate()``, ``cron()``. Pure.

Source: EventBridge Scheduler User Guide, "Schedule types", read 2026-11. What no expression says
(every other Sunday, ten times) the adapter chains as one-off schedules.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from cloche.reminders.cron import Cron
from cloche.reminders.instants import instant_of
from cloche.reminders.schedule import Calendar, Every, Once, Schedule

_DAYS: Final = dict(zip("SU MO TU WE TH FR SA".split(), range(1, 8), strict=True))
_UNITS: Final = (
    ("day", timedelta(days=1)),
    ("hour", timedelta(hours=1)),
    ("minute", timedelta(minutes=1)),
)
_RATE: Final = re.compile(r"rate\((?P<value>[1-9]\d{0,8}) (?P<unit>minute|hour|day)s?\)")
_AT: Final = re.compile(r"at\((?P<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\)")


@dataclass(frozen=True, slots=True)
class Expression:
    """What a schedule of EventBridge Scheduler is created with.

    Attributes:
        text: ``ScheduleExpression``.
        zone: ``ScheduleExpressionTimezone``.
        start: ``StartDate``, the first instant it may fire at; None = at once.
        end: ``EndDate``; None = it goes on.
    """

    text: str
    zone: str = "UTC"
    start: datetime | None = None
    end: datetime | None = None


def to_expression(schedule: Schedule) -> Expression | None:
    """How EventBridge says a schedule; None when it cannot."""
    match schedule:
        case Once(at):
            return Expression(f"at({at.astimezone(UTC):%Y-%m-%dT%H:%M:%S})")
        case Every(first, interval):
            return Expression(f"rate({_rate(interval)})", start=first)
        case Cron(expression, zone):
            return Expression(expression, zone)
        case Calendar():
            return _calendar(schedule)


def from_expression(expression: Expression) -> Schedule:
    """The schedule that an expression says.

    Raises:
        ValueError: it says none; one sentence names what is wrong.
    """
    text = expression.text.strip()
    if at := _AT.fullmatch(text):
        local = datetime.fromisoformat(at["time"])
        return Once(instant_of(local, ZoneInfo(expression.zone)), expression.zone)
    if rate := _RATE.fullmatch(text):
        if expression.start is None:
            raise ValueError("a rate needs the start it counts from.")
        step = int(rate["value"]) * dict(_UNITS)[rate["unit"]]
        return Every(expression.start.astimezone(UTC), step, expression.zone)
    if text.startswith("cron("):
        return Cron(text, expression.zone)
    raise ValueError(f"{text!r} is neither at(), rate() nor cron().")


def _rate(interval: timedelta) -> str:
    for unit, length in _UNITS:
        if interval % length == timedelta(0):
            count = interval // length
            return f"{count} {unit}{'' if count == 1 else 's'}"
    raise ValueError("a rate has whole minutes.")


def _calendar(schedule: Calendar) -> Expression | None:
    parts = schedule.parts
    known = {"FREQ", "INTERVAL", "UNTIL", "WKST", "BYHOUR", "BYMINUTE", "BYSECOND", "BYDAY"}
    if set(parts) - known - {"BYMONTH", "BYMONTHDAY"} or parts.get("BYSECOND", "0") != "0":
        return None
    interval, start = int(parts.get("INTERVAL", "1")), schedule.start
    days = _days(parts, start)
    months = _months(parts, interval, start)
    if days is None or months is None or (interval > 1 and parts["FREQ"] != "MONTHLY"):
        return None
    hours = parts.get("BYHOUR", "*" if parts["FREQ"] == "HOURLY" else str(start.hour))
    minutes = parts.get("BYMINUTE", str(start.minute))
    of_month, of_week = days
    return Expression(
        f"cron({minutes} {hours} {of_month} {months} {of_week} *)",
        schedule.zone,
        end=_until(schedule),
    )


def _until(schedule: Calendar) -> datetime | None:
    if "UNTIL" not in schedule.parts:
        return None
    local = datetime.strptime(schedule.local_until(schedule.parts["UNTIL"]), "%Y%m%dT%H%M%S")
    return instant_of(local, ZoneInfo(schedule.zone))


def _months(parts: Mapping[str, str], interval: int, start: datetime) -> str | None:
    """The months field; None where the rule leaves out whole years."""
    if parts["FREQ"] == "MONTHLY" and interval > 1:
        if 12 % interval or "BYMONTH" in parts:
            return None
        return ",".join(str(m) for m in range(1, 13) if (m - start.month) % interval == 0)
    if parts["FREQ"] == "YEARLY":
        by_day = "BYDAY" in parts or "BYMONTHDAY" in parts
        return parts.get("BYMONTH", "*" if by_day else str(start.month))
    return parts.get("BYMONTH", "*")


def _days(parts: Mapping[str, str], start: datetime) -> tuple[str, str] | None:
    """Day of the month and of the week, one of them "?"; None where both or neither say it."""
    of_month, of_week = parts.get("BYMONTHDAY"), parts.get("BYDAY")
    if of_month and of_week:
        return None
    if of_month:
        return _month_days(of_month)
    if of_week:
        return _weekdays(of_week, parts)
    match parts["FREQ"]:
        case "WEEKLY":
            return "?", str(start.isoweekday() % 7 + 1)
        case "MONTHLY" | "YEARLY":
            return str(start.day), "?"
        case _:
            return "*", "?"


def _month_days(written: str) -> tuple[str, str] | None:
    days = written.split(",")
    if days == ["-1"]:
        return "L", "?"
    return None if any(day.startswith("-") for day in days) else (written.replace("+", ""), "?")


def _weekdays(written: str, parts: Mapping[str, str]) -> tuple[str, str] | None:
    found = [re.fullmatch(r"([+-]?\d{1,2})?([A-Z]{2})", one) for one in written.split(",")]
    if any(one is None or one[2] not in _DAYS for one in found):
        return None
    pairs = [(int(one[1] or 0), _DAYS[one[2]]) for one in found if one]
    if not any(nth for nth, _ in pairs):
        return "?", ",".join(str(day) for _, day in sorted(pairs))
    nth, day = pairs[0]
    in_month = parts["FREQ"] == "MONTHLY" or (parts["FREQ"] == "YEARLY" and "BYMONTH" in parts)
    if len(pairs) > 1 or not in_month or not (1 <= nth <= 5 or nth == -1):
        return None
    return "?", f"{day}L" if nth == -1 else f"{day}#{nth}"
