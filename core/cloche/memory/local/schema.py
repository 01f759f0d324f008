"""The tables of the local store, version by version."""

from __future__ import annotations

import logging
from sqlite3 import Connection, DatabaseError
from typing import Final

from cloche.memory.codec import event_from_json, record_from_json
from cloche.memory.local import index, passages, rows
from cloche.memory.local.stored import parsed
from cloche.sqlite import Migration

logger = logging.getLogger(__name__)

_TABLES: Final = (
    # AUTOINCREMENT: the number of somebody forgotten is never given to somebody else.
    "CREATE TABLE actors (number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE)",
    """CREATE TABLE events (
        number INTEGER PRIMARY KEY,
        actor INTEGER NOT NULL,
        id TEXT NOT NULL,
        session TEXT NOT NULL,
        conversation TEXT NOT NULL,
        at INTEGER NOT NULL,
        document TEXT NOT NULL,
        UNIQUE (actor, id))""",
    "CREATE INDEX events_by_time ON events (actor, at, number)",
    "CREATE INDEX events_by_session ON events (actor, session, at, number)",
    """CREATE TABLE records (
        number INTEGER PRIMARY KEY,
        actor INTEGER NOT NULL,
        id TEXT NOT NULL,
        scope TEXT NOT NULL,
        kind TEXT NOT NULL,
        conversation TEXT NOT NULL,
        updated_at INTEGER NOT NULL,
        expires_at INTEGER,
        archived INTEGER NOT NULL,
        document TEXT NOT NULL,
        UNIQUE (actor, id))""",
    "CREATE INDEX records_by_time ON records (actor, archived, updated_at DESC, id)",
    # One row per tag; a key without tags (a number, a time) has one row with value NULL.
    "CREATE TABLE tags (record INTEGER NOT NULL, key TEXT NOT NULL, value TEXT)",
    "CREATE INDEX tags_by_record ON tags (record, key, value)",
)


def create(connection: Connection) -> None:
    """Version 1: events and records as JSON documents, beside the columns queries need."""
    for statement in _TABLES:
        connection.execute(statement)


def add_full_text(connection: Connection) -> None:
    """Version 2: full text, one pair of tables per actor, filled from the documents."""
    for (actor,) in connection.execute("SELECT number FROM actors").fetchall():
        _fill(connection, actor)


def mend_full_text(connection: Connection) -> None:
    """Make the tables of full text again that are missing or damaged, from the documents.

    Where the file itself is damaged nothing is changed: whoever uses it is told.
    """
    if not _without_full_text(connection):
        return
    try:
        connection.execute("BEGIN IMMEDIATE")
        for actor in _without_full_text(connection):
            index.drop_tables(connection, actor)
            _fill(connection, actor)
            logger.warning("actor=%d | full text was damaged, made again", actor)
        connection.execute("COMMIT")
    except DatabaseError as error:
        logger.warning("full text is damaged and cannot be made again: %s", error)
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _without_full_text(connection: Connection) -> list[int]:
    """Numbers of the actors one of whose tables is missing or cannot be opened."""
    actors = [number for (number,) in connection.execute("SELECT number FROM actors")]
    return [
        actor
        for actor in actors
        if not all(index.usable(connection, table, actor) for table in index.TABLES)
    ]


def _fill(connection: Connection, actor: int) -> None:
    """Make an actor's tables from the documents that can be read."""
    index.create_tables(connection, actor)
    for number, document in connection.execute(
        "SELECT number, document FROM records WHERE actor = ? AND NOT archived", (actor,)
    ).fetchall():
        if record := parsed(record_from_json, document):
            index.add(connection, "records", actor, number, index.record_text(record))
    for number, document in connection.execute(
        "SELECT number, document FROM events WHERE actor = ?", (actor,)
    ).fetchall():
        if event := parsed(event_from_json, document):
            index.add(connection, "events", actor, number, index.event_text(event))


def add_amounts(connection: Connection) -> None:
    """Version 3: tags say whose they are; numbers and times of metadata stand beside them."""
    for column in ("actor INTEGER NOT NULL DEFAULT 0", "number REAL", "time INTEGER"):
        connection.execute(f"ALTER TABLE tags ADD COLUMN {column}")
    connection.execute(
        "UPDATE tags SET actor = (SELECT actor FROM records r WHERE r.number = tags.record)"
    )
    for number, document in connection.execute(
        "SELECT number, document FROM records WHERE number IN "
        "(SELECT record FROM tags WHERE value IS NULL)"
    ).fetchall():
        if record := parsed(record_from_json, document):
            connection.executemany(
                "UPDATE tags SET number = ?, time = ? WHERE record = ? AND key = ?",
                [(amount, time, number, key) for key, _, amount, time in rows.tags_of(record)],
            )
    # A filter reads this index alone.
    connection.execute("CREATE INDEX tags_by_key ON tags (actor, key, value, number, time, record)")


def add_passages(connection: Connection) -> None:
    """Version 4: what is searched, with vectors where an embedder makes them; filled from all."""
    for statement in passages.TABLES:
        connection.execute(statement)
    passages.fill(connection)


MIGRATIONS: Final[tuple[Migration, ...]] = (create, add_full_text, add_amounts, add_passages)
