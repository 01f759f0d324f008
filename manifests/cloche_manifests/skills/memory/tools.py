"""What a person told: looked up, kept, corrected and forgotten, one memory at a time."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Final, Literal
from zoneinfo import ZoneInfo

from cloche import Kind, MemoryRecord, ToolContext, ToolError, tool

SHOWN: Final = 20
"""How many memories a list shows."""
NEAR: Final = 5
"""How many are shown when none says just what was asked for."""
ID_CHARS: Final = 12
"""So much of an id is shown; as much or more of it names a memory."""
STATEMENTS: Final[tuple[Kind, ...]] = (
    "preference",
    "rule",
    "fact",
    "decision",
    "warning",
    "note",
    "task_state",
)

_SENTENCES: Final = tomllib.loads(
    Path(__file__).with_name("sentences.toml").read_text(encoding="utf-8")
)
_ID: Final = re.compile(r"mem-[0-9a-f-]{8,}")
_CJK: Final = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
_WORD: Final = re.compile(r"[^\W_]+")
_LITTLE_CHINESE: Final = frozenset("我你他她它的是有了在很")
_LOOSE: Final = {"el": "un", "la": "una", "un": "un", "una": "una"}
_FIRM: Final = {"un": "el", "una": "la", "el": "el", "la": "la"}
_LOOSE_ARTICLES: Final = ("a", "an", "un", "una")
_FIRM_ARTICLES: Final = ("the", "my", "our", "el", "la", "mi", "nuestro", "nuestra")
_ARTICLE: Final = re.compile(
    rf"({'|'.join((*_FIRM_ARTICLES, *_LOOSE_ARTICLES))})\s+(?=\S)", re.IGNORECASE
)
_PART: Final = re.compile(
    r"[.,;:!?。，、；：！？()（）]|\b(?:and|but|or|y|e|o|pero|ni)\b|[和跟与及]|还有|而且|但是",
    re.IGNORECASE,
)
"""Between the things that one sentence tells."""
_LITTLE: Final = frozenset(
    """
    a about an am and are for have i in is it my of on our s that the this to was we with
    a al con de del el ella en es esta eso la las lo los mi mis nuestra nuestro para por que
    se sobre son su sus tengo un una y yo
    """.split()
)
"""Words that tell no memory from another."""


@tool
async def search_memory(
    ctx: ToolContext,
    about: Annotated[str, "A few words of what to look up; empty for the newest."] = "",
) -> str:
    """Look up what this person told you, with dates and ids."""
    about = about.strip()
    if _plain(about) in {_plain(word) for word in _sentences(ctx)["everything"]}:
        about = ""
    found = list(await ctx.memory.search(about, kinds=STATEMENTS, limit=SHOWN + 1))
    if not found:
        return _say(ctx, "nothing_about" if about else "nothing_yet", about=about)
    lines = [_say(ctx, "found" if about else "newest", about=about)]
    lines += [_line(ctx, record) for record in found[:SHOWN]]
    if len(found) > SHOWN:
        lines.append(_say(ctx, "more"))
    return "\n".join(lines)


@tool
async def remember(
    ctx: ToolContext,
    text: Annotated[str, "One statement in the person's own words, language and point of view."],
    kind: Annotated[
        Literal["fact", "preference", "rule", "decision", "warning"], "What it is."
    ] = "fact",
    about: Annotated[str, "Whom or what it is about, when that is not the person."] = "",
) -> str:
    """Keep a statement; only when the person asks you to remember something."""
    text = text.strip()
    metadata = {
        key: [tag.label for tag in tags]
        for key, tags in ctx.vocabulary.extracted.mentions(text).items()
    }
    record = await ctx.memory.remember(text, kind=kind, subject=about, metadata=metadata)
    return _say(ctx, "remembered", text=record.text)


@tool
async def correct_memory(
    ctx: ToolContext,
    text: Annotated[str, "The whole statement as it should read from now on."],
    which: Annotated[
        str, "Words that only this memory has, or its id; empty when the text itself tells."
    ] = "",
) -> str:
    """Replace what one memory says; its old wording stays in the history."""
    found = await (_meant(ctx, which) if which.strip() else _about_the_same(ctx, text))
    if len(found) != 1:
        return await _which_one(ctx, which.strip() or text.strip(), found)
    record = await ctx.memory.correct(found[0].id, text.strip())
    if which.strip():
        return _say(ctx, "corrected", text=record.text)
    return _say(ctx, "corrected_from", text=record.text, old=found[0].text)


@tool
async def replace_in_memory(
    ctx: ToolContext,
    old: Annotated[str, "Words that only one memory has, as they stand in it."],
    new: Annotated[str, "What shall stand there instead."],
) -> str:
    """Put other words into one memory; its old wording stays in the history."""
    bare = _bare(old)
    found = [one for one in await _meant(ctx, bare) if _replaced(one.text, bare, new)]
    if len(found) != 1:
        return await _which_one(ctx, bare, found)
    record = await ctx.memory.correct(found[0].id, _replaced(found[0].text, bare, new))
    return _say(ctx, "corrected", text=record.text)


def _heard_forget(text: str) -> dict[str, str] | None:
    for words in _SENTENCES.values():
        said = " ".join(text.split()).strip(" .!¡。！,，")
        if found := re.fullmatch(words["forget"], said, re.IGNORECASE):
            which = next(filter(None, found.groups()))
            return None if _plain(which) in words["unnamed"] else {"which": which}
    return None


@tool(hears=_heard_forget, removes=True)
async def forget_memory(
    ctx: ToolContext,
    which: Annotated[str, "Words that only this memory has, or its id."],
) -> str:
    """Remove one memory for good, with the messages it was taken from; only when asked to."""
    found = await _meant(ctx, which)
    if len(found) == 1 and _says_more(found[0], which):
        more = _say(ctx, "says_more", id=found[0].id[:ID_CHARS])
        return "\n".join([more, _line(ctx, found[0])])
    if len(found) != 1 or not await ctx.memory.forget(found[0].id):
        return await _which_one(ctx, which, found)
    # Not quoted: this answer is kept with the talk, and what it quotes would not be forgotten.
    return _say(ctx, "forgotten", date=_date(ctx, found[0]))


async def _meant(ctx: ToolContext, which: str) -> list[MemoryRecord]:
    """The memories that say this: by id, word for word, with all its words, or what they name."""
    which = which.strip()
    if not _plain(which):
        raise ToolError(_say(ctx, "no_words"))
    if _ID.fullmatch(which):
        newest = await ctx.memory.search(kinds=STATEMENTS, limit=100)
        return [record for record in newest if record.id.startswith(which)]
    found = list(await ctx.memory.search(which, kinds=STATEMENTS, limit=100))
    same = [record for record in found if _plain(record.text) == _plain(which)]
    return same or [r for r in found if _says(r, which)] or await _naming(ctx, which)


async def _about_the_same(ctx: ToolContext, text: str) -> list[MemoryRecord]:
    """The memories that share the most telling words with a statement."""
    near = await ctx.memory.search(text, kinds=STATEMENTS, limit=SHOWN)
    newest = await ctx.memory.search(kinds=STATEMENTS, limit=100)
    found = {record.id: record for record in (*near, *newest)}.values()
    shared = {record.id: len(_telling(record.text) & _telling(text)) for record in found}
    most = max(shared.values(), default=0)
    return [record for record in found if most and shared[record.id] == most]


def _telling(text: str) -> set[str]:
    """The words that tell a statement from others; of Chinese, pairs of characters."""
    said = _plain(text)
    pairs = {run[i : i + 2] for run in _CJK.findall(said) for i in range(len(run) - 1)}
    pairs = {pair for pair in pairs if not _LITTLE_CHINESE & set(pair)}
    words = _WORD.findall(_CJK.sub(" ", said))
    return {_stem(word) for word in words if word not in _LITTLE} | pairs


def _replaced(text: str, old: str, new: str) -> str:
    """A text with other words in it, and their article; "" when the old ones are not there."""
    new, old = new.strip(), old.strip()
    if _CJK.search(old):
        return text.replace(old, new) if old in text else ""
    article, bare = _ARTICLE.match(new), _bare(new)
    before = "|".join((*_FIRM_ARTICLES, *_LOOSE_ARTICLES))
    pattern = re.compile(rf"(?:(?<!\w)({before})\s+)?(?<!\w){re.escape(old)}(?!\w)", re.IGNORECASE)
    if not pattern.search(text):
        return ""
    given = article[1] if article else ""
    return pattern.sub(lambda at: _with_article(at[1], given, bare), text, count=1)


def _bare(words: str) -> str:
    """Words without the article they begin with."""
    found = _ARTICLE.match(words.strip())
    return words.strip()[found.end() :] if found else words.strip()


def _with_article(was: str | None, given: str, bare: str) -> str:
    """The new words with the article that fits both them and the sentence."""
    if not was:
        return bare
    firm = was.casefold() in _FIRM_ARTICLES
    fits = was
    if was.casefold() in ("a", "an"):
        fits = "an" if bare[:1].casefold() in tuple("aeiou") else "a"
    elif given and was.casefold() not in ("the", "my", "our"):
        fits = (_FIRM if firm else _LOOSE).get(given.casefold(), was)
    return f"{fits.capitalize() if was[:1].isupper() else fits} {bare}"


async def _naming(ctx: ToolContext, which: str) -> list[MemoryRecord]:
    """Memories of all the things that the words name, by whatever name they go there."""
    named = {key: tags for key, tags in ctx.vocabulary.mentions(which).items() if len(tags) == 1}
    if not named:
        return []
    metadata = {key: tags[0].label for key, tags in named.items()}
    return list(await ctx.memory.search(kinds=STATEMENTS, metadata=metadata, limit=100))


async def _which_one(ctx: ToolContext, which: str, found: list[MemoryRecord]) -> str:
    """Nothing was done: what fits, or comes near, and the question which one is meant."""
    if found:
        return "\n".join([_say(ctx, "which_one", which=which), *_lines(ctx, found[:SHOWN])])
    told = [_say(ctx, "not_there", which=which)]
    near = await ctx.memory.search(which, kinds=STATEMENTS, limit=NEAR)
    if near and not _ID.fullmatch(which.strip()):
        told += [_say(ctx, "near"), *_lines(ctx, near)]
    return "\n".join(told)


def _says(record: MemoryRecord, which: str) -> bool:
    """True when a memory has every telling word; Chinese words as they stand."""
    said = _plain(f"{record.subject} {record.text}")
    closed = said.replace(" ", "")
    words = {_stem(word) for word in _WORD.findall(_CJK.sub(" ", said))}
    asked = _plain(which)
    telling = {_stem(word) for word in _WORD.findall(_CJK.sub(" ", asked)) if word not in _LITTLE}
    runs = _CJK.findall(asked.replace(" ", ""))
    return bool(telling or runs) and telling <= words and all(run in closed for run in runs)


def _says_more(record: MemoryRecord, which: str) -> bool:
    """True when most of a piece of a memory is nothing that was asked to be forgotten.

    "I grow two figs and a lemon tree" says more than "that I grow a lemon tree": a verb in common
    is not enough.
    """
    if _ID.fullmatch(which.strip()):
        return False
    asked = _telling(which)
    pieces = [piece for part in _PART.split(record.text) if (piece := _telling(part))]
    return len(pieces) > 1 and any(2 * len(piece & asked) < len(piece) for piece in pieces)


def _stem(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") else word


def _plain(text: str) -> str:
    """Words alone: no case, accents, width or punctuation."""
    folded = unicodedata.normalize("NFKD", text.casefold())
    return " ".join(_WORD.findall("".join(c for c in folded if not unicodedata.combining(c))))


def _lines(ctx: ToolContext, records: Iterable[MemoryRecord]) -> list[str]:
    return [_line(ctx, record) for record in records]


def _line(ctx: ToolContext, record: MemoryRecord) -> str:
    text = f"{record.subject}: {record.text}" if record.subject else record.text
    date = _date(ctx, record)
    if not record.source.stated:
        date = _say(ctx, "inferred", date=date)
    return _say(ctx, "line", text=" ".join(text.split()), date=date, id=record.id[:ID_CHARS])


def _date(ctx: ToolContext, record: MemoryRecord) -> str:
    day = record.validity.created_at.astimezone(ZoneInfo(ctx.time_zone))
    month = _sentences(ctx)["months"][day.month - 1]
    return _say(ctx, "date", day=day.day, month=month, year=day.year)


def _say(ctx: ToolContext, key: str, **slots: object) -> str:
    return str(_sentences(ctx)[key]).format(**slots)


def _sentences(ctx: ToolContext) -> dict[str, str | list[str]]:
    language = ctx.language.split("-")[0].lower()
    found: dict[str, str | list[str]] = _SENTENCES.get(language, _SENTENCES["en"])
    return found
