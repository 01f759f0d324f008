"""Restoring: checked files are laid ready, which is the one step that counts, then put in place.

Whoever opens the assistant next completes what a killed process had laid ready but not finished.
Databases are overwritten through SQLite, in one transaction each, so that processes that have them
open go on with what was restored.
"""

from __future__ import annotations

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

from cloche.backup.archive import DATABASES, FILES, SPOOL, Manifest, sync_folder, unpack
from cloche.backup.copying import SECONDS, check, copy_all, schema_of, spool_held
from cloche.backup.making import alone, working_folder
from cloche.errors import RequestError
from cloche.sqlite import Migration

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
    """What was put back, and where what it replaced lies (None = there was nothing)."""

    manifest: Manifest
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
            files cannot be written. Nothing was changed.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with alone(folder), working_folder(folder) as work:
            _complete(folder)
            new = work / "new"
            new.mkdir(mode=0o700)
            manifest = unpack(source, new)
            _refuse(manifest, assistant, new, migrations)
            for name in DATABASES:
                _migrate(new / name, migrations[name])
            aside = _keep_aside(folder, work, at)
            _outdate(folder, new)
            sync_folder(new)
            new.rename(folder / READY)
            sync_folder(folder)
            _complete(folder)
    except OSError as error:
        raise RequestError(f"{source} cannot be restored: {error.strerror or error}.") from error
    return Restored(manifest, aside)


def finish_restore(folder: Path) -> None:
    """Complete a restore that a killed process had begun to put in place; else do nothing.

    Raises:
        RequestError: the files cannot be put in place.
    """
    if not (folder / READY).exists():
        return
    try:
        with alone(folder):
            _complete(folder)
    except OSError as error:
        raise RequestError(
            f"a restore in {folder} cannot be completed: {error.strerror or error}."
        ) from error


def _refuse(manifest: Manifest, assistant: str, new: Path, migrations: Migrations) -> None:
    if manifest.assistant != assistant:
        raise RequestError(f"this is a backup of {manifest.assistant}, not of {assistant}.")
    if not manifest.parts:
        raise RequestError("there is nothing in this backup.")
    for part in manifest.parts:
        if part.name not in DATABASES:
            continue
        check(new / part.name)
        schema = schema_of(new / part.name)
        known = len(migrations[part.name])
        if schema > known:
            raise RequestError(
                f"{part.name} in it has schema {schema}, this release knows {known}: "
                "it is of a newer release. Upgrade first."
            )


def _migrate(path: Path, migrations: Sequence[Migration]) -> None:
    if not path.exists():
        return
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        for migration in migrations[schema_of(path) :]:
            migration(connection)
        connection.execute(f"PRAGMA user_version = {len(migrations)}")
        connection.execute("COMMIT")


def _keep_aside(folder: Path, work: Path, at: datetime) -> Path | None:
    """Copies of what is going to be replaced; of damaged files, the files as they are."""
    if not any((folder / name).exists() for name in FILES):
        return None
    old = work / "old"
    old.mkdir(mode=0o700)
    try:
        copy_all(folder, old)
    except RequestError as error:
        logger.info("kept aside as they are: %s", error)
        for path in [*folder.glob("*.db"), *folder.glob("*.db-wal"), folder / SPOOL]:
            if path.is_file():
                shutil.copy2(path, old / path.name)
    aside = folder / ASIDE / f"{at:%Y%m%dT%H%M%S%f}"
    aside.parent.mkdir(mode=0o700, exist_ok=True)
    old.rename(aside)
    return aside


def _outdate(folder: Path, new: Path) -> None:
    """Have running processes read anew what they hold of the old file's vectors.

    They ask for what changed since a number that only grows; what is restored must be above it.
    """
    counter = "SELECT coalesce(max(changes), 0) FROM actors"
    try:
        with closing(sqlite3.connect(folder / DATABASES[0], timeout=SECONDS)) as connection:
            above = int(connection.execute(counter).fetchone()[0])
    except sqlite3.Error:
        above = 0  # there is none, or none that could be read
    if not (new / DATABASES[0]).exists():
        return
    with closing(sqlite3.connect(new / DATABASES[0], isolation_level=None)) as connection:
        connection.execute(
            "UPDATE actors SET changes = max(changes, ?) + 1, removed = max(changes, ?) + 1",
            (above + MARGIN, above + MARGIN),
        )


def _complete(folder: Path) -> None:
    """Put in place what lies ready; doing it again does no harm."""
    ready = folder / READY
    if not ready.exists():
        return
    with spool_held(folder / SPOOL):
        for name in DATABASES:
            if (ready / name).exists():
                _overwrite(folder / name, ready / name)
        # Nobody can have written to it since the databases were replaced: it is held.
        if (ready / SPOOL).exists():
            shutil.copyfile(ready / SPOOL, ready / "spool.new")
            os.chmod(ready / "spool.new", 0o600)
            os.replace(ready / "spool.new", folder / SPOOL)
        else:
            (folder / SPOOL).unlink(missing_ok=True)
        sync_folder(folder)
        done = folder / f".backup-done-{os.getpid()}"
        ready.rename(done)
        sync_folder(folder)
    shutil.rmtree(done, ignore_errors=True)


def _overwrite(path: Path, source: Path) -> None:
    try:
        with (
            closing(sqlite3.connect(source, isolation_level=None)) as new,
            closing(sqlite3.connect(path, timeout=SECONDS, isolation_level=None)) as old,
        ):
            os.chmod(path, 0o600)
            old.execute("PRAGMA journal_mode = WAL")
            new.backup(old)
            old.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
            raise OSError(f"{path.name}: {error}") from error
        # It is no database any more: nobody can have it in use.
        for end in ("-wal", "-shm"):
            path.with_name(path.name + end).unlink(missing_ok=True)
        fresh = path.with_name(f".{path.name}.new")
        shutil.copyfile(source, fresh)
        os.chmod(fresh, 0o600)
        os.replace(fresh, path)
