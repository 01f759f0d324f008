"""The words of one language that decide what a statement claims, read from ``words/``.

``en.toml``, ``es.toml`` and ``zh.toml`` are written in folded words. A table is a kind of word and
each of its lines a value with everything people write for it, commas between; where kinds have no
values of their own, the line is called ``words``. ``phrase>value`` says that the phrase carries a
second meaning ("grows in" is a verb of place and an "in"). Where phrases overlap, the longest
counts.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

LANGUAGES: Final = ("en", "es", "zh")

_CALLED: Final[Mapping[str, str]] = {"same": "known", "doubt": "drop"}
"""Tables whose words are of a kind with another name."""

_SECOND: Final[Mapping[str, str]] = {
    "be": "at",
    "locate": "at",
    "it": "stance",
    "quantifier": "time",
    "side": "word",
    "stance": "word",
}
"""What the second meaning of a phrase is, by its kind."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a phrase means: a kind ("not", "quantifier", "side", ...) and which of that kind."""

    kind: str
    value: str = ""


@dataclass(frozen=True)
class Lexicon:
    """One language.

    Attributes:
        spaced: True when words stand apart.
        meanings: Every phrase and what it means.
        expand: Spellings to write out first ("isn't" -> "is not"), in order.
        endings: Endings to take off a word that is in no list, and what stands for them.
        whole: Words whose ending is no ending.
        lead: What a correction begins with ("no", "that's wrong"), the longest first.
        soft: What may begin one, and mere news as well ("actually").
        meant: What goes before what was meant ("I meant").
        trail: What a correction ends with ("..., I was wrong").
        one: Words for whom or what everybody has one of ("wife").
        past: Verbs that tell of what was done and do not show it by their ending ("gave").
        plural: Verbs that say so of several things ("are").
        doubt: What leaves room for doubt ("I think").
        numbered: What makes a number before it a name; only where no spaces do ("3号").
    """

    spaced: bool
    meanings: Mapping[str, tuple[Meaning, ...]]
    expand: tuple[tuple[re.Pattern[str], str], ...]
    endings: tuple[tuple[str, str], ...]
    whole: frozenset[str]
    lead: tuple[str, ...]
    soft: tuple[str, ...]
    meant: tuple[str, ...]
    trail: tuple[str, ...]
    one: tuple[str, ...]
    past: frozenset[str]
    plural: frozenset[str]
    doubt: tuple[str, ...]
    numbered: frozenset[str]

    def stem(self, word: str) -> str:
        """A word without its ending, so that "cello" and "cellos" are one."""
        if word in self.whole:
            return word
        for ending, instead in self.endings:
            if word.endswith(ending) and len(word) - len(ending) >= _MIN_STEM:
                word = word.removesuffix(ending) + instead
                break
        return word.removesuffix("e") if len(word) > _MIN_STEM else word


_MIN_STEM: Final = 3


@cache
def lexicon(language: str) -> Lexicon:
    """The words of one of ``LANGUAGES``, read when first asked for."""
    text = files(__package__).joinpath("words", f"{language}.toml").read_text(encoding="utf-8")
    data = tomllib.loads(text)
    spaced = bool(data.pop("spaced"))
    expand, stem, correct = data.pop("expand"), data.pop("stem"), data.pop("correct")
    one, figures = _words(data.pop("one")["words"]), data.pop("figures")
    doubt = _words(data["doubt"]["words"])
    meanings: dict[str, tuple[Meaning, ...]] = {}
    for kind, table in _tables(data):
        for value, phrases in table.items():
            for phrase, meant in _phrases(kind, "" if value == "words" else value, phrases):
                known = meanings.get(phrase, ())
                meanings[phrase] = tuple(dict.fromkeys((*known, *meant)))
    endings = (ending.strip().split(">") for ending in stem["endings"].split(",") if ending.strip())
    return Lexicon(
        spaced=spaced,
        meanings=meanings,
        expand=tuple((re.compile(pattern), written) for pattern, written in expand.items()),
        endings=tuple((ending, instead) for ending, instead in endings),
        whole=frozenset(_words(stem["keep"])),
        one=tuple(one),
        doubt=tuple(sorted(doubt, key=lambda words: (-len(words), words))),
        past=frozenset(_words(figures["past"])),
        plural=frozenset(_words(figures["plural"])),
        numbered=frozenset(_words(figures["numbered"])),
        **{
            name: tuple(sorted(_words(correct[name]), key=lambda words: (-len(words), words)))
            for name in ("lead", "soft", "meant", "trail")
        },
    )


@cache
def phrases_of(kind: str, value: str) -> tuple[str, ...]:
    """All that people write for a meaning, in every language."""
    return tuple(
        phrase
        for language in LANGUAGES
        for phrase, meanings in lexicon(language).meanings.items()
        if Meaning(kind, value) in meanings
    )


def _tables(data: Mapping[str, Mapping[str, object]]) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Every table by its kind; classes of words that exclude each other stand one level down."""
    for kind, table in data.items():
        if kind == "class":
            for name, values in table.items():
                if isinstance(values, dict):
                    yield f"class.{name}", values
        else:
            yield kind, {value: str(phrases) for value, phrases in table.items()}


def _phrases(kind: str, value: str, phrases: str) -> Iterator[tuple[str, tuple[Meaning, ...]]]:
    for written in _words(phrases):
        phrase, _, second = written.partition(">")
        first = Meaning(_CALLED.get(kind, kind), value)
        yield phrase, (first, *([Meaning(_SECOND[kind], second)] if second else []))


def _words(line: str) -> list[str]:
    return [word.strip() for word in line.split(",") if word.strip()]
