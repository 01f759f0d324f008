"""A group's recent words: a short ring per conversation, so that a turn knows what was said.

Each entry keeps who wrote it, so that forgetting a person takes their words out of every ring.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from cloche.prompt import GroupLine
from cloche.state.store import Json, StateStore

RING: Final = 20
KEPT: Final = timedelta(days=2)
MAX_CHARS: Final = 500
"""Longer words of others are shortened: they are context, not the message to answer."""


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

    async def forget(self, actor: str) -> int:
        """Take a person's words out of every ring; how many entries that were."""
        return await self._replace(actor, None)

    async def rename(self, actor: str, other: str) -> int:
        """Have a person's words in every ring be another actor's; how many entries that were."""
        return await self._replace(actor, other)

    async def _replace(self, actor: str, other: str | None) -> int:
        """Another actor, or None, in the place of one."""
        changed, after = 0, ""
        while page := await self._state.list_items("group/", after=after):
            after = page[-1].key
            for item in page:
                if item.key.endswith("/ring"):
                    theirs = [e for e in _entries(item.value) if e["actor"] == actor]
                    changed += len(theirs)
                    if theirs:
                        await self._replace_in(item.key, actor, other)
        return changed

    async def _replace_in(self, key: str, actor: str, other: str | None) -> None:
        while item := await self._state.get(key):
            kept: list[Json] = [
                {**entry, "actor": other} if entry["actor"] == actor else entry
                for entry in _entries(item.value)
                if entry["actor"] != actor or other is not None
            ]
            if await self._state.compare_and_set(key, kept, version=item.version, ttl=KEPT):
                return


def _key(conversation: str) -> str:
    return f"group/{conversation}/ring"


def _entries(value: Json) -> list[dict[str, Json]]:
    if not isinstance(value, list):
        return []
    return [entry for entry in value if isinstance(entry, dict) and "actor" in entry]
