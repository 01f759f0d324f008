"""What is searched: a row per event and per current record, and its vector where there is one.

Every change of an actor's rows takes the next number of the actor's counter, so that a reader
asks for what has changed since it last looked, also when another process changed it. A row says
which model its vector is of; 0 = it waits for one, ``GONE`` = the item is searched no longer.
"""

from __future__ import annotations

from sqlite3 import Connection
from typing import Final, Literal

from cloche.memory.codec import event_from_json, record_from_json
from cloche.memory.local.scripts import asks, length
from cloche.memory.local.stored import parsed
from cloche.memory.records import Event, MemoryRecord

Item = Literal["events", "records"]
"""The table an item is in."""
CODES: Final[dict[Item, int]] = {"events": 0, "records": 1}
"""What stands for it in a row."""

GONE: Final = -1
WAITING: Final = 0
PREVIOUS_CHARS: Final = 120
"""So much of the previous event's end is embedded before an event: what it answers."""
LONGEST_CHARS: Final = 2_000
"""Of a longer text the beginning is embedded; models read about so much."""

TABLES: Final = (
    "CREATE TABLE models (number INTEGER PRIMARY KEY, id TEXT NOT NULL, "
    "dimensions INTEGER NOT NULL, UNIQUE (id, dimensions))",
    # AUTOINCREMENT: a vector made for somebody forgotten finds no other row in its place.
    """CREATE TABLE passages (
        row INTEGER PRIMARY KEY AUTOINCREMENT,
        item INTEGER NOT NULL,
        number INTEGER NOT NULL,
        actor INTEGER NOT NULL,
        changed INTEGER NOT NULL,
        who TEXT NOT NULL,
        words INTEGER NOT NULL,
        asks INTEGER NOT NULL,
        model INTEGER NOT NULL,
        hash BLOB,
        vector INTEGER,
        UNIQUE (item, number))""",
    # Apart, and added at the end: a row that grew by a vector would leave half of its page empty.
    "CREATE TABLE vectors (number INTEGER PRIMARY KEY, vector BLOB NOT NULL)",
    "CREATE TRIGGER vector_given_up AFTER DELETE ON passages WHEN old.vector IS NOT NULL "
    "BEGIN DELETE FROM vectors WHERE number = old.vector; END",
    "CREATE TRIGGER vector_replaced AFTER UPDATE OF vector ON passages "
    "WHEN old.vector IS NOT NULL AND old.vector IS NOT new.vector "
    "BEGIN DELETE FROM vectors WHERE number = old.vector; END",
    "CREATE INDEX passages_by_change ON passages (actor, item, changed)",
    "CREATE INDEX passages_by_model ON passages (model)",
    "CREATE INDEX passages_by_hash ON passages (hash, model) WHERE hash IS NOT NULL",
    # How often an actor's passages changed, and when one was last taken away altogether.
    "ALTER TABLE actors ADD COLUMN changes INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE actors ADD COLUMN removed INTEGER NOT NULL DEFAULT 0",
)


def put_event(connection: Connection, actor: int, number: int, event: Event) -> None:
    """Have an event searched."""
    said = f"{event.user_text} {event.assistant_text or ''}"
    unanswered = not event.assistant_text and asks(event.user_text)
    _put(connection, "events", actor, number, event.speaker, length(said), unanswered)


def put_record(connection: Connection, actor: int, number: int, record: MemoryRecord) -> None:
    """Have a record searched, or, when it was there, searched as it is now."""
    _put(connection, "records", actor, number, record.subject, length(record.text), False)


def _put(
    connection: Connection, item: Item, actor: int, number: int, who: str, words: int, asks: bool
) -> None:
    connection.execute(
        "INSERT INTO passages (item, number, actor, changed, who, words, asks, model) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (item, number) DO UPDATE SET "
        "actor = excluded.actor, changed = excluded.changed, who = excluded.who, "
        "words = excluded.words, asks = excluded.asks, model = excluded.model, "
        "hash = NULL, vector = NULL",
        (CODES[item], number, actor, next_change(connection, actor), who, words, asks, WAITING),
    )


def touch_record(connection: Connection, actor: int, number: int) -> None:
    """Tell readers that a record changed in what is not embedded."""
    connection.execute(
        "UPDATE passages SET changed = ? WHERE item = ? AND number = ?",
        (next_change(connection, actor), CODES["records"], number),
    )


def take_out(connection: Connection, actor: int, number: int) -> None:
    """Have a record searched no longer, though it is kept."""
    connection.execute(
        "UPDATE passages SET changed = ?, who = '', model = ?, hash = NULL, vector = NULL "
        "WHERE item = ? AND number = ?",
        (next_change(connection, actor), GONE, CODES["records"], number),
    )


def remove(connection: Connection, item: Item, actor: int, number: int) -> None:
    """Forget the row of an item that is removed for good."""
    change = next_change(connection, actor)
    connection.execute("DELETE FROM passages WHERE item = ? AND number = ?", (CODES[item], number))
    connection.execute("UPDATE actors SET removed = ? WHERE number = ?", (change, actor))


def remove_event(connection: Connection, actor: int, number: int) -> None:
    """Forget an event's row, and the vector of the next one, which holds some of its words."""
    following = connection.execute(
        "SELECT n.number FROM events e JOIN events n ON n.actor = e.actor "
        "AND n.session = e.session AND (n.at, n.number) > (e.at, e.number) "
        "WHERE e.number = ? ORDER BY n.at, n.number LIMIT 1",
        (number,),
    ).fetchall()
    for (other,) in following:
        connection.execute(
            "UPDATE passages SET changed = ?, model = ?, hash = NULL, vector = NULL "
            "WHERE item = ? AND number = ?",
            (next_change(connection, actor), WAITING, CODES["events"], other),
        )
    remove(connection, "events", actor, number)


def forget(connection: Connection, actor: int) -> None:
    """Remove all rows of an actor."""
    connection.execute("DELETE FROM passages WHERE actor = ?", (actor,))


def fill(connection: Connection) -> None:
    """Rows for all that is stored and can be read."""
    events = "SELECT actor, number, document FROM events ORDER BY number"
    for actor, number, document in connection.execute(events).fetchall():
        if event := parsed(event_from_json, document):
            put_event(connection, actor, number, event)
    records = "SELECT actor, number, document FROM records WHERE NOT archived ORDER BY number"
    for actor, number, document in connection.execute(records).fetchall():
        if record := parsed(record_from_json, document):
            put_record(connection, actor, number, record)


def says_the_same(one: MemoryRecord, other: MemoryRecord) -> bool:
    """True when both are searched by one text; not when one of them is archived."""
    current = one.validity.archived_at is None and other.validity.archived_at is None
    return current and (one.subject, one.text) == (other.subject, other.text)


def record_passage(record: MemoryRecord) -> str:
    """What of a record is embedded."""
    text = f"{record.subject}: {record.text}" if record.subject else record.text
    return text[:LONGEST_CHARS]


def event_passage(event: Event, previous: Event | None) -> str:
    """What of an event is embedded: the end of the one before in its session, then itself.

    An answer ("Seven years now") is found by the words of the question it answers. Nothing
    later than the event is used, so that it is embedded once.
    """
    lines = []
    if previous is not None:
        said = previous.assistant_text or previous.user_text
        tail = said if len(said) <= PREVIOUS_CHARS else f"…{said[-PREVIOUS_CHARS:]}"
        lines.append(_spoken("" if previous.assistant_text else previous.speaker, tail))
    lines.append(_spoken(event.speaker, event.user_text))
    if event.assistant_text:
        lines.append(event.assistant_text)
    return "\n".join(lines)[:LONGEST_CHARS]


def _spoken(speaker: str, text: str) -> str:
    return f"{speaker}: {text}" if speaker else text


def text_of(connection: Connection, item: int, number: int) -> str:
    """What of an item is embedded; "" of one damaged or gone, which then waits no longer."""
    if item == CODES["records"]:
        found = connection.execute(
            "SELECT document FROM records WHERE number = ?", (number,)
        ).fetchone()
        record = parsed(record_from_json, found[0]) if found else None
        return record_passage(record) if record else ""
    row = connection.execute(
        "SELECT actor, session, at, document FROM events WHERE number = ?", (number,)
    ).fetchone()
    if row is None:
        return ""
    actor, session, at, document = row
    before = connection.execute(
        "SELECT document FROM events WHERE actor = ? AND session = ? AND (at, number) < (?, ?) "
        "ORDER BY at DESC, number DESC LIMIT 1",
        (actor, session, at, number),
    ).fetchone()
    previous = None if before is None else parsed(event_from_json, before[0])
    event = parsed(event_from_json, document)
    return event_passage(event, previous) if event else ""


def next_change(connection: Connection, actor: int) -> int:
    """The next number of an actor's counter, taken."""
    row = connection.execute(
        "UPDATE actors SET changes = changes + 1 WHERE number = ? RETURNING changes", (actor,)
    ).fetchall()
    return int(row[0][0])
