"""Reminders in the StateStore: on one machine its SQLite file, elsewhere whatever keeps state.

A reminder lies with what else is a person's, ``person/<actor>/reminders/<id>``, so that export,
forget, backup and links reach it. ``due/<channel>/<instant>/<id>/<actor>`` says which one is next,
and is written before what it points to: a process that dies in between leaves a pointer to nothing,
never a reminder that nothing points to. ``told/<instant>/<id>/<actor>`` says which one was over
after an instant, for a clock that turns out to have been ahead.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from cloche.clock import Clock
from cloche.reminders.keys import key_of, pointer_key, pointer_of, prefix_of, spelled, told_key
from cloche.reminders.reminder import MOST, Reminder, reminder_from_json, reminder_to_json
from cloche.reminders.room import Room
from cloche.reminders.store import TooManyRemindersError
from cloche.state.store import StateItem, StateStore

logger = logging.getLogger(__name__)

KEPT: Final = timedelta(days=7)
"""A reminder that is over can be put off for so long."""
AHEAD: Final = timedelta(minutes=10)
"""What was taken care of further in the future than this was so by a clock that ran ahead; clocks
of two machines differ by less."""
STALE: Final = timedelta(hours=1)
"""A pointer to nothing that is older was left by a process that died."""
PAGE: Final = 500


class LocalReminders:
    """Keeps reminders in a StateStore; implements ``cloche.reminders.store.ReminderStore``."""

    external = False

    def __init__(self, state: StateStore, clock: Clock) -> None:
        """Take where they are kept."""
        self._state, self._clock = state, clock
        self._room = Room(state, clock)
        self._watchers: list[Callable[[], None]] = []

    async def put(self, reminder: Reminder) -> None:
        """Keep a reminder; see ``ReminderStore``."""
        old = await self.get(reminder.actor, reminder.id)
        new = reminder.next is not None and (old is None or old.next is None)
        if new and not await self._room.take(
            reminder, lambda: self.list(reminder.actor), most=MOST
        ):
            raise TooManyRemindersError(f"{reminder.actor} has {MOST} reminders to come")
        await self._point(reminder)
        ttl = None if reminder.next else KEPT
        await self._state.put(key_of(reminder), reminder_to_json(reminder), ttl=ttl)
        if new:
            await self._room.leave(reminder)
        if old is not None:
            await self._unpoint(old, unless=reminder)

    async def get(self, actor: str, reminder_id: str) -> Reminder | None:
        """The reminder, or None."""
        item = await self._state.get(prefix_of(actor) + reminder_id)
        return _read(item, actor) if item else None

    async def find(self, reminder_id: str) -> Reminder | None:
        """The one of that id that is to come; keys are looked through, no other is read."""
        after = ""
        while page := await self._state.list_items("due/", after=after, limit=PAGE):
            after = page[-1].key
            for _, _, actor, id_ in filter(None, map(pointer_of, page)):
                if id_ == reminder_id and (found := await self.get(actor, id_)):
                    return found
        return None

    async def list(self, actor: str) -> Sequence[Reminder]:
        """Those that are to come, the next first."""
        found = [(r.next, r.id, r) async for r in self._all(actor) if r.next]
        return [reminder for _, _, reminder in sorted(found, key=lambda one: one[:2])]

    async def told(self, actor: str) -> Sequence[Reminder]:
        """Those of which something was due, those that are over too."""
        return [reminder async for reminder in self._all(actor) if reminder.handled]

    async def cancel(self, actor: str, reminder_id: str) -> bool:
        """Remove one for good; False when there is none."""
        reminder = await self.get(actor, reminder_id)
        if reminder is None:
            return False
        removed = await self._state.delete(key_of(reminder))
        await self._unpoint(reminder)
        return removed

    async def pause(self, actor: str) -> int:
        """Have none of a person's be due until they are resumed; how many."""
        changed = 0
        for reminder in await self.list(actor):
            if not reminder.paused and await self._change(reminder, paused=True):
                await self._unpoint(reminder)
                changed += 1
        return changed

    async def resume(self, actor: str) -> int:
        """Have them be due again; how many."""
        changed = 0
        for reminder in await self.list(actor):
            if reminder.paused:
                await self._point(replace(reminder, paused=False))
                changed += await self._change(reminder, paused=False)
        return changed

    async def due(
        self, now: datetime, channels: Collection[str], *, after: Reminder | None = None
    ) -> Sequence[Reminder]:
        """What is due by now, the longest due first."""
        found: list[tuple[tuple[datetime, str, str], Reminder]] = []
        for channel in channels:
            there = 0
            async for at, key, actor, id_ in self._pointers(channel, until=now, after=after):
                reminder = await self.get(actor, id_)
                if reminder and reminder.next == at and not reminder.paused:
                    found.append(((at, id_, actor), reminder))
                    there += 1
                elif now - at > STALE:
                    await self._drop(key, reminder)
                if there >= PAGE:
                    break
        return [reminder for _, reminder in sorted(found, key=lambda one: one[0])][:PAGE]

    async def next_due(self, channels: Collection[str], *, after: datetime) -> datetime | None:
        """When the next one after an instant is due."""
        found = []
        for channel in channels:
            start = f"due/{channel}/{spelled(after)}\U0010ffff"
            page = await self._state.list_items(f"due/{channel}/", after=start, limit=1)
            found += [pointer[0] for item in page if (pointer := pointer_of(item))]
        return min(found, default=None)

    async def claim(self, actor: str, reminder_id: str, instant: datetime) -> bool:
        """Take care of all that is due up to an instant; True for exactly one caller."""
        while True:
            item = await self._state.get(prefix_of(actor) + reminder_id)
            reminder = _read(item, actor) if item else None
            due = reminder.next if reminder and not reminder.paused else None
            if item is None or reminder is None or due is None or due > instant:
                return False
            after = replace(reminder, handled=instant)
            if after.next is None:
                await self._state.put(told_key(reminder, instant), True, ttl=KEPT)
            if await self._replace(item, after):
                await self._unpoint(reminder, unless=after)
                return True

    async def wait(self, reminder: Reminder, until: datetime) -> None:
        """Nothing: it stays due, and whoever tells looks again by itself."""

    async def set_back(self, now: datetime, actor: str = "") -> int:
        """Undo what a clock that ran ahead took care of."""
        mended = 0
        if actor:
            for id_ in [one.id async for one in self._all(actor)]:
                mended += await self._set_back(actor, id_, now)
            return mended
        for prefix, start in (("due/", ""), ("told/", f"told/{spelled(now + AHEAD)}")):
            after = start
            while page := await self._state.list_items(prefix, after=after, limit=PAGE):
                after = page[-1].key
                for _, _, whose, id_ in filter(None, map(pointer_of, page)):
                    mended += await self._set_back(whose, id_, now)
        return mended

    async def _set_back(self, actor: str, id_: str, now: datetime) -> bool:
        item = await self._state.get(prefix_of(actor) + id_)
        reminder = _read(item, actor) if item else None
        if item is None or reminder is None:
            return False
        if max(reminder.handled or now, reminder.created_at) <= now + AHEAD:
            return False
        again = replace(reminder, handled=now, created_at=min(reminder.created_at, now))
        if not await self._replace(item, again):
            return False
        await self._unpoint(reminder, unless=again)
        return True

    async def refresh(self, actor: str) -> None:
        """Point to all of a person's reminders."""
        async for reminder in self._all(actor):
            await self._point(reminder)

    async def forget(self, actor: str) -> int:
        """Remove all that is a person's; how many reminders."""
        count = 0
        async for reminder in self._all(actor):
            await self._unpoint(reminder)
            count += 1
        await self._state.delete_prefix(prefix_of(actor))
        return count

    def watch(self, changed: Callable[[], None]) -> None:
        """Have something called whenever what may be due sooner is set."""
        self._watchers.append(changed)

    async def close(self) -> None:
        """Nothing is held."""

    async def _all(self, actor: str) -> AsyncIterator[Reminder]:
        after = ""
        while page := await self._state.list_items(prefix_of(actor), after=after, limit=PAGE):
            after = page[-1].key
            for item in page:
                if reminder := _read(item, actor):
                    yield reminder

    async def _change(self, reminder: Reminder, *, paused: bool) -> bool:
        item = await self._state.get(key_of(reminder))
        current = _read(item, reminder.actor) if item else None
        if item is None or current is None:
            return False
        return await self._replace(item, replace(current, paused=paused))

    async def _replace(self, item: StateItem, reminder: Reminder) -> bool:
        """Write where nobody wrote meanwhile."""
        await self._point(reminder)
        written = await self._state.compare_and_set(
            item.key,
            reminder_to_json(reminder),
            version=item.version,
            ttl=None if reminder.next else KEPT,
        )
        return written is not None

    async def _point(self, reminder: Reminder) -> None:
        if reminder.next and not reminder.paused:
            await self._state.put(pointer_key(reminder, reminder.next), True)
            for changed in self._watchers:
                changed()

    async def _unpoint(self, reminder: Reminder, *, unless: Reminder | None = None) -> None:
        if reminder.next is None:
            return
        key = pointer_key(reminder, reminder.next)
        if unless and unless.next and not unless.paused and key == pointer_key(unless, unless.next):
            return
        await self._state.put(key, None, ttl=timedelta(0))

    async def _drop(self, key: str, reminder: Reminder | None) -> None:
        """Remove a pointer that a process left when it died."""
        if reminder:
            await self._point(reminder)
        await self._state.put(key, None, ttl=timedelta(0))

    async def _pointers(
        self, channel: str, *, until: datetime, after: Reminder | None
    ) -> AsyncIterator[tuple[datetime, str, str, str]]:
        last = pointer_key(after, after.next, channel) if after and after.next else ""
        while page := await self._state.list_items(f"due/{channel}/", after=last, limit=PAGE):
            last = page[-1].key
            for pointer in filter(None, map(pointer_of, page)):
                if pointer[0] > until:
                    return
                yield pointer


def _read(item: StateItem, actor: str) -> Reminder | None:
    try:
        return reminder_from_json(item.value, actor=actor, id_=item.key.rpartition("/")[2])
    except ValueError as error:
        logger.error("a reminder cannot be read: %s", error)
        return None
