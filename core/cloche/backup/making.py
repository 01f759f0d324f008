"""Backing up."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from cloche.backup.archive import FILES, Manifest, pack, part_of
from cloche.backup.copying import SECONDS, copy_all, schema_of
from cloche.errors import RequestError

WORK: Final = ".backup-"
"""Folders of work under way begin with this; they lie in the assistant's folder."""


def make_backup(folder: Path, assistant: str, target: Path, at: datetime) -> Manifest:
    """Write everything an assistant keeps into one file, while it may be running.

    A process that is killed in between leaves no archive; what it left is removed by the next.

    Args:
        folder: ``CLOCHE_HOME/<assistant>``.
        assistant: Its name.
        target: The archive; nothing may be there.
        at: The present instant.

    Raises:
        RequestError: there is nothing to back up, something is at the target, a file is damaged,
            or the archive cannot be written.
    """
    if target.exists():
        raise RequestError(f"{target} is there already: name another file.")
    if not any((folder / name).exists() for name in FILES):
        raise RequestError(f"{assistant} keeps nothing yet in {folder}: nothing to back up.")
    try:
        with alone(folder), working_folder(folder) as work:
            copy_all(folder, work)
            parts = [
                part_of(work / name, schema_of(work / name) if name.endswith(".db") else 0)
                for name in FILES
                if (work / name).exists()
            ]
            manifest = Manifest(assistant, at, tuple(parts))
            pack(manifest, work, target)
    except OSError as error:
        raise RequestError(f"{target} cannot be written: {error.strerror or error}.") from error
    return manifest


@contextmanager
def alone(folder: Path, seconds: float = SECONDS) -> Iterator[None]:
    """One backup or restore of an assistant at a time.

    Raises:
        RequestError: another one is under way.
    """
    try:
        with FileLock(folder / "backup.lock", timeout=seconds):
            yield
    except Timeout as error:
        raise RequestError("another backup or restore is under way: try again later.") from error


@contextmanager
def working_folder(folder: Path) -> Iterator[Path]:
    """A private folder that is gone afterwards; what killed processes left goes first."""
    for left in folder.glob(f"{WORK}*"):
        shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix=WORK, ignore_cleanup_errors=True) as made:
        yield Path(made)
