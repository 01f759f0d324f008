"""What somebody wrote, as numbers, units, days and words: the first half of reading it."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from typing import Final, Literal

from cloche_fitness.training.dating import Day, day_at, without_days
from cloche_fitness.training.hours import hour_end
from cloche_fitness.training.numerals import (
    CHINESE,
    CJK,
    CLOCK,
    NUMBER,
    from_chinese,
    seconds_of,
    value_of,
)
from cloche_fitness.vocabulary import WORDS


class UnreadableError(ValueError):
    """Words that cannot be read.

    Attributes:
        reason: ``words``: these are not understood; ``amount``: nothing is measured; ``limit``: a
            number is beyond what people do; ``name``: no exercise is named.
        rest: The words it is about, as they were written.
    """

    def __init__(self, reason: Literal["words", "amount", "limit", "name"], rest: str = "") -> None:
        """Take what is wrong, and with which words."""
        super().__init__(f"{reason}: {rest}")
        self.reason, self.rest = reason, rest


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a text: what it is, where it stands, its number, its unit or exercise, its day."""

    kind: Literal[
        "number", "unit", "half", "times", "then", "day", "weekday", "time", "filler",
        "exercise", "word",
    ]  # fmt: skip
    start: int
    end: int
    value: float = 0.0
    unit: str = ""
    named: Day | None = None


_TABLES: Final = tomllib.loads(
    files(__package__).joinpath("reading.toml").read_text(encoding="utf-8")
)
_LOAD: Final = re.compile(r"(\d+),(\d{1,2})(?![\d,])(?!\s*,\s*\d)")
_SETS_BEFORE: Final = re.compile(r"\d\s*[x×]\s*\d+\s*(?:[x×@]|at|a|con|with|de)?\s*$")
"""Behind "5x5" a comma is a decimal one: "5x5 62,5" lists nothing."""
_NEAR: Final = 40
"""So many characters before a number are looked at: more than stand between it and its sets."""
_MINUS: Final = re.compile(r"(?<![^\s(@:])[-−–]\d+")
_WHO: Final = re.compile(r"[\s,]*(?:(?:i|we|he|hemos|just)\b|我们|我)?[\s,]*")
_DID: Final = frozenset({"did", "hice", "he hecho", "hicimos", "做了", "做", "练了", "练"})
_HOURS: Final = re.compile(r"(\d{1,2}) ?h(?:rs?)? ?([0-5]?\d)(?: ?(?:mins?|m|'))?(?![^\W_]|[:.])")
_EFFORT: Final = re.compile(r"(?:with |con )?(?:rpe|rir) ?\d{1,2}(?:[.,]\d)?(?!\d)|\d ?rir\b")
"""How hard it felt: no load and no repetitions."""
_LAPS: Final = re.compile(
    r"\d+ ?(?:laps?|lengths?|largos?|vueltas?|piscinas?)(?![^\W_])"
    r"|(?:\d+|[一二两三四五六七八九十]+)[趟圈]"
)
"""How far that is, only who was there knows."""
_SPACE: Final = re.compile(r"[\s.,，、。!！:：()（）@+&-]+")
_WORD: Final = re.compile(rf"[{CJK}]|[^\W\d_{CJK}][^\W_{CJK}'’-]*(?:['’-][^\W_{CJK}]+)*")


def _rows(table: str) -> Iterator[tuple[str, str]]:
    """Every word of a table of ``reading.toml``, with its row."""
    for row, words in _TABLES[table].items():
        for word in words.split(", "):
            yield row, word


def _entries() -> Iterator[tuple[str, Token]]:
    """Every known phrase, and what it is."""
    for unit, word in _rows("units"):
        yield word, Token("unit", 0, 0, unit=unit)
    for days, word in _rows("days"):
        yield word, Token("day", 0, 0, named=Day(ago=int(days)))
    for weekday, word in _rows("weekdays"):
        yield word, Token("weekday", 0, 0, named=Day(weekday=int(weekday)))
    for phrase, seconds in _TABLES["times_of"].items():
        yield phrase, Token("time", 0, 0, float(seconds))
    for row in _TABLES["numbers"].values():
        for at, word in enumerate(row.split(", "), 1):
            yield word, Token("number", 0, 0, float(at))
    for kind in _PLAIN:
        for _, word in _rows(kind):
            yield word, Token(kind, 0, 0)


_PLAIN: Final[tuple[Literal["half", "times", "then", "filler"], ...]] = (
    "half", "times", "then", "filler",
)  # fmt: skip


def _exercises() -> Iterator[tuple[str, Token]]:
    """Every name of an exercise, and which it is."""
    for value in WORDS.values("exercises"):
        for spelling in value.spellings:
            yield folded_text(spelling), Token("exercise", 0, 0, unit=value.id)
    for exercise, word in _rows("called"):
        yield word, Token("exercise", 0, 0, unit=exercise.replace(" ", "-"))


def folded_text(text: str) -> str:
    """Folded, one character for each of the original."""
    return "".join(_folded(char) for char in text)


def _folded(char: str) -> str:
    made = unicodedata.normalize("NFKD", char.casefold())
    bare = "".join(one for one in made if not unicodedata.combining(one))
    return {"*": "×", "’": "'"}.get(char, bare if len(bare) == 1 else char)


_KNOWN: Final = {**dict(_exercises()), **dict(_entries())}
_ENTRIES_OF_DAYS: Final = tuple(word for word, token in _KNOWN.items() if token.kind == "day")
_WHOLE: Final = rf"(?:(?!['’-]?[^\W\d_{CJK}])|(?=x\s*\d))"
"""Behind a Latin phrase, also in "60kgx8"; a Chinese one may stand anywhere."""


def _phrases() -> re.Pattern[str]:
    """Any known phrase, the longest first.

    What must stand behind a Latin one is written once for all: beside each of a thousand it took
    half a second to compile.
    """
    chinese: list[str] = []
    latin: list[str] = []
    for word in sorted(_KNOWN, key=len, reverse=True):
        (chinese if re.match(rf"[{CJK}]", word) else latin).append(re.escape(word))
    return re.compile(f"(?:{'|'.join(chinese)})|(?:{'|'.join(latin)}){_WHOLE}")


_PHRASE: Final = _phrases()


_NOT_DONE: Final = re.compile(
    "|".join(
        re.escape(word)
        if re.match(rf"[{CJK}]", word)
        else rf"(?<![^\W_]){re.escape(word)}(?![^\W_])"
        for _, word in _rows("not_done")
    )
    + "|[?？¿]"
)


_DENIED: Final = re.compile(
    "|".join(
        word if re.match(rf"[{CJK}]", word) else rf"(?<![^\W_]){re.escape(word)}(?![^\W_])"
        for _, word in _rows("denied")
    )
)


def denied_in(text: str) -> str:
    """The word by which a text tells that nothing was done; "" where it tells no such thing."""
    found = _DENIED.search(folded_text(text))
    return found[0] if found else ""


def is_verb(folded: str) -> bool:
    """True for what tells of an exercise without being its name: "ran"."""
    return any(folded == word for _, word in _rows("called"))


def tells_no_training(text: str) -> bool:
    """True when a text holds a word of wishes, plans, habits, questions or somebody else."""
    said = without_days(folded_text(text))
    for one in (*_ENTRIES_OF_DAYS, "por la manana"):
        said = said.replace(one, " ")  # "esta mañana" is no "mañana"
    return bool(_NOT_DONE.search(said))


def scan(part: str) -> Iterator[Token]:
    """The tokens of a text, in order.

    Raises:
        UnreadableError: a character can be no part of any, or a number is below nothing.
    """
    said, at, early, dated = folded_text(part), 0, True, False
    if minus := _MINUS.search(said):
        raise UnreadableError("limit", part[minus.start() : minus.end()])
    while at < len(said):
        if space := _SPACE.match(said, at):
            if re.search(r"[,，、]", space[0]):
                yield Token("then", at, space.end(), unit=",")
            at = space.end()
            continue
        token = (
            _when_at(said, at, early=early, dated=dated)
            or _amount_at(said, at)
            or _word_at(said, at)
        )
        if token is None:
            raise UnreadableError("words", part[at : at + 1])
        yield token
        at, early = token.end, early and token.kind in _SAYS_NOTHING
        dated = dated or token.kind in ("day", "weekday")


def _when_at(said: str, at: int, *, early: bool, dated: bool) -> Token | None:
    """A duration, an hour of the day or a day."""
    if day := day_at(said, at):
        return Token("day", at, day[1], named=day[0])
    if hours := _HOURS.match(said, at):
        return Token("time", at, hours.end(), int(hours[1]) * 3600 + int(hours[2]) * 60)
    if end := hour_end(said, at):
        return Token("filler", at, end)
    if clock := CLOCK.match(said, at):
        of_day = (early and _is_of_day(clock, said, dated=dated)) or said[
            max(0, at - _NEAR) : at
        ].rstrip().endswith("@")
        return Token("filler" if of_day else "time", at, clock.end(), seconds_of(clock))
    return None


def _amount_at(said: str, at: int) -> Token | None:
    if laps := _LAPS.match(said, at):
        raise UnreadableError("amount", laps[0])
    if effort := _EFFORT.match(said, at):
        return Token("filler", at, effort.end())
    if said[at] == "×":
        return Token("times", at, at + 1)
    if (load := _LOAD.match(said, at)) and _SETS_BEFORE.search(said[max(0, at - _NEAR) : at]):
        return Token("number", at, load.end(), float(load[0].replace(",", ".")))
    if number := NUMBER.match(said, at):
        return Token("number", at, number.end(), value_of(number))
    return None


def _word_at(said: str, at: int) -> Token | None:
    if phrase := _PHRASE.match(said, at):
        known = _KNOWN[phrase[0]]
        return Token(known.kind, at, phrase.end(), known.value, known.unit, known.named)
    if chinese := CHINESE.match(said, at):
        return Token("number", at, chinese.end(), float(from_chinese(chinese[0])))
    word = _WORD.match(said, at)
    return Token("word", at, word.end()) if word else None


_SAYS_NOTHING: Final = frozenset({"day", "weekday", "filler"})


def _is_of_day(clock: re.Match[str], said: str, *, dated: bool) -> bool:
    """True for a time that stands before what was done then: "yesterday 7:30 ran 5 km"."""
    if clock[3] or int(clock[1]) >= 24:
        return False
    who = _WHO.match(said, clock.end())
    phrase = _PHRASE.match(said, who.end() if who else clock.end())
    if phrase is None:
        return False
    exercise = _KNOWN[phrase[0]].kind == "exercise"
    # A Chinese duration stands behind what was done.
    certain = dated or re.match(rf"[{CJK}]", phrase[0])
    return is_verb(phrase[0]) or phrase[0] in _DID or bool(exercise and certain)
