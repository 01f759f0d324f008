"""A forecast: what it is like at a place now, hour by hour and day by day. Frozen data.

Everything is metric: degrees Celsius, millimetres, kilometres an hour. Times are UTC; days are
those of the place.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta

ENOUGH: float = 0.8
"""So much of a time span must be known before its rain can be told."""


@dataclass(frozen=True, slots=True)
class Now:
    """The weather of the moment.

    Attributes:
        at: When it was so.
        temperature: Of the air, 2 m above the ground.
        feels_like: With wind, moisture and sun.
        humidity: In percent.
        wind: Of ten minutes, 10 m above the ground.
        gusts: The strongest ones.
        code: WMO weather code (table 4677), as Open-Meteo lists them.
    """

    at: datetime
    temperature: float
    feels_like: float
    humidity: int
    wind: float
    gusts: float
    code: int


@dataclass(frozen=True, slots=True)
class Hour:
    """One hour.

    Attributes:
        at: The hour.
        temperature: Then.
        rain: Rain and melted snow of the hour before ``at``; None = not known.
        chance: Percent, of more than 0.1 mm in that hour; None = not known.
        wind: Then.
        code: WMO weather code.
    """

    at: datetime
    temperature: float
    rain: float | None
    chance: int | None
    wind: float
    code: int


@dataclass(frozen=True, slots=True)
class Day:
    """One day of the place, from midnight to midnight.

    Attributes:
        date: The day.
        low: Lowest temperature.
        high: Highest temperature.
        rain: Rain and melted snow; None = not known.
        chance: Highest chance of rain in percent; None = not known.
        wind: Strongest wind.
        code: The most severe WMO weather code.
        evaporation: What a well watered lawn loses (FAO reference evapotranspiration); None = not
            known.
    """

    date: date
    low: float
    high: float
    rain: float | None
    chance: int | None
    wind: float
    code: int
    evaporation: float | None


@dataclass(frozen=True, slots=True)
class Forecast:
    """What the service says of one place.

    Attributes:
        zone: IANA name of the place's zone, as the service knows it.
        offset: What is added to UTC there, at the time of reading.
        now: The moment.
        hours: From about a day ago to the end of the last day, in order.
        days: From yesterday on, in order.
        read_at: When it was read.
        stale: True when the service was asked again and did not answer.
    """

    zone: str
    offset: timedelta
    now: Now
    hours: tuple[Hour, ...]
    days: tuple[Day, ...]
    read_at: datetime
    stale: bool = False

    def local(self, instant: datetime) -> datetime:
        """What clocks at the place show."""
        return (instant + self.offset).replace(tzinfo=None)

    def rain(self, since: datetime, until: datetime) -> float | None:
        """Rain of a time span in mm; None = too little of it is known.

        The hours' sums are of the hour before, so the span is counted in whole hours.
        """
        wanted = (until - since) / timedelta(hours=1)
        known = [h.rain for h in self.hours if since < h.at <= until and h.rain is not None]
        return sum(known) if wanted > 0 and len(known) >= ENOUGH * wanted else None

    def rain_of_last(self, hours: int, now: datetime) -> float | None:
        """Rain that fell in the last hours in mm; None = not known."""
        return self.rain(now - timedelta(hours=hours), now)

    def coming_hours(self, now: datetime, count: int) -> tuple[Hour, ...]:
        """The next hours."""
        return tuple(hour for hour in self.hours if hour.at > now)[:count]

    def coming_days(self, now: datetime, count: int) -> tuple[Day, ...]:
        """Today at the place, and the days that follow."""
        today = self.local(now).date()
        return tuple(day for day in self.days if day.date >= today)[:count]
