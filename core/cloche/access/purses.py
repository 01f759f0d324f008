"""Whose budget somebody's use counts against: who were one person today share one until it ends."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from cloche.state.store import StateStore

KEPT: Final = timedelta(days=3)


class Purses:
    """Which actors share a budget for a day, in the StateStore.

    ``access/purse/<day>/<actor>`` names the actor whose counters an actor's use goes to.
    """

    def __init__(self, state: StateStore) -> None:
        """Take where that is kept."""
        self._state = state

    async def of(self, actor: str, day: str) -> str:
        """The actor whose counters count; mostly itself.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        seen = [actor]
        while (item := await self._state.get(_key(seen[-1], day))) is not None:
            if not isinstance(item.value, str):
                break
            if item.value in seen:  # two processes at the same moment: one of them it must be
                return min(seen)
            seen.append(item.value)
        return seen[-1]

    async def share(self, door: str, person: str, day: str) -> str:
        """Have a door's use be counted with a person's for the rest of a day; whose counters count.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        purse = await self.of(person, day)
        if purse != door:
            await self._state.put(_key(door, day), purse, ttl=KEPT)
        return purse


def _key(actor: str, day: str) -> str:
    return f"access/purse/{day}/{actor}"
