"""Rows of the local store: each function is the body of one transaction."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime
from sqlite3 import Connection
from typing import TypeVar

from cloche.memory.codec import (
    Document,
    dump_line,
    event_from_json,
    event_to_json,
    record_from_json,
    record_to_json,
)
from cloche.memory.local import index, passages
from cloche.memory.local.stored import parsed
from cloche.memory.records import Event, MemoryRecord
from cloche.memory.store import Forgotten
from cloche.sqlite import to_micros

T = TypeVar("T")

TagRow = tuple[str, str | None, float | None, int | None]
"""Key, id of a tag, number, microseconds of a time."""


@dataclass(frozen=True, slots=True)
class _Stored:
    """A record's row, its actor's number, and its document, which may be damaged."""

    number: int
    actor: int
    document: object


def actor_number(connection: Connection, actor: str) -> int | None:
    """The number of an actor; None when nothing is stored of them."""
    row = connection.execute("SELECT number FROM actors WHERE id = ?", (actor,)).fetchone()
    return None if row is None else int(row[0])


def readable(
    connection: Connection,
    actor: str,
    sql: str,
    parameters: Mapping[str, str | int | None],
    parse: Callable[[Document], T],
    limit: int,
) -> tuple[list[T], int]:
    """The first items that a statement selects, and how many damaged ones were passed over.

    Args:
        connection: Where to look.
        actor: Whose; the statement gets their number as ``:actor``.
        sql: Selects documents, without a limit: damaged ones must not take the place of others.
        parameters: What else the statement needs.
        parse: What a document stands for.
        limit: How many at most.
    """
    number, items, damaged = actor_number(connection, actor), [], 0
    if number is None or not limit:
        return [], 0
    with closing(connection.execute(sql, {**parameters, "actor": number})) as found:
        for (document,) in found:
            item = parsed(parse, document)
            if item is None:
                damaged += 1
                continue
            items.append(item)
            if len(items) == limit:
                break
    return items, damaged


def count_damaged(connection: Connection) -> int:
    """How many records and events cannot be read. Looks at every one."""
    parsers: tuple[tuple[str, Callable[[Document], object]], ...] = (
        ("SELECT document FROM records", record_from_json),
        ("SELECT document FROM events", event_from_json),
    )
    return sum(
        parsed(parse, document) is None
        for sql, parse in parsers
        for (document,) in connection.execute(sql)
    )


def insert_event(connection: Connection, event: Event) -> None:
    """Store an event unless its id is there."""
    actor = _actor_number_made(connection, event.actor)
    row = connection.execute(
        "INSERT INTO events (actor, id, session, conversation, at, document) "
        "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (actor, id) DO NOTHING RETURNING number",
        (
            actor,
            event.id,
            event.session,
            event.conversation,
            to_micros(event.at),
            _dumped(event_to_json(event)),
        ),
    ).fetchall()
    for (number,) in row:
        index.add(connection, "events", actor, number, index.event_text(event))
        passages.put_event(connection, actor, number, event)


def count_events(connection: Connection, actor: str, session: str) -> int:
    """How many events a session of the actor has."""
    row = connection.execute(
        "SELECT count(*) FROM events WHERE actor = ? AND session = ?",
        (actor_number(connection, actor), session),
    ).fetchone()
    return int(row[0])


def insert_record(connection: Connection, record: MemoryRecord) -> None:
    """Store a record unless its id is there."""
    actor = _actor_number_made(connection, record.actor)
    row = connection.execute(
        "INSERT INTO records (actor, id, scope, kind, conversation, updated_at, expires_at, "
        "archived, document) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) "
        "ON CONFLICT (actor, id) DO NOTHING RETURNING number",
        (actor, record.id, *_columns(record)),
    ).fetchall()
    for (number,) in row:
        _attach(connection, actor, number, record)
        if record.validity.archived_at is None:
            passages.put_record(connection, actor, number, record)


def update_record(connection: Connection, record: MemoryRecord) -> bool:
    """Replace a record; False when there is none."""
    stored = _find(connection, record.actor, record.id)
    if stored is not None:
        connection.execute(
            "UPDATE records SET scope = ?, kind = ?, conversation = ?, updated_at = ?, "
            "expires_at = ?, archived = ?, document = ? WHERE number = ?",
            (*_columns(record), stored.number),
        )
        _detach(connection, stored)
        _attach(connection, stored.actor, stored.number, record)
        _search_anew(connection, stored, record)
    return stored is not None


def archive_record(connection: Connection, actor: str, record_id: str, at: datetime) -> bool:
    """Mark a record archived and take it out of the index; False when none can be read."""
    stored = _find(connection, actor, record_id)
    record = None if stored is None else parsed(record_from_json, stored.document)
    if stored is None or record is None:
        return False
    if record.validity.archived_at is None:
        validity = replace(record.validity, archived_at=at)
        document = _dumped(record_to_json(replace(record, validity=validity)))
        connection.execute(
            "UPDATE records SET archived = 1, document = ? WHERE number = ?",
            (document, stored.number),
        )
        index.remove(connection, "records", stored.actor, stored.number)
        passages.take_out(connection, stored.actor, stored.number)
    return True


def delete_record(connection: Connection, actor: str, record_id: str) -> bool:
    """Remove a record and its words; False when there is none."""
    stored = _find(connection, actor, record_id)
    if stored is not None:
        _detach(connection, stored)
        passages.remove(connection, "records", stored.actor, stored.number)
        connection.execute("DELETE FROM records WHERE number = ?", (stored.number,))
        index.scrub(connection, "records", stored.actor)
    return stored is not None


def delete_event(connection: Connection, actor: str, event_id: str) -> bool:
    """Remove an event and its words; False when there is none."""
    found = connection.execute(
        "SELECT e.actor, e.number FROM events e JOIN actors a ON a.number = e.actor "
        "WHERE a.id = ? AND e.id = ?",
        (actor, event_id),
    ).fetchone()
    if found is not None:
        owner, number = found
        passages.remove_event(connection, owner, number)
        connection.execute("DELETE FROM events WHERE number = ?", (number,))
        index.remove(connection, "events", owner, number)
        index.scrub(connection, "events", owner)
    return found is not None


def forget_actor(connection: Connection, actor: str) -> Forgotten:
    """Remove everything of an actor."""
    number = actor_number(connection, actor)
    if number is None:
        return Forgotten()
    index.drop_tables(connection, number)
    passages.forget(connection, number)
    connection.execute("DELETE FROM tags WHERE actor = ?", (number,))
    events = connection.execute("DELETE FROM events WHERE actor = ?", (number,)).rowcount
    records = connection.execute("DELETE FROM records WHERE actor = ?", (number,)).rowcount
    connection.execute("DELETE FROM actors WHERE number = ?", (number,))
    return Forgotten(events=events, records=records)


def _actor_number_made(connection: Connection, actor: str) -> int:
    """The number of an actor; somebody new gets one, and tables of their own."""
    number = actor_number(connection, actor)
    if number is None:
        row = connection.execute(
            "INSERT INTO actors (id) VALUES (?) RETURNING number", (actor,)
        ).fetchone()
        number = int(row[0])
        index.create_tables(connection, number)
    return number


def _find(connection: Connection, actor: str, record_id: str) -> _Stored | None:
    row = connection.execute(
        "SELECT r.number, r.actor, r.document FROM records r JOIN actors a ON a.number = r.actor "
        "WHERE a.id = ? AND r.id = ?",
        (actor, record_id),
    ).fetchone()
    return _Stored(*row) if row else None


def _attach(connection: Connection, actor: int, number: int, record: MemoryRecord) -> None:
    """Add a row's tags, and its words unless it is archived."""
    connection.executemany(
        "INSERT INTO tags (actor, record, key, value, number, time) VALUES (?, ?, ?, ?, ?, ?)",
        [(actor, number, *tag) for tag in tags_of(record)],
    )
    if record.validity.archived_at is None:
        index.add(connection, "records", actor, number, index.record_text(record))


def _search_anew(connection: Connection, stored: _Stored, record: MemoryRecord) -> None:
    """Follow an update in what is searched; the same words keep their vector."""
    before = parsed(record_from_json, stored.document)
    if record.validity.archived_at is not None:
        passages.take_out(connection, stored.actor, stored.number)
    elif before is not None and passages.says_the_same(before, record):
        passages.touch_record(connection, stored.actor, stored.number)
    else:
        passages.put_record(connection, stored.actor, stored.number, record)


def _detach(connection: Connection, stored: _Stored) -> None:
    connection.execute("DELETE FROM tags WHERE record = ?", (stored.number,))
    index.remove(connection, "records", stored.actor, stored.number)


def tags_of(record: MemoryRecord) -> list[TagRow]:
    """What filters look at: one row per tag, and one for a key that has none."""
    tags: list[TagRow] = []
    for key, value in record.metadata.items():
        if isinstance(value, datetime):
            tags.append((key, None, None, to_micros(value)))
        elif isinstance(value, tuple):
            ids = dict.fromkeys(tag.id for tag in value)
            tags += [(key, tag_id, None, None) for tag_id in ids] or [(key, None, None, None)]
        else:
            tags.append((key, None, value, None))
    return tags


def _columns(record: MemoryRecord) -> Sequence[str | int | None]:
    """What queries need beside the document, in the order of the table."""
    expires_at = record.validity.expires_at
    return (
        record.scope,
        record.kind,
        record.source.conversation,
        to_micros(record.validity.updated_at),
        None if expires_at is None else to_micros(expires_at),
        int(record.validity.archived_at is not None),
        _dumped(record_to_json(record)),
    )


def _dumped(document: Document) -> str:
    return dump_line(document).decode("utf-8")
