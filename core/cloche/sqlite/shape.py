"""Whether a file has the tables that this release reads and writes."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from typing import TYPE_CHECKING

from cloche.errors import MemoryUnavailableError

if TYPE_CHECKING:
    from cloche.sqlite.database import Migration


def expect_shape(connection: sqlite3.Connection, migrations: Sequence[Migration]) -> None:
    """Look for each table and column that the migrations make; what there is besides is no matter.

    Raises:
        MemoryUnavailableError: (``wrong_schema``) some are missing; it says which.
    """
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as made:
        for migration in migrations:
            migration(made)
        wanted = _columns(made)
    there = _columns(connection)
    missing = [
        table if table not in there else f"{table}.{column}"
        for table, columns in sorted(wanted.items())
        for column in sorted(columns - there.get(table, set()))
    ]
    if missing:
        named = ", ".join(dict.fromkeys(missing))
        raise MemoryUnavailableError(
            f"its tables are not those of this release, missing: {named}", cause="wrong_schema"
        )


def _columns(connection: sqlite3.Connection) -> dict[str, set[str]]:
    found = connection.execute(
        "SELECT t.name, c.name FROM sqlite_master t, pragma_table_info(t.name) c "
        "WHERE t.type = 'table'"
    )
    columns: dict[str, set[str]] = {}
    for table, column in found:
        columns.setdefault(table, set()).add(column)
    return columns
