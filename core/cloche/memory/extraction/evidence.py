"""Whose words carry a statement: the person's own, or only what they quoted and were answered."""

from __future__ import annotations

from dataclasses import dataclass

from cloche.words import split

SHORTEST = 3
"""Letters a word has at least to count; in Chinese and its like every character counts."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The words of a turn, told apart by who said them."""

    own: frozenset[str]
    others: frozenset[str]

    @classmethod
    def of(cls, own: str, others: str) -> Evidence:
        """From the person's own sentences, and from everybody else's words around them."""
        said = frozenset(_words(own))
        return cls(said, frozenset(_words(others)) - said)

    def is_others(self, text: str) -> bool:
        """True when a statement says what only others said: most of its words, or a number."""
        words = _words(text)
        borrowed = words & self.others
        return 2 * len(borrowed) > len(words) or any(map(_is_number, borrowed))

    def is_own(self, text: str) -> bool:
        """True when the person's own words hold at least one word of a statement."""
        return bool(_words(text) & self.own)


def not_own(text: str, own: list[tuple[int, int]]) -> str:
    """What of a message is not the person's own: quoted lines, forwarded text, code."""
    starts = [0, *(end for _, end in own)]
    ends = [*(start for start, _ in own), len(text)]
    return "\n".join(text[start:end] for start, end in zip(starts, ends, strict=True))


def is_own_part(text: str, span: tuple[int, int], own: list[tuple[int, int]]) -> bool:
    """True when what a span shows is all the person's own; between sentences stands nothing."""
    start, end = span
    covered = [(max(start, a), min(end, b)) for a, b in own if a < end and start < b]
    return bool(covered) and not not_own(
        text[start:end], [(a - start, b - start) for a, b in covered]
    ).strip(" \t\r\n-*•.,;:!?。，；：！？\"'“”「」")


def _words(text: str) -> set[str]:
    found = (word.folded for word in split(text).words)
    return {w for w in found if len(w) >= SHORTEST or not w.isascii() or _is_number(w)}


def _is_number(word: str) -> bool:
    return any(char.isdecimal() for char in word)
