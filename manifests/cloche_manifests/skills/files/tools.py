"""A person's files: listed, read, written and removed, through ``ctx.files``."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Final
from zoneinfo import ZoneInfo

from cloche import ToolContext, ToolError, tool

SHOWN: Final = 50
"""How many files a list shows; older ones are told of, not shown."""
PART_CHARS: Final = 6_000

_SENTENCES: Final = tomllib.loads(
    Path(__file__).with_name("sentences.toml").read_text(encoding="utf-8")
)


@tool
async def list_files(ctx: ToolContext) -> str:
    """List the person's files, newest first: what they sent, and what was made for them."""
    files = await ctx.files.list()
    if not files:
        return _say(ctx, "none")
    zone = ZoneInfo(ctx.time_zone)
    lines = [_say(ctx, "files")]
    for file in files[:SHOWN]:
        day = file.at.astimezone(zone)
        lines.append(f"- `{file.name}` ({day:%Y-%m-%d}, {_size(file.size)})")
    if len(files) > SHOWN:
        lines.append(_say(ctx, "more", number=len(files) - SHOWN))
    return "\n".join(lines)


@tool
async def read_file(
    ctx: ToolContext,
    name: Annotated[str, "Its name as the list has it."],
    part: Annotated[int, "Which part of a long text, from 1."] = 1,
) -> str:
    """Read a plain text among the person's files."""
    text = await ctx.files.read_text(name)
    parts = max(1, -(-len(text) // PART_CHARS))
    if not 1 <= part <= parts:
        raise ToolError(_say(ctx, "no_such_part", name=name, parts=parts))
    shown = text[(part - 1) * PART_CHARS : part * PART_CHARS]
    return _say(ctx, "text" if parts == 1 else "part", name=name, part=part, parts=parts) + (
        f"\n\n{shown}" if shown.strip() else ""
    )


@tool
async def save_file(
    ctx: ToolContext,
    name: Annotated[str, "A plain name with an ending, such as week.md."],
    text: Annotated[str, "The whole text of the file."],
) -> str:
    """Write a text as one of the person's files; only when they ask for a file."""
    if not text.strip():
        raise ToolError(_say(ctx, "no_text"))
    file = await ctx.files.write(name.strip(), text)
    return _say(ctx, "saved", name=file.name)


@tool
async def remove_file(
    ctx: ToolContext, name: Annotated[str, "Its whole name as the list has it."]
) -> str:
    """Remove one of the person's files for good; only when they ask."""
    gone = await ctx.files.delete(name.strip())
    return _say(ctx, "removed" if gone else "absent", name=name)


def _size(size: int) -> str:
    for unit in ("B", "kB"):
        if size < 1000:
            return f"{size:.0f} {unit}"
        size = round(size / 1000)
    return f"{size} MB"


def _say(ctx: ToolContext, key: str, **slots: object) -> str:
    language = ctx.language.split("-", maxsplit=1)[0].lower()
    table: dict[str, str] = _SENTENCES.get(language, _SENTENCES["en"])
    return table[key].format(**slots)
