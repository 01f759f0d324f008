"""A week of training: planned from memory and the log, kept in ``ctx.storage`` as ``plan``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Annotated, Final, Literal
from zoneinfo import ZoneInfo

from pydantic import Field, TypeAdapter, ValidationError

from cloche import ToolContext, ToolError, tool
from cloche_fitness.training.asking import Asked, asks_plan, heard_plan, told_of_health
from cloche_fitness.training.caring import cares
from cloche_fitness.training.diary import Entry, entries_of
from cloche_fitness.training.knowing import (
    SHORTEST,
    Known,
    careful_in,
    joints_in,
    known_of,
    weekdays_in,
)
from cloche_fitness.training.planning import (
    Item,
    Past,
    Planner,
    Session,
    Wishes,
    fell_short,
    standing,
)
from cloche_fitness.training.tables import Words, read_words
from cloche_fitness.training.wording import Wording

LOG_SKILL: Final = "workout-log"
"""The skill whose log is read: what was done decides what comes next."""
REMEMBERED: Final = 200
"""So many memories are looked at, the newest."""
MINUTES: Final = 45
"""How long a session takes where nobody said."""

_SENTENCES: Final = Path(__file__).with_name("sentences.toml")
_MOVEMENTS: Final = Path(__file__).with_name("movements.toml")
_PLAN: Final = TypeAdapter(tuple[Session, ...])
_ASKED: Final = TypeAdapter(Asked)


def _heard(text: str) -> Mapping[str, str] | None:
    found = cares(text, read_words(_MOVEMENTS))
    # A week is asked for that spares what aches: that is more than the advice.
    return {"said": text} if found and (set(found) - {"ache"} or not asks_plan(text)) else None


def _heard_plan(text: str) -> Mapping[str, str] | None:
    return heard_plan(text, read_words(_MOVEMENTS))


@tool(hears=_heard, first=True)
async def health_first(
    ctx: ToolContext,
    said: Annotated[str, "The person's own words."],
) -> str:
    """Give what comes first: pain, pregnancy, heart, medicines, under 18, diets."""
    words, texts = read_words(_MOVEMENTS), _wording(ctx)
    known = known_of(await ctx.memory.search(limit=REMEMBERED), words)
    found = cares(said, words, young=bool(known.young))
    await _keep_of_health(ctx, said, words)
    told = [
        texts.say("emergency" if one == "emergency" else f"care_{one}", quote=said.strip())
        for one in found
    ]
    return "\n".join(told) or texts.say("care_none")


@tool(hears=_heard_plan)
async def plan_week(
    ctx: ToolContext,
    goal: Annotated[
        Literal["strength", "muscle", "endurance", "health", ""],
        "What the week is for; empty for what is remembered.",
    ] = "",
    days: Annotated[int, "How many sessions; 0 for what is remembered.", Field(ge=0, le=6)] = 0,
    on: Annotated[str, "The days by name, such as 'Monday, Thursday', if they were named."] = "",
    minutes: Annotated[
        int,
        "How long a session may take; 0 for what is remembered.",
        Field(ge=0, le=120),
    ] = 0,
    equipment: Annotated[
        str, "What there is to train with this time; empty for what is remembered."
    ] = "",
    avoid: Annotated[
        str, "What hurts now, or what a doctor has to say something to, in the person's words."
    ] = "",
) -> str:
    """Plan the next seven days; the answer gives warnings, sessions and reasons."""
    words, texts = read_words(_MOVEMENTS), _wording(ctx)
    weekdays = weekdays_in(on, words)
    if on.strip() and not weekdays:
        raise ToolError(texts.say("no_such_day", on=on))
    asked = Asked(goal or None, days, weekdays, minutes, equipment, avoid)
    await _keep_of_health(ctx, avoid, words)
    return await _planned(ctx, asked)


async def _keep_of_health(ctx: ToolContext, said: str, words: Words) -> None:
    """Remember pain or an illness that was told with a request: the next week spares it, too."""
    if told := told_of_health(said, words):
        tags = {key: [tag.label for tag in of] for key, of in ctx.vocabulary.mentions(told).items()}
        await ctx.memory.remember(told, metadata=tags)


async def _planned(ctx: ToolContext, asked: Asked) -> str:
    """Plan a week, keep it, and tell it."""
    words, texts = read_words(_MOVEMENTS), _wording(ctx)
    last = await _asked_before(ctx)
    known = last.known_with(known_of(await ctx.memory.search(limit=REMEMBERED), words))
    if not known.equipment and not asked.equipment.strip():
        before = {tag.id for tag in ctx.vocabulary["equipment"].mentions(last.equipment)}
        known = replace(known, equipment=frozenset(before) - known.gone)
    asked = replace(asked, minutes=asked.minutes or known.minutes)
    if stopped := _emergency(texts, words, known, asked.avoid):
        return stopped
    entries = await _log(ctx)
    past = Past(entries, fell_short(await _kept(ctx), entries, texts.today))
    wishes = _wishes(ctx, words, known, asked)
    # Who has trained today has that behind them: the week begins tomorrow.
    trained = any(entry.day == texts.today for entry in entries)
    first = texts.today + timedelta(days=int(trained))
    week = Planner(words.movements, texts.units).week(wishes, first, past)
    await ctx.storage.put("plan", _PLAN.dump_python(week, mode="json"))
    await ctx.storage.put("asked", _ASKED.dump_python(asked.after(last), mode="json"))
    told = texts.say(
        "week",
        day=texts.full_day(first),
        goal=texts.say(wishes.goal),
        count=len(week),
        minutes=wishes.minutes,
    )
    sessions = [
        texts.say("session", day=_weekday(texts, one.day), items=_items(ctx, texts, words, one))
        for one in week
    ]
    warnings = [f"{one}\n" for one in _warnings(texts, words, known, asked)]
    reasons = [f"- {one}" for one in _reasons(texts, known, asked, wishes, past, week)]
    return "\n".join([*warnings, told, *sessions, "", *reasons]).strip()


@tool
async def show_plan(ctx: ToolContext) -> str:
    """Show the plan as it stands: done, next, and what was moved or left out."""
    texts, words = _wording(ctx), read_words(_MOVEMENTS)
    known = known_of(await ctx.memory.search(limit=REMEMBERED), words)
    if stopped := _emergency(texts, words, known):
        return stopped
    plan = await _kept(ctx)
    if not plan:
        raise ToolError(texts.say("none"))
    if texts.today >= plan[0].day + timedelta(days=7):
        # The next week is due: planned from what is known now, as many days as the last one had.
        days = 0 if known.days or known.weekdays else len(plan)
        again = await _planned(ctx, Asked(days=days))
        return "\n".join([texts.say("over"), "", again])
    if _outdated(plan, known, words):
        again = await _planned(ctx, Asked(days=len(plan)))
        return "\n".join([texts.say("changed"), "", again])
    stands = standing(plan, await _log(ctx), texts.today)
    lines = [
        texts.say(
            one.state,
            day=_weekday(texts, one.day),
            from_day=_weekday(texts, one.session.day),
            items=_items(ctx, texts, words, one.session),
        )
        for one in sorted(stands, key=lambda one: one.day)
    ]
    return "\n".join([texts.say("plan", day=texts.short_day(texts.today)), *lines])


def _wording(ctx: ToolContext) -> Wording:
    today = ctx.clock().astimezone(ZoneInfo(ctx.time_zone)).date()
    return Wording.of(_SENTENCES, ctx.language, ctx.settings.units, today)


async def _log(ctx: ToolContext) -> tuple[Entry, ...]:
    return entries_of(await ctx.storage.items_of(LOG_SKILL, "entry/"))


async def _kept(ctx: ToolContext) -> tuple[Session, ...]:
    """The last plan; () where there is none, or another version's."""
    try:
        return _PLAN.validate_python(await ctx.storage.get("plan") or ())
    except ValidationError:
        return ()


async def _asked_before(ctx: ToolContext) -> Asked:
    """What was said with earlier requests."""
    try:
        return _ASKED.validate_python(await ctx.storage.get("asked") or {})
    except ValidationError:
        return Asked()


def _wishes(ctx: ToolContext, words: Words, known: Known, asked: Asked) -> Wishes:
    there = {tag.id for tag in ctx.vocabulary["equipment"].mentions(asked.equipment)}
    weekdays = asked.weekdays or (() if asked.days else known.weekdays)
    return Wishes(
        goal=asked.goal or known.goal or "health",
        weekdays=weekdays,
        days=asked.days or known.days or 3,
        minutes=min(max(asked.minutes or MINUTES, SHORTEST), 120),
        equipment=frozenset(there) if asked.equipment.strip() else known.equipment,
        aching=known.aching | set(joints_in(asked.avoid, words)),
        careful=bool(
            known.doctor or known.pregnant or known.young or careful_in(asked.avoid, words)
        ),
        upright=bool(known.pregnant) or "v-pregnancy" in careful_in(asked.avoid, words),
    )


def _outdated(plan: tuple[Session, ...], known: Known, words: Words) -> bool:
    """True where what they told since rules out something of a plan."""
    names = {item.name for session in plan for item in session.items}
    return any(known.rules_out(one) for one in words.movements if one.name in names)


def _emergency(texts: Wording, words: Words, known: Known, avoid: str = "") -> str:
    """What is said in place of any plan; "" where there is no emergency."""
    if words.named("emergency", avoid):
        return texts.say("emergency", quote=avoid)
    return texts.say("emergency_known", quote=known.emergency[0]) if known.emergency else ""


def _warnings(texts: Wording, words: Words, known: Known, asked: Asked) -> Iterator[str]:
    """What comes before any plan: who has to be asked first."""
    now = careful_in(asked.avoid, words)
    for key, told in (("doctor", known.doctor), ("pregnancy", known.pregnant)):
        quotes = [*told, *([asked.avoid] if f"v-{key}" in now else [])]
        if quotes:
            yield texts.say(key, quote=quotes[0])
    if known.young:
        yield texts.say("young", quote=known.young[0])
    yield from (texts.say("ache", quote=quote) for quote in known.aches)
    if set(joints_in(asked.avoid, words)) - known.aching:
        yield texts.say("ache_now")


def _reasons(
    texts: Wording,
    known: Known,
    asked: Asked,
    wishes: Wishes,
    past: Past,
    week: tuple[Session, ...],
) -> Iterator[str]:
    """Why the week is as it is, and what would make it better."""
    if not (asked.goal or known.goal):
        yield texts.say("no_goal")
    if not (asked.days or asked.weekdays or known.days or known.weekdays):
        yield texts.say("no_days")
    items = [item for session in week for item in session.items if item.reps]
    if any(item.kilos for item in items):
        yield texts.say("loads")
    elif items and not wishes.careful:
        yield texts.say("no_loads")
    if past.fell_short:
        yield texts.say("lighter")


def _weekday(texts: Wording, day: date) -> str:
    name = texts.table["weekdays"][day.weekday()]
    return texts.say("weekday", weekday=name, date=texts.short_day(day))


def _items(ctx: ToolContext, texts: Wording, words: Words, session: Session) -> str:
    language = ctx.language.partition("-")[0].lower()
    return str(texts.table["comma"]).join(
        _item(texts, words, item, language) for item in session.items
    )


def _item(texts: Wording, words: Words, item: Item, language: str) -> str:
    names = words.names[item.name]
    name = names.get(language, names["en"])
    if item.minutes:
        key = "item_fast" if item.sets > 1 else "item_minutes"
        return texts.say(key, name=name, sets=item.sets, minutes=item.minutes)
    if item.seconds:
        return texts.say("item_hold", name=name, sets=item.sets, seconds=item.seconds)
    key = "item_load" if item.kilos else "item_reps"
    load = texts.mass(item.kilos or 0)
    return texts.say(key, name=name, sets=item.sets, reps=item.reps, load=load)
