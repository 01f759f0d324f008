"""The training log: what was done, kept as data in ``ctx.storage`` under ``entry/<day>/<id>``."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Annotated, Final, Literal
from zoneinfo import ZoneInfo

from cloche import ToolContext, ToolError, tool
from cloche_fitness.training.caring import lay_flat
from cloche_fitness.training.diary import (
    Entry,
    beaten,
    bests,
    chart,
    entries_of,
    entry_to_json,
    weeks,
    weeks_in_a_row,
)
from cloche_fitness.training.hearing import heard_workout
from cloche_fitness.training.mending import (
    amounts_in,
    exercises_in,
    has,
    heard_correction,
    heard_deletion,
    mended,
)
from cloche_fitness.training.naming import shown_name
from cloche_fitness.training.reading import Told, UnreadableError, read_work
from cloche_fitness.training.wording import Wording

SHOWN: Final = 15
"""How many entries a list shows; older ones are told of, not shown."""
SHORTEST: Final = 4
"""Weeks that a chart always shows."""
OLDEST: Final = timedelta(days=3650)
"""An entry from longer ago is a slip of the finger."""

_SENTENCES: Final = Path(__file__).with_name("sentences.toml")


@tool(hears=heard_workout, keeps=True)
async def log_workout(
    ctx: ToolContext,
    done: Annotated[
        str,
        "Exercise and what was done: 'squat 3x8 60 kg', 'run 5 km in 27:30'; a semicolon between "
        "exercises.",
    ],
    day: Annotated[str, "A date such as 2026-03-02, or 'yesterday'; empty for today."] = "",
) -> str:
    """Keep what the person trained; tells it back, with any new personal best."""
    words = _wording(ctx)
    try:
        told = read_work(done, words.units)
    except UnreadableError as error:
        raise ToolError(words.say(f"no_{error.reason}", rest=error.rest)) from error
    when = _day(words, day, told)
    known = await _entries(ctx)
    made = [_entry(ctx, words, one, when, number) for number, one in enumerate(told)]
    for entry in made:
        await ctx.storage.put(_key(entry), entry_to_json(entry))  # type: ignore[arg-type]
    lines = [words.say("logged", day=words.day(when))]
    lines += [words.say("line", name=_name(ctx, one), work=words.work(one.efforts)) for one in made]
    for entry in made:
        before = [e for e in known if e.exercise == entry.exercise and e.id != entry.id]
        lines += [
            words.say(
                f"new_{new.kind}",
                name=_name(ctx, entry),
                new=words.best(new),
                old=words.best(old),
                day=words.day(old.day),
            )
            for old, new in beaten(before, entry)
        ]
    if quote := await lay_flat(ctx, [entry.exercise for entry in made]):
        lines.append(words.say("lay_flat", quote=quote))
    return "\n".join(lines)


@tool(keeps=True)
async def list_workouts(
    ctx: ToolContext,
    exercise: Annotated[str, "Only this exercise; empty for all."] = "",
) -> str:
    """List what the person trained, newest first."""
    words = _wording(ctx)
    found = await _logged(ctx, words, exercise)
    lines = [words.say("log_of" if exercise else "log", exercise=exercise)]
    lines += [
        words.say(
            "dated", day=words.day(one.day), name=_name(ctx, one), work=words.work(one.efforts)
        )
        for one in reversed(found[-SHOWN:])
    ]
    return "\n".join([*lines, *([words.say("more")] if len(found) > SHOWN else [])])


@tool(keeps=True)
async def show_bests(
    ctx: ToolContext,
    exercise: Annotated[str, "Only this exercise; empty for all."] = "",
) -> str:
    """Show personal bests: heaviest, estimated one-rep max, most, longest, farthest, fastest."""
    words = _wording(ctx)
    found = await _logged(ctx, words, exercise)
    lines = [words.say("bests")]
    for name in dict.fromkeys(entry.exercise for entry in reversed(found)):
        own = [entry for entry in found if entry.exercise == name]
        told = words.say("semicolon").join(
            words.say(
                f"best_{best.kind}",
                new=words.best(best),
                work=words.work([best.effort]),
                day=words.day(best.day),
            )
            for best in bests(own).values()
            if not (best.kind == "one_rep" and best.effort.reps == 1)
        )
        lines.append(words.say("line", name=_name(ctx, own[-1]), work=told))
    return "\n".join(lines)


@tool(keeps=True)
async def show_progress(
    ctx: ToolContext,
    count: Annotated[Literal[4, 8, 12], "How many weeks the chart shows."] = 8,
) -> str:
    """Show weeks in a row, this week so far, and each week's volume as a small chart."""
    words = _wording(ctx)
    entries = await _entries(ctx)
    if not entries:
        raise ToolError(words.say("no_log"))
    row = weeks_in_a_row(entries, words.today)
    shown = weeks(entries, words.today, count)
    # No empty weeks from before there was a log, but always a few to compare.
    while len(shown) > SHORTEST and not shown[0].days:
        shown = shown[1:]
    lines = [
        words.say("streak", weeks=row) if row else words.say("no_streak"),
        words.say("this_week", days=shown[-1].days, sets=shown[-1].sets),
    ]
    charts = [
        ("lifted", [week.lifted for week in shown], words.mass),
        ("metres", [week.metres for week in shown], words.distance),
    ]
    drawn = [(key, values, form) for key, values, form in charts if any(values)]
    if not drawn:
        drawn = [("sets", [float(week.sets) for week in shown], words.number)]
    for key, values, form in drawn:
        heading = words.say("chart", what=words.say(key))
        days = [words.short_day(week.monday) for week in shown]
        lines += ["", heading, *chart(days, values, list(map(form, values)))]
    return "\n".join(lines)


@tool(hears=heard_correction, keeps=True)
async def correct_workout(
    ctx: ToolContext,
    right: Annotated[str, "What it should be: '65 kg', '5.2 km', '3 sets'."],
    exercise: Annotated[str, "The exercise whose last entry it is; empty for any."] = "",
    wrong: Annotated[str, "What stands there and is wrong, if they named it: '60 kg'."] = "",
) -> str:
    """Put right what was logged last: load, repetitions, sets, time or distance."""
    words = _wording(ctx)
    amounts = amounts_in(right)
    if amounts is None:
        raise ToolError(words.say("unclear_right", rest=right))
    old = amounts_in(wrong, amounts.unit)
    if wrong.strip() and old is None:
        raise ToolError(words.say("unclear_right", rest=wrong))
    found = await _logged(ctx, words, exercise)
    if old:
        found = [one for one in found if any(has(effort, old.of) for effort in one.efforts)]
        if not found:
            return words.say("no_such_entry", rest=wrong)
    last = max(found, key=lambda entry: entry.logged_at)
    made = mended(last, amounts.of, old.of if old else {})
    if made is None:
        work = words.work(last.efforts)
        return words.say("not_corrected", name=_name(ctx, last), work=work)
    await ctx.storage.put(_key(made), entry_to_json(made))  # type: ignore[arg-type]
    return words.say(
        "corrected",
        name=_name(ctx, made),
        work=words.work(made.efforts),
        old=words.work(last.efforts),
        day=words.day(made.day),
    )


@tool(hears=heard_deletion, keeps=True, removes=True)
async def undo_workout(
    ctx: ToolContext,
    exercise: Annotated[
        str, "The exercise whose last entry is taken back, also '5 km run'; empty for any."
    ] = "",
) -> str:
    """Take back the entry that was logged last."""
    words = _wording(ctx)
    found = await _logged(ctx, words, exercise)
    if amounts := amounts_in(exercise):
        found = [one for one in found if any(has(effort, amounts.of) for effort in one.efforts)]
        if not found:
            return words.say("no_such_entry", rest=exercise)
    last = max(found, key=lambda entry: entry.logged_at)
    await ctx.storage.delete(_key(last))
    return words.say(
        "undone", name=_name(ctx, last), work=words.work(last.efforts), day=words.day(last.day)
    )


@tool
async def choose_units(
    ctx: ToolContext,
    units: Annotated[
        Literal["metric", "imperial"], "metric: kilos and kilometres; imperial: pounds and miles."
    ],
) -> str:
    """Keep what the person measures in; it holds for everything this assistant tells them."""
    await ctx.settings.set_units(units)
    return _wording(ctx).say(f"units_{units}")


def _name(ctx: ToolContext, entry: Entry) -> str:
    return shown_name(entry.exercise, entry.name, ctx.language)


def _wording(ctx: ToolContext) -> Wording:
    today = ctx.clock().astimezone(ZoneInfo(ctx.time_zone)).date()
    return Wording.of(_SENTENCES, ctx.language, ctx.settings.units, today)


def _day(words: Wording, written: str, told: Sequence[Told]) -> date:
    """The day that is named, by the argument or among the words; else today."""
    named = next((one.day for one in told if one.day), None)
    written = written.strip().casefold()
    try:
        if not written or written == "today":
            day = named.before(words.today) if named else words.today
        elif written == "yesterday":
            day = words.today - timedelta(days=1)
        else:
            day = date.fromisoformat(written)
    except ValueError as error:
        written = written or told[0].text
        raise ToolError(words.say("bad_day", day=written)) from error
    if not words.today - OLDEST <= day <= words.today:
        raise ToolError(words.say("bad_day", day=written))
    return day


def _entry(ctx: ToolContext, words: Wording, told: Told, day: date, number: int) -> Entry:
    if not told.name:
        raise ToolError(words.say("no_name"))
    key = ctx.vocabulary["exercises"]
    if not told.exercise and len(key.mentions(told.name)) > 1:
        raise ToolError(words.say("several", rest=told.name))
    tag = key.tag(told.exercise.replace("-", " ") or told.name)
    if tag is None:
        raise ToolError(words.say("no_name"))
    # The same id when the turn is run again, so that nothing is logged twice.
    entry_id = f"{ctx.call_id[:20]}-{number}"
    return Entry(entry_id, day, tag.id, told.name, told.efforts, ctx.clock())


def _key(entry: Entry) -> str:
    return f"entry/{entry.day.isoformat()}/{entry.id}"


async def _entries(ctx: ToolContext) -> tuple[Entry, ...]:
    return entries_of(await ctx.storage.items("entry/"))


async def _logged(ctx: ToolContext, words: Wording, exercise: str) -> Sequence[Entry]:
    """The entries of an exercise, of all when none is named.

    Raises:
        ToolError: there are none.
    """
    entries: Sequence[Entry] = await _entries(ctx)
    if exercise.strip():
        tag = ctx.vocabulary["exercises"].tag(exercise)
        named = {one.id for one in ctx.vocabulary["exercises"].mentions(exercise)}
        wanted = named or exercises_in(exercise)
        if not wanted and (amounts := amounts_in(exercise)):  # "my best 5 km"
            entries = [one for one in entries if any(has(each, amounts.of) for each in one.efforts)]
        else:
            wanted = wanted or ({tag.id} if tag else set())
            entries = [entry for entry in entries if entry.exercise in wanted]
    if not entries:
        raise ToolError(
            words.say("no_log_of", exercise=exercise) if exercise else words.say("no_log")
        )
    return entries
