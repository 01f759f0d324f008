"""Text as the ranking compares it: folded, cut into words, names found in it. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from cloche.memory.local.tokens import UNSPACED

LONGEST: Final = 60
"""Words after which more length earns nothing: a long answer shall not win by being long."""

_UNSPACED: Final = re.compile(f"[{UNSPACED}]")
_RUN: Final = re.compile(rf"[{UNSPACED}]+|(?:(?![{UNSPACED}])[^\W_])+")
_SIGNS: Final = "?？؟"
_CLOSING: Final = " \t\r\n\"'”’»)）]】」』"
_ASKER: Final = re.compile(
    r"(?<!\w)(?:i|me|my|mine|myself|yo|mi|mis|mio|mia|conmigo)(?!\w)|我(?!们)"
)


def fold(text: str) -> str:
    """Lower case, compatibility forms made one, without accents."""
    parts = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    plain = "".join(char for char in parts if not unicodedata.category(char).startswith("M"))
    return unicodedata.normalize("NFC", plain)


def length(text: str) -> int:
    """Words of a text, two characters of an unspaced script for one; at most 60."""
    count = 0
    for run in _RUN.findall(text):
        count += (len(run) + 1) // 2 if _UNSPACED.match(run) else 1
        if count >= LONGEST:
            return LONGEST
    return count


def asks(text: str) -> bool:
    """True when a text ends with a question mark: it tells less than what it asks for."""
    return text.rstrip(_CLOSING).endswith(tuple(_SIGNS))


def names_of(person: str) -> tuple[str, ...]:
    """How somebody may be called: the whole name, and the first word of it."""
    words = person.split()
    return (person, words[0]) if len(words) > 1 else (person,)


def without_names(text: str, people: Iterable[str]) -> str:
    """A question without the names of people; as it is when nothing else is in it.

    A name outweighs the rest of a question: what greets the person by name would win. Who is
    meant is looked at apart from the words.
    """
    out = text
    names = {name for person in people for name in names_of(person) if name.strip()}
    for name in sorted(names, key=lambda name: (-len(name), name)):
        if _UNSPACED.search(name):
            out = out.replace(name, " ")
        else:
            # Not \b: in "Anna什么时候" there is no word boundary after the name.
            letter = rf"(?:(?![{UNSPACED}])[^\W_])"
            pattern = rf"(?<!{letter}){re.escape(name)}(?:['’]s)?(?!{letter})"
            out = re.sub(pattern, " ", out, flags=re.IGNORECASE)
    out = " ".join(out.split())
    return out if _RUN.search(out) else text


def named(text: str, people: Mapping[str, Sequence[str]]) -> str | None:
    """The only one of the people a text names; None when it names none or several.

    Args:
        text: The question.
        people: Everybody who could be named, and how each may be called.
    """
    hits = _all_named(text, people)
    return hits.pop() if len(hits) == 1 else None


def names_any(text: str, people: Mapping[str, Sequence[str]]) -> bool:
    """True when a text names one of the people."""
    return bool(_all_named(text, people))


def says_i(text: str) -> bool:
    """True when the asker speaks of themselves: "I", "my", "yo", "mi", "我"."""
    return bool(_ASKER.search(fold(text)))


def _all_named(text: str, people: Mapping[str, Sequence[str]]) -> set[str]:
    asked = f" {' '.join(_RUN.findall(fold(text)))} "
    return {key for key, names in people.items() if any(_says(asked, name) for name in names)}


def _says(asked: str, name: str) -> bool:
    words = " ".join(_RUN.findall(fold(name)))
    return bool(words) and (words in asked if _UNSPACED.search(words) else f" {words} " in asked)
