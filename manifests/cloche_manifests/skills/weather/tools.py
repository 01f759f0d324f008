"""The weather of a place, in a person's units and language; where they live is remembered."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from cloche import Day, Forecast, Home, Hour, ToolContext, ToolError, hazards, tool, weather_of

HOURS: Final = 12
DAYS: Final = 7
MAX_PLACE_CHARS: Final = 100

About = Literal["now", "hours", "today", "tomorrow", "week", "rain", "warnings"]

_SENTENCES: Final = tomllib.loads(
    Path(__file__).with_name("sentences.toml").read_text(encoding="utf-8")
)


@tool
async def weather(
    ctx: ToolContext,
    about: Annotated[About, "What to look up."],
    place: Annotated[str, "Another place than where the person lives; empty otherwise."] = "",
) -> str:
    """Look up the weather: now, in the next hours or days, rain of the last 24 hours, warnings."""
    service = weather_of(ctx)
    where = await service.place(place[:MAX_PLACE_CHARS])
    forecast = await service.forecast(where)
    told = _ANSWERS[about](ctx, where, forecast)
    if forecast.stale:
        told += "\n" + _say(ctx, "stale", time=f"{forecast.local(forecast.read_at):%H:%M}")
    return told


# A place's name begins with a capital letter; in small letters it has at most two words, none of
# which a flat or a countryside is called by. What comes behind a comma or "and" is for memory.
_CAPITAL: Final = r"[A-ZÁÉÍÓÚÑÇÄÖÜŁŚŽÅÆØ]"
_SMALL_WORD: Final = (
    r"(?!(?:an?|the|my|our|your|this|that|una?|el|la|mi|casa|peace|fear|hope|pain|town|here|there"
    r"|rural|central|northern|southern|with|for|since|and|con|y|desde|now|ahora)\b)[^\W\d_][\w'-]+"
)
_NAME: Final = (
    rf"(?-i:(?:The )?{_CAPITAL}[\w'.-]*"
    rf"(?: (?:(?:del?|l[ao]s?|el|upon|on|sur|am|d[oa]) ){{0,2}}{_CAPITAL}[\w'.-]*)*"
    rf"(?:, ?{_CAPITAL}[\w'. -]*)?)"
    rf"|{_SMALL_WORD}(?: {_SMALL_WORD})?"
)
_AFTER: Final = (
    r"(?:,? (?:and|but|with|where|since|for|now|y|pero|con|donde|desde|ahora)\b.*)?[.!]*"
)
_HOMES: Final = re.compile(
    r"(?:hi|hello|hey)?,? ?(?:i|we)(?:'m| am|'re| are|'ve| have)?(?: now| currently| just)?"
    rf" (?:live in|living in|based in|moved to) (?P<en>{_NAME}){_AFTER}"
    r"|(?:hola)?,? ?(?:yo |nosotros )?(?:ahora )?"
    r"(?:vivo|vivimos|me he mudado|nos hemos mudado|me mudé|nos mudamos)"
    rf" (?:en|a) (?P<es>{_NAME}){_AFTER}"
    r"|(?:你好)?[，,]?(?:我们?|我家)(?:现在|目前|刚)?(?:住在|搬到了?|在)"
    r"(?P<zh>(?:(?![的楼房]|公寓|小区|附近|郊区|乡下|学校|宿舍|[上下]班|[城家这那]里|一个)"
    r"[\u4e00-\u9fff]){2,8}?)"
    r"了?(?:[，,].*)?[。！!]*",
    re.IGNORECASE | re.DOTALL,
)


def _home_in(text: str) -> Mapping[str, str] | None:
    """The town of somebody who says where they live, in passing: "I live in Oslo"."""
    found = _HOMES.fullmatch(text.strip().replace("’", "'"))
    named = next(filter(None, found.groupdict().values()), "") if found else ""
    return {"place": named.strip(" .,")} if named else None


@tool(hears=_home_in)
async def live_in(
    ctx: ToolContext,
    place: Annotated[str, "The town, with what it lies in where there are several."],
) -> str:
    """Remember where the person lives, when they say so."""
    place = place.strip()[:MAX_PLACE_CHARS]
    if not place:
        raise ToolError(_say(ctx, "which_town"))
    home, zone = await weather_of(ctx).live_in(place)
    if home is None:
        return _say(ctx, "lives_unseen", place=place)
    if not zone:
        return _say(ctx, "lives", place=home.name)
    return _say(ctx, "lives_in_zone", place=home.name, zone=zone)


@tool
async def use_units(
    ctx: ToolContext,
    units: Annotated[Literal["metric", "imperial"], "What the person measures in."],
) -> str:
    """Remember what the person measures in."""
    await ctx.settings.set_units(units)
    return _say(ctx, f"units_{units}")


def _now(ctx: ToolContext, where: Home, forecast: Forecast) -> str:
    now = forecast.now
    return _say(
        ctx,
        "now",
        place=where.name,
        sky=_sky(ctx, now.code),
        temperature=_degrees(ctx, now.temperature),
        feels_like=_degrees(ctx, now.feels_like),
        humidity=now.humidity,
        wind=_wind(ctx, now.wind),
        gusts=_wind(ctx, now.gusts),
        rain=_rain(ctx, forecast.rain_of_last(24, ctx.clock())),
    )


def _hours(ctx: ToolContext, where: Home, forecast: Forecast) -> str:
    hours = forecast.coming_hours(ctx.clock(), HOURS)
    lines = [_hour(ctx, forecast, hour) for hour in hours]
    return "\n".join([_say(ctx, "hours", place=where.name), *lines])


def _hour(ctx: ToolContext, forecast: Forecast, hour: Hour) -> str:
    return "- " + _say(
        ctx,
        "hour",
        time=f"{forecast.local(hour.at):%H:%M}",
        sky=_sky(ctx, hour.code),
        temperature=_degrees(ctx, hour.temperature),
        rain=_rain(ctx, hour.rain),
        chance=_chance(ctx, hour.chance),
        wind=_wind(ctx, hour.wind),
    )


def _today(ctx: ToolContext, where: Home, forecast: Forecast) -> str:
    return _days(ctx, where, forecast, forecast.coming_days(ctx.clock(), 1))


def _tomorrow(ctx: ToolContext, where: Home, forecast: Forecast) -> str:
    return _days(ctx, where, forecast, forecast.coming_days(ctx.clock(), 2)[1:])


def _week(ctx: ToolContext, where: Home, forecast: Forecast) -> str:
    days = forecast.coming_days(ctx.clock(), DAYS)
    lines = [_say(ctx, "days", place=where.name, count=len(days))]
    lines += [f"- {_day(ctx, forecast, day)}" for day in days]
    return "\n".join([*lines, *_dangers(ctx, forecast, days)])


def _days(ctx: ToolContext, where: Home, forecast: Forecast, days: Sequence[Day]) -> str:
    told = "\n".join(_day(ctx, forecast, day) for day in days)
    return "\n".join([f"{where.name}: {told}", *_dangers(ctx, forecast, days)])


def _day(ctx: ToolContext, forecast: Forecast, day: Day) -> str:
    return _say(
        ctx,
        "day",
        day=_date(ctx, forecast, day.date),
        sky=_sky(ctx, day.code),
        low=_degrees(ctx, day.low),
        high=_degrees(ctx, day.high),
        rain=_rain(ctx, day.rain),
        chance=_chance(ctx, day.chance),
        wind=_wind(ctx, day.wind),
    )


def _wet(ctx: ToolContext, where: Home, forecast: Forecast) -> str:
    now = ctx.clock()
    return _say(
        ctx,
        "rain",
        place=where.name,
        past=_rain(ctx, forecast.rain_of_last(24, now)),
        coming=_rain(ctx, forecast.rain(now, now + timedelta(hours=24))),
    )


def _warned(ctx: ToolContext, where: Home, forecast: Forecast) -> str:
    days = forecast.coming_days(ctx.clock(), DAYS)
    if dangers := _dangers(ctx, forecast, days):
        return "\n".join([_say(ctx, "warnings", place=where.name), *dangers])
    low, high = min(day.low for day in days), max(day.high for day in days)
    return _say(
        ctx,
        "no_warnings",
        place=where.name,
        count=len(days),
        low=_degrees(ctx, low),
        high=_degrees(ctx, high),
    )


_ANSWERS: Final = {
    "now": _now,
    "hours": _hours,
    "today": _today,
    "tomorrow": _tomorrow,
    "week": _week,
    "rain": _wet,
    "warnings": _warned,
}


def _dangers(ctx: ToolContext, forecast: Forecast, days: Sequence[Day]) -> list[str]:
    limits = {
        name: float(value)
        for name in ("frost", "heat")
        if isinstance(value := ctx.config.get(name), int | float)
    }
    return [
        "- "
        + _say(
            ctx,
            danger.kind,
            day=_date(ctx, forecast, danger.date),
            temperature=_degrees(ctx, danger.temperature),
        )
        for danger in hazards(days, **limits)
    ]


def _sky(ctx: ToolContext, code: int) -> str:
    names: dict[str, str] = _sentences(ctx)["codes"]
    return names.get(str(code)) or _say(ctx, "other_sky", code=code)


def _date(ctx: ToolContext, forecast: Forecast, day: date) -> str:
    ahead = (day - forecast.local(ctx.clock()).date()).days
    if ahead in (0, 1):
        return _say(ctx, "tomorrow" if ahead else "today")
    words = _sentences(ctx)
    month, weekday = words["months"][day.month - 1], words["weekdays"][day.weekday()]
    return _say(ctx, "date", weekday=weekday, day=day.day, month=month)


def _degrees(ctx: ToolContext, celsius: float) -> str:
    if ctx.settings.units == "imperial":
        return f"{_whole(celsius * 9 / 5 + 32)} °F"
    return f"{_whole(celsius)} °C"


def _rain(ctx: ToolContext, millimetres: float | None) -> str:
    if millimetres is None:
        return _say(ctx, "unknown_rain")
    if ctx.settings.units == "imperial":
        return f"{millimetres / 25.4:.2f} in"
    return f"{millimetres:.1f} mm"


def _wind(ctx: ToolContext, kilometres: float) -> str:
    if ctx.settings.units == "imperial":
        return f"{_whole(kilometres / 1.609344)} mph"
    return f"{_whole(kilometres)} km/h"


def _whole(value: float) -> str:
    return f"{value:.0f}".replace("-0", "0") if abs(value) < 0.5 else f"{value:.0f}"


def _chance(ctx: ToolContext, percent: int | None) -> str:
    return "" if percent is None else _say(ctx, "chance", percent=percent)


def _say(ctx: ToolContext, key: str, **slots: object) -> str:
    return str(_sentences(ctx)[key]).format(**slots)


def _sentences(ctx: ToolContext) -> dict[str, Any]:
    language = ctx.language.split("-")[0].lower()
    found: dict[str, Any] = _SENTENCES.get(language, _SENTENCES["en"])
    return found
