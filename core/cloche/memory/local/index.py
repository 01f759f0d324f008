"""The full-text index: one FTS5 table per actor for records and one for events.

BM25 counts words over a whole table. In a table shared by all, one person's data would move
another person's ranking; a table of one's own also makes search faster and forgetting complete.
The price is a dozen schema entries per actor, which suits the people around one machine.
"""

from __future__ import annotations

from sqlite3 import Connection, DatabaseError
from typing import Final, Literal

from cloche.memory.local.tokens import index_words
from cloche.memory.records import Event, MemoryRecord

Table = Literal["records", "events"]
TABLES: Final[tuple[Table, ...]] = ("records", "events")
_PARTS: Final = ("data", "idx", "content", "docsize", "config")
"""The tables that FTS5 keeps behind each of ours."""


def table_name(table: Table, actor: int) -> str:
    """The name of an actor's table: made of a fixed word and a number, safe inside SQL."""
    return f"fts_{table}_{actor:d}"


def create_tables(connection: Connection, actor: int) -> None:
    """Make an actor's two tables."""
    for table in TABLES:
        connection.execute(
            f"CREATE VIRTUAL TABLE IF NOT EXISTS {table_name(table, actor)} USING fts5("
            "words, tokenize = 'porter unicode61 remove_diacritics 2')"
        )


def drop_tables(connection: Connection, actor: int) -> None:
    """Remove an actor's two tables with all they hold, whole or damaged."""
    for table in TABLES:
        name = table_name(table, actor)
        if usable(connection, table, actor):
            connection.execute(f"DROP TABLE {name}")
        else:
            _uproot(connection, name)


def usable(connection: Connection, table: Table, actor: int) -> bool:
    """Whether an actor's table is there, with the tables that FTS5 keeps behind it."""
    name = table_name(table, actor)
    parts = [f"{name}_{part}" for part in _PARTS]
    there = connection.execute(
        f"SELECT count(*) FROM sqlite_master WHERE name IN ({', '.join('?' * len(parts))})",  # noqa: S608 (only marks)
        parts,
    ).fetchone()
    try:
        connection.execute(f"SELECT rowid FROM {name} LIMIT 0")  # noqa: S608 (see table_name)
    except DatabaseError:
        return False
    return int(there[0]) == len(parts)


def _uproot(connection: Connection, name: str) -> None:
    """Remove what is left of a table that FTS5 itself cannot open, and so cannot drop."""
    for part in _PARTS:
        connection.execute(f"DROP TABLE IF EXISTS {name}_{part}")
    connection.execute("PRAGMA writable_schema = ON")
    connection.execute("DELETE FROM sqlite_master WHERE name = ?", (name,))
    connection.execute("PRAGMA writable_schema = RESET")


def add(connection: Connection, table: Table, actor: int, number: int, text: str) -> None:
    """Have a row found by the words of ``text``."""
    connection.execute(
        f"INSERT INTO {table_name(table, actor)} (rowid, words) VALUES (?, ?)",  # noqa: S608 (see table_name)
        (number, " ".join(index_words(text))),
    )


def remove(connection: Connection, table: Table, actor: int, number: int) -> None:
    """Have a row found no longer; its words may stay in the index until ``scrub``."""
    connection.execute(
        f"DELETE FROM {table_name(table, actor)} WHERE rowid = ?",  # noqa: S608 (see table_name)
        (number,),
    )


def scrub(connection: Connection, table: Table, actor: int) -> None:
    """Rewrite the index without the words of removed rows."""
    name = table_name(table, actor)
    connection.execute(f"INSERT INTO {name} ({name}) VALUES ('optimize')")  # noqa: S608 (see table_name)


def record_text(record: MemoryRecord) -> str:
    """What a record is found by: text, subject, labels and ids of its tags."""
    tags = [tag for value in record.metadata.values() if isinstance(value, tuple) for tag in value]
    return "\n".join((record.text, record.subject, *(t.label for t in tags), *(t.id for t in tags)))


def event_text(event: Event) -> str:
    """What an event is found by: what the person wrote and what was answered."""
    return f"{event.user_text}\n{event.assistant_text or ''}"
