"""Files in a folder of this machine: one folder per actor, one per area, links never followed."""

from __future__ import annotations

import asyncio
import errno
import os
import secrets
import shutil
import stat
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from cloche.durable import private, sync_folder
from cloche.errors import MemoryUnavailableError
from cloche.workspace.locking import locked
from cloche.workspace.names import checked_key, folder_of, is_key
from cloche.workspace.store import Content, StoredFile

ALONE_SECONDS: Final = 30.0
"""Whoever changes a person's files waits so long for another process that does."""
_PART: Final = ".part"
_READ: Final = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)  # somebody may have put a pipe there
    | getattr(os, "O_BINARY", 0)
)


class FolderFiles:
    """Keeps files below a folder (``FileStore``). Made without touching the disk."""

    def __init__(self, root: Path) -> None:
        """Take the folder; it is made with the first file."""
        self.root = root

    async def put(self, actor: str, key: str, data: bytes) -> str:
        """Keep a file; see ``FileStore``."""
        return await asyncio.to_thread(self._put, actor, key, data)

    async def get(
        self, actor: str, key: str, *, known: str = "", strict: bool = False
    ) -> Content | None:
        """A file's content, or None; a link or anything else that is no file is none."""
        return await asyncio.to_thread(self._get, actor, key, known)

    async def list(self, actor: str, *, strict: bool = False) -> Sequence[StoredFile]:
        """All of an actor's files, by key."""
        return await asyncio.to_thread(self._list, actor)

    def path(self, actor: str, key: str) -> Path | None:
        """Where a file lies."""
        area, name = self._area(actor, key)
        return area / name if (area / name).is_file() else None

    def alone(self, actor: str) -> AbstractAsyncContextManager[None]:
        """Nobody else changes an actor's files on this machine meanwhile.

        A few people share a lock: its file tells nobody, and stays when they are forgotten.
        """
        locks = self.root.with_name(f"{self.root.name}.locks")
        return locked(locks / f"{folder_of(actor)[:2]}.lock", ALONE_SECONDS)

    async def delete(self, actor: str, key: str) -> None:
        """Remove a file for good, if it is there."""
        await asyncio.to_thread(self._delete, actor, key)

    async def forget(self, actor: str) -> None:
        """Remove all of an actor's files for good, half-written ones too."""
        await asyncio.to_thread(self._forget, actor)

    async def close(self) -> None:
        """Nothing is held."""

    def _put(self, actor: str, key: str, data: bytes) -> str:
        area, name = self._area(actor, key)
        with _told(area):
            for folder in (self.root, area.parent, area):  # `parents` would not be private
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            _refuse_links(area)
            part = area / f".{secrets.token_hex(8)}{_PART}"
            try:
                with open(part, "xb", opener=private) as file:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
                part.replace(area / name)
            finally:
                part.unlink(missing_ok=True)
            sync_folder(area)
            return _version(os.lstat(area / name))

    def _get(self, actor: str, key: str, known: str) -> Content | None:
        area, name = self._area(actor, key)
        with _told(area):
            try:
                _refuse_links(area)
                descriptor = os.open(area / name, _READ)
            except (FileNotFoundError, NotADirectoryError):
                return None
            except OSError as error:
                if error.errno in (errno.ELOOP, errno.ENXIO):
                    return None
                raise
            with open(descriptor, "rb") as file:
                found = os.fstat(descriptor)
                if not stat.S_ISREG(found.st_mode):
                    return None
                version = _version(found)
                return Content(version, None if version == known else file.read())

    def _list(self, actor: str) -> Sequence[StoredFile]:
        folder = self.root / folder_of(actor)
        found = []
        with _told(folder):
            for area in _entries(folder):
                if area.is_dir(follow_symlinks=False):
                    found += [
                        file
                        for entry in _entries(Path(area.path))
                        if (file := _stored(area.name, entry)) is not None
                    ]
        return sorted(found, key=lambda file: file.key)

    def _delete(self, actor: str, key: str) -> None:
        area, name = self._area(actor, key)
        with _told(area):
            try:
                _refuse_links(area)
                (area / name).unlink()
            except (FileNotFoundError, NotADirectoryError):
                return
            sync_folder(area)

    def _forget(self, actor: str) -> None:
        folder = self.root / folder_of(actor)
        with _told(folder):
            if folder.is_symlink():
                folder.unlink()
            elif folder.exists():
                shutil.rmtree(folder)
                sync_folder(self.root)

    def _area(self, actor: str, key: str) -> tuple[Path, str]:
        folder = self.root / folder_of(actor)
        area, name = checked_key(key)
        return folder / area, name


def _refuse_links(area: Path) -> None:
    """Only folders of our own making are gone into.

    Raises:
        OSError: one is a link.
    """
    if area.is_symlink() or area.parent.is_symlink():
        raise OSError(errno.ELOOP, "a link stands where a folder of people's files should", area)


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    if folder.is_symlink():
        return
    try:
        with os.scandir(folder) as entries:
            yield from entries
    except (FileNotFoundError, NotADirectoryError):
        return


def _stored(area: str, entry: os.DirEntry[str]) -> StoredFile | None:
    # Some systems give names back in the other spelling of Unicode.
    key = f"{area}/{unicodedata.normalize('NFC', entry.name)}"
    if not is_key(key):
        return None
    try:
        found = entry.stat(follow_symlinks=False)
    except FileNotFoundError:  # removed meanwhile
        return None
    if not stat.S_ISREG(found.st_mode):
        return None
    return StoredFile(
        key, found.st_size, datetime.fromtimestamp(found.st_mtime, UTC), _version(found)
    )


def _version(found: os.stat_result) -> str:
    return f"{found.st_ino:x}-{found.st_mtime_ns:x}-{found.st_size:x}"


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """What the system refuses, in our words.

    Raises:
        MemoryUnavailableError: it refused.
    """
    try:
        yield
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        raise MemoryUnavailableError(
            f"{path}: {error.strerror or type(error).__name__}",
            cause="disk_full" if full else "io",
        ) from error
