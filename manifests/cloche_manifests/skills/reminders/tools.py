"""Reminders: set, listed, changed and cancelled; when and whether, the host's store tells."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final

from cloche import (
    Reminder,
    ToolContext,
    ToolError,
    hear_place,
    hear_reminder_cancel,
    hear_reminder_change,
    tool,
)

_SENTENCES: Final = tomllib.loads(
    Path(__file__).with_name("sentences.toml").read_text(encoding="utf-8")
)
_WRITTEN: Final = re.compile(r"P[\dT]|\d{4}-\d|FREQ=|RRULE:", re.IGNORECASE)
"""How a time begins that nobody says in words."""
EVERY: Final = "*"
_CLOCK: Final = re.compile(r"\d{1,2}(?:[:.]\d\d)?(?: ?[ap]\.?m\.?)?", re.IGNORECASE)
_BESIDE: Final = re.compile(
    r"[,;，、；]\s*(?:and\s|y\s|以及|还有|和)?|\s(?:and|y|e)\s|和|以及|还有", re.IGNORECASE
)
_AGAIN: Final = re.compile(r"^(?:also|cancel|delete|tambi[eé]n|cancela|borra|也|取消)\s*", re.I)

When = Annotated[
    str,
    "ISO 8601 duration from now (PT20M), local date and time (2026-03-04T09:00), or RRULE "
    "(FREQ=WEEKLY;INTERVAL=2;BYDAY=SU;BYHOUR=9); their own words where you cannot tell.",
]
Which = Annotated[str, "Words of the reminder's text, its day or hour, or its id."]


_TIME_ALONE: Final = re.compile(
    r"\d|[零一二两三四五六七八九十半早晚午夜天周]"
    r"|\b(?:[ap]\.? ?m|noon|midday|midnight|morning|afternoon|evening|night|tonight|today|tomorrow"
    r"|\w+day|hour|daily|weekly|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|mediod[ií]a|medianoche|mañana|tarde|noche|hoy|lunes|martes|mi[eé]rcoles|jueves|viernes"
    r"|s[aá]bado|domingo|hora|las? \w+)\b",
    re.IGNORECASE,
)
_MOST_OF_A_TIME: Final = 60
"""Characters that an answer to "when?" has at most."""
_DIGIT: Final = r"[\d零一二两三四五六七八九十]"
_HOUR: Final = re.compile(
    r"(?:\b(?:at|a las?|sobre las?)\s+\w+(?:[:.]\d\d)?(?:\s+y\s+media)?"
    rf"|\b\d{{1,2}}[:.]\d\d\b|(?<!{_DIGIT}){_DIGIT}+[点點]半?)",
    re.IGNORECASE,
)

_HOUR_ALONE: Final = re.compile(rf"(?:{_CLOCK.pattern}|{_HOUR.pattern})$", re.IGNORECASE)


def _time_alone(text: str) -> Mapping[str, str] | None:
    """The answer to a question for the time: "at 9", "tomorrow at 10", "pm"."""
    said = text.strip().rstrip(".!。！")
    if len(said) > _MOST_OF_A_TIME or said.endswith(("?", "？")) or not _TIME_ALONE.search(said):
        return None
    return {"text": "", "when": said}


@tool(hears=_time_alone)
async def set_reminder(
    ctx: ToolContext,
    text: Annotated[str, "What to remind them of, in their own words and language."],
    when: When = "",
) -> str:
    """Set a reminder; only when the person asks to be reminded or told something later."""
    asked = _each(ctx, text, when) or [_told(ctx, text, when)]
    over = "|".join(_words(ctx, "over"))
    if any(re.search(over, _plain(when or text)) and not _reads(ctx, when) for text, when in asked):
        return _say(ctx, "past")
    if not all(when for _, when in asked):
        raise ToolError(_say(ctx, "no_time"))
    if any(ctx.reminders.needs_zone(when) for _, when in asked):
        raise ToolError(_say(ctx, "no_zone"))
    # All times are read before anything is set: half a sentence is no reminder.
    read = [(text or _say(ctx, "alarm"), ctx.reminders.when(when)) for text, when in asked]
    for text, schedule in read:
        await ctx.reminders.set(text, schedule)
    return _say(ctx, "done")


@tool
async def list_reminders(ctx: ToolContext) -> str:
    """List the person's reminders that are to come, with their ids."""
    there = await ctx.reminders.list()
    if not there:
        return _say(ctx, "none")
    return "\n".join([_say(ctx, "list"), *_lines(ctx, there)])


@tool(hears=hear_reminder_change, exact=True, keeps=True)
async def change_reminder(
    ctx: ToolContext,
    which: Which,
    text: Annotated[str, "The new text; empty = as it is."] = "",
    when: Annotated[
        str,
        "The new time, as for set_reminder; how much later or earlier (+PT2H, -PT30M); of one that "
        "repeats its new rule, or the time of day alone (20:00); empty = as it is.",
    ] = "",
) -> str:
    """Change the text or the time of one reminder."""
    if not (text.strip() or when.strip()):
        return _say(ctx, "nothing_to_change", which=which.strip())
    found = await ctx.reminders.meant(which)
    if len(found) != 1:
        return _which_one(ctx, which, found)
    when = _one_time(ctx, when)
    if when.strip() and ctx.reminders.needs_zone(when):
        raise ToolError(_say(ctx, "no_zone"))
    await ctx.reminders.change(
        found[0].id,
        text=text.strip() or None,
        when=ctx.reminders.when(when, of=found[0]) if when.strip() else None,
    )
    return _say(ctx, "done")


@tool(hears=hear_reminder_cancel, exact=True, keeps=True, removes=True)
async def cancel_reminder(
    ctx: ToolContext,
    which: Annotated[
        str, "Words of the reminder's text, its day or hour, or its id; * only when they said all."
    ],
) -> str:
    """Cancel one reminder, or all of them when the person said all."""
    if which.strip() == EVERY:
        every = [one for one in await ctx.reminders.list() if one.kind == "asked"]
        for one in every:
            await ctx.reminders.cancel(one.id)
        return _say(ctx, "done" if every else "none")
    found = await ctx.reminders.meant(which)
    if not found and (parts := _parts_of(which)):
        return await _cancel_each(ctx, which, parts)
    if len(found) != 1 or not await ctx.reminders.cancel(found[0].id):
        return _which_one(ctx, which, found)
    return _say(ctx, "done")


@tool(hears=hear_place, exact=True)
async def set_time_zone(
    ctx: ToolContext, zone: Annotated[str, "IANA name, such as Europe/Oslo, or a city."]
) -> str:
    """Keep the time zone the person says they live in."""
    await ctx.settings.set_time_zone(zone)
    return _say(ctx, "zone_set", zone=ctx.settings.time_zone)


@tool
async def look_daily(
    ctx: ToolContext, at: Annotated[str, "Local time they named, such as 08:30; off = no more."]
) -> str:
    """Look once a day whether anything is due; only after the person agreed and named a time."""
    if _plain(at) in {_plain(word) for word in _words(ctx, "off")}:
        await ctx.reminders.check_daily(None)
        return _say(ctx, "look_off")
    rule = at if _WRITTEN.match(at.strip()) else _say(ctx, "daily", at=at.strip())
    if ctx.reminders.needs_zone(rule):
        raise ToolError(_say(ctx, "no_zone"))
    await ctx.reminders.check_daily(ctx.reminders.when(rule))
    return _say(ctx, "done")


def _each(ctx: ToolContext, text: str, when: str) -> list[tuple[str, str]]:
    """Each reminder of a sentence that asks for several; a model fills in one at a time."""
    if _WRITTEN.match(when.strip()):
        return []
    return list(ctx.reminders.several(f"{when} {text}".strip()))


def _told(ctx: ToolContext, text: str, when: str) -> tuple[str, str]:
    """Text and time; what was said in one piece is parted."""
    text, when = text.strip(), when.strip()
    if completed := _completed(ctx, text, when):
        return completed
    if when and (text or not _parts(ctx, when)):
        try:
            ctx.reminders.when(when)
        except ToolError:
            rest, words = ctx.reminders.parted(text)
            return (rest, words) if words else (text, when)
        return text, when
    said = text or when
    # "Set an alarm for 7" says no "at".
    return ctx.reminders.parted(f"at {said}" if _CLOCK.fullmatch(said) else said)


def _completed(ctx: ToolContext, text: str, when: str) -> tuple[str, str] | None:
    """A time that was said in pieces: "tomorrow to prune", then "at 9"; each answer is a line."""
    answers = when.splitlines()
    if not answers or _WRITTEN.match(when):
        return None
    rest, words = ctx.reminders.parted(text) if text else ("", "")
    if not words:
        rest, words = text, answers.pop(0)
    for answer in answers:
        ways = [said for said in _joined(words, answer) if _reads(ctx, said)]
        words = ways[0] if ways else f"{words} {answer}"
    asked = len(when.splitlines()) > 1 or (answers and _HOUR_ALONE.match(when))
    return (rest, words) if asked or (answers and _reads(ctx, words)) else None


def _one_time(ctx: ToolContext, when: str) -> str:
    words, *answers = when.splitlines() or [""]
    for answer in answers:
        ways = (said for said in _joined(words, answer) if _reads(ctx, said))
        words = next(ways, f"{words} {answer}")
    return words


def _reads(ctx: ToolContext, when: str) -> bool:
    try:
        ctx.reminders.when(when)
    except ToolError:
        return False
    return True


def _joined(words: str, answer: str) -> Iterator[str]:
    """Ways to say both; where each says an hour, the answer's counts."""
    yield f"{words} {answer}"
    if _CLOCK.fullmatch(answer):
        yield f"{words} at {answer}"
    yield f"{words} de la {answer.removeprefix('la ')}"
    day = " ".join(_HOUR.sub(" ", words).split())
    if day != words:
        yield f"{day} {answer}"
        yield f"{day} at {answer}"
    yield f"{answer} {words}"


def _parts(ctx: ToolContext, said: str) -> bool:
    return all(ctx.reminders.parted(said))


async def _cancel_each(ctx: ToolContext, which: str, parts: Iterable[str]) -> str:
    """What is named beside each other: each that is one is cancelled, of each other is told."""
    named = {part: await ctx.reminders.meant(part) for part in parts}
    alone = [part for part, found in named.items() if len(found) == 1]
    if not alone:
        return _which_one(ctx, which, [])
    for part in alone:
        await ctx.reminders.cancel(named[part][0].id)
    others = (_which_one_of(ctx, part, named[part]) for part in named if part not in alone)
    return "\n".join([_say(ctx, "done"), *others])


def _parts_of(which: str) -> list[str]:
    """The names of several reminders; empty where one alone is named."""
    parts = [part.strip() for part in _BESIDE.split(which) if part.strip()]
    return [_AGAIN.sub("", part) for part in parts] if len(parts) > 1 else []


def _which_one(ctx: ToolContext, which: str, found: Sequence[Reminder]) -> str:
    """Ask which one is meant.

    Raises:
        ToolError: there is none of that name: what was said may be for another tool.
    """
    if not found:
        raise ToolError(_which_one_of(ctx, which, found), absent=True)
    return _which_one_of(ctx, which, found)


def _which_one_of(ctx: ToolContext, which: str, found: Sequence[Reminder]) -> str:
    head = _say(ctx, "several" if found else "nothing_fits", which=which.strip())
    return "\n".join([head, *_lines(ctx, found)])


def _lines(ctx: ToolContext, reminders: Iterable[Reminder]) -> list[str]:
    return [f"- {ctx.reminders.line(one)}" for one in reminders]


def _plain(text: str) -> str:
    spelled = unicodedata.normalize("NFKD", text).casefold()
    return " ".join("".join(c for c in spelled if not unicodedata.combining(c)).split())


def _say(ctx: ToolContext, key: str, **slots: object) -> str:
    return str(_sentences(ctx)[key]).format(**slots)


def _words(ctx: ToolContext, key: str) -> list[str]:
    return [str(word) for word in _sentences(ctx)[key]]


def _sentences(ctx: ToolContext) -> dict[str, str | list[str]]:
    language = ctx.language.split("-")[0].lower()
    found: dict[str, str | list[str]] = _SENTENCES.get(language, _SENTENCES["en"])
    return found
