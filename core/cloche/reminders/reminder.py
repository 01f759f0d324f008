"""A reminder: what somebody is told, where, and when. Frozen data."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, TypeAlias, cast

from cloche.ids import conversation_id, escape
from cloche.messages import Message, place_of
from cloche.reminders.codec import schedule_from_json, schedule_to_json
from cloche.reminders.schedule import Schedule, occurrences
from cloche.sqlite import from_micros, to_micros
from cloche.state.store import Json

MOST: Final = 50
"""Reminders of one person that are still to come."""
MAX_TEXT_CHARS: Final = 500
ID_CHARS: Final = 32

ReminderKind: TypeAlias = Literal["asked", "check"]
"""What a person asked to be told, or the hour at which the assistant looks whether anything is
due, as they agreed to."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a reminder was asked for, which is where it is told.

    Attributes:
        channel: The channel's name.
        conversation: The conversation by its first id.
        sender: Who asked, as the platform gives them.
        thread: The topic; "" = none.
        group: True when others read it, too.
    """

    channel: str
    conversation: str
    sender: str
    thread: str = ""
    group: bool = False

    @property
    def id(self) -> str:
        """The conversation, whatever the thread, as the queue names it.

        What is due and what a platform sends are one group there, and reach one runtime session.
        """
        return conversation_id(self.channel, place_of(self.conversation))

    @classmethod
    def of(cls, message: Message) -> Place:
        """Where a message was written."""
        return cls(
            message.address.channel,
            message.conversation,
            message.address.sender,
            message.thread,
            message.group,
        )


@dataclass(frozen=True, slots=True)
class Reminder:
    """One reminder of one person.

    Attributes:
        id: 32 hex digits made of the person and a stable key: asking again is the same one.
        actor: Whose it is.
        place: Where it is told.
        text: What they want to be reminded of, in their words.
        language: Language it was asked in.
        schedule: When.
        created_at: When it was set; what was due before is none of it.
        kind: Asked for, or a look whether anything is due.
        paused: True = it waits, and is not due.
        handled: The last instant that was taken care of; None = none was.
    """

    id: str
    actor: str
    place: Place
    text: str
    language: str
    schedule: Schedule
    created_at: datetime
    kind: ReminderKind = "asked"
    paused: bool = False
    handled: datetime | None = None

    def coming(self, limit: int) -> tuple[datetime, ...]:
        """The next instants (UTC) that were not taken care of, in order; they may be over."""
        return occurrences(self.schedule, after=self.handled or self.created_at, limit=limit)

    @property
    def next(self) -> datetime | None:
        """The first of them; None when there is none any more."""
        return next(iter(self.coming(1)), None)


def reminder_id(actor: str, key: str) -> str:
    """The id of a person's reminder: the same for the same key.

    Raises:
        ValueError: the actor is empty.
    """
    if not actor:
        raise ValueError("an actor is needed; nobody is reminded without")
    joined = f"{escape(actor)}_-{escape(key)}"
    return hashlib.sha256(joined.encode()).hexdigest()[:ID_CHARS]


def reminder_to_json(reminder: Reminder) -> dict[str, Json]:
    """The document of a reminder; its id and whose it is are told by where it is kept."""
    place = reminder.place
    return {
        "text": reminder.text,
        "language": reminder.language,
        "schedule": schedule_to_json(reminder.schedule),
        "place": [place.channel, place.conversation, place.sender, place.thread, place.group],
        "created_at": to_micros(reminder.created_at),
        "kind": reminder.kind,
        "paused": reminder.paused,
        "handled": to_micros(reminder.handled) if reminder.handled else None,
    }


def reminder_from_json(document: Json, *, actor: str, id_: str) -> Reminder:
    """The reminder of a document.

    Raises:
        ValueError: it is none; names the field.
    """
    if not isinstance(document, dict):
        raise ValueError("a reminder is an object.")
    fields = cast(Mapping[str, Json], document)
    match fields.get("place"):
        case [str(channel), str(conversation), str(sender), str(thread), bool(group)]:
            place = Place(channel, conversation, sender, thread, group)
        case _:
            raise ValueError("place: is none.")
    match fields.get("kind"):
        case "asked":
            kind: ReminderKind = "asked"
        case "check":
            kind = "check"
        case _:
            raise ValueError("kind: is neither asked nor check.")
    handled = fields.get("handled")
    return Reminder(
        id=id_,
        actor=actor,
        place=place,
        text=_text(fields, "text"),
        language=_text(fields, "language"),
        schedule=schedule_from_json(fields.get("schedule")),
        created_at=from_micros(_number(fields, "created_at")),
        kind=kind,
        paused=fields.get("paused") is True,
        handled=None if handled is None else from_micros(_number(fields, "handled")),
    )


def _text(fields: Mapping[str, Json], name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str):
        raise ValueError(f"{name}: is no text.")
    return value


def _number(fields: Mapping[str, Json], name: str) -> int:
    value = fields.get(name)
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"{name}: is no number.")
    return value
