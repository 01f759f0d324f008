"""Hands over what is to be told now, each instant with one message, whatever dies in between."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from typing import Final, Protocol

from cloche.clock import Clock
from cloche.messages import Address, Due, Message
from cloche.reminders.local import AHEAD
from cloche.reminders.reminder import Place, Reminder
from cloche.reminders.store import ReminderStore
from cloche.sqlite import from_micros, to_micros
from cloche.state.store import Json, StateStore

OWNED: Final = timedelta(days=1)
"""So long is known with which message an instant is told; rounds take seconds."""


class ReminderDoor(Protocol):
    """A channel's delivery, as far as reminders need it."""

    async def accept(self, *messages: Message) -> None:
        """Claim and keep what is to be told; drops what came before."""
        ...

    async def knows(self, message: Message) -> bool:
        """Whether it was accepted before, by its id."""
        ...

    def reaches(self, conversation: str) -> bool:
        """Whether something said there now would be sent."""
        ...


@dataclass(frozen=True, slots=True)
class Telling:
    """One reminder's part in what is told now."""

    reminder: Reminder
    due: Due

    @property
    def where(self) -> tuple[str, str, str, str, str]:
        """What is told together lies together."""
        place = self.reminder.place
        return (self.reminder.actor, place.channel, place.conversation, place.thread, place.sender)


class Handing:
    """What is told, put together and handed to the doors."""

    def __init__(
        self,
        store: ReminderStore,
        state: StateStore,
        doors: Mapping[str, ReminderDoor],
        clock: Clock,
        only: str,
    ) -> None:
        """Take the parts; for ``only`` see ``Runner``."""
        self._store, self._state, self._doors = store, state, doors
        self._clock, self._only = clock, only

    async def tell(self, due: Iterable[Telling]) -> None:
        """Hand over what is due; what was missed, together by place.

        Raises:
            MemoryUnavailableError: the store is away; what is left is handed over the next time.
        """
        new = [one for one in due if not await self._was_told(one)]
        for one in new:
            if not one.due.missed:
                await self._tell_alone(one)
        for group in _together(one for one in new if one.due.missed):
            await self._tell_together(group)

    async def _was_told(self, one: Telling) -> bool:
        """Whether the door has it already, of a process that died before it marked it."""
        place, due = one.reminder.place, one.due
        if not due.missed:
            return False  # under the same id, the door drops it itself
        message = _message(place, _id_of(due.reminder, due.at), (due,), self._clock())
        if not await self._doors[place.channel].knows(message):
            return False
        await self._store.claim(one.reminder.actor, due.reminder, due.at)
        return True

    async def _tell_alone(self, one: Telling) -> None:
        id_ = _id_of(one.due.reminder, one.due.at)
        if await self._owner(one.reminder.place.channel, one.due, id_) == id_:
            await self._tell(one.reminder.place, one.reminder.actor, (one.due,), id_)

    async def _tell(self, place: Place, actor: str, due: tuple[Due, ...], id_: str) -> None:
        """Hand over one message, then mark what it tells as taken care of."""
        await self._doors[place.channel].accept(_message(place, id_, due, self._clock()))
        for one in due:
            await self._store.claim(actor, one.reminder, one.at)

    async def _tell_together(self, turns: Sequence[Telling]) -> None:
        """Several in one line: kept as one before it is handed over, so that it stays one."""
        place, actor = turns[0].reminder.place, turns[0].reminder.actor
        due = tuple(turn.due for turn in turns)
        parts = [f"{one.reminder}/{to_micros(one.at)}" for one in due]
        id_ = hashlib.sha256("\n".join(sorted(parts)).encode()).hexdigest()[:32]
        key = f"{_left(place.channel)}{id_}"
        await self._state.put(key, _to_json(place, actor, due))
        await self._hand_over(place, actor, due, key)

    async def _hand_over(self, place: Place, actor: str, due: tuple[Due, ...], key: str) -> None:
        """Tell what of a group is not told otherwise; then it need not be kept any more."""
        id_ = f"reminders/{key.rpartition('/')[2]}"
        mine: list[Due] = []
        for one in due:
            owner, alone = await self._owner(place.channel, one, id_), _id_of(one.reminder, one.at)
            if owner == id_:
                mine.append(one)
            elif owner == alone:
                # Another round had begun to tell it by itself, and may have died of it.
                await self._tell(place, actor, (one,), alone)
        if mine:
            await self._tell(place, actor, tuple(mine), id_)
        await self._state.put(key, None, ttl=timedelta(0))

    async def _owner(self, channel: str, due: Due, id_: str) -> str:
        """The id of the message that an instant is told with: whichever asks first.

        So two rounds, of which one counts it as missed and the other does not yet, or that put
        together other groups, tell it once.
        """
        key = f"due-told/{channel}/{due.reminder}/{to_micros(due.at)}"
        now, version = self._clock(), 0
        while True:
            row: Json = {"id": id_, "at": to_micros(now)}
            if await self._state.compare_and_set(key, row, version=version, ttl=OWNED):
                return id_
            item = await self._state.get(key)
            match item.value if item else None:
                # Told by a clock that ran ahead, it is told again.
                case {"id": str(owner), "at": int(at)} if from_micros(at) <= now + AHEAD:
                    return owner
            version = item.version if item else 0

    async def go_on(self, channel: str) -> None:
        """Go on with what a process that died had put together."""
        for item in await self._state.list_items(_left(channel)):
            read = _from_json(item.value)
            if read is None:
                await self._state.delete(item.key)
                continue
            place, actor, due = read
            if self._only in ("", place.conversation):
                await self._hand_over(place, actor, due, item.key)


def _together(turns: Iterator[Telling]) -> Iterator[Sequence[Telling]]:
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


def _to_json(place: Place, actor: str, due: Sequence[Due]) -> Json:
    return {
        "place": [place.channel, place.conversation, place.sender, place.thread, place.group],
        "actor": actor,
        "due": [[one.reminder, to_micros(one.at), one.before] for one in due],
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
