"""Days that words name, counted from the day they were said on. Pure."""

from __future__ import annotations

import calendar
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from cloche.clock import DAY_STARTS

MAX_YEARS: Final = 50
"""Whoever names a year further off than this does not name the end of anything."""


def day_of(at: datetime, zone: ZoneInfo) -> date:
    """The day that people mean by "today": before four in the morning it is still yesterday's."""
    return (at.astimezone(zone).replace(tzinfo=None) - DAY_STARTS).date()


def end_of(day: date, zone: ZoneInfo) -> datetime:
    """When a day is over: at four the next morning, local time, as an instant in UTC."""
    morning = datetime.combine(day + timedelta(days=1), datetime.min.time()) + DAY_STARTS
    return morning.replace(tzinfo=zone).astimezone(UTC)


def weekday(today: date, number: int, weeks: int | None) -> date:
    """A day of the week (0 = Monday): the next one after today, or that of the week so far off.

    Args:
        today: The day it was said.
        number: Which day of the week.
        weeks: 0 = this week's, 1 = next week's, ...; None = whichever comes next. One that is
            over is taken for the next to come.
    """
    if weeks is not None:
        monday = today - timedelta(days=today.weekday())
        found = monday + timedelta(weeks=weeks, days=number)
        if found >= today:
            return found
    return today + timedelta(days=(number - today.weekday() - 1) % 7 + 1)


def dated(today: date, number: int, month: int | None, year: int | None) -> date | None:
    """A date; without year the next such one, today included; None when there is no such date."""
    if year is not None:
        return _date(year, month or today.month, number)
    if month is None:
        ahead = (add_months(today.replace(day=1), n) for n in range(13))
        found = [_date(first.year, first.month, number) for first in ahead]
    else:
        found = [_date(today.year + n, month, number) for n in range(9)]
    return next((day for day in found if day and day >= today), None)


def month_end(today: date, month: int, year: int | None) -> date | None:
    """The last day of a month; without year the next such month, the present one included."""
    if not 1 <= month <= 12:
        return None
    if year is None:
        year = today.year + (month < today.month)
    return _date(year, month, calendar.monthrange(year, month)[1]) if 1 <= year <= 9998 else None


def unit_end(today: date, unit: str, ahead: int) -> date | None:
    """The last day of this (0) or a coming week, weekend, month or year."""
    if unit in ("week", "weekend"):
        return today + timedelta(days=6 - today.weekday(), weeks=ahead)
    if unit == "month":
        first = add_months(today.replace(day=1), ahead)
        return month_end(today, first.month, first.year)
    if unit == "year":
        return _date(today.year + ahead, 12, 31)
    return today + timedelta(days=ahead) if unit == "day" else None


def after(at: datetime, zone: ZoneInfo, count: float, unit: str) -> datetime:
    """When a length of time that begins now is over; days and longer end with their last day."""
    if unit in ("minute", "hour"):
        return at.astimezone(UTC) + timedelta(**{f"{unit}s": count})
    today = day_of(at, zone)
    if unit in ("month", "year"):
        months = count * (12 if unit == "year" else 1)
        day = add_months(today, int(months)) + timedelta(days=round(months % 1 * 30))
    else:
        day = today + timedelta(days=round(count * (7 if unit == "week" else 1)))
    return end_of(day, zone)


def add_months(day: date, months: int) -> date:
    """The same day so many months on, or the month's last where it is too short."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    year = min(year, 9998)
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


def in_reach(day: date | None, today: date) -> bool:
    """True for a day that is not over and may be the end of something."""
    return day is not None and today <= day and day.year - today.year <= MAX_YEARS


def number_of(written: str, numbers: Mapping[str, float]) -> float | None:
    """A number in digits or words, within what anybody counts time in."""
    if written.isdecimal():
        return float(written) if len(written) <= 4 else None
    return numbers.get(written)


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day) if year < 9999 else None
    except ValueError:
        return None
