"""One process serves a channel of an assistant: two would both recover what waits."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

from filelock import FileLock, Timeout

from cloche.errors import SettingsError


class ServedOnce:
    """A lock that the system gives back when its process ends, however that ends."""

    def __init__(self, path: Path, channel: str) -> None:
        """Take the lock's file; its folder is made on demand."""
        self._path, self._channel = path, channel
        self._lock = FileLock(path)
        # Beside it: who waits for a lock may not be able to read its file.
        self._note = path.with_name(f"{path.name}.pid")

    def acquire(self) -> None:
        """Take the lock.

        Raises:
            SettingsError: another process has it, or the file cannot be made.
        """
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock.acquire(timeout=0)
        except Timeout as error:
            raise SettingsError(
                f"{self._channel} is served by another process already: {self._who()}, "
                f"{self._path}. End that one first."
            ) from error
        except OSError as error:
            raise SettingsError(f"{self._path} cannot be made: {error.strerror}.") from error
        with suppress(OSError):  # only for the one who is refused
            self._note.write_text(f"process {os.getpid()}", encoding="utf-8")

    def _who(self) -> str:
        """Which process has it, as it noted itself."""
        with suppress(OSError, UnicodeDecodeError):
            if found := re.match(r"process \d{1,10}$", self._note.read_text(encoding="utf-8")):
                return found[0]
        return "one that cannot be told"

    def release(self) -> None:
        """Give the lock back."""
        self._lock.release()
