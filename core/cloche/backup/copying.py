"""Copies of files that others are writing to: all of one instant, and each a whole file."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from filelock import FileLock

from cloche.backup.archive import DATABASES, SPOOL
from cloche.errors import RequestError
from cloche.memory.spool import lock_paths

SECONDS: Final = 30.0
"""How long to wait for others' writes; theirs take milliseconds."""


def copy_all(folder: Path, into: Path) -> None:
    """Copy the databases and the spool as they are at one instant.

    Writers wait only while the snapshots are taken, not while they are copied. What the spool
    holds may be in the database already: applying it again does nothing.

    Raises:
        RequestError: a file is damaged, or somebody wrote for longer than 30 seconds.
        OSError: the copies cannot be written.
    """
    names = [name for name in DATABASES if (folder / name).exists()]
    readers = {name: _connected(folder / name) for name in names}
    try:
        with _no_writes([folder / name for name in names], folder / SPOOL):
            for connection in readers.values():
                connection.execute("BEGIN")
                connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            if (folder / SPOOL).exists():
                shutil.copyfile(folder / SPOOL, into / SPOOL)
                os.chmod(into / SPOOL, 0o600)
        for name, connection in readers.items():
            (into / name).touch(mode=0o600)
            with closing(sqlite3.connect(into / name, isolation_level=None)) as copy:
                connection.backup(copy)
                # One file, without a log beside it.
                copy.execute("PRAGMA journal_mode = DELETE")
            check(into / name)
    except sqlite3.Error as error:
        raise RequestError(f"the files in {folder} cannot be copied: {error}.") from error
    finally:
        for connection in readers.values():
            connection.close()


def check(path: Path) -> None:
    """Read a whole database.

    Raises:
        RequestError: it is damaged.
    """
    try:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    except sqlite3.Error as error:
        raise RequestError(f"{path.name} is damaged: {error}.") from error
    if found != "ok":
        raise RequestError(f"{path.name} is damaged: {found}.")


def schema_of(path: Path) -> int:
    """The version of a database's schema."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


@contextmanager
def spool_held(spool: Path) -> Iterator[None]:
    """Nobody appends to the spool or drains it meanwhile."""
    appending, draining = lock_paths(spool)
    with FileLock(draining, timeout=SECONDS), FileLock(appending, timeout=SECONDS):
        yield


@contextmanager
def _no_writes(databases: list[Path], spool: Path) -> Iterator[None]:
    appending, _ = lock_paths(spool)
    holders = [_connected(path) for path in databases]
    try:
        for holder in holders:
            holder.execute("BEGIN IMMEDIATE")
        with FileLock(appending, timeout=SECONDS):
            yield
    finally:
        for holder in holders:
            holder.close()


def _connected(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=SECONDS, isolation_level=None)
