"""What in a forecast somebody should be warned of: frost and heat. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Final, Literal, TypeAlias

from cloche.weather.forecast import Day

HazardKind: TypeAlias = Literal["frost", "ground_frost", "heat"]

FROST: Final = 0.0
GROUND_FROST_MARGIN: Final = 2.0
"""Temperatures are those 2 m above the ground. On a clear, still night the ground is colder, so
that frost forms there while the air is still above zero (WMO-No. 8, grass minimum)."""
HEAT: Final = 30.0
"""A "hot day" of the climate services (maximum of at least 30 degrees)."""


@dataclass(frozen=True, slots=True)
class Hazard:
    """One danger on one day.

    Attributes:
        kind: ``frost``, ``ground_frost`` (only near the ground) or ``heat``.
        date: The day.
        temperature: Its lowest temperature for frost, its highest for heat.
    """

    kind: HazardKind
    date: date
    temperature: float


def hazards(days: Iterable[Day], *, frost: float = FROST, heat: float = HEAT) -> tuple[Hazard, ...]:
    """Dangers of these days, in their order.

    Args:
        days: The days.
        frost: Frost is at or below this, in degrees Celsius.
        heat: Heat is at or above this.
    """
    found: list[Hazard] = []
    for day in days:
        if day.low <= frost:
            found.append(Hazard("frost", day.date, day.low))
        elif day.low <= frost + GROUND_FROST_MARGIN:
            found.append(Hazard("ground_frost", day.date, day.low))
        if day.high >= heat:
            found.append(Hazard("heat", day.date, day.high))
    return tuple(found)
