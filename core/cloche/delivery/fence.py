"""Rows that only whoever works on a conversation may write, each by the version it was read at.

A look at the lease alone is not enough: a machine may freeze between the look and the write.
"""

from __future__ import annotations

from datetime import timedelta

from cloche.delivery.leases import Leases
from cloche.errors import HeldElsewhereError
from cloche.state.store import Json, StateStore


class Fence:
    """Writes one channel's rows, and none that another machine has written since."""

    def __init__(self, state: StateStore, leases: Leases) -> None:
        """Take where rows are kept, and who knows whose a conversation is."""
        self._state, self._leases = state, leases

    async def write(
        self,
        conversation: str,
        key: str,
        value: Json,
        *,
        version: int,
        ttl: timedelta | None = None,
        tenure: int | None = None,
    ) -> int:
        """Write a row, and say its new version.

        Args:
            conversation: Whose row it is, by its first id.
            key: Where it lies.
            value: What it becomes.
            version: The one it is known by here; 0 = there is none.
            ttl: How long it is kept; None = for good.
            tenure: Since when the conversation must have been this machine's; None = whenever.

        Raises:
            HeldElsewhereError: another machine has it; nothing is written.
            MemoryUnavailableError: the store is away.
        """
        while True:
            item = await self._state.compare_and_set(key, value, version=version, ttl=ttl)
            if item is not None:
                return item.version
            # A write whose answer was lost, or what a machine left that has not been here since:
            # read before the lease is looked at, so that nobody's later write is written over.
            found = await self._state.get(key)
            if not await self._leases.still(conversation, tenure):
                raise HeldElsewhereError("another machine has taken over")
            if found is not None and found.value == value:
                return found.version
            version = found.version if found else 0
