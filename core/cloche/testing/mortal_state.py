"""A state store whose process dies at a write, on a disk that outlives it."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from cloche.errors import MemoryUnavailableError
from cloche.state.store import Json, StateItem
from cloche.testing.clock import FakeClock


@dataclass
class Disk:
    """What outlives a process: the items of its store."""

    items: dict[str, StateItem] = field(default_factory=dict)


class MortalState:
    """One life of a store: it ends at its nth write, before that is on the disk or right after.

    What is asked of it from then on never returns, as in a process that was killed.

    Attributes:
        died: Set when its process died.
        away: So many writes fail yet, because the disk is full.
    """

    def __init__(
        self, disk: Disk, clock: FakeClock, *, dies_at: int | None = None, after: bool = False
    ) -> None:
        """Take the disk and when it dies.

        Args:
            disk: Where the items are.
            clock: The present instant, for what expires.
            dies_at: At which write, from 1; None = never.
            after: True = that write is on the disk yet.
        """
        self._disk, self._clock, self._left, self._after = disk, clock, dies_at, after
        self.died = asyncio.Event()
        self.away = 0

    async def claim(self, key: str, *, ttl: timedelta) -> bool:
        """As ``StateStore.claim``."""
        return await self.compare_and_set(key, True, version=0, ttl=ttl) is not None

    async def get(self, key: str) -> StateItem | None:
        """As ``StateStore.get``."""
        await self._alive()
        return self._live(key)

    async def put(self, key: str, value: Json, *, ttl: timedelta | None = None) -> StateItem:
        """As ``StateStore.put``."""
        await self._alive()
        old = self._live(key)
        return await self._write(key, value, old.version if old else 0, ttl)

    async def compare_and_set(
        self, key: str, value: Json, *, version: int, ttl: timedelta | None = None
    ) -> StateItem | None:
        """As ``StateStore.compare_and_set``."""
        await self._alive()
        old = self._live(key)
        if (old.version if old else 0) != version:
            return None
        return await self._write(key, value, version, ttl)

    async def increment(self, key: str, by: int = 1, *, ttl: timedelta | None = None) -> int:
        """As ``StateStore.increment``."""
        await self._alive()
        old = self._live(key)
        count = (old.value if old and isinstance(old.value, int) else 0) + by
        await self._write(key, count, old.version if old else 0, ttl)
        return count

    async def list_items(
        self, prefix: str, *, after: str = "", limit: int = 100
    ) -> Sequence[StateItem]:
        """As ``StateStore.list_items``."""
        await self._alive()
        keys = sorted(key for key in self._disk.items if key.startswith(prefix) and key > after)
        return [item for key in keys if (item := self._live(key))][:limit]

    async def delete(self, key: str) -> bool:
        """As ``StateStore.delete``; no write in the count of ``dies_at``."""
        await self._alive()
        return self._disk.items.pop(key, None) is not None

    async def delete_prefix(self, prefix: str) -> int:
        """As ``StateStore.delete_prefix``; no write in the count of ``dies_at``."""
        await self._alive()
        keys = [key for key in self._disk.items if key.startswith(prefix)]
        for key in keys:
            del self._disk.items[key]
        return len(keys)

    async def close(self) -> None:
        """Nothing is held."""

    async def _alive(self) -> None:
        await asyncio.sleep(0)
        if self.died.is_set():
            await asyncio.Event().wait()

    def _live(self, key: str) -> StateItem | None:
        item = self._disk.items.get(key)
        now = self._clock()
        return item if item and (item.expires_at is None or item.expires_at > now) else None

    async def _write(self, key: str, value: Json, version: int, ttl: timedelta | None) -> StateItem:
        if self.away:
            self.away -= 1
            raise MemoryUnavailableError("the disk is full", cause="disk_full")
        if self._left is not None:
            self._left -= 1
        if self._left == 0 and not self._after:
            await self._die()
        expires = None if ttl is None else self._clock() + ttl
        item = StateItem(key, copy.deepcopy(value), version + 1, expires)
        self._disk.items[key] = item
        if self._left == 0:
            await self._die()
        return item

    async def _die(self) -> None:
        self.died.set()
        await self._alive()
