"""What a door of this machine may show and mend of the owner's memory: plain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


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
        until: When it ends to be true; None = open.
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
    until: datetime | None
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
    """

    at: datetime
    words: str
    answer: str
    files: tuple[str, ...] = ()


class Desk(Protocol):
    """The owner's memory, for a page that shows it.

    Every method raises ``MemoryUnavailableError`` when the store is away.
    """

    async def known(self, *, past: bool = False) -> Sequence[Known]:
        """Everything, newest first; with ``past`` what no longer holds, too."""
        ...

    async def search(self, words: str) -> Sequence[Known]:
        """What fits words, best first; at most 100."""
        ...

    async def why(self, id: str, language: str = "") -> str:
        """Where a record comes from and what it replaced; "" = no such.

        In the language a page is read in; "" = in the owner's.
        """
        ...

    async def correct(self, id: str, text: str) -> Known | None:
        """Say a record anew: the old one goes into the history; None = no such record.

        Raises:
            RequestError: the text is empty, too long, or what is never kept: a secret, orders.
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
