"""What a door of this machine may show and mend of the owner's memory: plain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal, Protocol, TypeAlias

from cloche.channels.parts import FileToSend
from cloche.errors import RequestError

Outcome: TypeAlias = Literal["done", "snooze", "skip"]
"""What a person answers to a reminder that was told."""
Unkept: TypeAlias = Literal["empty", "long", "same", "secret", "instruction"]
"""Why a text is not kept."""


class NotKeptError(RequestError):
    """A text is not kept; ``why`` says for which reason."""

    def __init__(self, why: Unkept) -> None:
        """Take the reason."""
        self.why = why
        super().__init__(f"text: {why}")


@dataclass(frozen=True, slots=True)
class Known:
    """One thing the assistant knows.

    Attributes:
        id: The record's.
        scope: Where it belongs: name, and key where the scope has one.
        kind: preference, fact, ...
        text: The statement.
        subject: Whom or what it is about.
        tags: Metadata as it is shown: (key's label, value's label).
        quote: The person's own words it rests on, "" when there are none any more.
        said_at: When they were said.
        until: The last day on which it holds, as the person counts days; of what was replaced,
            the day it was. None = open.
        stated: True when the person said it, False when it was inferred.
        past: True when something newer replaced it or it has ended.
    """

    id: str
    scope: str
    kind: str
    text: str
    subject: str
    tags: tuple[tuple[str, str], ...]
    quote: str
    said_at: datetime
    until: date | None
    stated: bool
    past: bool


@dataclass(frozen=True, slots=True)
class Past:
    """One exchange of a talk.

    Attributes:
        at: When.
        words: The person's.
        answer: What was answered; "" = nothing that is kept.
        files: Names of what came with the words, "" for one without a name.
        given: Keys of the owner's files that went out with the answer.
    """

    at: datetime
    words: str
    answer: str
    files: tuple[str, ...] = ()
    given: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Planned:
    """One reminder of the owner, as it is shown.

    Attributes:
        id: The reminder's.
        text: What they want to be reminded of; of a look whether anything is due, that it is one.
        rhythm: How it repeats, in words.
        coming: When it is told next, two times at most, as the clocks of its zone show them.
        zone: IANA name of that zone.
        told: When it was told, if that waits for an answer; "" = nothing waits.
        paused: True = it is not told until it is resumed.
    """

    id: str
    text: str
    rhythm: str
    coming: tuple[str, ...]
    zone: str
    told: str
    paused: bool


class Desk(Protocol):
    """The owner's memory and reminders, for a page that shows them.

    ``language`` is the one that a page is read in, as its code; "" = the owner's.

    Every method raises ``MemoryUnavailableError`` when the store is away.
    """

    async def known(self, *, past: bool = False, language: str = "") -> Sequence[Known]:
        """Everything, newest first; with ``past`` what no longer holds, too."""
        ...

    async def search(self, words: str, *, language: str = "") -> Sequence[Known]:
        """What fits words, best first; at most 100."""
        ...

    async def why(self, id: str, language: str = "") -> str:
        """Where a record comes from and what it replaced; "" = no such."""
        ...

    async def correct(self, id: str, text: str, *, language: str = "") -> Known | None:
        """Say a record anew: the old one goes into the history; None = no such record.

        Raises:
            NotKeptError: the text is empty, too long, what was said before, or what is never
                kept: a secret, orders.
        """
        ...

    async def forget(self, id: str) -> bool:
        """Remove a record and what told it; False = no such record."""
        ...

    async def export(self) -> bytes:
        """Everything kept of the owner, as JSON Lines."""
        ...

    async def history(self, conversation: str) -> Sequence[Past]:
        """The present session's exchanges there, oldest first."""
        ...

    async def file(self, key: str) -> FileToSend | None:
        """One of the owner's files; None = there is none under that key."""
        ...

    async def reminders(self, *, language: str = "") -> Sequence[Planned]:
        """What waits for an answer, then what is to come, the next first."""
        ...

    async def answer_reminder(self, id: str, outcome: Outcome, *, language: str = "") -> str:
        """Take an answer to a reminder that was told; the sentence for it, "" = none waits."""
        ...

    async def cancel_reminder(self, id: str) -> bool:
        """Remove a reminder for good; False = no such reminder."""
        ...

    async def choose_language(self, language: str) -> bool:
        """Speak a language with the owner from now on, as ``/language`` does; False = unknown."""
        ...
