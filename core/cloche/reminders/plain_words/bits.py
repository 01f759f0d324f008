"""What pieces of a sentence say of time, and how they come together. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, Literal, TypeAlias

from cloche.reminders.plain_words.days import Day, date_of, impossible
from cloche.reminders.schedule import EITHER

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
SMALL_HOURS: Final = 5
"""Hours up to this are a morning's only where it is said: nobody sets "Friday at four" for four."""
CODES: Final = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day as it was said.

    Attributes:
        hour: 24 = midnight, with which a day ends.
        minute: Past the hour.
        half: Tells morning from afternoon; "" = it was not said.
        exact: True for a time as clocks of 24 hours show it ("05:00").
    """

    hour: int
    minute: int = 0
    half: Half = ""
    exact: bool = False


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

    One that ends in ``EITHER`` may be a morning's or an afternoon's.

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
        if bits.day is None:
            return ""
        return str(date_of(bits.day, now.date()) or impossible(bits.day))
    return _moment(bits, now)


def _moment(bits: Bits, now: datetime) -> str:
    late, hour, minute = _on_clock(bits.clocks[0], bits.part) if bits.clocks else _usual(bits.part)
    at = now.replace(hour=hour, minute=minute, second=0, microsecond=0)
    if bits.day is None:
        while at <= now:
            at += _HALF_DAY if _open(bits) else timedelta(days=1)
        return _spelled(at)
    day = date_of(bits.day, now.date())
    if day is None:
        return impossible(bits.day)
    at = at.replace(year=day.year, month=day.month, day=day.day)
    # A night goes on after midnight; who says "tonight at two" at one means in an hour.
    if late and (day != now.date() or at <= now):
        at += timedelta(days=1)
    if day == now.date() and _open(bits):
        return _spelled(at + _HALF_DAY if at <= now < at + _HALF_DAY else at)
    return _spelled(at) + (EITHER if _either(bits) else "")


def _open(bits: Bits) -> bool:
    """True for "at seven", which may be either of a day's."""
    return (
        bool(bits.clocks)
        and not bits.part
        and not bits.clocks[0].half
        and not bits.clocks[0].exact
        and (1 <= bits.clocks[0].hour <= 12)
    )


def _either(bits: Bits) -> bool:
    """True for an hour that is hardly the morning's, and not said to be the afternoon's."""
    return _open(bits) and any(one.hour <= SMALL_HOURS for one in bits.clocks)


def time_of_day(bits: Bits) -> tuple[int, int]:
    """Hour and minute of what says a clock's time, or a part of the day."""
    _, hour, minute = _on_clock(bits.clocks[0], bits.part) if bits.clocks else _usual(bits.part)
    return hour, minute


def halves(bits: Bits) -> tuple[tuple[int, int], ...]:
    """The times of day that a clock's time may mean: one, or the morning's and the afternoon's."""
    hour, minute = time_of_day(bits)
    return ((hour % 12, minute), (hour % 12 + 12, minute)) if _open(bits) else ((hour, minute),)


def _usual(part: Part) -> tuple[bool, int, int]:
    return False, USUAL[part], 0


def _on_clock(clock: Clock, part: Part) -> tuple[bool, int, int]:
    """Whether it is after the midnight that ends the day, hour and minute."""
    hour = clock.hour
    if hour == 24 and not clock.minute:
        return True, 0, 0
    later = clock.half == "pm" or (not clock.half and part in ("afternoon", "evening", "night"))
    earlier = clock.half == "am" or (not clock.half and part in ("dawn", "night"))
    if part == "noon" and not clock.half:
        later = hour < 11
    small = part == "night" and hour < SMALL_HOURS
    if later and hour < 12 and not small:
        hour += 12
    elif earlier and hour == 12:
        hour = 0
    return part == "night" and hour < SMALL_HOURS, hour % 24, clock.minute


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
    if not (bits.clocks or bits.part):
        return _said(parts)
    times = [_on_clock(one, bits.part) for one in bits.clocks] or [_usual(bits.part)]
    minutes = {minute for _, _, minute in times}
    late = {after for after, _, _ in times}
    if len(minutes) > 1 or (True in late and not (len(late) == 1 and _a_day_later(parts))):
        return ""
    parts["BYHOUR"] = ",".join(str(hour) for hour in sorted({hour for _, hour, _ in times}))
    parts["BYMINUTE"] = str(minutes.pop())
    return _said(parts) + (EITHER if _either(bits) else "")


def _a_day_later(parts: dict[str, str]) -> bool:
    """Move a rule to the days after its own; False where no rule says those."""
    if parts["FREQ"] == "WEEKLY":
        days = [CODES.index(code) for code in parts["BYDAY"].split(",")]
        parts["BYDAY"] = ",".join(CODES[day] for day in sorted((day + 1) % 7 for day in days))
    return parts["FREQ"] in ("DAILY", "WEEKLY")


def _narrowed(parts: dict[str, str], day: Day) -> bool:
    """Say in a rule on which day; False when that is no day of such a rule."""
    if day.months or day.weeks:
        return False
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


def _spelled(at: datetime) -> str:
    return f"{at:%Y-%m-%dT%H:%M}"


_HALF_DAY: Final = timedelta(hours=12)
