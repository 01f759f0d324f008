"""Hands what is due to the doors it is told through: one timer, and each occurrence once.

A due reminder becomes a message in its channel's inbox, claimed by reminder and instant as an
update is by its id, and answered in its place's order. Only then is it marked as taken care of:
a process that dies in between hands it over again, which the inbox drops.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from datetime import datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from cloche.clock import Clock
from cloche.errors import MemoryUnavailableError
from cloche.messages import Address, Due
from cloche.people import People
from cloche.reminders.handing import Handing, ReminderDoor, Telling
from cloche.reminders.quiet import Quiet, parse_quiet
from cloche.reminders.reminder import Reminder
from cloche.reminders.schedule import occurrences
from cloche.reminders.store import ReminderStore
from cloche.state.store import StateStore
from cloche.zones import find_zone

logger = logging.getLogger(__name__)

LATE: Final = timedelta(hours=6)
"""What was missed for longer is told in one line."""
LOOK_LATE: Final = timedelta(hours=1)
"""A look whether anything is due is not made up for later than this."""
LONGEST: Final = 60.0
"""Seconds: another process may have set a reminder, a clock may have been set, a person may be
back."""
COUNTED: Final = 500
"""Of a reminder that was due more often, only that it was many times is told."""


class Runner:
    """Watches the reminders of the channels a process serves."""

    def __init__(
        self,
        store: ReminderStore,
        state: StateStore,
        people: People,
        doors: Mapping[str, ReminderDoor],
        clock: Clock,
        *,
        only: str = "",
        whose: str | None = None,
        turn: asyncio.Lock | None = None,
    ) -> None:
        """Take what is due, and the doors.

        Args:
            store: The reminders.
            state: Where what is told together is kept until it is handed over.
            people: Whose a door is, and when they want quiet.
            doors: The channels this process has open, by their names.
            clock: The present instant.
            only: The one conversation this process can reach; "" = all of its channels'.
            whose: The person whose reminders a clock that ran ahead may have taken care of; "" =
                nobody's are looked at, None = everybody's are.
            turn: Held by the one of a process's runners that is in a round.
        """
        self._whose, self._turn_of_all = whose, turn or asyncio.Lock()
        self._store, self._state, self._people = store, state, people
        self._doors, self._clock, self._only = doors, clock, only
        self._handing = Handing(store, state, doors, clock, only)
        self._changed = asyncio.Event()
        self._seen: datetime | None = None

    async def run(self) -> None:
        """Tell what is due as long as the process lives."""
        self._store.watch(self._changed.set)
        while True:
            self._changed.clear()
            try:
                seconds = await self.round()
            except MemoryUnavailableError as error:
                logger.warning("cause=%s | reminders wait", error.cause)
                seconds = LONGEST
            except Exception:
                logger.exception("reminders could not be told")
                seconds = LONGEST
            try:
                async with asyncio.timeout(seconds):
                    await self._changed.wait()
            except TimeoutError:
                continue

    async def round(self) -> float:
        """Hand over what is due now; how many seconds to wait for more.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        async with self._turn_of_all:
            return await self._round()

    async def _round(self) -> float:
        now = self._clock()
        if self._seen is None or now < self._seen - timedelta(hours=1):
            if self._whose != "" and (mended := await self._store.set_back(now, self._whose or "")):
                logger.warning("reminders=%d | the clock was set back", mended)
        self._seen = now
        for channel in self._doors:
            await self._handing.go_on(channel)
        due, wake = [], now + timedelta(seconds=LONGEST)
        async for reminder in self._all_due(now):
            until = await self._waits_until(reminder, now)
            if until is None:
                due += [turn for turn in [await self._turn(reminder, now)] if turn]
            elif until > now:
                wake = min(wake, until)
                await self._store.wait(reminder, until)
        await self._handing.tell(due)
        coming = await self._store.next_due(tuple(self._doors), after=now)
        wake = min(wake, coming) if coming else wake
        return max(0.0, (wake - self._clock()).total_seconds())

    async def _all_due(self, now: datetime) -> AsyncIterator[Reminder]:
        """Page by page: those who cannot be told now keep nobody else waiting."""
        last: Reminder | None = None
        while page := await self._store.due(now, tuple(self._doors), after=last):
            last = page[-1]
            for reminder in page:
                yield reminder

    async def _waits_until(self, reminder: Reminder, now: datetime) -> datetime | None:
        """When it may be told: None = now; an instant that is over = nobody knows."""
        place = reminder.place
        door = self._doors[place.channel]
        if self._only not in ("", place.conversation) or not door.reaches(place.conversation):
            return now
        if await self._people.actor_of(Address(place.channel, place.sender)) != reminder.actor:
            return now  # a door that is no longer theirs
        quiet, zone = await self._quiet(reminder.actor)
        return quiet.end_of(now, zone) if quiet and reminder.kind == "asked" else None

    async def _turn(self, reminder: Reminder, now: datetime) -> Telling | None:
        """What is told of a reminder; None when nothing is, and it was taken care of."""
        due = _due_by(reminder, now)
        if not due:
            return None
        last, quiet = due[-1], await self._quiet(reminder.actor)
        if reminder.kind == "check":
            at_rest = quiet[0] and quiet[0].end_of(now, quiet[1])
            if at_rest or now - last > LOOK_LATE:
                await self._store.claim(reminder.actor, reminder.id, last)
                return None
            return Telling(reminder, Due(reminder.id, last))
        over = quiet[0].end_of(last, quiet[1]) if quiet[0] else None
        missed = now - (over or last) > LATE
        before = len(due) - 1 if missed else sum(now - at > LATE for at in due[:-1])
        return Telling(reminder, Due(reminder.id, last, missed, before))

    async def _quiet(self, actor: str) -> tuple[Quiet | None, ZoneInfo]:
        settings = await self._people.settings(actor)
        zone = find_zone(settings.time_zone) or self._people.default_zone
        return parse_quiet(settings.quiet), zone


def _due_by(reminder: Reminder, now: datetime) -> list[datetime]:
    """When it was due and not told, in order; of very many, the last ones."""
    found = [at for at in reminder.coming(COUNTED) if at <= now]
    if len(found) < COUNTED:
        return found
    window = timedelta(hours=1)
    while True:
        last = occurrences(reminder.schedule, after=now - window, limit=COUNTED)
        if recent := [at for at in last if at <= now]:
            return [*found, recent[-1]][1:]
        window *= 4
