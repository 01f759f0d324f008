"""Where something was due while nobody could be reached: the next machine tells it.

A service fires once. Where each conversation has a machine of its own, the one that a person writes
to when they are back is another one, which has seen nobody leave.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from cloche.runtime.session import message_group
from cloche.state.store import StateStore

KEPT: Final = timedelta(days=90)
"""Whoever is away for longer is told what is due by the next schedule that fires."""


class Untold:
    """Conversations where something due was not told, in the StateStore.

    Every method raises ``MemoryUnavailableError`` when the store is away.
    """

    def __init__(self, state: StateStore) -> None:
        """Take the store; only where machines share it anything is kept."""
        self._state = state
        self._looked: set[str] = set()

    async def note(self, channel: str, conversation: str) -> None:
        """Nobody could be reached in a conversation."""
        if self._state.shared:
            await self._state.put(_key(channel, conversation), True, ttl=KEPT)

    async def is_noted(self, channel: str, conversation: str) -> bool:
        """Whether that was so; once it is not, this machine would be the one to know."""
        key = _key(channel, conversation)
        if not self._state.shared or key in self._looked:
            return False
        if await self._state.get(key) is not None:
            return True
        self._looked.add(key)
        return False

    async def told(self, channel: str, conversation: str) -> None:
        """It is told now."""
        if self._state.shared:
            await self._state.delete(_key(channel, conversation))


def _key(channel: str, conversation: str) -> str:
    return f"due-untold/{message_group(channel, conversation)}"
