"""Which day is meant by a day as it was said. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta


@dataclass(frozen=True, slots=True)
class Day:
    """A day as it was said.

    Attributes:
        plus: Days from today.
        weekday: 0 = Monday; the next one, never today.
        weeks: Weeks to go, of a weekday: 1 = that of next week.
        this: True for "this Monday", which may be today.
        date: Year, month and day; None = not said.
        months: Months to go, of a day of the month: 1 = that of next month.
    """

    plus: int | None = None
    weekday: int | None = None
    weeks: int | None = None
    this: bool = False
    date: tuple[int | None, int | None, int] | None = None
    months: int = 0


def date_of(day: Day, today: date) -> date | None:
    """The day that is meant; None where there is no such day."""
    if day.plus is not None:
        return today + timedelta(days=day.plus)
    if day.weekday is None:
        return _calendar(day, today)
    if day.weeks is not None:
        monday = today - timedelta(days=today.weekday())
        return monday + timedelta(weeks=day.weeks, days=day.weekday)
    if day.this and day.weekday == today.weekday():
        return today
    return today + timedelta(days=(day.weekday - today.weekday() - 1) % 7 + 1)


def _calendar(day: Day, today: date) -> date | None:
    """The next day of that date; of a day of the month, in the next month that has it."""
    year, month, number = day.date or (None, None, 0)
    if month is not None:
        found = [_day(one, month, number) for one in ([year] if year else _years(today))]
        return next((one for one in found if one and (year or one >= today)), None)
    months = [day.months] if day.months else range(13)
    for ahead in months:
        of_year, of_month = divmod(today.month - 1 + ahead, 12)
        there = _day(today.year + of_year, of_month + 1, number)
        if there and there >= today:
            return there
    return None


def _years(today: date) -> range:
    """So many are looked at: the 29th of February comes every fourth or eighth."""
    return range(today.year, today.year + 9)


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def impossible(day: Day) -> str:
    """A day that does not exist, spelled so that whoever reads it says so."""
    year, month, number = day.date or (None, None, 0)
    return f"{year or 0:04d}-{month or 0:02d}-{number:02d}T00:00"
