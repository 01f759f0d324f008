"""A week of watering: planned from memory and forecast, reminded of, adjusted as weather comes."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final
from zoneinfo import ZoneInfo

from cloche import Forecast, ToolContext, ToolError, tool, weather_of
from cloche_gardening.watering import (
    PAST,
    REMINDERS,
    Kept,
    Plan,
    Reason,
    Spot,
    Watering,
    degrees,
    garden_of,
    kept_from_json,
    make_plan,
    meant,
    millimetres,
    past_from_json,
    past_of,
    past_to_json,
    plan_by_season,
    plan_from_json,
    remind,
)

DAYS: Final = 7
PLAN: Final = "plan"
"""What is watered when, as last told."""
MAX_REMINDER_CHARS: Final = 400
_TIME: Final = re.compile(r"([01]?\d|2[0-3])[:.h：]([0-5]\d)")

_SENTENCES: Final = tomllib.loads(
    Path(__file__).with_name("sentences.toml").read_text(encoding="utf-8")
)


@tool
async def plan_watering(ctx: ToolContext) -> str:
    """Plan a week of watering from the garden in memory and the forecast, or adjust the plan."""
    spots = await garden_of(ctx)
    if not spots:
        return _say(ctx, "no_plants")
    try:
        home = await weather_of(ctx).place()
        forecast = await weather_of(ctx).forecast(home)
    except ToolError as error:
        if error.__cause__ is None:
            raise  # what is not known of the place is asked for
        return await _by_season(ctx, spots)
    fallen = forecast.rain_of_last(24, ctx.clock())
    today = forecast.local(ctx.clock()).date()
    before = plan_from_json(await ctx.storage.get(PLAN))
    plan = await _planned(ctx, spots, forecast, before)
    changes = _changes(ctx, before, plan, today)
    reminded = await _follow(ctx, plan)
    lines = [*changes, *_told(ctx, plan, home.name, today)]
    if fallen and fallen >= 1:
        lines.append(_say(ctx, "fallen", rain=millimetres(fallen, ctx.settings.units)))
    lines += _asides(ctx, spots, forecast)
    lines.append(reminded or _say(ctx, "offer"))
    return "\n".join(lines)


@tool
async def remind_of_watering(
    ctx: ToolContext,
    at: Annotated[str, "The local time of day, such as 07:00."] = "07:00",
    stop: Annotated[bool, "True when no reminders are wanted any more."] = False,
) -> str:
    """Set reminders for the days of the watering plan; only when the gardener wants them."""
    kept = kept_from_json(await ctx.storage.get(REMINDERS))
    if stop:
        for id_, _ in kept.days.values():
            await ctx.reminders.cancel(id_)
        await ctx.storage.delete(REMINDERS)
        return _say(ctx, "stopped")
    found = _TIME.search(at)
    if found is None:
        raise ToolError(_say(ctx, "bad_time"))
    document = await ctx.storage.get(PLAN)
    if document is None:
        return _say(ctx, "no_plan")
    time = f"{int(found[1]):02}:{found[2]}"
    days = await _remind(ctx, kept, plan_from_json(document), time)
    if not days:
        return _say(ctx, "no_days")
    today = _today(ctx)
    told = _say(ctx, "separator").join(_date(ctx, day, today) for day in days)
    return _say(ctx, "reminders", time=time, days=told)


@tool
async def note_watering(
    ctx: ToolContext,
    plants: Annotated[str, "What was watered, in the gardener's words; empty = everything."] = "",
) -> str:
    """Note that the gardener has watered today, so that the plan counts from there."""
    today = _today(ctx)
    past = past_from_json(await ctx.storage.get(PAST))
    spots = meant(ctx, plants, await garden_of(ctx)) if plants.strip() else []
    if plants.strip() and not spots:
        return _say(ctx, "not_found", name=plants.strip())
    watered = {**past.watered, **{spot.key: today for spot in spots}}
    if not spots:
        watered[""] = today
    await ctx.storage.put(PAST, past_to_json(replace(past, watered=watered), today))
    if not spots:
        return _say(ctx, "noted_all")
    return _say(ctx, "noted", names=_say(ctx, "separator").join(_name(ctx, s) for s in spots))


@tool(when_due=True)
async def adjust_watering(ctx: ToolContext, reminder: str) -> str:
    """Bring a watering reminder that is due in line with the weather, and the days after it."""
    kept = kept_from_json(await ctx.storage.get(REMINDERS))
    today = _today(ctx)
    id_, text = kept.days.get(today, ("", ""))
    if id_ != reminder or not (spots := await garden_of(ctx)):
        return ""
    forecast = await weather_of(ctx).forecast(await weather_of(ctx).place())
    fallen = forecast.rain_of_last(24, ctx.clock()) or 0.0
    plan = await _planned(ctx, spots, forecast, plan_from_json(await ctx.storage.get(PLAN)))
    await _follow(ctx, plan)
    rain = max(fallen, plan.rain.get(today, 0.0))
    names = [_name(ctx, one.spot) for one in plan.days.get(today, ())]
    told = (
        _say(ctx, "skip_rain", rain=millimetres(rain, ctx.settings.units))
        if rain >= 1
        else _say(ctx, "skip")
    )
    if names:
        told = _say(ctx, "reminder", names=_say(ctx, "separator").join(names))[:MAX_REMINDER_CHARS]
    if told != text:
        await ctx.reminders.change(reminder, text=told)
    return ""


async def _planned(
    ctx: ToolContext,
    spots: tuple[Spot, ...],
    forecast: Forecast,
    before: Mapping[date, Mapping[str, str]],
) -> Plan:
    """The plan from now on, kept for the next time."""
    today = forecast.local(ctx.clock()).date()
    past = await past_of(ctx, before, forecast.days, today)
    days = forecast.coming_days(ctx.clock(), DAYS)
    fallen = forecast.rain_of_last(24, ctx.clock())
    plan = make_plan(spots, days, fallen=fallen, past=past)
    await ctx.storage.put(PLAN, plan.to_json(partial(_name, ctx)))
    return plan


async def _by_season(ctx: ToolContext, spots: tuple[Spot, ...]) -> str:
    """The plan without a forecast; what was planned and reminded of with one stays as it is."""
    today, place = _today(ctx), ctx.settings.place
    before = plan_from_json(await ctx.storage.get(PLAN))
    plan = await plan_by_season(ctx, spots, before, today, DAYS)
    kept = kept_from_json(await ctx.storage.get(REMINDERS))
    if not kept.at:
        await ctx.storage.put(PLAN, plan.to_json(partial(_name, ctx)))
    lines = [_say(ctx, "by_season")]
    lines += _told(ctx, plan, place.name if place else ctx.settings.town, today)
    lines += _guessed(ctx, spots)
    lines.append(_say(ctx, "reminders_stay" if kept.at else "offer", time=kept.at))
    return "\n".join(lines)


async def _follow(ctx: ToolContext, plan: Plan) -> str:
    """Have the reminders, where they are wanted, say what the plan says; "" = they are not."""
    kept = kept_from_json(await ctx.storage.get(REMINDERS))
    if not kept.at:
        return ""
    await _remind(ctx, kept, plan_from_json(plan.to_json(partial(_name, ctx))), kept.at)
    return _say(ctx, "reminders_kept", time=kept.at)


async def _remind(
    ctx: ToolContext, kept: Kept, plan: Mapping[date, Mapping[str, str]], time: str
) -> list[date]:
    texts = {
        day: _say(ctx, "reminder", names=_say(ctx, "separator").join(names.values()))
        for day, names in plan.items()
        if names
    }
    texts = {day: text[:MAX_REMINDER_CHARS] for day, text in texts.items()}
    return await remind(ctx, kept, texts, time)


def _today(ctx: ToolContext) -> date:
    return ctx.clock().astimezone(ZoneInfo(ctx.time_zone)).date()


def _changes(
    ctx: ToolContext, before: Mapping[date, Mapping[str, str]], plan: Plan, today: date
) -> list[str]:
    """What the weather changed in days that the last plan spoke of, too."""
    lines = []
    for day, waterings in plan.days.items():
        if (last := before.get(day)) is None:
            continue
        now = {one.spot.key: _name(ctx, one.spot) for one in waterings}
        for key, here, there in (("now_needed", now, last), ("not_needed", last, now)):
            if names := [name for spot, name in here.items() if spot not in there]:
                told = _say(ctx, "separator").join(names)
                lines.append(f"- {_say(ctx, key, day=_date(ctx, day, today), name=told)}")
    return [_say(ctx, "adjusted"), *lines] if lines else []


def _told(ctx: ToolContext, plan: Plan, place: str, today: date) -> list[str]:
    lines = [_say(ctx, "plan", place=place)]
    for day, waterings in plan.days.items():
        rain = plan.rain[day]
        what = _say(ctx, "nothing")
        if waterings:
            what = _say(ctx, "items").join(_what(ctx, one) for one in waterings)
        elif rain >= 1:
            what = _say(ctx, "nothing_rain", rain=millimetres(rain, ctx.settings.units))
        lines.append(f"- {_say(ctx, 'day', day=_date(ctx, day, today), what=what)}")
    return lines


def _what(ctx: ToolContext, one: Watering) -> str:
    amount = _amount(ctx, one.litres, one.spot.pot)
    why = _say(ctx, "separator").join(_reason(ctx, reason) for reason in one.reasons)
    return _say(ctx, "what", name=_name(ctx, one.spot), amount=amount, why=why)


def _guessed(ctx: ToolContext, spots: Iterable[Spot]) -> list[str]:
    unknown = [_name(ctx, spot) for spot in spots if not spot.sun and not spot.covered][:3]
    names = _say(ctx, "separator").join(unknown)
    return [_say(ctx, "guessed", names=names)] if unknown else []


def _asides(ctx: ToolContext, spots: Iterable[Spot], forecast: Forecast) -> list[str]:
    lines = _guessed(ctx, spots)
    if forecast.stale:
        time = f"{forecast.local(forecast.read_at):%H:%M}"
        lines.append(_say(ctx, "stale", time=time))
    return lines


def _reason(ctx: ToolContext, reason: Reason) -> str:
    if reason.kind == "heat":
        return _say(ctx, "heat", amount=degrees(reason.amount, ctx.settings.units))
    if reason.kind == "dry_spell" and reason.amount < 2:
        return _say(ctx, "dry_today")
    return _say(ctx, reason.kind, amount=f"{reason.amount:.0f}")


def _amount(ctx: ToolContext, litres: int, pot: bool) -> str:
    if pot:
        return _say(ctx, "amount_pot")
    if ctx.settings.units == "imperial":  # a litre on a square metre stands a millimetre high
        return _say(ctx, "amount_imperial", inches=f"{litres / 25.4:.1f}")
    return _say(ctx, "amount", litres=litres)


def _name(ctx: ToolContext, spot: Spot) -> str:
    if not spot.place:
        return spot.name
    return _say(ctx, "where", plant=spot.name, place=spot.place)


def _date(ctx: ToolContext, day: date, today: date) -> str:
    if (ahead := (day - today).days) in (0, 1):
        return _say(ctx, "tomorrow" if ahead else "today")
    words = _sentences(ctx)
    month, weekday = words["months"][day.month - 1], words["weekdays"][day.weekday()]
    return _say(ctx, "date", weekday=weekday, day=day.day, month=month)


def _say(ctx: ToolContext, key: str, **slots: object) -> str:
    return str(_sentences(ctx)[key]).format(**slots)


def _sentences(ctx: ToolContext) -> dict[str, Any]:
    language = ctx.language.split("-", maxsplit=1)[0].lower()
    found: dict[str, Any] = _SENTENCES.get(language, _SENTENCES["en"])
    return found
