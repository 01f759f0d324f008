"""A text without its disguises, as it is screened: nothing that is shown is changed by it."""

from __future__ import annotations

import re
import unicodedata
from html import unescape
from typing import Final

from cloche.memory.extraction.chinese import simplified
from cloche.vocabulary import CJK, fold

# Letters that look like Latin ones (Unicode's confusables, those in common use).
_LOOKALIKES: Final = str.maketrans(
    "асеорхуіјѕԁһӏкмтвгпαεικνορτυχβ",
    "aceopxyijsdhlkmtvrnaeiknoptuxb",
)
_WORD: Final = re.compile(r"\w+")
_SPELLED: Final = re.compile(r"(?<![a-z0-9])(?:[a-z][ .*_-]){3,}[a-z](?![a-z0-9])")
_SPACED: Final = re.compile(rf"(?<={CJK.pattern})[ \t]+(?={CJK.pattern})")
_REVERSED: Final = "\u202e"


def plain(text: str) -> str:
    """Folded, in simplified characters; without what is not seen, looks alike or is spaced out."""
    turned = f"{text}\n{text[::-1]}" if _REVERSED in text else text
    seen = "".join(_seen(char) for char in unescape(turned))
    folded = simplified(fold(seen).replace("\u2019", "'"))
    latin = _WORD.sub(_in_one_script, folded)
    return _SPACED.sub("", _SPELLED.sub(lambda m: re.sub(r"[ .*_-]", "", m[0]), latin))


def _seen(char: str) -> str:
    category = unicodedata.category(char)
    if category == "Cf":  # zero width, soft hyphens, marks of direction
        return ""
    if category == "Pd":
        return "-"
    return str(unicodedata.decimal(char)) if category == "Nd" else char


def _in_one_script(word: re.Match[str]) -> str:
    """A word that mixes Latin letters with others that look like them, all in Latin."""
    mixed = any(char.isascii() and char.isalpha() for char in word[0])
    return word[0].translate(_LOOKALIKES) if mixed else word[0]
