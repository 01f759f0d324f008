"""Events and records: what memory is made of. Frozen data, no behaviour beyond views of it."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Literal, get_args

Kind = Literal["preference", "rule", "fact", "decision", "warning", "note", "summary", "task_state"]
"""What a record is. Closed; an issue that needs more extends it here."""

KINDS: tuple[Kind, ...] = get_args(Kind)

SourceType = Literal["session", "tool", "file", "commit", "import"]


@dataclass(frozen=True, slots=True, order=True)
class Tag:
    """One metadata value: ``id`` is what matches (an ASCII slug), ``label`` what people wrote."""

    id: str
    label: str


MetadataValue = tuple[Tag, ...] | float | datetime
"""Strings and string lists are tuples of tags; numbers floats; times aware datetimes."""

Metadata = Mapping[str, MetadataValue]


def no_metadata() -> Metadata:
    """Metadata without any key."""
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Source:
    """Where a record comes from.

    Attributes:
        stated: True when the person said it, False when it was inferred.
        type: What it was taken from.
        ref: Id of the event (type session), call id (tool), or name of the file or import.
        start: Offset of the quote in the event's user text, in characters.
        end: End offset, exclusive; ``start == end`` means the whole text.
        quote: The person's own words that it rests on, "" when there are none.
        conversation: Conversation it was said in; "" when none. Groups filter on it.
        group: True when that conversation is a group.
        derived_from: Ids of what it was made from: the events in which it was said again, the
            events of a summary.
    """

    stated: bool = True
    type: SourceType = "session"
    ref: str = ""
    start: int = 0
    end: int = 0
    quote: str = ""
    conversation: str = ""
    group: bool = False
    derived_from: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Validity:
    """From when to when a record holds. All instants are aware and in UTC."""

    created_at: datetime
    updated_at: datetime
    expires_at: datetime | None = None
    review_after: datetime | None = None
    archived_at: datetime | None = None
    supersedes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Trust:
    """How much weight a record has: confidence 0-1, importance 1-5, times confirmed."""

    confidence: float = 0.8
    importance: int = 3
    confirmations: int = 0
    verified_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class MemoryRecord:
    """One long-term memory: a short statement about a person or a shared scope.

    Attributes:
        id: ``mem-`` and a UUID, 40 characters.
        actor: The person it belongs to; "" only in shared scopes.
        scope: Name of the scope, as the assistant's namespace scheme declares it.
        scope_key: Which project, repository, task, ...; "" for most.
        kind: What it is.
        subject: Whom or what it is about, "" when it is the person.
        text: The statement, in the speaker's language.
        metadata: The vocabulary's keys.
    """

    id: str
    actor: str
    scope: str
    kind: Kind
    text: str
    source: Source
    validity: Validity
    trust: Trust = field(default_factory=Trust)
    scope_key: str = ""
    subject: str = ""
    metadata: Metadata = field(default_factory=no_metadata)

    @property
    def told(self) -> str:
        """The statement as it is shown; whom it is about first, unless it begins with that."""
        if not self.subject or _folded(self.text).startswith(_folded(self.subject)):
            return self.text
        return f"{self.subject}: {self.text}"


def _folded(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(char for char in decomposed if not unicodedata.combining(char))


@dataclass(frozen=True, slots=True)
class Event:
    """One stored turn: evidence, never rewritten.

    Attributes:
        id: Id of the turn; writing the same id twice stores it once.
        actor: Who wrote the user text.
        session: Id of the session.
        conversation: Where it was exchanged.
        at: Instant of the turn, aware, UTC.
        user_text: The person's own words, secrets taken out; not the assembled prompt.
        assistant_text: What was answered, or None when there was no answer.
        group: True when the conversation is a group.
        attachments: Names of the files that came with it.
        given: Keys of the person's files that went out with the answer.
        language: Language of the person's words (BCP 47), "" when unknown.
        speaker: Name of who wrote the user text when that is not the actor (imported talk of
            several people); "" = the actor.
    """

    id: str
    actor: str
    session: str
    conversation: str
    at: datetime
    user_text: str
    assistant_text: str | None
    group: bool = False
    attachments: tuple[str, ...] = ()
    language: str = ""
    speaker: str = ""
    given: tuple[str, ...] = ()
