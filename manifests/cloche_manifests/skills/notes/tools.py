"""Notes per subject: memory records of kind "note", in a person's own words.

The manifest's ``config`` may say

- ``subject``, ``place``: keys of the assistant's vocabulary that a note's subject and place are
  kept under, so that any name of a value finds it; without them the words themselves are compared;
- ``metadata``: what every note carries besides, by key;
- ``words``: sentences that the assistant says otherwise, by language and name.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final
from zoneinfo import ZoneInfo

from cloche import MemoryRecord, MetadataKey, ToolContext, ToolError, tool

SHOWN: Final = 20
"""How many notes a list shows; older ones are told of, not shown."""

_SENTENCES: Final = tomllib.loads(
    Path(__file__).with_name("sentences.toml").read_text(encoding="utf-8")
)


@tool
async def add_note(
    ctx: ToolContext,
    text: Annotated[str, "What to note, in the person's own words and language."],
    subject: Annotated[
        str, "The one thing it is about, in the person's own word; empty where only the text says."
    ] = "",
    place: Annotated[str, "Where that is, if the person said so."] = "",
) -> str:
    """Keep a note on one subject; only when the person asks for a note."""
    subject, text, place = subject.strip(), text.strip(), place.strip()
    if not text:
        raise ToolError(_say(ctx, "no_text"))
    key = _key(ctx, "subject")
    # A note on nothing in particular is a note all the same: better kept than asked about and lost.
    subject = subject or (", ".join(_spoken(key, text)) if key else "")
    if all(note.text != text for note in await _find(ctx, subject, place)):  # said again: once
        await ctx.memory.remember(
            text,
            kind="note",
            subject=subject if _key(ctx, "place") or not place else f"{subject} ({place})",
            metadata=_metadata(ctx, subject, place),
        )
    told = "noted_alone" if not subject else "noted_in_place" if place else "noted"
    return _say(ctx, told, subject=subject, text=text, place=place)


@tool(keeps=True)
async def list_notes(
    ctx: ToolContext,
    subject: Annotated[str, "Only notes on this."] = "",
    place: Annotated[str, "Only notes on what is in this place."] = "",
) -> str:
    """List the person's notes, newest first: all, or those on one subject or place."""
    key = _key(ctx, "subject")
    if key and _names(key, subject):  # "my recipe notes", of recipes: all of them
        subject = ""
    about = " / ".join(name for name in (subject.strip(), place.strip()) if name)
    notes = await _find(ctx, subject, place)
    if not notes:
        return _say(ctx, "no_notes_on" if about else "no_notes", about=about)
    lines = [_say(ctx, "notes_on" if about else "notes", about=about)]
    lines += [_line(ctx, note) for note in notes[:SHOWN]]
    if len(notes) > SHOWN:
        lines.append(_say(ctx, "more"))
    return "\n".join(lines)


@tool
async def correct_note(
    ctx: ToolContext,
    text: Annotated[str, "The whole note as it should read from now on."],
    which: Annotated[
        str,
        "Words that only this note has, or its subject if that has one note; empty for the newest.",
    ] = "",
) -> str:
    """Replace what a note says; its old wording stays in the history."""
    if not which.strip():
        notes = (await _find(ctx, "", ""))[:1]
        which = notes[0].subject or notes[0].text if notes else ""
    else:
        notes = await _containing(ctx, which) or await _find(ctx, which, "")
    if not notes:
        raise ToolError(_say(ctx, "no_such_note" if which else "no_notes", which=which))
    if len(notes) > 1:
        lines = [_line(ctx, note) for note in notes[:SHOWN]]
        raise ToolError("\n".join([_say(ctx, "which_one", which=which), *lines]))
    await ctx.memory.correct(notes[0].id, text.strip())
    return _say(ctx, "corrected", which=which, text=text.strip())


async def _find(ctx: ToolContext, subject: str, place: str) -> Sequence[MemoryRecord]:
    """Notes on a subject in a place, newest first; either may be empty."""
    subject, place = subject.strip(), place.strip()
    subject_key, place_key = _key(ctx, "subject"), _key(ctx, "place")
    if subject and not place and place_key and place_key.mentions(subject):
        if not subject_key or not subject_key.mentions(subject):
            subject, place = "", subject  # "notes on the kitchen" name a place
    metadata = {
        key.id: _values(key, words)[0]
        for key, words in ((subject_key, subject), (place_key, place))
        if key and words
    }
    spoken = [words for key, words in ((subject_key, subject), (place_key, place)) if not key]
    limit = 100 if any(spoken) else SHOWN + 1
    notes = await ctx.memory.search(kinds=("note",), metadata=metadata, limit=limit)
    notes = [note for note in notes if all(_has(note.subject, words) for words in spoken)]
    if subject and not notes:  # a word that only the note's text has
        notes = await _containing(ctx, subject)
    return sorted(notes, key=lambda note: note.validity.created_at, reverse=True)


async def _containing(ctx: ToolContext, words: str) -> list[MemoryRecord]:
    """Notes in whose text the words stand as they are."""
    found = await ctx.memory.search(words, kinds=("note",), limit=100)
    return [note for note in found if words.strip() and _has(note.text, words)]


def _has(text: str, words: str) -> bool:
    return words.strip().casefold() in text.casefold()


def _metadata(ctx: ToolContext, subject: str, place: str) -> dict[str, list[str]]:
    """What a note carries: the configured values, its subject and its place."""
    added = ctx.config.get("metadata", {})
    carried = {
        key: [value for value in values if isinstance(value, str)]
        for key, values in (added if isinstance(added, dict) else {}).items()
        if isinstance(values, list)
    }
    if (key := _key(ctx, "subject")) and subject:
        carried[key.id] = _values(key, subject)
    if key := _key(ctx, "place"):
        carried[key.id] = _values(key, place) if place else _named(key, subject)
    return carried


def _spoken(key: MetadataKey, text: str) -> list[str]:
    """What a text calls the key's values that it names, as it calls them where that is known."""
    said, named = text.casefold(), {tag.id for tag in key.mentions(text)}
    found = []
    for value in key.values:
        if value.id in named:
            known = sorted(value.spellings, key=len, reverse=True)
            found.append(next((one for one in known if one.casefold() in said), value.label))
    return found


def _key(ctx: ToolContext, role: str) -> MetadataKey | None:
    """The vocabulary's key for the subject or the place; None = none is configured.

    Raises:
        ToolError: the configured one is not in the vocabulary.
    """
    name = ctx.config.get(role)
    if name is None:
        return None
    if not isinstance(name, str) or name not in ctx.vocabulary:
        raise ToolError(f"The notes' config says {role} is {name!r}, which is no metadata key.")
    return ctx.vocabulary[name]


def _names(key: MetadataKey, words: str) -> bool:
    """True when the words are what people call the key itself."""
    wanted = words.strip().casefold()
    return wanted in {name.casefold() for name in (key.id, *key.aliases)}


def _named(key: MetadataKey, written: str) -> list[str]:
    """The key's values that the words name."""
    return [tag.label for tag in key.mentions(written)]


def _values(key: MetadataKey, written: str) -> list[str]:
    """The key's values that the words name, else the words themselves."""
    return _named(key, written) or [written]


def _line(ctx: ToolContext, note: MemoryRecord) -> str:
    day = note.validity.created_at.astimezone(ZoneInfo(ctx.time_zone))
    month = _table(ctx)["months"][day.month - 1]
    date = _say(ctx, "date", day=day.day, month=month, year=day.year)
    key = "line" if note.subject else "line_alone"
    return _say(ctx, key, subject=note.subject, date=date, text=note.text)


def _say(ctx: ToolContext, key: str, **slots: object) -> str:
    words = ctx.config.get("words")
    own = words.get(_language(ctx)) if isinstance(words, Mapping) else None
    if isinstance(own, Mapping) and isinstance(sentence := own.get(key), str):
        return sentence.format(**slots)
    return str(_table(ctx)[key]).format(**slots)


def _table(ctx: ToolContext) -> dict[str, str | list[str]]:
    found: dict[str, str | list[str]] = _SENTENCES.get(_language(ctx), _SENTENCES["en"])
    return found


def _language(ctx: ToolContext) -> str:
    return ctx.language.split("-", maxsplit=1)[0].lower()
