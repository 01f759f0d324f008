"""Text as a terminal may get it: nothing in it moves the cursor, rings or hides."""

from __future__ import annotations

import unicodedata
from typing import Final

_KEPT: Final = "\n\t"
_REORDERING: Final = "\u202d\u202e"
"""Overrides of the writing direction, which can make a text read as another one."""


def safe_text(text: str) -> str:
    """Every control character and lone surrogate as U+FFFD; carriage returns are dropped.

    Works character by character, so that pieces of a stream come out as the whole does.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_safe(char) for char in text)


def _safe(char: str) -> str:
    if char == "\r":
        return ""
    if char in _REORDERING:
        return "\ufffd"
    category = unicodedata.category(char)
    return "\ufffd" if category in ("Cc", "Cs") and char not in _KEPT else char
