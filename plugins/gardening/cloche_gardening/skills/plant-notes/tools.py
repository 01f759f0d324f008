"""Notes per plant and bed: memory records of kind "note", in the gardener's own words."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final
from zoneinfo import ZoneInfo

from cloche import MemoryRecord, ToolContext, ToolError, tool

SHOWN: Final = 20
"""How many notes a list shows; older ones are told of, not shown."""

_SENTENCES: Final = tomllib.loads(
    Path(__file__).with_name("sentences.toml").read_text(encoding="utf-8")
)


@tool
async def add_note(
    ctx: ToolContext,
    plant: Annotated[str, "The one plant it is about, in the gardener's own word."],
    text: Annotated[str, "What to note, in the gardener's own words and language."],
    bed: Annotated[str, "The bed or place it stands in, if the gardener said so."] = "",
) -> str:
    """Keep a note on one plant; only when the gardener asks for a note."""
    plant, text, bed = plant.strip(), text.strip(), bed.strip()
    if not plant:
        raise ToolError(_say(ctx, "no_plant"))
    metadata = {
        "type": ["plant"],
        "plants": _values(ctx, "plants", plant),
        "section": _values(ctx, "section", bed) if bed else _named(ctx, "section", plant),
    }
    if all(note.text != text for note in await _find(ctx, plant, bed)):  # said again, noted once
        await ctx.memory.remember(text, kind="note", subject=plant, metadata=metadata)
    return _say(ctx, "noted_in_bed" if bed else "noted", plant=plant, text=text, bed=bed)


@tool
async def list_notes(
    ctx: ToolContext,
    plant: Annotated[str, "Only notes on this plant."] = "",
    bed: Annotated[str, "Only notes on plants of this bed or place."] = "",
) -> str:
    """List the gardener's notes, newest first: all, or those on one plant or bed."""
    about = " / ".join(name for name in (plant.strip(), bed.strip()) if name)
    notes = await _find(ctx, plant, bed)
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
    which: Annotated[str, "Words that only this note has, or its plant if it has one note."],
    text: Annotated[str, "The whole note as it should read from now on."],
) -> str:
    """Replace what a note says; its old wording stays in the history."""
    notes = await _containing(ctx, which) or await _find(ctx, which, "")
    if not notes:
        raise ToolError(_say(ctx, "no_such_note", which=which))
    if len(notes) > 1:
        lines = [_line(ctx, note) for note in notes[:SHOWN]]
        raise ToolError("\n".join([_say(ctx, "which_one", which=which), *lines]))
    await ctx.memory.correct(notes[0].id, text.strip())
    return _say(ctx, "corrected", which=which, text=text.strip())


async def _find(ctx: ToolContext, plant: str, bed: str) -> Sequence[MemoryRecord]:
    """Notes on a plant in a bed, newest first; either may be empty."""
    plant, bed = plant.strip(), bed.strip()
    if plant and not bed and not _named(ctx, "plants", plant) and _named(ctx, "section", plant):
        plant, bed = "", plant  # "notes on the greenhouse" name a place
    wanted = {"plants": plant, "section": bed}
    metadata = {key: _values(ctx, key, words)[0] for key, words in wanted.items() if words}
    notes = await ctx.memory.search(kinds=("note",), metadata=metadata, limit=SHOWN + 1)
    if plant and not notes:  # a variety, or a word that only the note's text has
        notes = await _containing(ctx, plant)
    return sorted(notes, key=lambda note: note.validity.created_at, reverse=True)


async def _containing(ctx: ToolContext, words: str) -> Sequence[MemoryRecord]:
    """Notes in whose text the words stand as they are."""
    wanted = words.strip().casefold()
    found = await ctx.memory.search(words, kinds=("note",), limit=100)
    return [note for note in found if wanted and wanted in note.text.casefold()]


def _named(ctx: ToolContext, key: str, written: str) -> list[str]:
    """The vocabulary's values that the words name."""
    return [tag.label for tag in ctx.vocabulary[key].mentions(written)]


def _values(ctx: ToolContext, key: str, written: str) -> list[str]:
    """The vocabulary's values that the words name, else the words themselves."""
    return _named(ctx, key, written) or [written]


def _line(ctx: ToolContext, note: MemoryRecord) -> str:
    day = note.validity.created_at.astimezone(ZoneInfo(ctx.time_zone))
    month = _sentences(ctx)["months"][day.month - 1]
    date = _say(ctx, "date", day=day.day, month=month, year=day.year)
    return f"- {note.subject} ({date}): {note.text}"


def _say(ctx: ToolContext, key: str, **slots: object) -> str:
    return str(_sentences(ctx)[key]).format(**slots)


def _sentences(ctx: ToolContext) -> dict[str, str | list[str]]:
    language = ctx.language.split("-")[0].lower()
    found: dict[str, str | list[str]] = _SENTENCES.get(language, _SENTENCES["en"])
    return found
