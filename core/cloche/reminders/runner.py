"""Hands what is due to the doors it is told through: one timer, and each occurrence once.

A due reminder becomes a message in its channel's inbox, claimed by reminder and instant as an
update is by its id, and answered in its place's order. Only then is it marked as taken care of:
a process that dies in between hands it over again, which the inbox drops.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from typing import Final, Protocol
from zoneinfo import ZoneInfo

from cloche.clock import Clock
from cloche.errors import MemoryUnavailableError
from cloche.messages import Address, Due, Message
from cloche.people import People
from cloche.reminders.quiet import Quiet, parse_quiet
from cloche.reminders.reminder import Place, Reminder
from cloche.reminders.schedule import occurrences
from cloche.reminders.store import ReminderStore
from cloche.sqlite import from_micros, to_micros
from cloche.state.store import Json, StateStore
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


class ReminderDoor(Protocol):
    """A channel's delivery, as far as reminders need it."""

    async def accept(self, *messages: Message) -> None:
        """Claim and keep what is to be told; drops what came before."""
        ...

    def reaches(self, conversation: str) -> bool:
        """Whether something said there now would be sent."""
        ...


@dataclass(frozen=True, slots=True)
class _Turn:
    """One reminder's part in what is told now."""

    reminder: Reminder
    due: Due

    @property
    def where(self) -> tuple[str, str, str, str, str]:
        """What is told together lies together."""
        place = self.reminder.place
        return (self.reminder.actor, place.channel, place.conversation, place.thread, place.sender)


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
    ) -> None:
        """Take what is due, and the doors.

        Args:
            store: The reminders.
            state: Where what is told together is kept until it is handed over.
            people: Whose a door is, and when they want quiet.
            doors: The channels this process has open, by their names.
            clock: The present instant.
            only: The one conversation this process can reach; "" = all of its channels'.
        """
        self._store, self._state, self._people = store, state, people
        self._doors, self._clock, self._only = doors, clock, only
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
        now = self._clock()
        if self._seen is None or now < self._seen - timedelta(hours=1):
            if mended := await self._store.set_back(now):
                logger.warning("reminders=%d | the clock was set back", mended)
        self._seen = now
        for channel in self._doors:
            await self._hand_over_left(channel)
        due, wake = [], now + timedelta(seconds=LONGEST)
        async for reminder in self._all_due(now):
            until = await self._waits_until(reminder, now)
            if until is None:
                due += [turn for turn in [await self._turn(reminder, now)] if turn]
            elif until > now:
                wake = min(wake, until)
                await self._store.wait(reminder, until)
        for turn in due:
            if not turn.due.missed:
                await self._tell([turn], _id_of(turn.reminder.id, turn.due.at))
        for group in _together(turn for turn in due if turn.due.missed):
            await self._tell_together(group)
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

    async def _turn(self, reminder: Reminder, now: datetime) -> _Turn | None:
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
            return _Turn(reminder, Due(reminder.id, last))
        over = quiet[0].end_of(last, quiet[1]) if quiet[0] else None
        missed = now - (over or last) > LATE
        before = len(due) - 1 if missed else sum(now - at > LATE for at in due[:-1])
        return _Turn(reminder, Due(reminder.id, last, missed, before))

    async def _quiet(self, actor: str) -> tuple[Quiet | None, ZoneInfo]:
        settings = await self._people.settings(actor)
        zone = find_zone(settings.time_zone) or self._people.default_zone
        return parse_quiet(settings.quiet), zone

    async def _tell(self, turns: Sequence[_Turn], id_: str) -> None:
        """Hand over one message, then mark what it tells as taken care of."""
        place = turns[0].reminder.place
        message = _message(place, id_, tuple(turn.due for turn in turns), self._clock())
        await self._doors[place.channel].accept(message)
        for turn in turns:
            await self._store.claim(turn.reminder.actor, turn.reminder.id, turn.due.at)

    async def _tell_together(self, turns: Sequence[_Turn]) -> None:
        """Several in one line: kept as one before it is handed over, so that it stays one."""
        place, actor = turns[0].reminder.place, turns[0].reminder.actor
        parts = [f"{turn.due.reminder}/{to_micros(turn.due.at)}" for turn in turns]
        id_ = hashlib.sha256("\n".join(sorted(parts)).encode()).hexdigest()[:32]
        key = f"{_left(place.channel)}{id_}"
        await self._state.put(key, _to_json(place, actor, turns))
        await self._tell(turns, f"reminders/{id_}")
        await self._state.put(key, None, ttl=timedelta(0))

    async def _hand_over_left(self, channel: str) -> None:
        """Go on with what a process that died had put together."""
        for item in await self._state.list_items(_left(channel)):
            read = _from_json(item.value)
            if read is None:
                await self._state.delete(item.key)
                continue
            place, actor, due = read
            if self._only not in ("", place.conversation):
                continue
            id_ = f"reminders/{item.key.rpartition('/')[2]}"
            await self._doors[channel].accept(_message(place, id_, due, self._clock()))
            for one in due:
                await self._store.claim(actor, one.reminder, one.at)
            await self._state.put(item.key, None, ttl=timedelta(0))


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


def _together(turns: Iterator[_Turn]) -> Iterator[Sequence[_Turn]]:
    ordered = sorted(turns, key=lambda turn: (turn.where, turn.due.at, turn.due.reminder))
    for _, group in groupby(ordered, key=lambda turn: turn.where):
        yield list(group)


def _message(place: Place, id_: str, due: tuple[Due, ...], now: datetime) -> Message:
    return Message(
        id=id_,
        address=Address(place.channel, place.sender),
        conversation=place.conversation,
        text="",
        group=place.group,
        thread=place.thread,
        sent_at=now,
        due=due,
    )


def _id_of(reminder_id: str, at: datetime) -> str:
    """The id by which an occurrence is claimed."""
    return f"reminder/{reminder_id}/{to_micros(at)}"


def _left(channel: str) -> str:
    return f"due-together/{channel}/"


def _to_json(place: Place, actor: str, turns: Sequence[_Turn]) -> Json:
    return {
        "place": [place.channel, place.conversation, place.sender, place.thread, place.group],
        "actor": actor,
        "due": [[turn.due.reminder, to_micros(turn.due.at), turn.due.before] for turn in turns],
    }


def _from_json(document: Json) -> tuple[Place, str, tuple[Due, ...]] | None:
    match document:
        case {
            "place": [str(channel), str(conversation), str(sender), str(thread), bool(group)],
            "actor": str(actor),
            "due": list(rows),
        }:
            place = Place(channel, conversation, sender, thread, group)
            due = [
                Due(str(row[0]), from_micros(int(str(row[1]))), True, int(str(row[2])))
                for row in rows
                if isinstance(row, list) and len(row) == 3
            ]
            return place, actor, tuple(due)
    return None
