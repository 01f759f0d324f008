"""One SQLite file as our stores use it: opened when first needed, from one thread of its own.

Write-ahead logging lets other processes read while one writes. ``synchronous=NORMAL``: a commit is
in the system's hands, so a killed process loses nothing; a power cut can take the last commits
back but damages nothing. FULL would keep those too for one fsync per commit, 4 ms against 0.2 ms
on a plain disk, and a turn commits several times. ``secure_delete`` overwrites what is removed.
A file that was deleted or replaced meanwhile is noticed before each use, and opened again.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, TypeVar

from cloche.clock import Clock
from cloche.errors import MemoryUnavailableError, StoreCause
from cloche.sqlite.files import OpenFiles, decoded, identify, writable

logger = logging.getLogger(__name__)

T = TypeVar("T")
Migration = Callable[[sqlite3.Connection], None]
"""Takes a schema from one version to the next, inside a transaction."""
Mend = Callable[[sqlite3.Connection], None]
"""Looks after a file that was just opened, outside a transaction; changes it only when it must."""

BUSY_SECONDS = 5.0
"""How long to wait for another process's write; ours take milliseconds."""
RETRY: Final = timedelta(seconds=5)
"""A file that could not be opened is not tried again sooner: opening may wait for a lock."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_CAUSES: Final[Mapping[int, StoreCause]] = {
    sqlite3.SQLITE_BUSY: "locked",
    sqlite3.SQLITE_LOCKED: "locked",
    sqlite3.SQLITE_PROTOCOL: "locked",
    sqlite3.SQLITE_FULL: "disk_full",
    sqlite3.SQLITE_CORRUPT: "corrupt",
    sqlite3.SQLITE_NOTADB: "corrupt",
    # Our statements are fixed: an error in one means that a table is not what it should be.
    sqlite3.SQLITE_ERROR: "wrong_schema",
    sqlite3.SQLITE_IOERR: "io",
    sqlite3.SQLITE_CANTOPEN: "io",
    sqlite3.SQLITE_READONLY: "io",
    sqlite3.SQLITE_PERM: "io",
    sqlite3.SQLITE_AUTH: "io",
    sqlite3.SQLITE_NOMEM: "io",
}


class Database:
    """A file and its schema. Made without touching the disk; safe to use from many processes."""

    def __init__(
        self, path: Path, clock: Clock, migrations: Sequence[Migration], mend: Mend | None = None
    ) -> None:
        """Take the file and the migrations; the schema's version is how many of them ran."""
        self._path, self._clock, self._migrations = path, clock, tuple(migrations)
        self._mend = mend
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=path.name)
        self._connection: sqlite3.Connection | None = None
        self._open = OpenFiles(path, None)
        self._failure: tuple[datetime, MemoryUnavailableError] | None = None
        self._closed = False

    async def read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run ``work`` on one snapshot of the file.

        Raises:
            MemoryUnavailableError: the file cannot be used; ``cause`` says why.
        """
        return await self._run(lambda: self._transact("BEGIN", work))

    async def write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run ``work`` and commit, all or nothing; durable when this returns.

        Raises:
            MemoryUnavailableError: the file cannot be used; nothing was changed.
        """
        return await self._run(lambda: self._transact("BEGIN IMMEDIATE", work))

    async def erase(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Like ``write``, and what ``work`` removed is gone from the log too.

        Raises:
            MemoryUnavailableError: the file cannot be used, or (``locked``) somebody reads in it
                for so long that the log cannot be cut. Erasing again completes it.
        """

        def job() -> T:
            result = self._transact("BEGIN IMMEDIATE", work)
            if self._cut_log():
                raise MemoryUnavailableError(f"{self._path}: the log is in use", cause="locked")
            return result

        return await self._run(job)

    async def close(self) -> None:
        """Close the file after what is under way; later calls raise ``closed``."""
        if not self._closed:
            self._closed = True
            await asyncio.get_running_loop().run_in_executor(self._thread, self._disconnect)
            self._thread.shutdown(wait=False)

    async def _run(self, job: Callable[[], T]) -> T:
        if self._closed:
            raise MemoryUnavailableError(f"{self._path} is closed", cause="closed")
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._guarded, job)

    def _guarded(self, job: Callable[[], T]) -> T:
        """Run in the thread; translate what SQLite and the system raise."""
        try:
            return job()
        except (sqlite3.Error, OSError) as error:
            translated = _translate(error, self._path)
            if translated is None:
                raise
            if translated.cause in ("corrupt", "wrong_schema", "io"):
                # The operator may put another file there: the next call looks afresh.
                self._disconnect()
            raise translated from error

    def _transact(self, begin: str, work: Callable[[sqlite3.Connection], T]) -> T:
        connection = self._connected()
        connection.execute(begin)
        try:
            result = work(connection)
            connection.execute("COMMIT")
        except BaseException:
            # A full disk may have rolled back already.
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        return result

    def _cut_log(self) -> bool:
        """Move the log into the file and empty it; True when somebody was in the way."""
        row = self._connected().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        return bool(row[0])

    def _connected(self) -> sqlite3.Connection:
        if self._connection is not None:
            if self._open.in_place:
                return self._connection
            logger.warning("file=%s | was deleted or replaced in use, opened again", self._path)
            self._open.discard_companions()
            self._disconnect()
        if self._failure is not None:
            at, failure = self._failure
            if abs(self._clock() - at) < RETRY:
                raise MemoryUnavailableError(str(failure), cause=failure.cause) from failure
        try:
            self._connection = self._connect()
        except (sqlite3.Error, OSError) as error:
            if (failed := _translate(error, self._path)) is None:
                raise
            self._failure = (self._clock(), failed)
            raise failed from error
        except MemoryUnavailableError as error:
            self._failure = (self._clock(), error)
            raise
        self._failure = None
        return self._connection

    def _connect(self) -> sqlite3.Connection:
        if not writable(self._path) and self._path.exists():
            return self._connect_to_read()
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._path.touch(mode=0o600)
        # Known before it is opened: should it be replaced in between, the next use notices.
        database = identify(self._path)
        connection = sqlite3.connect(self._path, timeout=BUSY_SECONDS, isolation_level=None)
        try:
            connection.text_factory = decoded
            self._refuse_newer(connection)
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute("PRAGMA temp_store = MEMORY")
            use_write_ahead_log(connection)
            self._migrate(connection)
            if self._mend is not None:
                self._mend(connection)
        except BaseException:
            connection.close()
            raise
        self._open = OpenFiles.at(self._path, database)
        return connection

    def _connect_to_read(self) -> sqlite3.Connection:
        """Open a file that must not be written to, as far as it can be read."""
        database = identify(self._path)
        log = self._path.with_name(f"{self._path.name}-wal")
        # Without a log there is nothing beside the file, and SQLite shall not make anything there.
        alone = "" if log.exists() and log.stat().st_size else "&immutable=1"
        connection = sqlite3.connect(
            f"{self._path.absolute().as_uri()}?mode=ro{alone}",
            timeout=BUSY_SECONDS,
            isolation_level=None,
            uri=True,
        )
        try:
            connection.text_factory = decoded
            self._refuse_newer(connection)
            if _version(connection) < len(self._migrations):
                raise MemoryUnavailableError(
                    f"{self._path} is of an older release and cannot be written to", cause="io"
                )
        except BaseException:
            connection.close()
            raise
        self._open = OpenFiles(self._path, database)
        return connection

    def _migrate(self, connection: sqlite3.Connection) -> None:
        if _version(connection) == len(self._migrations):
            return
        connection.execute("BEGIN IMMEDIATE")
        try:
            # Read again: another process may have been first.
            self._refuse_newer(connection)
            for migration in self._migrations[_version(connection) :]:
                migration(connection)
            connection.execute(f"PRAGMA user_version = {len(self._migrations)}")
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise

    def _refuse_newer(self, connection: sqlite3.Connection) -> None:
        version, known = _version(connection), len(self._migrations)
        if version > known:
            raise MemoryUnavailableError(
                f"{self._path} has schema {version}, this release knows {known}: "
                "it was written by a newer one. Upgrade, or set CLOCHE_HOME to another folder.",
                cause="future_schema",
            )

    def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()


def to_micros(at: datetime) -> int:
    """An instant as whole microseconds since 1970, which compare as the instants do.

    Raises:
        ValueError: it has no time zone.
    """
    if at.utcoffset() is None:
        raise ValueError(f"{at} has no time zone")
    return (at - _EPOCH) // _MICROSECOND


def from_micros(micros: int) -> datetime:
    """The instant, in UTC."""
    return _EPOCH + micros * _MICROSECOND


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def use_write_ahead_log(connection: sqlite3.Connection, seconds: float = BUSY_SECONDS) -> None:
    """Switch the journal; SQLite does not wait here when another process does the same."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
            if time.monotonic() > deadline:
                raise
            time.sleep(0.005)
        else:
            return


def _translate(error: sqlite3.Error | OSError, path: Path) -> MemoryUnavailableError | None:
    """What a store says; None for an error that is no state of the file but a fault of ours."""
    if isinstance(error, OSError):
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        return MemoryUnavailableError(f"{path}: {error}", cause="disk_full" if full else "io")
    code = getattr(error, "sqlite_errorcode", None)
    cause = _CAUSES.get(code & 0xFF) if isinstance(code, int) else None
    return MemoryUnavailableError(f"{path}: {error}", cause=cause) if cause else None
