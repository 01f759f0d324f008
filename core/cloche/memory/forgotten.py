"""When a person last had everything forgotten: no turn begun before that writes after it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Final
from weakref import WeakValueDictionary

from cloche.clock import Clock
from cloche.errors import MemoryUnavailableError
from cloche.sqlite import from_micros, to_micros
from cloche.state.store import StateStore

KEPT: Final = timedelta(days=1)
"""A message that came before is answered by then."""


class Forgotten:
    """Keeps the instants, and has writing and forgetting of one person wait for each other."""

    def __init__(self, state: StateStore, clock: Clock) -> None:
        """Take where other processes read the instants."""
        self._state, self._clock = state, clock
        self._at: dict[str, datetime] = {}
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def alone(self, actor: str) -> AsyncIterator[None]:
        """Wait until nobody else in this process writes or forgets what is a person's."""
        lock = self._locks.setdefault(actor, asyncio.Lock())
        async with lock:
            yield

    async def mark(self, actor: str) -> None:
        """Everything of a person is forgotten from now on.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        now = self._clock()
        await self._state.put(f"forgotten/{actor}", to_micros(now), ttl=KEPT)
        self._at[actor] = now

    async def covers(self, actor: str, at: datetime) -> bool:
        """Whether everything was forgotten after an instant; never fails."""
        if (known := self._at.get(actor)) and at < known:
            return True
        try:
            item = await self._state.get(f"forgotten/{actor}")
        except MemoryUnavailableError:
            return False
        return item is not None and isinstance(item.value, int) and at < from_micros(item.value)
