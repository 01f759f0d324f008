"""A process that tells reminders through one channel, on a disk that outlives it."""

from __future__ import annotations

import asyncio
import copy
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import ClassVar

import pytest

from cloche.agents.agent import OnDelta
from cloche.channels import Channel, ChannelContext, ChannelRequest, Incoming, Part
from cloche.delivery import Delivery, OpenDoor
from cloche.ids import turn_id
from cloche.logs import OncePerCause
from cloche.messages import Message, Reply
from cloche.people import People
from cloche.reminders.local import LocalReminders
from cloche.reminders.reminder import Place, Reminder, reminder_id
from cloche.reminders.runner import Runner
from cloche.reminders.schedule import Schedule
from cloche.settings import DeliverySettings
from cloche.state.store import Json, StateItem
from cloche.testing.clock import FakeClock
from cloche.turn import Turn, nothing

START = datetime.fromisoformat("2026-03-02T09:00:00+00:00")


@dataclass
class Disk:
    """What outlives a process."""

    items: dict[str, StateItem] = field(default_factory=dict)
    sent: list[Part] = field(default_factory=list)


class Store:
    """A state store in mind; its process may die at a write, before it or right after."""

    def __init__(self, disk: Disk, clock: FakeClock, dies_at: int | None = None) -> None:
        self._disk, self._clock, self._left = disk, clock, dies_at
        self.died = asyncio.Event()

    async def _alive(self) -> None:
        await asyncio.sleep(0)
        if self.died.is_set():
            await asyncio.Event().wait()

    async def _write(self, key: str, value: Json, version: int, ttl: timedelta | None) -> StateItem:
        if self._left is not None:
            self._left -= 1
        after = (self._left or 0) % 2 == 0
        if self._left is not None and self._left <= 0 and not after:
            self.died.set()
            await self._alive()
        expires = None if ttl is None else self._clock() + ttl
        item = StateItem(key, copy.deepcopy(value), version + 1, expires)
        self._disk.items[key] = item
        if self._left is not None and self._left <= 0:
            self.died.set()
            await self._alive()
        return item

    def _live(self, key: str) -> StateItem | None:
        item = self._disk.items.get(key)
        return item if item and (not item.expires_at or item.expires_at > self._clock()) else None

    async def claim(self, key: str, *, ttl: timedelta) -> bool:
        return await self.compare_and_set(key, True, version=0, ttl=ttl) is not None

    async def get(self, key: str) -> StateItem | None:
        await self._alive()
        return self._live(key)

    async def put(self, key: str, value: Json, *, ttl: timedelta | None = None) -> StateItem:
        await self._alive()
        old = self._live(key)
        return await self._write(key, value, old.version if old else 0, ttl)

    async def compare_and_set(
        self, key: str, value: Json, *, version: int, ttl: timedelta | None = None
    ) -> StateItem | None:
        await self._alive()
        old = self._live(key)
        if (old.version if old else 0) != version:
            return None
        return await self._write(key, value, version, ttl)

    async def increment(self, key: str, by: int = 1, *, ttl: timedelta | None = None) -> int:
        raise AssertionError("nothing is counted here")

    async def list_items(
        self, prefix: str, *, after: str = "", limit: int = 100
    ) -> Sequence[StateItem]:
        await self._alive()
        keys = sorted(k for k in self._disk.items if k.startswith(prefix) and k > after)
        return [item for k in keys if (item := self._live(k))][:limit]

    async def delete(self, key: str) -> bool:
        await self._alive()
        return self._disk.items.pop(key, None) is not None

    async def delete_prefix(self, prefix: str) -> int:
        keys = [key for key in self._disk.items if key.startswith(prefix)]
        for key in keys:
            del self._disk.items[key]
        return len(keys)

    async def close(self) -> None:
        """Nothing is held."""


class NoKeepsakes:
    async def get(self, key: str) -> Json:
        return None

    async def put(self, key: str, value: Json) -> None:
        raise AssertionError("nothing is kept here")


class Letterbox(Channel):
    """Sends onto the disk."""

    name: ClassVar[str] = "letterbox"

    def __init__(self, clock: FakeClock, disk: Disk) -> None:
        super().__init__(ChannelContext({}, None, clock, NoKeepsakes(), {}))  # type: ignore[arg-type]
        self.disk = disk

    def parse(self, request: ChannelRequest) -> Sequence[Incoming]:
        return ()

    async def send(self, part: Part) -> None:
        self.disk.sent.append(part)


class Teller:
    """Says which reminders a message tells, and how."""

    async def handle(self, message: Message, on_delta: OnDelta | None = None) -> Turn:
        told = " ".join(
            f"{d.reminder[:6]}@{d.at:%m-%dT%H:%M}{'!' if d.missed else ''}+{d.before}"
            for d in message.due
        )
        id_ = turn_id(message.address, message.place, message.id)
        return Turn(id_, Reply(told or f"re: {message.text}"), "en", nothing)

    async def overhear(self, message: Message) -> None:
        raise AssertionError("nobody talks here")

    async def language_of(self, message: Message) -> str:
        return "en"


@dataclass(frozen=True)
class Plain:
    text: str
    entities: tuple[()] = ()
    plain: str = ""


class Process:
    """One life of the host on a disk."""

    def __init__(
        self, disk: Disk, clock: FakeClock, dies_at: int | None = None, only: str = ""
    ) -> None:
        self.disk, self.clock = disk, clock
        self.state = Store(disk, clock, dies_at)
        self.store = LocalReminders(self.state, clock)
        self.people = People(
            self.state, clock, default_zone="Europe/Oslo", notices=OncePerCause(_LOG)
        )
        self.delivery = Delivery(
            Letterbox(clock, disk),
            Teller(),
            OpenDoor(),
            self.state,
            clock=clock,
            settings=DeliverySettings(burst_seconds=0, pacing=False),
            render=lambda text, *_: [Plain(text, plain=text)],
            sleep=lambda seconds: asyncio.sleep(0),
        )
        doors = {"letterbox": self.delivery}
        self.runner = Runner(self.store, self.state, self.people, doors, clock, only=only)

    async def start(self) -> None:
        await self.live(self.delivery.start())

    async def round(self) -> float:
        """What the runner does once, until all of it is sent."""

        async def both() -> float:
            seconds = await self.runner.round()
            await self.delivery.idle()
            return seconds

        return await self.live(both())

    async def live(self, work: Awaitable[object]) -> float:
        """Do it, or die of it; -1 = died."""
        task = asyncio.ensure_future(work)
        dead = asyncio.ensure_future(self.state.died.wait())
        await asyncio.wait({task, dead}, return_when=asyncio.FIRST_COMPLETED)
        dead.cancel()
        if self.state.died.is_set():
            await self.end()
            return -1.0
        result = await task
        return float(result) if isinstance(result, int | float) else 0.0

    async def end(self) -> None:
        """Whatever runs is gone."""
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def set(
        self, schedule: Schedule, *, actor: str = "letterbox_-ann", key: str = "k", text: str = "t"
    ) -> Reminder:
        sender = actor.partition("_-")[2]
        reminder = Reminder(
            id=reminder_id(actor, key),
            actor=actor,
            place=Place("letterbox", f"chat-{sender}", sender),
            text=text,
            language="en",
            schedule=schedule,
            created_at=self.clock(),
        )
        await self.store.put(reminder)
        return reminder

    @property
    def sent(self) -> list[str]:
        return [part.text for part in self.disk.sent]


_LOG = logging.getLogger("test")
Start = Callable[..., Process]


@pytest.fixture
def disk() -> Disk:
    return Disk()


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(START)


@pytest.fixture
def process(disk: Disk, clock: FakeClock) -> Start:
    """``process()``: one life; ``process(dies_at=7)`` dies at its seventh write."""
    return lambda **other: Process(disk, clock, **other)


@pytest.fixture
def parts() -> tuple[type[Disk], type[Process]]:
    """For tests that need many disks."""
    return Disk, Process
