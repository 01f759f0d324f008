"""The words of a statement by what they stand for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

CORE: Final = frozenset(("word", "known", "thing", "tag", "stance", "live", "single"))
"""Kinds that say what a statement is about and what happens; ``known`` words have synonyms."""


@dataclass(frozen=True, slots=True)
class Token:
    """A word or phrase: its kind, what it stands for, and as it was written (stemmed)."""

    kind: str
    value: str
    written: str = ""
