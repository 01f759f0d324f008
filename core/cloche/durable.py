"""Files that are whole and on disk when a function returns, whatever is killed when."""

from __future__ import annotations

import os
from pathlib import Path


def append_durably(path: Path, lines: bytes) -> None:
    """Add whole lines to a file; they are on disk when this returns.

    Raises:
        OSError: they cannot be written.
    """
    with open(path, "a+b", opener=private) as file:
        if file.seek(0, os.SEEK_END):
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b"\n":
                # A crash cut the last line: what comes now must not be joined to it.
                file.write(b"\n")
        file.write(lines)
        file.flush()
        os.fsync(file.fileno())
    sync_folder(path.parent)


def replace_durably(path: Path, content: bytes) -> None:
    """Swap a file's content in one step; no content, no file.

    Raises:
        OSError: it cannot be written.
    """
    new = rewritten(path)
    if content:
        with open(new, "wb", opener=private) as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    else:
        path.unlink(missing_ok=True)
        new.unlink(missing_ok=True)
    sync_folder(path.parent)


def rewritten(path: Path) -> Path:
    """Where the new content lies until it takes the file's place."""
    return path.with_name(f"{path.name}.new")


def private(path: str, flags: int) -> int:
    """An ``opener`` of files that only their owner can read."""
    return os.open(path, flags, 0o600)


def sync_folder(folder: Path) -> None:
    """Make new or renamed files' names durable, where the system knows how.

    Raises:
        OSError: the folder cannot be read.
    """
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
