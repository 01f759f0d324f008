"""Whether words tell a statement: it stands in them, as whole words where spaces part words. Pure.

What was forgotten is known by keyed hashes alone, so that the knowledge does not tell it either.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final

from cloche.memory.records import Event, MemoryRecord
from cloche.vocabulary import CJK, bare_words

_PARTED: Final = re.compile(r"(?<=\w)(?:[-\u2010\u2011][^\S\n]*\n\s*|\u00ad\s*)(?=\w)")
"""What parts a word at a line's end; a soft hyphen does so anywhere."""


def said_in(records: Collection[MemoryRecord]) -> list[str]:
    """What records say, as it is compared with what was told; a summary's is nobody's own."""
    return [words for r in records if r.kind != "summary" and (words := bare_words(r.text))]


def told_in(event: Event) -> str:
    """All the words that a turn is kept with, the names of its files among them."""
    names = (*event.attachments, *event.given)
    return "\n".join((event.user_text, event.assistant_text or "", *names))


def any_tells(text: str, said: Collection[str]) -> bool:
    """Whether a text tells any of some statements, which are bare words."""
    return any(_tells(told, words) for told in _readings(text) for words in said)


@dataclass(frozen=True, slots=True)
class Print:
    """A statement that can be recognised and not read.

    Attributes:
        length: Of its bare words, in characters.
        digest: A keyed hash of them, hexadecimal.
    """

    length: int
    digest: str


def print_of(words: str, key: bytes) -> Print:
    """The print of bare words."""
    return Print(len(words), _digest(words, key))


def any_matches(text: str, prints: Collection[Print], key: bytes) -> bool:
    """Whether a text tells what any of some prints is of; as ``any_tells`` by the words."""
    digests = {one.digest for one in prints}
    return any(
        _digest(piece, key) in digests
        for told in _readings(text)
        for length in {one.length for one in prints}
        for piece in _pieces(told, length)
    )


def _readings(text: str) -> list[str]:
    """A text's bare words; where a line's end parts a word, also with the word made whole."""
    whole = _PARTED.sub("", text)
    return [bare_words(text)] if whole == text else [bare_words(text), bare_words(whole)]


def _tells(told: str, words: str) -> bool:
    before = "" if CJK.match(words[0]) else r"(?<!\w)"
    after = "" if CJK.match(words[-1]) else r"(?!\w)"
    return bool(re.search(f"{before}{re.escape(words)}{after}", told))


def _pieces(told: str, length: int) -> Iterator[str]:
    """All that stands in what was told as a statement of a length would."""
    for start in range(len(told) - length + 1):
        end = start + length
        piece = told[start:end]
        opens = start == 0 or told[start - 1] == " " or CJK.match(piece[0])
        closes = end == len(told) or told[end] == " " or CJK.match(piece[-1])
        if opens and closes and " " not in (piece[0], piece[-1]):
            yield piece


def _digest(words: str, key: bytes) -> str:
    return hashlib.blake2b(words.encode(), key=key, digest_size=16).hexdigest()
