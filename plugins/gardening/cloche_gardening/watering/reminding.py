"""Reminders of a plan, kept in step with it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Final
from zoneinfo import ZoneInfo

from cloche import ToolContext
from cloche_gardening.watering.kept import Kept

REMINDERS: Final = "reminders"
"""Under this name is kept at what time reminders are wanted, and which are set."""


async def remind(ctx: ToolContext, kept: Kept, wanted: Mapping[date, str], time: str) -> list[date]:
    """Set, change and cancel so that each day to come has what the plan waters, and no more.

    What is right already is not touched, so that nobody is told of it again; what the gardener
    cancelled by themselves stays cancelled.

    Args:
        ctx: The call's.
        kept: What was set before.
        wanted: What a reminder says, by the day that has one.
        time: The local time of day, such as 07:00.
    """
    now = ctx.clock().astimezone(ZoneInfo(ctx.time_zone))
    there = {one.id for one in await ctx.reminders.list()}
    days: dict[date, tuple[str, str]] = {}
    for day in sorted({*wanted, *kept.days}):
        if (day, time) <= (now.date(), f"{now:%H:%M}"):
            continue
        (id_, text), told = kept.days.get(day, ("", "")), wanted.get(day, "")
        if told and not id_:
            set_ = await ctx.reminders.set(told, ctx.reminders.when(f"{day}T{time}"))
            days[day] = (set_.id, told)
        elif told and id_ in there:
            if (text, kept.at) != (told, time):
                when = ctx.reminders.when(f"{day}T{time}")
                await ctx.reminders.change(id_, text=told, when=when)
            days[day] = (id_, told)
        elif id_ in there:
            await ctx.reminders.cancel(id_)
        elif id_:
            # Cancelled by themselves, or out of reach in a group, where it is left as it is.
            days[day] = (id_, text)
    await ctx.storage.put(REMINDERS, Kept(time, days).to_json())
    return [day for day in days if day in wanted]
