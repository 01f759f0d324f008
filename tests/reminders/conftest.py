"""A process that tells reminders through one channel, on a disk that outlives it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import ClassVar

import pytest

from cloche.agents.agent import OnDelta
from cloche.channels import Channel, ChannelContext, ChannelRequest, Incoming, Part
from cloche.delivery import Delivery, OpenDoor
from cloche.ids import turn_id
from cloche.llm.usage import Usage
from cloche.logs import OncePerCause
from cloche.messages import Message, Reply
from cloche.people import People
from cloche.reminders.local import LocalReminders
from cloche.reminders.reminder import Place, Reminder, reminder_id
from cloche.reminders.runner import Runner
from cloche.reminders.schedule import Schedule
from cloche.settings import DeliverySettings
from cloche.state.store import Json
from cloche.testing.clock import FakeClock
from cloche.testing.mortal_state import Disk, MortalState
from cloche.turn import BrokenOff, Turn, nothing

START = datetime.fromisoformat("2026-03-02T09:00:00+00:00")


@dataclass
class Sent(Disk):
    """What outlives a process, and what it sent."""

    sent: list[Part] = field(default_factory=list)


class NoKeepsakes:
    async def get(self, key: str) -> Json:
        return None

    async def put(self, key: str, value: Json) -> None:
        raise AssertionError("nothing is kept here")


class Letterbox(Channel):
    """Sends onto the disk."""

    name: ClassVar[str] = "letterbox"

    def __init__(self, clock: FakeClock, disk: Sent) -> None:
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

    async def broken_off(self, message: Message, why: BrokenOff) -> Usage:
        return Usage()

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
        self,
        disk: Sent,
        clock: FakeClock,
        dies_at: int | None = None,
        after: bool = False,
        only: str = "",
    ) -> None:
        self.disk, self.clock = disk, clock
        self.state = MortalState(disk, clock, dies_at=dies_at, after=after)
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
def disk() -> Sent:
    return Sent()


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(START)


@pytest.fixture
def process(disk: Sent, clock: FakeClock) -> Start:
    """``process()``: one life; ``process(dies_at=7)`` dies at its seventh write."""
    return lambda **other: Process(disk, clock, **other)


@pytest.fixture
def parts() -> tuple[type[Sent], type[Process]]:
    """For tests that need many disks."""
    return Sent, Process
