"""Quiet hours: when nothing is sent that nobody waits for. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from cloche.reminders.instants import instant_of, local_of

_SPAN: Final = re.compile(
    r"(?P<h1>\d{1,2})(?:[:.h](?P<m1>\d\d)?)?\s*(?:-|\u2013|\u2014|to|a|到|至)\s*"
    r"(?P<h2>\d{1,2})(?:[:.h](?P<m2>\d\d)?)?"
)


@dataclass(frozen=True, slots=True)
class Quiet:
    """Hours of every day by a person's clocks; ``end`` before ``start`` = over midnight."""

    start: time
    end: time

    def __str__(self) -> str:
        """As it is kept."""
        return f"{self.start:%H:%M}-{self.end:%H:%M}"

    def end_of(self, instant: datetime, zone: ZoneInfo) -> datetime | None:
        """When the quiet that an instant falls into is over; None = it falls into none."""
        local = local_of(instant, zone)
        for days in (-1, 0):
            begins = datetime.combine(local.date() + timedelta(days=days), self.start)
            over = days + (self.end <= self.start)
            ends = datetime.combine(local.date() + timedelta(days=over), self.end)
            if begins <= local < ends:
                return instant_of(ends, zone)
        return None


def parse_quiet(written: str) -> Quiet | None:
    """The hours that a text says: ``22:00-7:00``, ``22 to 7``; None = it says none."""
    found = _SPAN.fullmatch(written.strip().lower())
    if found is None:
        return None
    try:
        start = time(int(found["h1"]) % 24, int(found["m1"] or 0))
        end = time(int(found["h2"]) % 24, int(found["m2"] or 0))
    except ValueError:
        return None
    if int(found["h1"]) > 24 or int(found["h2"]) > 24 or start == end:
        return None
    return Quiet(start, end)
