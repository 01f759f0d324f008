"""Whether a database is one of ours, and of this release: by what it has, not by what it says."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from cloche.backup.archive import DATABASES
from cloche.backup.copying import check, schema_of
from cloche.errors import RequestError
from cloche.sqlite import Migration
from cloche.sqlite.files import decoded


@dataclass(frozen=True, slots=True)
class _Shape:
    """Tables with their columns and what is unique in them; triggers and views."""

    columns: frozenset[tuple[str, str]]
    unique: frozenset[tuple[str, tuple[str, ...]]]
    actions: frozenset[tuple[str, str]]


def bring_up_to_date(path: Path, migrations: Sequence[Migration]) -> None:
    """Migrate a database that an archive holds; one that is not there is made, empty.

    Raises:
        RequestError: it is damaged, of a newer release, or not made by ours.
    """
    path.touch(mode=0o600)
    check(path)
    schema, known = schema_of(path), len(migrations)
    if schema > known:
        raise RequestError(
            f"a newer release made this backup ({path.name} has schema {schema}, this release "
            f"knows {known}): upgrade first."
        )
    try:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.text_factory = decoded
            if schema < 0 or (schema == 0 and _shape(connection) != _shape_of(())):
                raise RequestError(f"{path.name} in it has no schema of this product.")
            connection.execute("BEGIN IMMEDIATE")
            for migration in migrations[schema:]:
                migration(connection)
            connection.execute(f"PRAGMA user_version = {known}")
            connection.execute("COMMIT")
            _compare(path.name, _shape(connection), _shape_of(migrations))
    except (sqlite3.Error, ValueError, TypeError, OverflowError) as error:
        raise RequestError(f"{path.name} in it cannot be used: {error}.") from error


def unreadable_rows(path: Path) -> int:
    """How many rows of a database of ours stand for nothing: they are damaged."""
    from cloche.memory.local.rows import count_damaged as of_memory
    from cloche.state.sqlite import count_damaged as of_state

    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.text_factory = decoded
        return (of_memory if path.name == DATABASES[0] else of_state)(connection)


def _compare(name: str, found: _Shape, wanted: _Shape) -> None:
    """Refuse what lacks something, and what would do something that ours does not.

    Raises:
        RequestError: it does.
    """
    if missing := sorted(wanted.columns - found.columns):
        table, column = missing[0]
        raise RequestError(f"{name} in it is not whole: the table {table} has no column {column}.")
    if lacking := sorted(wanted.unique - found.unique):
        raise RequestError(f"{name} in it is not whole: the table {lacking[0][0]} is another one.")
    if strange := sorted(found.actions ^ wanted.actions):
        raise RequestError(f"{name} in it is not ours: it differs in {strange[0][0]}.")


def _shape_of(migrations: Sequence[Migration]) -> _Shape:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        for migration in migrations:
            migration(connection)
        return _shape(connection)


def _shape(connection: sqlite3.Connection) -> _Shape:
    there = connection.execute("SELECT type, name, sql FROM sqlite_master").fetchall()
    tables = [
        name
        for kind, name, sql in there
        if kind == "table" and not name.startswith("sqlite_") and "VIRTUAL" not in (sql or "")
    ]
    columns, unique = set(), set()
    for table in tables:
        for (column,) in connection.execute("SELECT name FROM pragma_table_info(?)", (table,)):
            columns.add((table, str(column)))
        for (index,) in connection.execute(
            'SELECT name FROM pragma_index_list(?) WHERE "unique"', (table,)
        ).fetchall():
            of = connection.execute(
                "SELECT name FROM pragma_index_info(?) ORDER BY seqno", (index,)
            )
            unique.add((table, tuple(str(column) for (column,) in of)))
    actions = {
        (name, " ".join((sql or "").split()))
        for kind, name, sql in there
        if kind in ("trigger", "view")
    }
    return _Shape(frozenset(columns), frozenset(unique), frozenset(actions))
