"""When something is due: once, every so often, or by the calendar of a time zone. Pure.

Where clocks are set forward, a time that they skip is moved to the first instant after the gap;
where they are set back, a time that they show twice counts the first time alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Final, Literal, TypeAlias
from zoneinfo import ZoneInfo

from cloche.reminders.cron import Cron
from cloche.reminders.instants import instant_of, local_of

if TYPE_CHECKING:
    from dateutil.rrule import rrule

SHORTEST: Final = timedelta(minutes=5)
"""What comes again sooner than this is no reminder but an alarm that nobody can stop in time."""
EITHER: Final = "?"
"""Ends a time that may be a morning's as well as an afternoon's: whoever asked is asked which."""
FURTHEST: Final = timedelta(days=366 * 50)
"""What is due later than this is a slip of the tongue."""

_STEPS: Final = {
    "HOURLY": timedelta(hours=1),
    "DAILY": timedelta(days=1),
    "WEEKLY": timedelta(weeks=1),
    "MONTHLY": None,
    "YEARLY": None,
}
_PARTS: Final = frozenset(
    "FREQ INTERVAL COUNT UNTIL WKST BYSETPOS BYMONTH BYMONTHDAY BYYEARDAY BYWEEKNO BYDAY BYHOUR "
    "BYMINUTE BYSECOND".split()
)


@dataclass(frozen=True, slots=True)
class Once:
    """Due at one instant.

    Attributes:
        at: The instant, in UTC.
        zone: IANA name of the zone it was said in, for showing it.
    """

    at: datetime
    zone: str


@dataclass(frozen=True, slots=True)
class Every:
    """Due again and again, the same time apart; clocks do not matter.

    Attributes:
        first: The first instant, in UTC.
        interval: At least a minute, whole minutes.
        zone: IANA name of the zone it was said in, for showing it.
    """

    first: datetime
    interval: timedelta
    zone: str


@dataclass(frozen=True)
class Calendar:
    """Due by a rule of the calendar.

    Attributes:
        rule: An RRULE's value (RFC 5545, 3.3.10): yearly to hourly, with its hours and minutes.
        start: Local time from which the rule counts.
        zone: IANA name of the zone whose clocks it goes by.

    Raises:
        ValueError: the rule cannot be read.
    """

    rule: str
    start: datetime
    zone: str

    def __post_init__(self) -> None:
        """Refuse what cannot be read."""
        _ = self.parts
        _ = self._rule(self.start)

    @cached_property
    def parts(self) -> Mapping[str, str]:
        """The rule's parts by name, in capitals."""
        found: dict[str, str] = {}
        for part in self.rule.upper().split(";"):
            name, equals, value = part.partition("=")
            if not equals or name not in _PARTS or name in found or not value:
                raise ValueError(f"the rule's part {part!r} cannot be read.")
            found[name] = value
        if found.get("FREQ") not in _STEPS:
            raise ValueError("the rule's FREQ must be HOURLY, DAILY, WEEKLY, MONTHLY or YEARLY.")
        if "COUNT" in found and "UNTIL" in found:
            raise ValueError("the rule has both COUNT and UNTIL: keep one.")
        if not re.fullmatch(r"[1-9]\d{0,3}", found.get("INTERVAL", "1")):
            raise ValueError("the rule's INTERVAL must be a number from 1 to 9999.")
        return found

    def local_times(self, first: datetime) -> Iterator[datetime]:
        """Local times from one on, in order, whether or not clocks show them."""
        for local in self._rule(self._nearer_start(first)):
            if local >= first:
                yield local.replace(microsecond=0)

    def _nearer_start(self, first: datetime) -> datetime:
        """A start just before ``first`` that gives the same times: nothing is counted for years."""
        step = _STEPS[self.parts["FREQ"]]
        if step is None or "COUNT" in self.parts or first <= self.start:
            return self.start
        step *= int(self.parts.get("INTERVAL", "1"))
        return self.start + max((first - self.start) // step - 1, 0) * step

    def _rule(self, start: datetime) -> rrule:
        from dateutil.rrule import rrule, rrulestr

        text = re.sub(r"(UNTIL=)(\w+)", lambda m: m[1] + self.local_until(m[2]), self.rule.upper())
        try:
            made = rrulestr(text, dtstart=start)
        except (ValueError, TypeError, KeyError, IndexError, AttributeError) as error:
            raise ValueError("the rule cannot be read.") from error
        if not isinstance(made, rrule):
            raise ValueError("the rule must be one rule.")
        return made

    def local_until(self, written: str) -> str:
        """The last time in local time, as the rule's other times are; a day means its end."""
        if re.fullmatch(r"\d{8}", written):
            return f"{written}T235959"
        try:
            until = datetime.strptime(written.removesuffix("Z"), "%Y%m%dT%H%M%S")
        except ValueError as error:
            raise ValueError("the rule's UNTIL must be YYYYMMDD or YYYYMMDDTHHMMSS[Z].") from error
        if written.endswith("Z"):
            until = local_of(until.replace(tzinfo=UTC), ZoneInfo(self.zone))
        return f"{until:%Y%m%dT%H%M%S}"


Schedule: TypeAlias = Once | Every | Calendar | Cron

Fault: TypeAlias = Literal[
    "unreadable", "past", "no_time", "never", "too_often", "too_far", "either"
]


class WhenError(ValueError):
    """What was given says no time to come; ``fault`` is a stable short code."""

    def __init__(self, fault: Fault, message: str) -> None:
        """Take the code, and a sentence for whoever gave it."""
        self.fault: Fault = fault
        super().__init__(message)


def occurrences(schedule: Schedule, *, after: datetime, limit: int) -> tuple[datetime, ...]:
    """The next instants (UTC) strictly after another, in order; fewer when there are no more."""
    return tuple(islice(_instants(schedule, after.astimezone(UTC)), limit))


def _instants(schedule: Schedule, after: datetime) -> Iterator[datetime]:
    match schedule:
        case Once(at):
            if at > after:
                yield at
        case Every(first, interval):
            count = max((after - first) // interval + 1, 0)
            while True:
                yield first + count * interval
                count += 1
        case Cron():
            yield from schedule.instants(after)
        case Calendar():
            yield from _by_calendar(schedule, after)


def _by_calendar(schedule: Calendar, after: datetime) -> Iterator[datetime]:
    zone, last = ZoneInfo(schedule.zone), after
    # A day earlier: a time before a gap or an overlap may stand for an instant after it.
    for local in schedule.local_times(local_of(after, zone) - timedelta(days=1)):
        instant = instant_of(local, zone)
        if instant > last:
            last = instant
            yield instant
