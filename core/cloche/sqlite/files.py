"""The files of an open SQLite database: whether they are still the ones their names stand for.

A program that holds a file open goes on writing into it after somebody deletes it or puts another
in its place, and everything is lost without a sign.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

Identity = tuple[int, int]
"""Device and inode."""


@dataclass(frozen=True, slots=True)
class OpenFiles:
    """What a connection has open.

    Attributes:
        path: The database.
        database: Which file it was when it was opened.
        companions: Which files its write-ahead log and its index were.
    """

    path: Path
    database: Identity | None
    companions: tuple[tuple[Path, Identity], ...] = ()

    @classmethod
    def at(cls, path: Path, database: Identity | None) -> OpenFiles:
        """The files of a connection that has just read for the first time."""
        beside = (path.with_name(f"{path.name}{end}") for end in ("-wal", "-shm"))
        return cls(
            path,
            database,
            tuple((one, identity) for one in beside if (identity := identify(one))),
        )

    @property
    def in_place(self) -> bool:
        """True as long as the path leads to the file that is open."""
        return identify(self.path) == self.database

    def discard_companions(self) -> None:
        """Remove the log of a database that is gone: SQLite would apply it to the next one.

        Only while the connection is open, because an inode is not used again as long as it is;
        files that came with another database are not ours and stay.
        """
        for path, identity in self.companions:
            if identify(path) == identity:
                path.unlink(missing_ok=True)


def identify(path: Path) -> Identity | None:
    """Which file a path leads to; None when it leads to none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def writable(path: Path) -> bool:
    """True unless this process may not write to a file, or not beside it."""
    return os.access(path.parent, os.W_OK) and (not path.exists() or os.access(path, os.W_OK))


def decoded(data: bytes) -> str:
    """A stored text, also where a damaged one is no UTF-8."""
    return data.decode("utf-8", errors="replace")
