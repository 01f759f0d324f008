"""Cron expressions as EventBridge Scheduler writes them. Pure.

Six fields: minutes, hours, day of the month, month, day of the week, year; one of the two days is
"?". Days of the week are 1-7 from Sunday. Source: EventBridge Scheduler User Guide, "Schedule
types", read 2026-11.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import cached_property
from itertools import product
from typing import Final
from zoneinfo import ZoneInfo

from cloche.reminders.instants import exists, instant_of, local_of

FIRST_YEAR, LAST_YEAR = 1970, 2199
_MONTHS: Final = {name.upper(): at for at, name in enumerate(calendar.month_abbr) if name}
_WEEKDAYS: Final = {name: at for at, name in enumerate("SUN MON TUE WED THU FRI SAT".split(), 1)}
_EXPRESSION: Final = re.compile(r"cron\((?P<fields>[^()]*)\)")

Days = Callable[[int, int], frozenset[int]]
"""Which days of a year's month are meant."""


@dataclass(frozen=True)
class Cron:
    """A rule that an expression tells.

    Attributes:
        expression: ``cron(30 9 ? * MON-FRI *)``.
        zone: IANA name of the zone whose clocks it goes by.

    Raises:
        ValueError: it is no such expression; one sentence names the field.
    """

    expression: str
    zone: str

    def __post_init__(self) -> None:
        """Refuse what cannot be read."""
        _ = self._fields

    def local_times(self, first: date) -> Iterator[datetime]:
        """Local times from a day on, in order, whether or not clocks show them."""
        fields = self._fields
        times = [time(h, m) for h, m in product(sorted(fields.hours), sorted(fields.minutes))]
        for year in sorted(y for y in fields.years if y >= first.year):
            for month in sorted(fields.months):
                for day in sorted(fields.days(year, month)):
                    if (on := date(year, month, day)) >= first:
                        yield from (datetime.combine(on, at) for at in times)

    def instants(self, after: datetime, *, skip_gaps: bool = False) -> Iterator[datetime]:
        """Instants (UTC) after another, in order, each once.

        Args:
            after: Where to start.
            skip_gaps: Leave out local times that clocks never show, as EventBridge does; else they
                are moved to the first instant after the gap.
        """
        zone, last = ZoneInfo(self.zone), after
        for local in self.local_times((local_of(after, zone) - timedelta(days=1)).date()):
            if skip_gaps and not exists(local, zone):
                continue
            instant = instant_of(local, zone)
            if instant > last:
                last = instant
                yield instant

    @cached_property
    def _fields(self) -> _Fields:
        return _read(self.expression)


@dataclass(frozen=True, slots=True)
class _Fields:
    minutes: frozenset[int]
    hours: frozenset[int]
    months: frozenset[int]
    years: frozenset[int]
    days: Days


def _read(expression: str) -> _Fields:
    found = _EXPRESSION.fullmatch(expression.strip())
    fields = found["fields"].split() if found else []
    if len(fields) != 6:
        raise ValueError(
            f"{expression!r} is not cron(minutes hours day-of-month month day-of-week year)."
        )
    minutes, hours, days, months, weekdays, years = (field.upper() for field in fields)
    if (days == "?") == (weekdays == "?"):
        raise ValueError("exactly one of day-of-month and day-of-week must be '?'.")
    return _Fields(
        minutes=_numbers(minutes, "minutes", 0, 59),
        hours=_numbers(hours, "hours", 0, 23),
        months=_numbers(months, "month", 1, 12, _MONTHS),
        years=_numbers(years, "year", FIRST_YEAR, LAST_YEAR),
        days=_weekdays(weekdays) if days == "?" else _month_days(days),
    )


def _numbers(
    text: str, field: str, first: int, last: int, names: Mapping[str, int] | None = None
) -> frozenset[int]:
    """A field of numbers: ``*``, lists, ranges and steps."""
    found: set[int] = set()
    for part in text.split(","):
        span, slash, step = part.partition("/")
        start, dash, end = span.partition("-")
        low = first if span == "*" else _number(start, field, names)
        high = last if span == "*" or (slash and not dash) else low
        high = _number(end, field, names) if dash else high
        every = _number(step, field) if slash else 1
        if not (first <= low <= high <= last and every >= 1):
            raise ValueError(f"{field} {part!r} is outside {first}-{last}, or goes backwards.")
        found |= set(range(low, high + 1, every))
    return frozenset(found)


def _number(text: str, field: str, names: Mapping[str, int] | None = None) -> int:
    if names and text in names:
        return names[text]
    if not (text.isascii() and text.isdecimal() and len(text) <= 4):
        raise ValueError(f"{field} {text!r} is no value of that field.")
    return int(text)


def _month_days(text: str) -> Days:
    """Day of the month: numbers, ``L`` (the last), ``15W`` (the weekday nearest to the 15th)."""
    if text == "L":
        return lambda year, month: frozenset({_length(year, month)})
    if nearest := re.fullmatch(r"(\d{1,2})W", text):
        wanted = int(nearest[1])
        if not 1 <= wanted <= 31:
            raise ValueError(f"day-of-month {text!r} is outside 1-31.")
        return lambda year, month: _nearest_weekday(year, month, wanted)
    numbers = _numbers(text, "day-of-month", 1, 31)
    return lambda year, month: frozenset(n for n in numbers if n <= _length(year, month))


def _weekdays(text: str) -> Days:
    """Day of the week: numbers or names, ``6L`` (the last Friday), ``3#2`` (the second Tuesday)."""
    if nth := re.fullmatch(r"(\w+)#([1-5])", text):
        weekday, at = _weekday(nth[1]), int(nth[2])
        return lambda year, month: frozenset(_of_weekday(year, month, weekday)[at - 1 : at])
    if (last := re.fullmatch(r"(\w+)L", text)) and text not in _WEEKDAYS:
        weekday = _weekday(last[1])
        return lambda year, month: frozenset(_of_weekday(year, month, weekday)[-1:])
    numbers = frozenset({7}) if text == "L" else _numbers(text, "day-of-week", 1, 7, _WEEKDAYS)
    return lambda year, month: frozenset(
        day for weekday in numbers for day in _of_weekday(year, month, weekday)
    )


def _weekday(text: str) -> int:
    number = _number(text, "day-of-week", _WEEKDAYS)
    if not 1 <= number <= 7:
        raise ValueError(f"day-of-week {text!r} is outside 1-7.")
    return number


def _length(year: int, month: int) -> int:
    return calendar.monthrange(year, month)[1]


def _of_weekday(year: int, month: int, weekday: int) -> list[int]:
    """The days of a month on a weekday, 1 = Sunday."""
    first = date(year, month, 1).isoweekday() % 7 + 1
    return list(range(1 + (weekday - first) % 7, _length(year, month) + 1, 7))


def _nearest_weekday(year: int, month: int, day: int) -> frozenset[int]:
    """The weekday nearest to a day, in the same month; none where the month lacks the day."""
    length = _length(year, month)
    if day > length:
        return frozenset()
    at = date(year, month, day).weekday()
    if at == 5:
        day += 2 if day == 1 else -1
    elif at == 6:
        day += -2 if day == length else 1
    return frozenset({day})
