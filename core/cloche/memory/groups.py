"""A group's recent words: a short ring per conversation, so that a turn knows what was said.

Each entry keeps who wrote it, so that forgetting a person takes their words out of every ring.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Final, TypeAlias

from cloche.prompt import GroupLine
from cloche.state.store import Json, StateStore

RING: Final = 20
KEPT: Final = timedelta(days=2)
MAX_CHARS: Final = 500
"""Longer words of others are shortened: they are context, not the message to answer."""


Change: TypeAlias = "Callable[[dict[str, Json]], dict[str, Json] | None]"
"""What becomes of an entry; None = it goes."""


class GroupWords:
    """The rings of all groups, in the StateStore."""

    def __init__(self, state: StateStore) -> None:
        """Take the store the rings lie in."""
        self._state = state

    async def recent(self, conversation: str, actor: str) -> tuple[GroupLine, ...]:
        """What was written lately, oldest first; of ``actor`` what was said to others only.

        What they said to the assistant stands among the session's turns already.
        """
        item = await self._state.get(_key(conversation))
        return tuple(
            GroupLine(str(entry["name"]), str(entry["text"]), own=entry["actor"] == actor)
            for entry in _entries(item.value if item else None)
            if entry["actor"] != actor or entry.get("overheard") is True
        )

    async def add(
        self, conversation: str, actor: str, name: str, text: str, *, overheard: bool = False
    ) -> None:
        """Append somebody's words and drop what is too old to matter."""
        entry: dict[str, Json] = {"actor": actor, "name": name, "text": text[:MAX_CHARS]}
        if overheard:
            entry["overheard"] = True
        while True:
            item = await self._state.get(_key(conversation))
            entries = [*_entries(item.value if item else None), entry][-RING:]
            version = item.version if item else 0
            if await self._state.compare_and_set(
                _key(conversation), list(entries), version=version, ttl=KEPT
            ):
                return

    async def forget(self, actor: str, which: Callable[[str], bool] = lambda words: True) -> int:
        """Take a person's words, or which of them, out of every ring; how many entries that were.

        ``which`` is asked with the words as they stand there: shortened where they were long.
        """

        def without(entry: dict[str, Json]) -> dict[str, Json] | None:
            return None if which(str(entry.get("text", ""))) else entry

        return await self._change(actor, without)

    async def rename(self, actor: str, other: str) -> int:
        """Have a person's words in every ring be another actor's; how many entries that were."""
        return await self._change(actor, lambda entry: {**entry, "actor": other})

    async def _change(self, actor: str, change: Change) -> int:
        """Change an actor's entries in every ring; how many of them changed or went."""
        changed, after = 0, ""
        while page := await self._state.list_items("group/", after=after):
            after = page[-1].key
            for item in page:
                if item.key.endswith("/ring"):
                    changed += await self._change_in(item.key, actor, change)
        return changed

    async def _change_in(self, key: str, actor: str, change: Change) -> int:
        while item := await self._state.get(key):
            old = _entries(item.value)
            new = [change(entry) if entry["actor"] == actor else entry for entry in old]
            changed = sum(a != b for a, b in zip(old, new, strict=True))
            kept: list[Json] = [entry for entry in new if entry is not None]
            if not changed:
                return 0
            if await self._state.compare_and_set(key, kept, version=item.version, ttl=KEPT):
                return changed
        return 0


def _key(conversation: str) -> str:
    return f"group/{conversation}/ring"


def _entries(value: Json) -> list[dict[str, Json]]:
    if not isinstance(value, list):
        return []
    return [entry for entry in value if isinstance(entry, dict) and "actor" in entry]
