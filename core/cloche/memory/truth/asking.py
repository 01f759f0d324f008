"""Of which slot a question is ("Where do I live?"), and which statements tell of it."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from cloche.memory.truth.reading import Reader
from cloche.memory.truth.slots import asked_by_slot, slots_of
from cloche.vocabulary import Vocabulary


def slot_words(question: str, vocabulary: Vocabulary) -> str:
    """Words to search for what was said of a question's slot by; "" when it is of none."""
    return asked_by_slot(_reader(vocabulary).read(question))


def same_slot(question: str, statement: str, vocabulary: Vocabulary) -> bool:
    """True when a statement on the person tells of the slot they ask for ("I moved to Oslo")."""
    reader = _reader(vocabulary)
    told, asked = reader.read(statement), slots_of(reader.read(question))
    return bool(asked & slots_of(told)) and not told.has("former")


def of_one_matter(question: str, statement: str, vocabulary: Vocabulary) -> bool:
    """True when both speak of something that has one name here in whatever language it is said."""
    reader = _reader(vocabulary)
    asked, told = (set(reader.read(text).of("known")) for text in (question, statement))
    return bool((asked & told) - _COMMON)


_COMMON: Final = frozenset("have need use buy begin go call eat drink 吃 喝 grow".split())
"""Doings that say nothing of what a statement is about."""


@lru_cache(maxsize=8)
def _reader(vocabulary: Vocabulary) -> Reader:
    return Reader(vocabulary)
