"""Restoring: checked files are laid ready, which is the one step that counts, then put in place.

Whoever next has a part in what the assistant keeps (a process that runs, or one that is started)
completes what a killed process had laid ready but not finished, and first sets aside once more
what changed since. Databases are overwritten through SQLite, in one transaction each, so that
processes that have them open go on with what was restored.
"""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from cloche.backup.archive import DATABASES, FILES, SPOOL, Manifest, part_of, unpack
from cloche.backup.copying import (
    SECONDS,
    BusyError,
    busy,
    copy_all,
    copy_each,
    is_busy,
    patience,
    spool_held,
    wait_for_writers,
)
from cloche.backup.making import alone, working_folder
from cloche.backup.schemas import bring_up_to_date, unreadable_rows
from cloche.durable import sync_folder
from cloche.errors import RequestError
from cloche.sqlite import Migration, use_write_ahead_log

READY: Final = "restore-ready"
"""The folder of files laid ready; while it is there, a restore is to be completed."""
ASIDE: Final = "replaced"
"""Where the files lie that a restore replaced, in a folder per restore."""

MARGIN: Final = 10_000
"""Changes that may still be written between the look at the old file and its end."""
Migrations = Mapping[str, Sequence[Migration]]

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Restored:
    """What was put back.

    Attributes:
        manifest: What the archive says of itself.
        aside: Where what it replaced lies; None = there was nothing.
        unreadable: How many rows of which database cannot be read; they are passed over.
    """

    manifest: Manifest
    aside: Path | None
    unreadable: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Finished:
    """A restore that was completed later, and where what it replaced lies (None = nothing)."""

    aside: Path | None


def restore_backup(
    folder: Path, assistant: str, source: Path, at: datetime, *, migrations: Migrations
) -> Restored:
    """Put an archive's files in the place of an assistant's, while it may be running.

    Args:
        folder: ``CLOCHE_HOME/<assistant>``.
        assistant: Its name.
        source: The archive.
        at: The present instant; names the folder of what is replaced.
        migrations: What makes this release's schema, by the database's name: an older archive
            is brought to it before it is put in place, for whoever runs expects it.

    Raises:
        RequestError: the archive is damaged, another assistant's, or of a newer release; or the
            files cannot be written, or somebody else writes all the time. Nothing was changed.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with alone(folder), working_folder(folder) as work:
            _finish(folder, work, at)
            new = work / "new"
            new.mkdir(mode=0o700)
            manifest = unpack(source, new)
            _refuse(manifest, assistant)
            # What is not in the archive was not there: an empty one takes its place.
            for name in DATABASES:
                bring_up_to_date(new / name, migrations[name])
            unreadable = {name: n for name in DATABASES if (n := unreadable_rows(new / name))}
            aside = _keep_aside(folder, work, at)
            sync_folder(new)
            wait_for_writers(folder)
            new.rename(folder / READY)
            sync_folder(folder)
            try:
                _complete(folder)
            except BusyError:
                _take_back(folder, work)
                raise
    except OSError as error:
        raise RequestError(f"{source} cannot be restored: {error.strerror or error}.") from error
    return Restored(manifest, aside, unreadable)


def unfinished(folder: Path) -> bool:
    """True when a restore was laid ready and not completed; cheap enough to ask in every turn."""
    return (folder / READY).exists()


def finish_restore(folder: Path, at: datetime) -> Finished | None:
    """Complete a restore that a killed process had begun to put in place; None = there is none.

    Raises:
        RequestError: the files cannot be put in place.
    """
    if not unfinished(folder):
        return None
    try:
        with alone(folder), working_folder(folder) as work:
            return _finish(folder, work, at)
    except OSError as error:
        raise RequestError(
            f"a restore in {folder} cannot be completed: {error.strerror or error}."
        ) from error


async def finish_if_cut_off(folder: Path, at: datetime) -> None:
    """Complete a restore before something is said to what it replaces; never fails."""
    if unfinished(folder):
        try:
            await asyncio.to_thread(finish_restore, folder, at)
        except RequestError as error:
            logger.warning("%s", str(error))


def _finish(folder: Path, work: Path, at: datetime) -> Finished | None:
    """Complete what lies ready; what changed since it was laid there is kept aside first."""
    if not unfinished(folder):
        return None
    aside = _keep_aside(folder, work, at)
    _complete(folder)
    where = f"; what was there until now lies in {aside}" if aside else ""
    logger.warning("a restore that had been cut off was completed%s", where)
    return Finished(aside)


def _refuse(manifest: Manifest, assistant: str) -> None:
    if manifest.assistant != assistant:
        raise RequestError(f"this is a backup of {manifest.assistant}, not of {assistant}.")
    if not manifest.parts:
        raise RequestError("there is nothing in this backup.")


def _keep_aside(folder: Path, work: Path, at: datetime) -> Path | None:
    """Keep what is going to be replaced, unless it is kept already; where, None = nothing is there.

    Damaged files are kept as they are.
    """
    if not any((folder / name).exists() for name in FILES):
        return None
    old = work / "old"
    old.mkdir(mode=0o700)
    try:
        copy_all(folder, old)
    except BusyError:
        raise
    except RequestError as error:
        logger.info("kept aside as they are: %s", str(error))
        copy_each(folder, old)
    kept = sorted((folder / ASIDE).glob("*"))
    if there := next((one for one in reversed(kept) if _same(old, one)), None):
        shutil.rmtree(old)
        return there
    aside = folder / ASIDE / f"{at:%Y%m%dT%H%M%S%f}"
    number = 1
    while aside.exists():
        number += 1
        aside = aside.with_name(f"{at:%Y%m%dT%H%M%S%f}-{number}")
    aside.parent.mkdir(mode=0o700, exist_ok=True)
    old.rename(aside)
    return aside


def _same(one: Path, other: Path) -> bool:
    """True when two folders hold the same files."""
    names = {path.name for path in one.iterdir()}
    return (
        other.is_dir()
        and names == {path.name for path in other.iterdir()}
        and all((one / name).stat().st_size == (other / name).stat().st_size for name in names)
        and all(part_of(one / n, 0).sha256 == part_of(other / n, 0).sha256 for n in names)
    )


def _take_back(folder: Path, work: Path) -> None:
    """Have nothing lie ready any more."""
    (folder / READY).rename(work / "taken-back")
    sync_folder(folder)


def _outdate(folder: Path, new: Path) -> None:
    """Have running processes read anew what they hold of the old file.

    They ask for what changed since a number that only grows; what is restored must be above it.
    And nobody new gets a number that somebody else had in the old file.
    """
    counter = "SELECT coalesce(max(changes), 0) FROM actors"
    given = "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'actors'"
    try:
        with closing(sqlite3.connect(folder / DATABASES[0], timeout=SECONDS)) as connection:
            above = int(connection.execute(counter).fetchone()[0])
            last = int(connection.execute(given).fetchone()[0])
    except sqlite3.Error:
        above = last = 0  # there is none, or none that could be read
    with closing(sqlite3.connect(new / DATABASES[0], isolation_level=None)) as connection:
        connection.execute("BEGIN")
        connection.execute(
            "UPDATE actors SET changes = max(changes, ?) + 1, removed = max(changes, ?) + 1",
            (above + MARGIN, above + MARGIN),
        )
        last = max(last, int(connection.execute(given).fetchone()[0]))
        connection.execute("DELETE FROM sqlite_sequence WHERE name = 'actors'")
        connection.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('actors', ?)", (last,))
        connection.execute("COMMIT")


def _complete(folder: Path) -> None:
    """Put in place what lies ready; doing it again does no harm.

    Raises:
        BusyError: somebody writes all the time; nothing was put in place.
        OSError: it could not be put in place, or not all of it: the next one completes it.
    """
    ready, done = folder / READY, folder / f".backup-done-{os.getpid()}"
    placed = 0
    try:
        with spool_held(folder / SPOOL):
            _outdate(folder, ready)
            for name in DATABASES:
                _overwrite(folder / name, ready / name)
                placed += 1
            # Nobody can have written to it since the databases were replaced: it is held.
            if (ready / SPOOL).exists():
                shutil.copyfile(ready / SPOOL, ready / "spool.new")
                os.chmod(ready / "spool.new", 0o600)
                os.replace(ready / "spool.new", folder / SPOOL)
            else:
                (folder / SPOOL).unlink(missing_ok=True)
            sync_folder(folder)
            ready.rename(done)
            sync_folder(folder)
    except (TimeoutError, BusyError) as error:
        if not placed:
            raise busy(folder) from error
        raise OSError(
            "another process writes all the time; what is missing is put in place at the next start"
        ) from error
    shutil.rmtree(done, ignore_errors=True)


def _overwrite(path: Path, source: Path) -> None:
    try:
        with (
            closing(sqlite3.connect(source, isolation_level=None)) as new,
            closing(sqlite3.connect(path, timeout=1.0, isolation_level=None)) as old,
        ):
            os.chmod(path, 0o600)
            use_write_ahead_log(old, SECONDS)
            new.backup(old, progress=patience())
            old.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except sqlite3.DatabaseError as error:
        if is_busy(error):
            raise busy(path.parent) from error
        if error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
            raise OSError(f"{path.name}: {error}") from error
        # It is no database any more: nobody can have it in use.
        for end in ("-wal", "-shm"):
            path.with_name(path.name + end).unlink(missing_ok=True)
        fresh = path.with_name(f".{path.name}.new")
        shutil.copyfile(source, fresh)
        os.chmod(fresh, 0o600)
        os.replace(fresh, path)
