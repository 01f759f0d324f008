"""Sentences as the words they are compared by, and back to the person's own spelling."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from cloche.vocabulary import CJK, fold

_APOSTROPHES: Final = frozenset("'\u2019\u2018\u02bc`\u00b4")
_EDGES: Final = " \t\r\n\u3000.,;:!?¡¿…。，、；：！？·`*_~—–"
_BRACKETS: Final = ("()", "[]", "（）", "【】")
_QUOTES: Final = ("“”", "«»", "„“", "「」", "『』", "《》", '""')
_SINGLE_QUOTES: Final = ("‘’", "''")
"""Only taken off as a pair: a single one may be an apostrophe."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word as it is compared, and where it stands."""

    folded: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Said:
    """Words of a text, and the punctuation before each of them and after the last."""

    text: str
    words: tuple[Word, ...]
    marks: tuple[str, ...]


def split(text: str) -> Said:
    """The words of a text, in one pass."""
    words: list[Word] = []
    marks = [""]
    folded, start, end = "", 0, 0

    def finish() -> None:
        nonlocal folded
        if folded:
            words.append(Word(folded, start, end))
            marks.append("")
            folded = ""

    for at, original in enumerate(text):
        for char in "" if original in _APOSTROPHES else _fold(original):
            if char.isalnum() and CJK.match(char):
                finish()
                words.append(Word(char, at, at + 1))
                marks.append("")
            elif char.isalnum() or unicodedata.category(char).startswith("M"):
                start = start if folded else at
                folded, end = folded + char, at + 1
            else:
                finish()
                marks[-1] += char.strip()
    finish()
    return Said(text, tuple(words), tuple(marks))


@lru_cache(maxsize=8192)
def _fold(char: str) -> str:
    return fold(char)


def spelling(said: Said, first: int, end: int) -> str:
    """The person's own words from word ``first`` to before word ``end``.

    Punctuation at the edges, and quotes around the whole, belong to the sentence and are left out.
    """
    start = said.words[first - 1].end if first else 0
    stop = said.words[end].start if end < len(said.words) else len(said.text)
    text = _trimmed(said.text[start:stop])
    for left, right in (*_BRACKETS, *_QUOTES):
        if text.count(left) % 2 if left == right else text.count(left) != text.count(right):
            text = _trimmed(text.removeprefix(left).removesuffix(right))
    for left, right in (*_QUOTES, *_SINGLE_QUOTES):
        once = 2 if left == right else 1
        if text.startswith(left) and text.endswith(right) and text.count(left) == once:
            text = _trimmed(text[1:-1])
    return text


def _trimmed(text: str) -> str:
    while (shorter := text.strip(_EDGES).removeprefix("- ").removesuffix(" -")) != text:
        text = shorter
    return text
