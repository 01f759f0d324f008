"""Amounts of time in plain words: "two hours", "media hora", "两个小时". Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

from cloche.reminders.plain_words.reading import read_words
from cloche.vocabulary import CJK

ANY_INSTANT: Final = datetime(2026, 1, 1, tzinfo=UTC)
"""An amount is the same at any instant."""
_MOST: Final = 40
"""Characters that an amount has at most."""
_UNIT: Final = re.compile(
    r"hour|hr|minute|min|day|week|month|fortnight|hora|minuto|d[ií]a|semana|mes|quincena"
    r"|[分刻天日周週月]|小[时時]|[钟鐘][头頭]|星期|礼拜|禮拜",
    re.IGNORECASE,
)
_BEFORE: Final = re.compile(
    r"^(?:(?:by|for|another|an? extra|unos|unas|otr[oa]s?|como|por|再)\b\s*|再)+", re.IGNORECASE
)
_COUPLE: Final = re.compile(r"\b(?:a couple of|un par de)\b", re.IGNORECASE)


def read_amount(text: str) -> str:
    """The ISO 8601 duration of a text that says an amount of time and nothing else; "" = none."""
    said = _BEFORE.sub("", text.strip(" ,，."))
    if len(said) > _MOST or not _UNIT.search(said):
        return ""
    said = _COUPLE.sub("2", said)
    for whole in (f"in {said}", f"en {said}", f"{said}后"):
        found = read_words(whole, now=ANY_INSTANT, zone="UTC")
        if found.startswith("P"):
            return found
    return ""


def part_amount(text: str) -> tuple[str, str] | None:
    """A text that ends or begins with an amount: the rest, and the amount as ISO 8601."""
    for at in boundaries(text):
        if (rest := text[:at].strip()) and (found := read_amount(text[at:])):
            return rest, found
    for at in reversed(list(boundaries(text))):
        if (rest := text[at:].strip()) and (found := read_amount(text[:at])):
            return rest, found
    return None


def boundaries(text: str) -> Iterator[int]:
    """Where a word of a text begins, but the first; each Chinese character is one."""
    for at in range(1, len(text)):
        if text[at - 1].isspace() or CJK.match(text[at]) or CJK.match(text[at - 1]):
            yield at
