"""What the pieces of every language are made of. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from cloche.reminders.plain_words.bits import CODES, Bits

_LARGEST_FIRST: Final = ("Y", "M", "W", "D", "TH", "TM", "TS")
_HALVES: Final = {"TH": ("TM", 30), "TM": ("TS", 30), "D": ("TH", 12)}
"""What half a unit is."""


def any_of(words: Iterable[str]) -> str:
    """A pattern for any of the words, the longest first."""
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


def rule(freq: str, step: int = 1, **more: str) -> Bits:
    """A rule of every so many, with further parts of an RRULE."""
    interval = {"INTERVAL": str(step)} if step > 1 else {}
    parts = {"FREQ": freq, **interval, **more}
    return Bits(every=";".join(f"{name}={value}" for name, value in parts.items()))


def amount(
    found: re.Match[str], number: Callable[[str], int], units: Mapping[str, str]
) -> Bits | None:
    """An amount ("two and a half hours", "an hour and ten minutes"); None where it is none.

    Args:
        found: Has groups ``n`` and ``u``, ``half`` for a half more, ``n2`` and ``u2`` for a smaller
            amount beside it.
        number: Reads a number.
        units: Units of ISO 8601 by the language's words.
    """
    unit = units[found["u"]]
    delta = [(unit, number(found["n"]))]
    if found["half"]:
        if unit not in _HALVES:
            return None
        delta.append(_HALVES[unit])
    if found["n2"]:
        smaller = units[found["u2"]]
        if _LARGEST_FIRST.index(smaller) <= _LARGEST_FIRST.index(unit):
            return None
        delta.append((smaller, number(found["n2"])))
    return Bits(delta=tuple(delta))


def codes(text: str, weekdays: Mapping[str, int]) -> str:
    """An RRULE's codes of the days that words name, in one number or the other."""
    days = [weekdays.get(word, weekdays.get(word.removesuffix("s"))) for word in text.split()]
    return ",".join(CODES[day] for day in dict.fromkeys(days) if day is not None)
