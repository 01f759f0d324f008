"""What a skill keeps between two plans: reminders that were set, and what the past was like."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Final

from cloche_gardening.watering.plan import Json, Past

REMEMBERED: Final = timedelta(days=30)
"""After a month without water nothing is left to count."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What was set.

    Attributes:
        at: At what local time of day; "" = no reminders are wanted.
        days: Id and text of the reminder of each day.
    """

    at: str = ""
    days: Mapping[date, tuple[str, str]] = field(default_factory=dict)

    def to_json(self) -> dict[str, Json]:
        """As it is kept."""
        days: dict[str, Json] = {day.isoformat(): list(one) for day, one in self.days.items()}
        return {"at": self.at, "days": days}


def kept_from_json(document: Json) -> Kept:
    """What was kept; what cannot be read was not."""
    match document:
        case {"at": str(at), "days": dict(days)}:
            found: dict[date, tuple[str, str]] = {}
            for written, one in days.items():
                match one:
                    case [str(id_), str(text)] if day := _day(written):
                        found[day] = (id_, text)
            return Kept(at, found)
    return Kept()


def past_to_json(past: Past, today: date) -> dict[str, Json]:
    """As it is kept: what is older than a month is left out."""
    oldest = today - REMEMBERED
    return {
        "watered": {key: day.isoformat() for key, day in past.watered.items() if day >= oldest},
        "rain": {day.isoformat(): mm for day, mm in past.rain.items() if day >= oldest},
        "first": past.first.isoformat() if past.first else "",
    }


def past_from_json(document: Json) -> Past:
    """What was kept; what cannot be read was not."""
    match document:
        case {"watered": dict(watered), "rain": dict(rain), "first": str(first)}:
            return Past(
                {key: day for key, one in watered.items() if (day := _day(one))},
                {
                    day: float(mm)
                    for one, mm in rain.items()
                    if (day := _day(one)) and isinstance(mm, int | float)
                },
                _day(first),
            )
    return Past()


def _day(written: Json) -> date | None:
    try:
        return date.fromisoformat(written) if isinstance(written, str) else None
    except ValueError:
        return None
