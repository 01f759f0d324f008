"""Conversations whose platform gave them a new id: one name for memory, another to send to.

``moved/<channel>/<conversation id>`` holds each move. The first id stays the name by which
everything is kept; what is sent goes to the newest.
"""

from __future__ import annotations

import logging
from typing import Final

from cloche.ids import conversation_id
from cloche.messages import of_place, place_of
from cloche.state.store import StateStore

logger = logging.getLogger(__name__)

PAGE: Final = 500


class Moves:
    """One channel's moves; known in the process from ``load`` on."""

    def __init__(self, channel: str, state: StateStore) -> None:
        """Take the channel's name and where moves are kept."""
        self._channel, self._state = channel, state
        self._to: dict[str, str] = {}
        self._from: dict[str, str] = {}

    async def load(self) -> None:
        """Read what is kept.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        after, prefix = "", f"moved/{self._channel}/"
        while page := await self._state.list_items(prefix, after=after, limit=PAGE):
            after = page[-1].key
            for item in page:
                match item.value:
                    case {"old": str(old), "new": str(new)}:
                        self._to[old], self._from[new] = new, old

    async def move(self, old: str, new: str) -> None:
        """Keep that a conversation has a new id.

        Raises:
            MemoryUnavailableError: the store is away; nothing has changed.
        """
        if self.newest(old) == new:
            return
        if self.first(old) == self.first(new):
            logger.warning("channel=%s | a conversation that moves back stays", self._channel)
            return
        key = f"moved/{self._channel}/{conversation_id(self._channel, old)}"
        await self._state.put(key, {"old": old, "new": new})
        self._to[old], self._from[new] = new, old

    def first(self, conversation: str) -> str:
        """The id a conversation had at first: the name everything of it is kept by."""
        return _follow(self._from, conversation)

    def newest(self, conversation: str) -> str:
        """The id a conversation has now."""
        return _follow(self._to, conversation)

    def names_of(self, place: str) -> tuple[str, ...]:
        """What a place is called by each id its conversation had, the first one first."""
        conversation, thread = of_place(place)
        ids = [self.first(conversation)]
        while (later := self._to.get(ids[-1])) and later not in ids:
            ids.append(later)
        return tuple(place_of(id_, thread) for id_ in ids)


def _follow(steps: dict[str, str], conversation: str) -> str:
    seen = set()
    while conversation in steps and conversation not in seen:
        seen.add(conversation)
        conversation = steps[conversation]
    return conversation
