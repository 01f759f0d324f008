"""Which of a person's reminders words mean: by their text, or by when they come. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime, time
from typing import Final
from zoneinfo import ZoneInfo

from cloche.reminders.instants import local_of
from cloche.reminders.plain_words.bits import Bits, Part, halves
from cloche.reminders.plain_words.days import Day, date_of
from cloche.reminders.plain_words.references import names, plain_words, read_reference
from cloche.reminders.reminder import Reminder
from cloche.reminders.schedule import Once

_ID: Final = re.compile(r"[0-9a-f]{6,32}")
_WORD: Final = re.compile(r"[^\W_]+")
_ANY: Final = re.compile(
    r"\b(?:reminder|alarm|recordatorio|alarma)s?\b|\bone\b|提醒|闹钟|鬧鐘", re.IGNORECASE
)
"""Words that name a reminder, and none in particular."""
_LOOKED_AT: Final = 8
"""So many times to come tell whether one that repeats always comes on a day, or at an hour."""
_HOURS: Final[dict[Part, tuple[int, int]]] = {
    "dawn": (0, 8),
    "morning": (4, 12),
    "noon": (11, 15),
    "afternoon": (12, 20),
    "evening": (16, 24),
    "night": (18, 24),
}
"""The hours, first and after the last, at which a reminder of a part of the day comes."""


def meant(which: str, there: Sequence[Reminder], *, now: datetime, zone: str) -> list[Reminder]:
    """Those that words name: one is meant, several are asked about.

    Args:
        which: An id, words of the text, or a time: "the Saturday one", "the one at 9".
        there: The person's reminders.
        now: The present instant.
        zone: IANA name of the person's zone.
    """
    said, wanted = which.strip(), plain_words(which)
    if _ID.fullmatch(said):
        return [one for one in there if one.id.startswith(said)]
    if same := [one for one in there if plain_words(one.text) == wanted]:
        return same
    words = _WORD.findall(wanted)
    if found := [one for one in there if words and _all_in(words, plain_words(one.text))]:
        return found
    reference, today = read_reference(said), local_of(now, ZoneInfo(zone)).date()
    if not words or not (reference.words or reference.bits or _ANY.search(said)):
        return []
    timed = [
        one
        for one in there
        if one.kind == "asked" and (not reference.bits or _comes(one, reference.bits, today))
    ]
    return [one for one in timed if all(names(word, one.text) for word in reference.words)]


def _all_in(words: Iterable[str], text: str) -> bool:
    return all(word in text for word in words)


def _comes(one: Reminder, bits: Bits, today: date) -> bool:
    """True where it comes at the time that was said; one that repeats, where it always does.

    Whoever says "tomorrow's" of one that comes every day does not mean all of it.
    """
    zone, again = ZoneInfo(one.schedule.zone), not isinstance(one.schedule, Once)
    coming = [local_of(at, zone) for at in one.coming(_LOOKED_AT)]
    return (
        bool(coming)
        and not (bits.every or bits.delta)
        and all(_on_day(at.date(), bits.day, today, again=again) for at in coming)
        and all(_at_time(at.time(), bits) for at in coming)
    )


def _on_day(at: date, day: Day | None, today: date, *, again: bool) -> bool:
    if day is None:
        return True
    if day.weekday is not None and not day.this and not day.weeks and at.weekday() == day.weekday:
        return True
    return not again and at == date_of(day, today)


def _at_time(at: time, bits: Bits) -> bool:
    if bits.clocks:
        said = [halves(Bits(clocks=(one,), part=bits.part)) for one in bits.clocks]
        return any((at.hour, at.minute) in each for each in said)
    if not bits.part:
        return True
    first, behind = _HOURS[bits.part]
    return first <= at.hour < behind
