"""A question as the ranking takes it: the words without names, who is named, which days."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from cloche.memory.local.dates import spans_asked
from cloche.memory.local.scoring import Asked, Instants, instants
from cloche.memory.local.scripts import named, names_any, names_of, says_i, without_names


@dataclass(frozen=True, slots=True)
class Question:
    """A question taken apart.

    Attributes:
        words: What is searched for and embedded.
        asked: Who and when it is about.
    """

    words: str
    asked: Asked


def about_events(text: str, when: tuple[Instants, ...], people: Sequence[str]) -> Question:
    """A question about what was said: the names of speakers are no part of what to search for."""
    speakers = {name: names_of(name) for name in people if name}
    who = named(text, speakers)
    if who is None and says_i(text) and not names_any(text, speakers):
        who = ""
    return Question(without_names(text, speakers), Asked(who, when))


def about_records(text: str, when: tuple[Instants, ...], people: Sequence[str]) -> Question:
    """A question about statements: the names of subjects are words like others."""
    subjects = {name: names_of(name) for name in people if name}
    return Question(text, Asked(named(text, subjects), when))


def asked_days(
    text: str, now: datetime, zone: ZoneInfo, years: Sequence[int]
) -> tuple[Instants, ...]:
    """The days a question speaks of, as instants; ``years``: those with something to find."""
    return instants(spans_asked(text, now.astimezone(zone).date(), years), zone)
