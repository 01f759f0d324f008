"""What a linked door had becomes its person's: once, and again from the start if it was cut off.

Everything is copied before anything is removed, and what is there already stays as it is, so a
move that a crash cut off is simply done again at the next start (``finish``).
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from typing import Final

from cloche.access.limits import Limits
from cloche.clock import Clock
from cloche.errors import MemoryUnavailableError
from cloche.links import Link, Links
from cloche.memory.pipeline import Memory
from cloche.memory.records import MemoryRecord, MetadataValue, Tag
from cloche.people import PersonSettings, person_prefix, settings_from_json
from cloche.state.store import Json, StateItem
from cloche.vocabulary import slug

logger = logging.getLogger(__name__)

PAGE: Final = 200
_LEFT: Final = (
    "session/",  # built anew, with what both know
    "labels/",  # settled anew with the records that carry them
    "forget-code",
    "link",  # a code the door was shown
    "spoke",
    "upkeep/",
    "screened-turn/",
    "reminder-room",
)
"""The host's own of a door that means nothing to its person."""
_MEANT_ALIKE: Final = ("settings", "in/", "used/", "truth/", "unsummarised/", "open/", "door/")
"""Where the person has the same key, theirs says it: nothing is lost by leaving the door's."""


@dataclass(frozen=True, slots=True)
class Moved:
    """How much became the person's."""

    events: int = 0
    records: int = 0
    items: int = 0


class Mover:
    """Moves what linked doors had."""

    def __init__(self, memory: Memory, links: Links, limits: Limits, clock: Clock) -> None:
        """Take every place that something of a person can lie in."""
        self._memory, self._links, self._limits = memory, links, limits
        self._clock = clock

    async def move(self, link: Link) -> Moved:
        """Make everything of a door its person's; run again, it does what is left.

        Raises:
            MemoryUnavailableError: a store is away; nothing is lost, ``finish`` does the rest.
        """
        memory, door, person = self._memory, link.door, link.person
        await memory.writer.catch_up()
        if await memory.writer.pending(door):
            raise MemoryUnavailableError("writes of a linked door wait", cause="locked")
        await self._events(door, person)
        await self._records(door, person)
        items = await self._items(door, person)
        await memory.files.move(door, person)
        await memory.reminders.refresh(person)
        # Again what a turn of the door wrote meanwhile: what is copied already stays as it is.
        moved = Moved(await self._events(door, person), await self._records(door, person), items)
        await memory.groups.rename(door, person)
        await self._limits.merge(door, person)
        await self._remove(door, person)
        await self._links.mark_moved(door)
        logger.info(
            "door=%s person=%s events=%d records=%d items=%d | moved what a linked door had",
            door,
            person,
            moved.events,
            moved.records,
            moved.items,
        )
        return moved

    async def finish(self) -> None:
        """Do what a crash cut off, or what was said while links could not be read; never fails."""
        try:
            for link in await self._links.all():
                if not link.moved or await self._left_behind(link.door):
                    await self.move(link)
        except MemoryUnavailableError as error:
            logger.warning("cause=%s | what a linked door had waits to be moved", error.cause)

    async def _left_behind(self, door: str) -> bool:
        store = self._memory.store
        return bool(await store.iterate_events(door, limit=1) or await store.iterate(door, limit=1))

    async def _events(self, door: str, person: str) -> int:
        store, moved, after = self._memory.store, 0, ""
        while page := await store.iterate_events(door, after=after, limit=PAGE):
            after = page[-1].id
            for event in page:
                await store.add_event(replace(event, actor=person))
            moved += len(page)
        return moved

    async def _records(self, door: str, person: str) -> int:
        store, moved, after = self._memory.store, 0, ""
        while page := await store.iterate(door, after=after, limit=PAGE):
            after = page[-1].id
            for record in page:
                metadata = await self._relabelled(record, person)
                await store.write(replace(record, actor=person, metadata=metadata))
            moved += len(page)
        return moved

    async def _relabelled(self, record: MemoryRecord, person: str) -> dict[str, MetadataValue]:
        """Open values under the ids they have with this person: a slug is told by its number."""
        vocabulary = self._memory.vocabulary
        metadata = dict(record.metadata)
        for key_id, value in metadata.items():
            if isinstance(value, tuple) and key_id in vocabulary and not vocabulary[key_id].closed:
                known = {one.id for one in vocabulary[key_id].values}
                metadata[key_id] = tuple(
                    tag if tag.id in known else Tag(slug(tag.label) or tag.id, tag.label)
                    for tag in value
                )
        return dict(await self._memory.keeper.labels.settle(person, metadata))

    async def _items(self, door: str, person: str) -> int:
        moved = 0
        async for item in self._state_of(door):
            rest = item.key.removeprefix(person_prefix(door))
            if not _is_one_of(rest, _LEFT):
                moved += await self._item(rest, item, door, person)
        return moved

    async def _item(self, rest: str, item: StateItem, door: str, person: str) -> bool:
        """Write one item as the person's; what they have already is kept, and the door's beside."""
        state = self._memory.state
        value = _entry_of(item.value, person) if rest.startswith("open/") else item.value
        ttl = None
        if item.expires_at is not None:
            ttl = item.expires_at - self._clock()
            if ttl.total_seconds() <= 0:
                return False
        key = person_prefix(person) + rest
        if await state.compare_and_set(key, value, version=0, ttl=ttl):
            return True
        if rest == "settings":
            await self._settings(value, key)
        if _is_one_of(rest, _MEANT_ALIKE):
            return False
        there = await state.get(key)
        if there is not None and there.value == value:
            return False
        beside = f"{person_prefix(person)}from/{door}/{rest}"
        return await state.compare_and_set(beside, value, version=0, ttl=ttl) is not None

    async def _settings(self, theirs: Json, key: str) -> None:
        """Language, zone, home and units of the door where the person chose none; no switch."""
        state, other = self._memory.state, settings_from_json(theirs)
        while item := await state.get(key):
            chosen: PersonSettings = settings_from_json(item.value)
            value: dict[str, Json] = dict(item.value) if isinstance(item.value, dict) else {}
            value["language"] = chosen.language or other.language
            value["time_zone"] = chosen.time_zone or other.time_zone
            value["units"] = chosen.units or other.units
            if not (chosen.place or chosen.town):
                value["town"] = other.town
                value |= {"place": other.place, "country": other.country}
                value |= {"latitude": other.latitude, "longitude": other.longitude}
            if await state.compare_and_set(key, value, version=item.version):
                return

    async def _remove(self, door: str, person: str) -> None:
        memory = self._memory
        memory.sessions.drop(door)
        await memory.store.forget(door)
        await memory.files.forget(door)
        await memory.reminders.forget(door)
        await memory.state.delete_prefix(person_prefix(door))
        # The person's session parts were built without what is theirs now.
        await memory.state.delete_prefix(f"{person_prefix(person)}session/")

    async def _state_of(self, door: str) -> AsyncIterator[StateItem]:
        after = ""
        while page := await self._memory.state.list_items(
            person_prefix(door), after=after, limit=PAGE
        ):
            after = page[-1].key
            for item in page:
                yield item


def _is_one_of(key: str, names: tuple[str, ...]) -> bool:
    return any(key.startswith(one) if one.endswith("/") else key == one for one in names)


def _entry_of(value: Json, person: str) -> Json:
    """A journal's entry, its event the person's."""
    event = value.get("event") if isinstance(value, dict) else None
    if isinstance(value, dict) and isinstance(event, dict):
        return {**value, "event": {**event, "actor": person}}
    return value
