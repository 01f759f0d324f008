"""Ways to take the words of a sentence for times: where they stand, and what they say. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from cloche.reminders.plain_words.bits import Bits, Grammar
from cloche.vocabulary import CJK
from cloche.words import Said, split

_JOINS: Final = frozenset(":.-/")


@dataclass(frozen=True, slots=True)
class Found:
    """Words that belong together and say a time: where they stand in the plain words."""

    spans: tuple[tuple[int, int], ...]
    bits: Bits

    @property
    def length(self) -> int:
        """Characters that are taken."""
        return sum(end - start for start, end in self.spans)


@dataclass(frozen=True, slots=True)
class Plain:
    """A sentence as patterns read it, and where in it each character came from."""

    text: str
    words: tuple[int, ...]
    said: Said


def readings(plain: Plain, grammar: Grammar) -> Sequence[Found]:
    """Ways to take a sentence, the one that takes most words first."""
    clusters = list(clusters_of(plain.text, grammar))
    found = list(clusters)
    for at, first in enumerate(clusters):
        for second in clusters[at + 1 :]:
            before = plain.text[: second.spans[0][0]].rstrip()
            both = first.bits.joined(second.bits)
            if both and not grammar.unlike.search(before) and _complete(first, second):
                found.append(Found((*first.spans, *second.spans), both))
    return sorted(found, key=lambda one: -one.length)


def _complete(first: Found, second: Found) -> bool:
    """True when one says the day, and the other the time of it."""
    days = [bool(one.bits.day or one.bits.every) for one in (first, second)]
    clocks = [bool(one.bits.clocks or one.bits.part) for one in (first, second)]
    return days != clocks and sum(days) == 1 and sum(clocks) == 1


def clusters_of(text: str, grammar: Grammar) -> Iterator[Found]:
    """Pieces of time that stand beside each other."""
    start = end = -1
    bits: Bits | None = None
    at = 0
    for piece_start, piece_end, piece in _pieces(text, grammar):
        if piece_start < at:
            continue
        at = piece_end
        near = bits is not None and grammar.between.fullmatch(text[end:piece_start])
        joined = bits.joined(piece) if bits is not None and near else None
        if joined is not None:
            bits, end = joined, piece_end
            continue
        if bits is not None:
            yield Found(((start, end),), bits)
        start, end, bits = piece_start, piece_end, piece
    if bits is not None:
        yield Found(((start, end),), bits)


def _pieces(text: str, grammar: Grammar) -> list[tuple[int, int, Bits]]:
    """Every piece, none over another: what begins first, and of those the longest, goes first."""
    taken: list[tuple[int, int, Bits]] = []
    at = 0
    while at < len(text):
        best: tuple[int, int, int, Bits] | None = None
        for order, (pattern, make) in enumerate(grammar.pieces):
            # From here on: what lies over a piece that is taken may still begin behind it.
            match = pattern.search(text, at)
            while match and (match.end() == match.start() or not (bits := make(match))):
                match = pattern.search(text, match.start() + 1)
            if match and bits and (best is None or (match.start(), -match.end(), order) < best[:3]):
                best = (match.start(), -match.end(), order, bits)
        if best is None:
            break
        at = -best[1]
        taken.append((best[0], at, best[3]))
    return taken


def left_over(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """The words of a plain text that stand outside some spans."""
    left, last = "", 0
    for start, end in spans:
        left, last = left + text[last:start] + " ", end
    return " ".join((left + text[last:]).split())


def plain_of(text: str) -> Plain:
    """Folded words; Chinese ones stand together, numbers keep what joins them."""
    said = split(text)
    pieces, words = [], []
    for at, word in enumerate(said.words):
        if at:
            between = _between(said.words[at - 1].folded, word.folded, said.marks[at])
            pieces.append(between)
            words += [at - 1] * len(between)
        pieces.append(word.folded)
        words += [at] * len(word.folded)
    return Plain("".join(pieces), tuple(words), said)


def _between(before: str, after: str, mark: str) -> str:
    mark = mark.strip()
    if before[-1].isdigit() and after[0].isdigit() and mark in _JOINS and mark:
        return mark
    if mark:
        return " "
    return "" if CJK.match(before[-1]) or CJK.match(after[0]) else " "


def within(plain: Plain, start: int, end: int) -> tuple[int, int]:
    """Where a span of the plain words stands in the sentence itself."""
    words = plain.said.words
    return words[plain.words[start]].start, words[plain.words[end - 1]].end


def says_more(grammar: Grammar, rest: str) -> bool:
    """True when more is left than the little words that hold times together."""
    return bool(rest) and not grammar.between.fullmatch(f"{rest} ")


@cache
def grammars() -> tuple[Grammar, ...]:
    """Those of all languages."""
    from cloche.reminders.plain_words.chinese import GRAMMAR as CHINESE
    from cloche.reminders.plain_words.english import GRAMMAR as ENGLISH
    from cloche.reminders.plain_words.spanish import GRAMMAR as SPANISH

    return (ENGLISH, SPANISH, CHINESE)
