"""A channel, an assistant and a way to wait that a test holds in its hands."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

import aiohttp
import pytest

from cloche.agents.agent import OnDelta
from cloche.channels import (
    Capabilities,
    Channel,
    ChannelContext,
    ChannelRequest,
    Document,
    FileToSend,
    Formatting,
    Incoming,
    Limits,
    Part,
    Watcher,
)
from cloche.delivery import Admission, Delivery, OpenDoor
from cloche.delivery.replies import Render, RenderedText
from cloche.delivery.sending import FilesToSend
from cloche.ids import turn_id
from cloche.llm.usage import Usage
from cloche.messages import Address, Message, Reply
from cloche.settings import DeliverySettings
from cloche.state.sqlite import SqliteStateStore
from cloche.state.store import StateStore
from cloche.testing.clock import FakeClock
from cloche.turn import BrokenOff, Remembered, Turn


class NoKeepsakes:
    async def get(self, key: str) -> Document:
        return None

    async def put(self, key: str, value: Document) -> None:
        raise AssertionError("nothing is kept here")


def no_http() -> aiohttp.ClientSession:
    raise AssertionError("nobody is called here")


class Doorway(Channel):
    """Keeps what it is to send; fails as often as a test says, with what it says."""

    name: ClassVar[str] = "doorway"

    def __init__(self, clock: FakeClock) -> None:
        super().__init__(ChannelContext({}, no_http, clock, NoKeepsakes(), {}))
        self.sent: list[Part] = []
        self.given: list[FileToSend] = []
        self.failures: list[Exception] = []
        self.typed: list[str] = []
        self.watcher: Watcher | None = None
        self.opened = self.closed = 0

    def parse(self, request: ChannelRequest) -> Sequence[Incoming]:
        return ()

    async def open(self) -> None:
        self.opened += 1

    async def close(self) -> None:
        self.closed += 1

    async def send(self, part: Part) -> None:
        await asyncio.sleep(0)
        if self.failures:
            raise self.failures.pop(0)
        self.sent.append(part)

    async def send_file(self, part: Part, file: FileToSend) -> None:
        await asyncio.sleep(0)
        if self.failures:
            raise self.failures.pop(0)
        self.sent.append(part)
        self.given.append(file)

    async def typing(self, conversation: str, thread: str) -> None:
        self.typed.append(conversation)

    def watch(self, place: str) -> Watcher | None:
        return self.watcher

    @property
    def said(self) -> list[str]:
        return [part.text for part in self.sent]


class Echo:
    """Answers each message with its words; a test may make it wait or fail."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.overheard: list[Message] = []
        self.followed: list[str] = []
        self.failure: Exception | None = None
        self.gates: dict[str, asyncio.Event] = {}
        self.after: dict[str, asyncio.Event] = {}
        self.running: list[str] = []
        self.most_at_once = 0
        self.answer: Callable[[Message], Reply] = lambda message: Reply(f"re: {message.text}")

    def hold(self, text: str) -> asyncio.Event:
        """Have the turn of these words wait until the event is set."""
        return self.gates.setdefault(text, asyncio.Event())

    async def handle(self, message: Message, on_delta: OnDelta | None = None) -> Turn:
        assert message.place not in self.running, "two turns of one place at once"
        self.messages.append(message)
        self.running.append(message.place)
        self.most_at_once = max(self.most_at_once, len(self.running))
        try:
            if gate := self.gates.get(message.text):
                await gate.wait()
            await asyncio.sleep(0)
            if self.failure:
                raise self.failure
            if on_delta:
                await on_delta(message.text)
        finally:
            self.running.remove(message.place)
        id_ = turn_id(message.address, message.place, message.id)

        async def afterwards() -> Remembered:
            if gate := self.after.get(message.text):
                await gate.wait()
            self.followed.append(message.text)
            return Remembered()

        return Turn(id_, self.answer(message), "en", afterwards)

    async def overhear(self, message: Message) -> None:
        self.overheard.append(message)

    async def broken_off(self, message: Message, why: BrokenOff) -> Usage:
        return Usage()

    async def language_of(self, message: Message) -> str:
        return "en"

    @property
    def asked(self) -> list[str]:
        return [message.text for message in self.messages]


class Keeper(OpenDoor):
    """A gate that refuses whom a test says, with what it says."""

    def __init__(self) -> None:
        self.refused: dict[str, Reply | None] = {}
        self.failure: Exception | None = None
        self.asked: list[str] = []
        self.spent_for: list[str] = []

    async def admit(self, message: Message) -> Admission:
        self.asked.append(message.text)
        if self.failure:
            raise self.failure
        if message.address.sender in self.refused:
            return Admission(go=False, reply=self.refused[message.address.sender])
        return Admission(go=True)

    async def spent(self, message: Message, usage: Usage) -> None:
        self.spent_for.append(message.text)


@dataclass(frozen=True, slots=True)
class Piece:
    text: str
    entities: tuple[()] = ()
    plain: str = ""


def in_pieces(text: str, limits: Limits, formatting: Formatting) -> Sequence[RenderedText]:
    """Text as it is, split by length; its plain form says that it is plain."""
    size = limits.text
    pieces = [text[i : i + size] for i in range(0, len(text), size)]
    return [Piece(piece, plain=f"plain {piece}") for piece in pieces]


QUICK = DeliverySettings(burst_seconds=1, pacing=False)


@dataclass
class World:
    """One channel in one process, all its parts at hand."""

    state: StateStore
    clock: FakeClock = field(default_factory=FakeClock)
    assistant: Echo = field(default_factory=Echo)
    gate: Keeper = field(default_factory=Keeper)
    settings: DeliverySettings = QUICK
    slept: list[float] = field(default_factory=list)
    limits: Limits | None = None
    capabilities: Capabilities | None = None
    lock: Path | None = None
    render: Render = in_pieces
    files: FilesToSend | None = None

    def __post_init__(self) -> None:
        fields: dict[str, object] = {}
        if self.limits:
            fields["limits"] = self.limits
        if self.capabilities:
            fields["capabilities"] = self.capabilities
        self.channel = type("Doorway", (Doorway,), fields)(self.clock)
        self._count = 0
        self.delivery = self.made()

    def made(self) -> Delivery:
        return Delivery(
            self.channel,
            self.assistant,
            self.gate,
            self.state,
            clock=self.clock,
            settings=self.settings,
            render=self.render,
            lock=self.lock,
            files=self.files,
            sleep=self.sleep,
            seconds=lambda: self.clock().timestamp(),
        )

    async def sleep(self, seconds: float) -> None:
        """Time passes at once, and everybody else has a turn in it."""
        self.slept.append(seconds)
        self.clock.pass_(seconds=seconds)
        for _ in range(20):
            await asyncio.sleep(0)

    async def say(self, text: str, **other: object) -> Message:
        """One message comes in."""
        message = self.message(text, **other)
        await self.delivery.accept(message)
        return message

    def message(self, text: str, *, sender: str = "ann", **other: object) -> Message:
        """One that nobody has seen yet."""
        self._count += 1
        return replace(
            Message(f"u{self._count}", Address("doorway", sender), "c1", text),
            **{"ref": f"m{self._count}", **other},  # type: ignore[arg-type]
        )

    async def until(self, holds: Callable[[], bool]) -> None:
        """Give everybody turns until something holds."""
        for _ in range(5000):
            if holds():
                return
            await asyncio.sleep(0.001)
        raise AssertionError("it never came about")


@pytest.fixture
def clock() -> FakeClock:
    """What time it is."""
    return FakeClock()


@pytest.fixture
async def state(tmp_path: Path, clock: FakeClock) -> AsyncIterator[StateStore]:
    """Kept in a file, as it is in the field."""
    store = SqliteStateStore(tmp_path / "state.db", clock)
    yield store
    await store.close()


@pytest.fixture
def build() -> Callable[..., World]:
    """Makes worlds: ``build(state, clock, limits=...)``."""
    return World


@pytest.fixture
async def world(state: StateStore, clock: FakeClock) -> AsyncIterator[World]:
    """One process, started."""
    world = World(state, clock)
    await world.delivery.start()
    yield world
    await world.delivery.close(seconds=1)
