"""Finds the words of a sentence that say when, and the time they say. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Final
from zoneinfo import ZoneInfo

from cloche.reminders.instants import local_of
from cloche.reminders.plain_words.bits import SMALL_HOURS, Bits, Grammar, halves, resolved
from cloche.vocabulary import CJK
from cloche.words import Said, split

MAX_CHARS: Final = 1_000
_EDGES: Final = " \t\r\n,.;:!?¡¿，。；：！？、…"
_BEFORE: Final = re.compile("before |antes de ")
_JOINS: Final = frozenset(":.-/")


@dataclass(frozen=True, slots=True)
class Told:
    """What a sentence says.

    Attributes:
        what: The words that say what to do.
        when: Those that say when.
        bits: What those mean.
    """

    what: str
    when: str
    bits: Bits


@dataclass(frozen=True, slots=True)
class _Found:
    """Words that belong together and say a time: where they stand in the plain words."""

    spans: tuple[tuple[int, int], ...]
    bits: Bits

    @property
    def length(self) -> int:
        return sum(end - start for start, end in self.spans)


@dataclass(frozen=True, slots=True)
class _Plain:
    """A sentence as patterns read it, and where in it each character came from."""

    text: str
    words: tuple[int, ...]
    said: Said


def read_words(text: str, *, now: datetime, zone: str) -> str:
    """ISO 8601 or RRULE of a text that says when and nothing else; "" when it does not.

    Args:
        text: The words, in any of the languages.
        now: The present instant.
        zone: IANA name of the person's zone.
    """
    from cloche.reminders.plain_words.unread import below_zero

    if len(text) > MAX_CHARS or below_zero(text):
        return ""
    plain, local = _plain(text), local_of(now, ZoneInfo(zone))
    for grammar in _grammars():
        for found in _readings(plain, grammar):
            rest = _left_over(plain.text, found.spans)
            if not _without(grammar, rest) and (said := resolved(found.bits, local)):
                return "" if _last_hour(plain, found) else said
    return ""


def read_clock(text: str) -> tuple[tuple[int, int], ...]:
    """Hour and minute of a text that says a time of day and nothing else; () when it does not.

    Two where it may be the morning's or the afternoon's ("at 7").
    """
    said = text.strip().removeprefix("T")
    forms = (said, f"at {said}", f"a {said}", f"a las {said}", f"{said}点")
    for whole in forms if len(said) <= MAX_CHARS else ():
        plain = _plain(whole)
        for grammar in _grammars():
            for found in _readings(plain, grammar):
                bits = found.bits
                if bits.day or bits.every or bits.delta or len(bits.clocks) > 1:
                    continue
                if not _without(grammar, _left_over(plain.text, found.spans)):
                    return halves(bits)
    return ()


def part_words(text: str, *, now: datetime, zone: str) -> tuple[str, str]:
    """What is left of a sentence without the words that say when, and those words; "" = none.

    Where other words of time are left over, none are read: whoever asked is asked for them.
    """
    told = read_sentence(text, local_of(now, ZoneInfo(zone)))
    return (told.what, told.when) if told else (text.strip(), "")


def doubtful_words(text: str, *, now: datetime, zone: str) -> str:
    """Words beside a time that may say when, too, and cannot be read ("on Wednsday"); "" = none."""
    best = _best(_plain(text), local_of(now, ZoneInfo(zone))) if len(text) <= MAX_CHARS else None
    return _doubtful(*best) if best else ""


def read_sentence(text: str, local: datetime) -> Told | None:
    """What a sentence says to do, and when; None where it says no time that can be read.

    Args:
        text: The words, in any of the languages.
        local: What clocks show where the person is.
    """
    from cloche.reminders.plain_words.unread import below_zero, unread

    if len(text) > MAX_CHARS or below_zero(text):
        return None
    best = _best(_plain(text), local)
    if best is None or unread(best[0].text, best[1].spans, best[1].bits) or _doubtful(*best):
        return None
    plain, found, grammar = best
    if _other_times(plain.text, found, grammar):
        return None
    rest, words, last = "", [], 0
    for start, end in found.spans:
        first, behind = _within(plain, start, end)
        rest += text[last:first] + " "
        words.append(text[first:behind].strip(_EDGES))
        last = behind
    rest = " ".join((rest + text[last:]).split()).strip(_EDGES)
    rest = grammar.trailing.sub("", grammar.leading.sub("", rest)).strip(_EDGES)
    return Told(rest, " ".join(words), found.bits)


def _best(plain: _Plain, local: datetime) -> tuple[_Plain, _Found, Grammar] | None:
    """The way to take a sentence that takes most of its words, of all languages."""
    best: tuple[_Plain, _Found, Grammar] | None = None
    for grammar in _grammars():
        for found in _readings(plain, grammar):
            if grammar.unlike.search(plain.text[: found.spans[0][0]].rstrip()):
                continue  # "tickets for tomorrow" says what, not when
            if (best is None or found.length > best[1].length) and resolved(found.bits, local):
                best = (plain, found, grammar)
    return best


def _doubtful(plain: _Plain, found: _Found, _: Grammar) -> str:
    from cloche.reminders.plain_words.left_over import doubtful, zone_behind

    text, bits = plain.said.text, found.bits
    if _last_hour(plain, found):
        return text[slice(*_within(plain, *found.spans[0]))]
    for span in found.spans if bits.clocks else ():
        if zone := zone_behind(text[_within(plain, *span)[1] :]):
            return zone
    dated = bool(bits.day or bits.every or bits.delta)
    where = doubtful(plain.text, found.spans, dated=dated)
    if where is None:
        return ""
    first, behind = _within(plain, *where)
    return text[first:behind]


def _last_hour(plain: _Plain, found: _Found) -> bool:
    """True for "before 9", of which nobody says that it is the evening's."""
    bits = found.bits
    dated = bits.day or bits.every or not bits.clocks or bits.clocks[0].hour <= SMALL_HOURS
    before = any(_BEFORE.match(plain.text[start:end]) for start, end in found.spans)
    return not dated and before and len(halves(bits)) > 1


def _other_times(text: str, found: _Found, grammar: Grammar) -> bool:
    """True when another time of day is left, which nobody can tell to be what to do."""
    return any(
        (one.bits.clocks or one.bits.delta)
        and not any(start < one.spans[0][1] and one.spans[0][0] < end for start, end in found.spans)
        and not grammar.unlike.search(text[: one.spans[0][0]].rstrip())
        for one in _clusters(text, grammar)
    )


def _readings(plain: _Plain, grammar: Grammar) -> Sequence[_Found]:
    """Ways to take a sentence, the one that takes most words first."""
    clusters = list(_clusters(plain.text, grammar))
    found = list(clusters)
    for at, first in enumerate(clusters):
        for second in clusters[at + 1 :]:
            before = plain.text[: second.spans[0][0]].rstrip()
            both = first.bits.joined(second.bits)
            if both and not grammar.unlike.search(before) and _complete(first, second):
                found.append(_Found((*first.spans, *second.spans), both))
    return sorted(found, key=lambda one: -one.length)


def _complete(first: _Found, second: _Found) -> bool:
    """True when one says the day, and the other the time of it."""
    days = [bool(one.bits.day or one.bits.every) for one in (first, second)]
    clocks = [bool(one.bits.clocks or one.bits.part) for one in (first, second)]
    return days != clocks and sum(days) == 1 and sum(clocks) == 1


def _clusters(text: str, grammar: Grammar) -> Iterator[_Found]:
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
            yield _Found(((start, end),), bits)
        start, end, bits = piece_start, piece_end, piece
    if bits is not None:
        yield _Found(((start, end),), bits)


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


def _left_over(text: str, spans: Sequence[tuple[int, int]]) -> str:
    left, last = "", 0
    for start, end in spans:
        left, last = left + text[last:start] + " ", end
    return " ".join((left + text[last:]).split())


def _without(grammar: Grammar, rest: str) -> str:
    """What is left beside the little words that hold times together."""
    return "" if grammar.between.fullmatch(f"{rest} ") or not rest else rest


def _plain(text: str) -> _Plain:
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
    return _Plain("".join(pieces), tuple(words), said)


def _between(before: str, after: str, mark: str) -> str:
    mark = mark.strip()
    if before[-1].isdigit() and after[0].isdigit() and mark in _JOINS and mark:
        return mark
    if mark:
        return " "
    return "" if CJK.match(before[-1]) or CJK.match(after[0]) else " "


def _within(plain: _Plain, start: int, end: int) -> tuple[int, int]:
    """Where a span of the plain words stands in the sentence itself."""
    words = plain.said.words
    return words[plain.words[start]].start, words[plain.words[end - 1]].end


@cache
def _grammars() -> tuple[Grammar, ...]:
    from cloche.reminders.plain_words.chinese import GRAMMAR as CHINESE
    from cloche.reminders.plain_words.english import GRAMMAR as ENGLISH
    from cloche.reminders.plain_words.spanish import GRAMMAR as SPANISH

    return (ENGLISH, SPANISH, CHINESE)
