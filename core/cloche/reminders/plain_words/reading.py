"""Finds the words of a sentence that say when, and the time they say. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from cloche.reminders.instants import local_of
from cloche.reminders.plain_words.bits import SMALL_HOURS, Bits, Grammar, halves, resolved
from cloche.reminders.plain_words.taking import (
    Found,
    Plain,
    clusters_of,
    grammars,
    left_over,
    plain_of,
    readings,
    says_more,
    within,
)

MAX_CHARS: Final = 1_000
_EDGES: Final = " \t\r\n,.;:!?¡¿，。；：！？、…"
_BEFORE: Final = re.compile("before |antes de ")


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
    plain, local = plain_of(text), local_of(now, ZoneInfo(zone))
    for grammar in grammars():
        for found in readings(plain, grammar):
            rest = left_over(plain.text, found.spans)
            if not says_more(grammar, rest) and (said := resolved(found.bits, local)):
                return "" if _last_hour(plain, found) else said
    return ""


def read_clock(text: str) -> tuple[tuple[int, int], ...]:
    """Hour and minute of a text that says a time of day and nothing else; () when it does not.

    Two where it may be the morning's or the afternoon's ("at 7").
    """
    said = text.strip().removeprefix("T")
    forms = (said, f"at {said}", f"a {said}", f"a las {said}", f"{said}点")
    for whole in forms if len(said) <= MAX_CHARS else ():
        plain = plain_of(whole)
        for grammar in grammars():
            for found in readings(plain, grammar):
                bits = found.bits
                if bits.day or bits.every or bits.delta or len(bits.clocks) > 1:
                    continue
                if not says_more(grammar, left_over(plain.text, found.spans)):
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
    best = _best(plain_of(text), local_of(now, ZoneInfo(zone))) if len(text) <= MAX_CHARS else None
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
    best = _best(plain_of(text), local)
    if best is None or unread(best[0].text, best[1].spans, best[1].bits) or _doubtful(*best):
        return None
    plain, found, grammar = best
    if _other_times(plain.text, found, grammar):
        return None
    rest, words, last = "", [], 0
    for start, end in found.spans:
        first, behind = within(plain, start, end)
        rest += text[last:first] + " "
        words.append(text[first:behind].strip(_EDGES))
        last = behind
    rest = " ".join((rest + text[last:]).split()).strip(_EDGES)
    rest = grammar.trailing.sub("", grammar.leading.sub("", rest)).strip(_EDGES)
    return Told(rest, " ".join(words), found.bits)


def _best(plain: Plain, local: datetime) -> tuple[Plain, Found, Grammar] | None:
    """The way to take a sentence that takes most of its words, of all languages."""
    best: tuple[Plain, Found, Grammar] | None = None
    for grammar in grammars():
        for found in readings(plain, grammar):
            if grammar.unlike.search(plain.text[: found.spans[0][0]].rstrip()):
                continue  # "tickets for tomorrow" says what, not when
            if (best is None or found.length > best[1].length) and resolved(found.bits, local):
                best = (plain, found, grammar)
    return best


def _doubtful(plain: Plain, found: Found, _: Grammar) -> str:
    from cloche.reminders.plain_words.left_over import doubtful, zone_behind

    text, bits = plain.said.text, found.bits
    if _last_hour(plain, found):
        return text[slice(*within(plain, *found.spans[0]))]
    for span in found.spans if bits.clocks else ():
        if zone := zone_behind(text[within(plain, *span)[1] :]):
            return zone
    dated = bool(bits.day or bits.every or bits.delta)
    where = doubtful(plain.text, found.spans, dated=dated)
    if where is None:
        return ""
    first, behind = within(plain, *where)
    return text[first:behind]


def _last_hour(plain: Plain, found: Found) -> bool:
    """True for "before 9", of which nobody says that it is the evening's."""
    bits = found.bits
    dated = bits.day or bits.every or not bits.clocks or bits.clocks[0].hour <= SMALL_HOURS
    before = any(_BEFORE.match(plain.text[start:end]) for start, end in found.spans)
    return not dated and before and len(halves(bits)) > 1


def _other_times(text: str, found: Found, grammar: Grammar) -> bool:
    """True when another time of day is left, which nobody can tell to be what to do."""
    return any(
        (one.bits.clocks or one.bits.delta)
        and not any(start < one.spans[0][1] and one.spans[0][0] < end for start, end in found.spans)
        and not grammar.unlike.search(text[: one.spans[0][0]].rstrip())
        for one in clusters_of(text, grammar)
    )
