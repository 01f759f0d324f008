"""Which chats of one owner run on this machine: the first goes on with what was left.

Several may run side by side, each with messages of its own in the inbox. Only a chat that is alone
may take a message there for one that a killed chat left.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import TracebackType


class ChatLock:
    """Held while a chat runs; the system gives it back however the process ends."""

    def __init__(self, path: Path) -> None:
        """Take the lock's file, whose folder is there."""
        self._path = path
        self._file = -1
        self.alone = False

    def __enter__(self) -> ChatLock:
        """Take the lock; ``alone`` tells whether no other chat holds it.

        The next chat waits until ``share``, so that both cannot be alone.
        """
        self._file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        if sys.platform == "win32":  # has no lock that several can hold
            self.alone = True
            return self
        import fcntl

        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self.alone = True
        except BlockingIOError:
            fcntl.flock(self._file, fcntl.LOCK_SH)
        return self

    def share(self) -> None:
        """Let other chats begin: what was left has been taken over."""
        if sys.platform != "win32":
            import fcntl

            fcntl.flock(self._file, fcntl.LOCK_SH)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Give it back."""
        os.close(self._file)
