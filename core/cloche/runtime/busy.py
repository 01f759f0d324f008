"""Whether anything is under way, and since when that is so: what ``/ping`` tells.

Told from the host's thread and read on the server's: one lock, and one value that is replaced.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock


@dataclass(frozen=True, slots=True)
class Status:
    """Busy or not, and the second since 1970 at which that began."""

    busy: bool
    since: float

    @property
    def document(self) -> dict[str, object]:
        """The body of ``/ping``."""
        status = "HealthyBusy" if self.busy else "Healthy"
        return {"status": status, "time_of_last_update": int(self.since)}


class Busy:
    """Counts what is under way in each part of the process.

    Attributes:
        status: As it is now; another object only when it changes.
    """

    def __init__(self, seconds: Callable[[], float] = time.time) -> None:
        """Begin with nothing under way; ``seconds`` tells the seconds since 1970."""
        self._seconds = seconds
        self._lock = Lock()
        self._counts: dict[str, int] = {}
        self.status = Status(False, seconds())

    def tell(self, part: str, number: int) -> None:
        """So much is under way in a part."""
        with self._lock:
            self._counts[part] = number
            self._see()

    @contextmanager
    def doing(self, part: str) -> Iterator[None]:
        """One more is under way in a part for as long as the block runs."""
        self._add(part, 1)
        try:
            yield
        finally:
            self._add(part, -1)

    def _add(self, part: str, number: int) -> None:
        with self._lock:
            self._counts[part] = self._counts.get(part, 0) + number
            self._see()

    def _see(self) -> None:
        busy = any(self._counts.values())
        if busy != self.status.busy:
            self.status = Status(busy, self._seconds())
