"""A person's files: listed, read, looked at, sent, written and removed, through ``ctx.files``."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any, Final
from zoneinfo import ZoneInfo

from cloche import ToolContext, ToolError, ToolFile, tool
from cloche_manifests.hearing_files import HEARING, heard

SHOWN: Final = 50
"""How many files a list shows; older ones are told of, not shown."""
NAMED: Final = 5
"""Of the newest files, where none is what was asked for."""
PART_CHARS: Final = 6_000
LOOK_SECONDS: Final = 25
"""A model that looks at a picture takes a while."""

_HERE: Final = Path(__file__).parent
_SENTENCES: Final = tomllib.loads((_HERE / "sentences.toml").read_text(encoding="utf-8"))
_PAIR: Final = re.compile(r" (?:and|y) |、|和|, ")
"""Between the names of several files."""
_KIND_OF: Final = re.compile(r"^(\w+) (?:of|del?) (.+)$|^(.+)的(\w{1,20})$")
_PICTURES: Final = tuple(HEARING["kinds"]["picture"]["endings"])


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


def _heard_read(text: str) -> Mapping[str, Any] | None:
    said = heard(text, "read")
    return said and {**said, "question": text}


@tool(hears=_heard_read, keeps=True, timeout_seconds=LOOK_SECONDS)
async def read_file(
    ctx: ToolContext,
    name: Annotated[
        str, "Its name as the list has it; or picture, pdf, recording, file: the newest of these."
    ],
    part: Annotated[int, "Which part of a long text, from 1."] = 1,
    question: Annotated[str, "Of a picture: what is asked about it."] = "",
    days_ago: Annotated[int, "0 = it was sent today, 1 = yesterday; -1 = whenever."] = -1,
    if_any: Annotated[bool, "True = say nothing where no file is called so."] = False,
) -> str:
    """Read one of the person's files: a text, a PDF, the words of a recording, or a picture."""
    name, files = name.strip(), await ctx.files.list()
    if if_any:
        _check_any(name, files, shown=False)
    name = _meant(ctx, name, files, days_ago)
    if name.casefold().endswith(_PICTURES):
        return f"{_say(ctx, 'seen', name=name)}\n\n{await ctx.files.look(name, question)}"
    text = await ctx.files.read_text(name)
    parts = max(1, -(-len(text) // PART_CHARS))
    if not 1 <= part <= parts:
        raise ToolError(_say(ctx, "no_such_part", name=name, parts=parts))
    shown = text[(part - 1) * PART_CHARS : part * PART_CHARS]
    return _say(ctx, "text" if parts == 1 else "part", name=name, part=part, parts=parts) + (
        f"\n\n{shown}" if shown.strip() else ""
    )


@tool(hears=lambda text: heard(text, "send"), keeps=True)
async def send_file(
    ctx: ToolContext,
    name: Annotated[
        str, "Its name as the list has it; or picture, pdf, recording, file: the newest of these."
    ],
    days_ago: Annotated[int, "0 = it was sent today, 1 = yesterday; -1 = whenever."] = -1,
    if_any: Annotated[bool, "True = say nothing where no file is called so."] = False,
) -> str:
    """Send the person one of their files, as a file below your answer; only when they ask."""
    name, files = name.strip(), await ctx.files.list()
    if if_any:
        _check_any(name, files, shown=True)
    parts = [one.strip() for one in _PAIR.split(name)]
    several = all("." in one for one in parts) and not _called(name, files)
    meant = [_meant(ctx, one, files, days_ago) for one in (parts if several else [name])]
    sent = [await ctx.files.send(one) for one in dict.fromkeys(meant)]
    return "\n".join(_say(ctx, "sent", name=file.name) for file in sent)


@tool(hears=lambda text: heard(text, "save"), exact=True, keeps=True)
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


@tool(hears=lambda text: heard(text, "remove"), removes=True)
async def remove_file(
    ctx: ToolContext,
    name: Annotated[str, "Its whole name as the list has it."],
    days_ago: Annotated[int, "0 = it was sent today, 1 = yesterday; -1 = whenever."] = -1,
) -> str:
    """Remove one of the person's files for good; only when they ask."""
    name = _meant(ctx, name.strip(), await ctx.files.list(), days_ago, surely=True)
    gone = await ctx.files.delete(name)
    return _say(ctx, "removed" if gone else "absent", name=name)


def _check_any(name: str, there: Sequence[ToolFile], *, shown: bool) -> None:
    """Hold words that may be about anything to what there is.

    Raises:
        ToolError: no file is called so; it says nothing.
    """
    files = [one for one in there if shown or not _is_shown(one)]
    if _of_kind(name, files) is None and all(_stem(one) != name.casefold() for one in files):
        raise ToolError("", absent=True)


def _of_day(ctx: ToolContext, files: Sequence[ToolFile], days_ago: int) -> Sequence[ToolFile]:
    if days_ago < 0:
        return files
    zone = ZoneInfo(ctx.time_zone)
    day = ctx.clock().astimezone(zone).date() - timedelta(days=days_ago)
    return [file for file in files if file.at.astimezone(zone).date() == day]


def _meant(
    ctx: ToolContext, name: str, every: Sequence[ToolFile], days_ago: int, *, surely: bool = False
) -> str:
    """The name of the file that is meant; what no file is like stays as it was said.

    With ``surely``, what is not certain is asked.
    """
    if _called(name, every):
        return name
    files = _of_day(ctx, every, days_ago)
    found = _of_kind(name, files)
    if found is not None:
        if not found:
            near = _of_kind(name, every) or ()
            key = "none_that_day" if near else "none_such"
            raise ToolError(_say(ctx, key, name=name, names=_names(near[:NAMED])), absent=not near)
        found = found if surely or not _endings(name) else found[:1]
    else:
        found = _like(name, files, surely=surely)
    if len(found) > 1 and (surely or len({_bare(file) for file in found}) > 1):
        raise ToolError(_say(ctx, "several", name=name, names=_names(found[:SHOWN])))
    if not found and (near := _like(name, files) if surely else files):
        told = _say(ctx, "absent_but", name=name, names=_names(near[:NAMED]))
        raise ToolError(told, absent=True)
    return found[0].name if found else name


def _called(name: str, files: Sequence[ToolFile]) -> bool:
    return any(name.strip() in (file.name, _bare(file)) for file in files)


def _of_kind(name: str, files: Sequence[ToolFile]) -> Sequence[ToolFile] | None:
    """The files of a kind, what was sent first; None where no kind is named."""
    kind, rest = _KIND_OF.sub(r"\1\4", name), _KIND_OF.sub(r"\2\3", name).casefold()
    if not (endings := _endings(kind)):
        return None
    found = [file for file in files if file.name.casefold().endswith(endings)]
    if kind != name:  # "the picture of my bed"
        words = {word for word in re.findall(r"\w+", rest) if len(word) > 2 or not word.isascii()}
        return [one for one in found if any(word in _stem(one) for word in words)] or found
    return sorted(found, key=lambda file: not file.name.startswith("sent"))


def _names(files: Sequence[ToolFile]) -> str:
    return ", ".join(f"`{file.name}`" for file in files)


def _is_shown(file: ToolFile) -> bool:
    """Whether it is a picture or a recording, which nobody calls a list or a plan."""
    kinds = HEARING["kinds"]
    return file.name.casefold().endswith((*_PICTURES, *kinds["recording"]["endings"]))


def _like(name: str, files: Sequence[ToolFile], *, surely: bool = False) -> Sequence[ToolFile]:
    """The files whose name without ending it is; where none is, those whose name has it.

    Where none has, "the list I sent" is whatever came, where that is one text.
    """
    wanted = name.casefold()
    same = [file for file in files if _stem(file) == wanted]
    if same or surely or not wanted:
        return same
    if found := [file for file in files if wanted in _bare(file).casefold()]:
        return found
    sent = [file for file in files if file.name.startswith("sent") and not _is_shown(file)]
    return sent if len(sent) == 1 and "." not in name else []


def _bare(file: ToolFile) -> str:
    return file.name.partition("/")[2]


def _stem(file: ToolFile) -> str:
    return _bare(file).rpartition(".")[0].casefold()


def _endings(name: str) -> tuple[str, ...]:
    """The endings of a kind of file, where that is what it is called by."""
    for kind in HEARING["kinds"].values():
        if name.casefold() in kind["words"]:
            return tuple(kind["endings"])
    return ()


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
