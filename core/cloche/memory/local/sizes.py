"""How large a database and its tables are."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

BUSY_SECONDS: Final = 5.0


@dataclass(frozen=True, slots=True)
class Sizes:
    """Of one file.

    Attributes:
        bytes: The file with its log.
        tables: Rows of each table; full-text tables, one set per person, are left out.
    """

    bytes: int
    tables: tuple[tuple[str, int], ...]


def sizes_of(path: Path) -> Sizes:
    """Count, on one snapshot.

    Raises:
        sqlite3.Error: it is no database, or cannot be read.
    """
    files = [path, *(path.with_name(path.name + end) for end in ("-wal", "-shm"))]
    with closing(sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)) as connection:
        connection.execute("BEGIN")
        names = [
            name
            for (name,) in connection.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' "
                "AND name NOT LIKE 'sqlite_%' ORDER BY name"
            )
            if name.isalpha()
        ]
        tables = tuple(
            (name, int(connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0]))  # noqa: S608 (letters only)
            for name in names
        )
    return Sizes(sum(one.stat().st_size for one in files if one.exists()), tables)
