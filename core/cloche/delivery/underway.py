"""How much is under way in each place, and waiting for the end of it without polling."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable

from cloche.messages import of_place


class Underway:
    """Counts what was accepted and is not over: messages, replies, what follows."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._counts: Counter[str] = Counter()
        self._waiting: list[tuple[str | None, asyncio.Future[None]]] = []
        self._watchers: list[Callable[[int], None]] = []
        self.total = 0

    def watch(self, changed: Callable[[int], None]) -> None:
        """Have something told the total whenever it changes."""
        self._watchers.append(changed)

    def add(self, place: str, number: int = 1) -> None:
        """So much more is under way."""
        self._counts[place] += number
        self.total += number
        self._tell()

    def remove(self, place: str, number: int = 1) -> None:
        """So much is over."""
        self._counts[place] -= number
        self.total -= number
        self._tell()
        if self._counts[place] <= 0:
            del self._counts[place]
            self._wake()

    def is_busy(self, conversation: str) -> bool:
        """Whether anything is under way in any place of a conversation."""
        return any(n > 0 and of_place(name)[0] == conversation for name, n in self._counts.items())

    async def none(self, place: str | None = None) -> None:
        """Return when nothing is under way in a place; None = anywhere."""
        while self._is_busy(place):
            over = asyncio.get_running_loop().create_future()
            self._waiting.append((place, over))
            await over

    def _tell(self) -> None:
        for changed in self._watchers:
            changed(self.total)

    def _is_busy(self, place: str | None) -> bool:
        return bool(self.total if place is None else self._counts[place])

    def _wake(self) -> None:
        still = []
        for place, over in self._waiting:
            if self._is_busy(place):
                still.append((place, over))
            elif not over.done():
                over.set_result(None)
        self._waiting = still
