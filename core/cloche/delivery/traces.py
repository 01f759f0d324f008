"""What channels that no process has open left of people: rows of inbox and outbox in the store."""

from __future__ import annotations

from collections.abc import Callable, Collection

from cloche.delivery.inbox import DONE, KEPT
from cloche.ids import actor_id
from cloche.messages import Address
from cloche.state.store import Json, StateStore

PAGE = 500


class StoredTraces:
    """Rows of all channels, whoever serves them."""

    def __init__(self, state: StateStore) -> None:
        """Take where they lie."""
        self._state = state

    async def forget(self, doors: Collection[str], tells: Callable[[str], bool]) -> int:
        """Drop edits that wait for people, and replies to them that are not sent.

        Args:
            doors: Actor ids of their addresses.
            tells: Whether words tell of what is forgotten.

        Returns:
            How many.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        dropped = 0
        for prefix, told in (("inbox/", _edit_tells), ("outbox/", _reply_tells)):
            after = ""
            while page := await self._state.list_items(prefix, after=after, limit=PAGE):
                after = page[-1].key
                for item in page:
                    if told(item.value, doors, tells):
                        dropped += 1
                        if prefix == "inbox/":
                            await self._state.put(item.key, DONE, ttl=KEPT)
                        else:
                            await self._state.delete(item.key)
        return dropped


def _edit_tells(value: Json, doors: Collection[str], tells: Callable[[str], bool]) -> bool:
    match value:
        case {"was": str(was), "message": {"channel": str(channel), "sender": str(sender), **rest}}:
            now = rest.get("text", "")
            theirs = actor_id(Address(channel, sender)) in doors
            return theirs and (tells(was) or tells(now if isinstance(now, str) else ""))
    return False


def _reply_tells(value: Json, doors: Collection[str], tells: Callable[[str], bool]) -> bool:
    match value:
        case {"door": str(door), "parts": [*parts]} if door in doors:
            texts = [part.get("text") for part in parts if isinstance(part, dict)]
            return any(tells(text) for text in texts if isinstance(text, str))
    return False
