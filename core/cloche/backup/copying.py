"""Copies of files that others are writing to: all of one instant, and each a whole file."""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Final

from filelock import FileLock

from cloche.backup.archive import DATABASES, SPOOL
from cloche.errors import RequestError
from cloche.spool import lock_paths

SECONDS: Final = 30.0
"""How long to wait for others' writes; theirs take milliseconds."""
_BUSY: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


class BusyError(RequestError):
    """Somebody wrote all the time: nothing is wrong with the files."""


def is_busy(error: sqlite3.Error) -> bool:
    """True when a file is in use by somebody else, not damaged."""
    code = getattr(error, "sqlite_errorcode", None)
    return isinstance(code, int) and code & 0xFF in _BUSY


def busy(folder: Path) -> BusyError:
    """What is said then."""
    return BusyError(
        f"another process has been writing to the files in {folder} for longer than "
        f"{SECONDS:.0f} seconds: nothing was changed, try again later."
    )


def patience() -> Callable[[int, int, int], None]:
    """For ``Connection.backup``, which waits for ever where it finds a file in use."""
    deadline = time.monotonic() + SECONDS

    def look(status: int, remaining: int, total: int) -> None:
        if status in _BUSY and time.monotonic() > deadline:
            raise TimeoutError("it is in use by another process")

    return look


def copy_all(folder: Path, into: Path) -> None:
    """Copy the databases and the spool as they are at one instant.

    Writers wait only while the snapshots are taken, not while they are copied. What the spool
    holds may be in the database already: applying it again does nothing.

    Raises:
        BusyError: somebody wrote for longer than 30 seconds.
        RequestError: a file is damaged.
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
            _copy(connection, into / name)
    except sqlite3.Error as error:
        if is_busy(error):
            raise busy(folder) from error
        raise RequestError(f"the files in {folder} cannot be copied: {error}.") from error
    finally:
        for connection in readers.values():
            connection.close()


def copy_each(folder: Path, into: Path) -> None:
    """Copy what can be read as ``copy_all`` does, and damaged files as they lie there.

    Raises:
        BusyError: somebody wrote for longer than 30 seconds.
        OSError: the copies cannot be written.
    """
    for name in DATABASES:
        if not (folder / name).exists():
            continue
        try:
            with closing(_connected(folder / name)) as connection:
                _copy(connection, into / name)
        except TimeoutError as error:
            raise busy(folder) from error
        except (sqlite3.Error, RequestError) as error:
            if isinstance(error, sqlite3.Error) and is_busy(error):
                raise busy(folder) from error
            for path in (folder / name, folder / f"{name}-wal"):
                if path.is_file():
                    shutil.copy2(path, into / path.name)
    if (folder / SPOOL).is_file():
        shutil.copy2(folder / SPOOL, into / SPOOL)


def _copy(connection: sqlite3.Connection, target: Path) -> None:
    """A copy in one file, without a log beside it.

    Raises:
        RequestError: what was copied is damaged.
    """
    target.unlink(missing_ok=True)
    target.touch(mode=0o600)
    with closing(sqlite3.connect(target, isolation_level=None)) as copy:
        connection.backup(copy, progress=patience())
        copy.execute("PRAGMA journal_mode = DELETE")
    check(target)


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


def wait_for_writers(folder: Path) -> None:
    """Return when nobody writes.

    Raises:
        BusyError: somebody does, for longer than 30 seconds.
    """
    names = [name for name in DATABASES if (folder / name).exists()]
    try:
        with ExitStack() as held:
            for name in names:
                holder = held.enter_context(closing(_connected(folder / name)))
                holder.execute("BEGIN IMMEDIATE")
    except sqlite3.Error as error:
        if is_busy(error):
            raise busy(folder) from error


@contextmanager
def _no_writes(databases: list[Path], spool: Path) -> Iterator[None]:
    appending, _ = lock_paths(spool)
    with ExitStack() as held:
        for path in databases:
            holder = held.enter_context(closing(_connected(path)))
            holder.execute("BEGIN IMMEDIATE")
        held.enter_context(FileLock(appending, timeout=SECONDS))
        yield


def _connected(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=SECONDS, isolation_level=None)
