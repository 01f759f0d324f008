"""What pieces of a sentence say of time, and how they come together. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Final, Literal, TypeAlias

Part: TypeAlias = Literal["", "dawn", "morning", "noon", "afternoon", "evening", "night"]
Half: TypeAlias = Literal["", "am", "pm"]

USUAL: Final[Mapping[Part, int]] = {
    "dawn": 6,
    "morning": 9,
    "noon": 12,
    "afternoon": 15,
    "evening": 19,
    "night": 20,
}
"""The hour meant by a part of the day alone; the person reads it in the confirmation."""
CODES: Final = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day as it was said: ``half`` tells morning from afternoon, "" = it was not said."""

    hour: int
    minute: int = 0
    half: Half = ""


@dataclass(frozen=True, slots=True)
class Day:
    """A day as it was said.

    Attributes:
        plus: Days from today.
        weekday: 0 = Monday; the next one, ``weeks`` later.
        weeks: Weeks to go, of a weekday: 1 = that of next week.
        date: Year, month and day; None = not said.
    """

    plus: int | None = None
    weekday: int | None = None
    weeks: int | None = None
    date: tuple[int | None, int | None, int] | None = None


@dataclass(frozen=True, slots=True)
class Bits:
    """What one piece says, or several together.

    Attributes:
        delta: Amounts by unit letter of ISO 8601: ``(("M", 20),)`` of minutes is ``("TM", 20)``.
        every: Parts of an RRULE, without the time.
        day: Which day.
        clocks: At what times.
        part: Which part of the day.
    """

    delta: tuple[tuple[str, int], ...] = ()
    every: str = ""
    day: Day | None = None
    clocks: tuple[Clock, ...] = ()
    part: Part = ""

    def joined(self, other: Bits) -> Bits | None:
        """Both together; None when they say the same sort of thing twice."""
        if (self.delta and other.delta) or (self.every and other.every):
            return None
        if (self.day and other.day) or (self.part and other.part and self.part != other.part):
            return None
        return Bits(
            self.delta or other.delta,
            self.every or other.every,
            self.day or other.day,
            self.clocks + other.clocks,
            self.part or other.part,
        )


Make: TypeAlias = Callable[["re.Match[str]"], Bits | None]


@dataclass(frozen=True, slots=True)
class Grammar:
    """One language: its pieces in order of preference, and what may stand between two of them."""

    pieces: Sequence[tuple[re.Pattern[str], Make]]
    between: re.Pattern[str]
    leading: re.Pattern[str]
    trailing: re.Pattern[str]
    unlike: re.Pattern[str]


def resolved(bits: Bits, now: datetime) -> str:
    """ISO 8601 or RRULE of what was said; "" when it says no time.

    Args:
        bits: What was said.
        now: What clocks show where the person is.
    """
    if bits.every:
        return _rule(bits, now)
    if bits.delta and not (bits.clocks or bits.part or bits.day):
        return _duration(bits.delta)
    if bits.delta:
        days = dict(bits.delta)
        if set(days) - {"D", "W"} or bits.day:
            return ""
        bits = replace(bits, delta=(), day=Day(plus=days.get("D", 0) + 7 * days.get("W", 0)))
    if len(bits.clocks) > 1:
        return ""
    if not bits.clocks and not bits.part:
        return f"{_date(bits.day, now)}" if bits.day else ""
    return _moment(bits, now)


def _moment(bits: Bits, now: datetime) -> str:
    hour, minute = time_of_day(bits)
    if bits.day:
        day = _date(bits.day, now)
        if day is None:
            return _impossible(bits.day)
        at = datetime.combine(day, datetime.min.time()).replace(hour=hour, minute=minute)
        if at <= now and day == now.date() and _open(bits) and at + _HALF_DAY > now:
            at += _HALF_DAY
        return _spelled(at)
    at = now.replace(hour=hour, minute=minute, second=0, microsecond=0)
    while at <= now:
        at += _HALF_DAY if _open(bits) else timedelta(days=1)
    return _spelled(at)


def _open(bits: Bits) -> bool:
    """True for "at seven", which may be either of a day's."""
    return (
        bool(bits.clocks)
        and not bits.part
        and not bits.clocks[0].half
        and (1 <= bits.clocks[0].hour <= 12)
    )


def time_of_day(bits: Bits) -> tuple[int, int]:
    """Hour and minute of what says a clock's time, or a part of the day."""
    if not bits.clocks:
        return USUAL[bits.part], 0
    return _on_clock(bits.clocks[0], bits.part)


def _on_clock(clock: Clock, part: Part) -> tuple[int, int]:
    hour = clock.hour
    later = clock.half == "pm" or (not clock.half and part in ("afternoon", "evening", "night"))
    earlier = clock.half == "am" or (not clock.half and part in ("dawn", "night"))
    if part == "noon" and not clock.half:
        later = hour < 11
    if later and hour < 12 and not (part == "night" and hour < 5):
        hour += 12
    elif earlier and hour == 12:
        hour = 0
    return hour % 24, clock.minute


def _rule(bits: Bits, now: datetime) -> str:
    """The rule with its times; without any, the rule alone, which then lacks its time."""
    parts = dict(part.partition("=")[::2] for part in bits.every.split(";"))
    if bits.delta:
        return ""
    if bits.day:
        if not _narrowed(parts, bits.day):
            return ""
    elif parts["FREQ"] == "WEEKLY":
        parts.setdefault("BYDAY", CODES[now.weekday()])
    elif parts["FREQ"] in ("MONTHLY", "YEARLY") and not {"BYDAY", "BYMONTHDAY"} & set(parts):
        parts["BYMONTHDAY"] = str(now.day)
        if parts["FREQ"] == "YEARLY":
            parts["BYMONTH"] = str(now.month)
    if parts["FREQ"] in ("HOURLY", "MINUTELY"):
        return "" if bits.clocks or bits.part else _said(parts)
    if bits.clocks or bits.part:
        times = [_on_clock(one, bits.part) for one in bits.clocks] or [time_of_day(bits)]
        minutes = {minute for _, minute in times}
        if len(minutes) > 1:
            return ""
        parts["BYHOUR"] = ",".join(str(hour) for hour in sorted({hour for hour, _ in times}))
        parts["BYMINUTE"] = str(minutes.pop())
    return _said(parts)


def _narrowed(parts: dict[str, str], day: Day) -> bool:
    """Say in a rule on which day; False when that is no day of such a rule."""
    if day.weekday is not None and parts["FREQ"] == "WEEKLY" and "BYDAY" not in parts:
        parts["BYDAY"] = CODES[day.weekday]
        return True
    if day.date is None or "BYMONTHDAY" in parts or "BYDAY" in parts:
        return False
    year, month, number = day.date
    if year is not None or (month is None) != (parts["FREQ"] == "MONTHLY"):
        return False
    if parts["FREQ"] not in ("MONTHLY", "YEARLY"):
        return False
    parts["BYMONTHDAY"] = str(number)
    if month is not None:
        parts["BYMONTH"] = str(month)
    return True


def _said(parts: Mapping[str, str]) -> str:
    return ";".join(f"{name}={value}" for name, value in parts.items())


def _duration(delta: Sequence[tuple[str, int]]) -> str:
    days = "".join(f"{n}{unit}" for unit, n in delta if not unit.startswith("T"))
    times = "".join(f"{n}{unit[1]}" for unit, n in delta if unit.startswith("T"))
    return f"P{days}" + (f"T{times}" if times else "")


def _date(day: Day | None, now: datetime) -> date | None:
    """The day that is meant; None where there is no such day."""
    today = now.date()
    if day is None:
        return None
    if day.plus is not None:
        return today + timedelta(days=day.plus)
    if day.weekday is not None:
        if day.weeks is not None:
            monday = today - timedelta(days=today.weekday())
            return monday + timedelta(weeks=day.weeks, days=day.weekday)
        return today + timedelta(days=(day.weekday - today.weekday() - 1) % 7 + 1)
    return _calendar(day, today)


def _calendar(day: Day, today: date) -> date | None:
    """The next day of that date."""
    year, month, number = day.date or (None, None, 0)
    for ahead in range(13 if month is None else 1):
        of_month = (today.month - 1 + ahead) % 12 + 1 if month is None else month
        of_year = today.year + (today.month - 1 + ahead) // 12 if month is None else today.year
        for one in [year] if year else [of_year, of_year + 1]:
            try:
                found = date(one, of_month, number)
            except ValueError:
                continue
            if found >= today or year:
                return found
    return None


def _impossible(day: Day) -> str:
    """A day that does not exist, spelled so that whoever reads it says so."""
    year, month, number = day.date or (None, None, 0)
    return f"{year or 0:04d}-{month or 0:02d}-{number:02d}T00:00"


def _spelled(at: datetime) -> str:
    return f"{at:%Y-%m-%dT%H:%M}"


_HALF_DAY: Final = timedelta(hours=12)
