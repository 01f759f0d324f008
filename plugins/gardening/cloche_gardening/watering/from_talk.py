"""What a plan starts from: the garden as it was told, and what its past was like."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Final

from cloche import Day, ToolContext
from cloche_gardening.watering.garden import Spot, read_garden
from cloche_gardening.watering.kept import past_from_json, past_to_json
from cloche_gardening.watering.plan import Past

PAST: Final = "past"
"""Under this name is kept when what was watered, and how much it rained."""


async def garden_of(ctx: ToolContext) -> tuple[Spot, ...]:
    """What grows where. Asked by kind of thing: a long talk of other things hides nothing."""
    found = {
        record.id: record
        for wanted in ({}, {"type": "plant"}, {"type": "bed"}, {"type": "soil"}, {"type": "sun"})
        for record in await ctx.memory.search(metadata=wanted, limit=100)
    }
    return read_garden(found.values(), ctx.vocabulary)


async def past_of(
    ctx: ToolContext, before: Mapping[date, Mapping[str, str]], days: Iterable[Day], today: date
) -> Past:
    """What the past was like, kept for the next time: what was planned is taken to be done."""
    past = past_from_json(await ctx.storage.get(PAST))
    watered = dict(past.watered)
    for day, spots in before.items():
        for spot in spots if day < today else ():
            watered[spot] = max(day, watered.get(spot, day))
    rain = {day.date: day.rain for day in days if day.date < today and day.rain}
    past = Past(watered, {**past.rain, **rain}, past.first or today)
    await ctx.storage.put(PAST, past_to_json(past, today))
    return past


def meant(ctx: ToolContext, said: str, spots: Iterable[Spot]) -> list[Spot]:
    """The places of the plants or beds that are named."""
    plants = {tag.id for tag in ctx.vocabulary["plants"].mentions(said)}
    places = {tag.id for tag in ctx.vocabulary["section"].mentions(said)}
    return [
        spot
        for spot in spots
        if (not plants or spot.plant in plants)
        and (not places or spot.section in places)
        and (plants or places or spot.name.casefold() in said.casefold())
    ]
