"""Numbers, times and Chinese numerals: how they are written, and what they say."""

from __future__ import annotations

import re
from typing import Final

CJK: Final = r"\u2e80-\u9fff"
"""Of a class of characters: those that are a word, or a part of one, without letters."""
_END: Final = rf"(?![^\W\d_{CJK}])"
NUMBER: Final = re.compile(
    # Three digits behind a stop are thousands, "1.000 m"; of kilometres a fraction, "1.125 km".
    r"(?P<stops>\d{1,3}(?:\.\d{3})+(?:,\d+)?)(?![\d.]|,\d)"
    r"(?!\s*(?:k(?!g|ilo)|kilom|mil|mi\b|h|公里|千米|英|小))"
    r"|(?P<commas>\d{1,3}(?:,\d{3})+)"
    rf"(?=\s*(?:(?:m|met(?:er|re)s?|metros?|reps?|repeticiones|steps|pasos){_END}|[米次下个]))"
    # A comma is a decimal one before a load, a distance or a time; else it parts a list: "8,7,6".
    r"|\d+,\d+(?=\s*(?:kg|kilo|lb|libra|km|k\b|mi|h|公|千|磅|英|小))|\d+(?:\.\d+)?"
)
CLOCK: Final = re.compile(r"(\d{1,3}):([0-5]\d)(?::([0-5]\d))?")
CHINESE: Final = re.compile(
    r"[零一二两三四五六七八九十百]{1,8}(?=半?[组次个下公千斤磅英米小分秒钟])"
)
_DIGITS: Final = {char: at for at, char in enumerate("零一二三四五六七八九")} | {"两": 2}


def value_of(number: re.Match[str]) -> float:
    """What ``NUMBER`` found, its thousands parted or not."""
    written = number[0]
    if number["stops"]:
        written = written.replace(".", "")
    if number["commas"]:
        written = written.replace(",", "")
    return float(written.replace(",", "."))


def seconds_of(clock: re.Match[str]) -> float:
    """What ``CLOCK`` found: ``h:mm:ss`` or ``mm:ss``."""
    first, second, third = clock.groups()
    if third is None:
        return int(first) * 60 + int(second)
    return int(first) * 3600 + int(second) * 60 + int(third)


def from_chinese(text: str) -> int:
    """Up to 999: 二十五, 一百二, 十."""
    total, digit, unit = 0, 0, 1
    for char in text:
        if char in "十百":
            unit = 100 if char == "百" else 10
            total, digit = total + (digit or 1) * unit, 0
        else:
            digit = _DIGITS[char]
    # "一百二" is 120: a digit right after a hundred is said short.
    short = unit == 100 and digit and text[-2:-1] == "百"
    return total + digit * (10 if short else 1)
