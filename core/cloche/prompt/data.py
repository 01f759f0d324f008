"""What a prompt is made of, and what of it can be read back: frozen data."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Final, Literal

from cloche.llm.usage import Lost, uncounted
from cloche.patience import Patience

UNANSWERED: Final = "(No answer reached the person.)"
"""Stands in history for an answer that failed or was not kept: never the failure's own text."""
CUT: Final = " […]"
"""Ends words of which only the beginning is told."""

Why = Literal["about", "fits", "meaning", "listed", "other", "profile"]
"""Why a line is there: it is about whom the words name, it fits the words, it has none of them and
beyond doubt means what is asked, its kind of thing was asked for, it is merely recent, or it is
part of the profile."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """One earlier turn of the session: the user's own words and what was answered."""

    user: str
    assistant: str


@dataclass(frozen=True, slots=True)
class Image:
    """A picture ready for a model: within its size limit, of the type its content has."""

    media_type: str
    data: bytes


@dataclass(frozen=True, slots=True)
class RecalledLine:
    """One remembered statement as a model reads it.

    Attributes:
        kind: The record's kind; "event" for the person's words of an earlier day, "answer" for
            what they were answered then.
        day: When it was said, or None when unknown.
        stated: True when the person said it, False when it was inferred.
        why: Why it is there.
        text: The statement.
    """

    kind: str
    day: date | None
    stated: bool
    why: Why
    text: str


@dataclass(frozen=True, slots=True)
class LastTime:
    """What a session part tells of the session before.

    Attributes:
        day: When it was, or None when unknown.
        summary: What it came to; "" without one.
        said: The person's own words of its end, oldest first.
        tasks: What the person still has to do.
    """

    day: date | None = None
    summary: str = ""
    said: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GroupLine:
    """Something somebody wrote in the same group a moment ago, not to the assistant.

    Attributes:
        name: The name a platform shows for them.
        text: Their words.
        own: True when it is the very person who asks now.
    """

    name: str
    text: str
    own: bool = False


@dataclass(frozen=True, slots=True)
class TextFile:
    """A text that came as a file: its name as it may be shown, and what stands in it."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """All that an agent is asked with.

    Attributes:
        stable: Persona, skills index, house rules.
        session: Profile and what carries over; "" when nothing is known yet.
        history: Earlier turns of this session, oldest first.
        turn: Local date and time and recalled text, fenced as data.
        words: The user's own words.
        images: Pictures of this turn.
        language: Language of the words (BCP 47 primary subtag), "" when unknown.
        first: True on the first turn of a session.
        thread: Actor and session, with a slash between; "" = a turn that is part of no talk.
        begun: When what is in it was beginning to be looked up: what was forgotten later may be in
            it; None = nothing was.
        patience: How long whoever waits for the answer still does; it runs already.
        lost: Takes what models used for it where the question is broken off, or an answer of
            another one is taken instead.
    """

    stable: str
    session: str
    history: tuple[Exchange, ...]
    turn: str
    words: str
    images: tuple[Image, ...] = ()
    language: str = ""
    first: bool = False
    thread: str = ""
    begun: datetime | None = field(default=None, compare=False, repr=False)
    patience: Patience = field(default_factory=Patience, compare=False, repr=False)
    lost: Lost = field(default=uncounted, compare=False, repr=False)
