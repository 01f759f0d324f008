"""Writes as data: what is done to a store, now or later.

Each operation may be applied again without harm: ids make a repeat the same write.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from cloche.memory.codec import (
    Document,
    dump_line,
    event_from_json,
    event_to_json,
    record_from_json,
    record_to_json,
)
from cloche.memory.fields import Fields
from cloche.memory.records import Event, MemoryRecord
from cloche.memory.store import MemoryStore
from cloche.state.store import Json


@dataclass(frozen=True, slots=True)
class AddEvent:
    """Store an event."""

    event: Event

    @property
    def actor(self) -> str:
        """Whose it is."""
        return self.event.actor


@dataclass(frozen=True, slots=True)
class WriteRecord:
    """Store a new record."""

    record: MemoryRecord

    @property
    def actor(self) -> str:
        """Whose it is."""
        return self.record.actor


@dataclass(frozen=True, slots=True)
class UpdateRecord:
    """Replace a record."""

    record: MemoryRecord

    @property
    def actor(self) -> str:
        """Whose it is."""
        return self.record.actor


@dataclass(frozen=True, slots=True)
class ArchiveRecord:
    """Take a record out of search."""

    actor: str
    record_id: str
    at: datetime


@dataclass(frozen=True, slots=True)
class DeleteRecord:
    """Remove a record for good."""

    actor: str
    record_id: str


@dataclass(frozen=True, slots=True)
class DeleteEvent:
    """Remove an event for good."""

    actor: str
    event_id: str


Operation = AddEvent | DeleteEvent | WriteRecord | UpdateRecord | ArchiveRecord | DeleteRecord


async def apply(operation: Operation, store: MemoryStore) -> bool:
    """Do it; False when it was about a record that is not there.

    Raises:
        ValueError: the store refuses what is written (no actor, for one).
        MemoryUnavailableError: the store cannot be used.
    """
    match operation:
        case AddEvent(event):
            await store.add_event(event)
        case WriteRecord(record):
            await store.write(record)
        case UpdateRecord(record):
            return await store.update(record)
        case ArchiveRecord(actor, record_id, at):
            return await store.archive(actor, record_id, at)
        case DeleteRecord(actor, record_id):
            return await store.delete(actor, record_id)
        case DeleteEvent(actor, event_id):
            return await store.delete_event(actor, event_id)
    return True


def operation_to_json(operation: Operation) -> Document:
    """The document of an operation; the actor stands first, so that even a cut line tells it.

    Raises:
        ValueError: an event or record that has no document (see ``cloche.memory.codec``).
    """
    match operation:
        case AddEvent(event):
            name, content = "add_event", event_to_json(event)
        case WriteRecord(record):
            name, content = "write", record_to_json(record)
        case UpdateRecord(record):
            name, content = "update", record_to_json(record)
        case ArchiveRecord(_, record_id, at):
            name = "archive"
            content = {"record_id": record_id, "at": at.astimezone(UTC).isoformat()}
        case DeleteRecord(_, record_id):
            name, content = "delete", {"record_id": record_id}
        case DeleteEvent(_, event_id):
            name, content = "delete_event", {"event_id": event_id}
    return {"actor": operation.actor, "operation": name, "content": content}


def require_document(operation: Operation) -> None:
    """Refuse what nobody is acted for in, or what has no document: it could not wait either.

    Raises:
        ValueError: it is one of these.
    """
    if not operation.actor:
        raise ValueError("actor is empty; nobody is acted for without one")
    dump_line(operation_to_json(operation))


def operation_from_json(document: Mapping[str, Json]) -> Operation:
    """The operation a document stands for.

    Raises:
        ValueError: a field is missing, unknown or of the wrong type, or the content is another
            actor's; the message names it.
    """
    fields = Fields(document)
    actor, name, content = fields.text("actor"), fields.text("operation"), fields.object("content")
    fields.refuse_others()
    operation = _operation(actor, name, content)
    if operation.actor != actor:
        raise ValueError("actor is not the content's")
    return operation


def _operation(actor: str, name: str, content: Fields) -> Operation:
    match name:
        case "add_event":
            return AddEvent(event_from_json(content.document))
        case "write":
            return WriteRecord(record_from_json(content.document))
        case "update":
            return UpdateRecord(record_from_json(content.document))
        case "delete_event":
            event_id = content.text("event_id")
            content.refuse_others()
            return DeleteEvent(actor, event_id)
        case "archive":
            archiving = ArchiveRecord(actor, content.text("record_id"), content.instant("at"))
            content.refuse_others()
            return archiving
        case "delete":
            deletion = DeleteRecord(actor, content.text("record_id"))
            content.refuse_others()
            return deletion
    raise ValueError(f"operation is {name!r}, which is none")
