"""A week as the season has it, for when no forecast can be had: rules of thumb, and no rain.

How much a lawn loses in a month is about right for 50 degrees north (FAO Irrigation and Drainage
Paper 56 gives the method); nearer to the equator it is more, and the same all year.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Final

from cloche import Day, ToolContext
from cloche_gardening.watering.from_talk import past_of
from cloche_gardening.watering.garden import Spot
from cloche_gardening.watering.plan import Plan, make_plan

LOST: Final = (0.5, 0.8, 1.5, 2.4, 3.3, 3.9, 4.1, 3.5, 2.3, 1.2, 0.6, 0.4)
"""Millimetres a day, January to December."""
TROPICS: Final = 23.5
TROPICAL: Final = 4.5
WARM: Final = 40.0
"""Degrees from the equator below which it is warmer than where the table is of."""
USUAL: Final = 48.0
"""Where nobody knows how far north somebody lives, as most gardeners do."""
_SOUTHERN: Final = (
    "Australia/", "Antarctica/", "Pacific/Auckland", "Africa/Johannesburg", "Africa/Maputo",
    "Africa/Harare", "America/Argentina/", "America/Sao_Paulo", "America/Santiago",
    "America/Montevideo", "America/Asuncion",
)  # fmt: skip


async def plan_by_season(
    ctx: ToolContext,
    spots: Sequence[Spot],
    before: Mapping[date, Mapping[str, str]],
    today: date,
    count: int,
) -> Plan:
    """The plan of some days by season, soil, sun and what was watered, without any forecast."""
    home = ctx.settings.place
    latitude = home.latitude if home else latitude_of(ctx.time_zone)
    past = await past_of(ctx, before, (), today)
    return make_plan(spots, days_of_season(today, count, latitude), fallen=None, past=past)


def latitude_of(zone: str) -> float:
    """About how far north a time zone lies: on which half of the earth, and no more."""
    return -USUAL if zone.startswith(_SOUTHERN) else USUAL


def days_of_season(first: date, count: int, latitude: float) -> tuple[Day, ...]:
    """Days as the season has them: what a lawn loses, and of rain nothing that is known.

    Args:
        first: Today.
        count: How many.
        latitude: Degrees north.
    """
    usual = Day(first, low=10.0, high=20.0, rain=None, chance=None, wind=0.0, code=0,
                evaporation=0.0)  # fmt: skip
    return tuple(
        replace(usual, date=day, evaporation=_lost(day, latitude))
        for day in (first + timedelta(days=number) for number in range(count))
    )


def _lost(day: date, latitude: float) -> float:
    if abs(latitude) <= TROPICS:
        return TROPICAL
    month = day.month - 1 if latitude > 0 else (day.month + 5) % 12
    return LOST[month] * (1.3 if abs(latitude) < WARM else 1.0)
