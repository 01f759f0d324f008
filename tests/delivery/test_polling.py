"""Updates that are asked for: kept before they are acknowledged, whatever fails."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

import aiohttp
import pytest

from cloche.channels import (
    Channel,
    ChannelContext,
    ChannelRequest,
    Document,
    Incoming,
    Part,
    Polled,
    SendError,
    SendLaterError,
)
from cloche.delivery.polling import Poller
from cloche.errors import MemoryUnavailableError, RequestError
from cloche.messages import Address, Message
from cloche.state.sqlite import SqliteStateStore
from cloche.testing import FakeClock


class NoKeepsakes:
    async def get(self, key: str) -> Document:
        return None

    async def put(self, key: str, value: Document) -> None:
        raise AssertionError("nothing is kept here")


def no_http() -> aiohttp.ClientSession:
    raise AssertionError("nobody is called here")


class Mailbox(Channel):
    """A platform with a few updates, which fails in the way a test says."""

    name = "mailbox"

    def __init__(self, clock: FakeClock) -> None:
        super().__init__(ChannelContext({}, no_http, clock, NoKeepsakes(), {}))
        self.updates: list[bytes] = []
        self.failures: list[Exception] = []
        self.asked: list[str] = []
        self.hangs = False

    def parse(self, request: ChannelRequest) -> Sequence[Incoming]:
        match request.document():
            case {"id": int(number), "text": str(text)}:
                return (Message(str(number), Address(self.name, "ana"), "c", text),)
        raise RequestError("body: is no message")

    async def send(self, part: Part) -> None:
        raise AssertionError("nothing is sent here")

    async def poll(self, cursor: str) -> Polled:
        self.asked.append(cursor)
        if self.failures:
            raise self.failures.pop(0)
        if self.hangs:
            await asyncio.Event().wait()
        start = int(cursor or 0)
        found = self.updates[start : start + 2]
        return Polled([ChannelRequest(each) for each in found], str(start + len(found)))


class Kept:
    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self.texts: list[str] = []
        self.away: list[str] = []

    async def accept(self, *messages: Incoming) -> None:
        if self.away:
            raise MemoryUnavailableError("away", cause=self.away.pop(0))
        self.texts += [each.text for each in messages if isinstance(each, Message)]


class World:
    def __init__(self, state: SqliteStateStore, clock: FakeClock) -> None:
        self.state, self.clock = state, clock
        self.channel = Mailbox(clock)
        self.kept = Kept(self.channel)
        self.slept: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.clock.pass_(seconds=seconds)
        await asyncio.sleep(0)

    async def poll_until(self, holds: Callable[[], bool]) -> None:
        poller = Poller(
            self.kept, self.state, sleep=self.sleep, seconds=lambda: self.clock().timestamp()
        )
        task = asyncio.create_task(poller.run())
        try:
            async with asyncio.timeout(60):
                while not holds() and not task.done():
                    await asyncio.sleep(0.001)
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        assert holds()

    async def cursor(self) -> object:
        item = await self.state.get("channel/mailbox/cursor")
        return item.value if item else None


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    clock = FakeClock()
    state = SqliteStateStore(tmp_path / "state.db", clock)
    yield World(state, clock)
    await state.close()


def updates(count: int) -> list[bytes]:
    return [json.dumps({"id": number, "text": f"t{number}"}).encode() for number in range(count)]


async def test_all_updates_come_in_order_and_once(world: World) -> None:
    world.channel.updates = updates(7)
    await world.poll_until(lambda: len(world.channel.asked) > 6)
    assert world.kept.texts == [f"t{number}" for number in range(7)]
    assert world.channel.asked[:5] == ["", "2", "4", "6", "7"]
    assert await world.cursor() == "7"


async def test_a_new_process_goes_on_where_the_last_one_was(world: World) -> None:
    world.channel.updates = updates(3)
    await world.poll_until(lambda: len(world.channel.asked) > 3)
    world.channel.asked.clear()
    world.channel.updates = updates(4)
    await world.poll_until(lambda: len(world.kept.texts) == 4)
    assert world.channel.asked[0] == "3"
    assert world.kept.texts == ["t0", "t1", "t2", "t3"]


async def test_what_could_not_be_kept_is_not_acknowledged(world: World) -> None:
    world.channel.updates = updates(2)
    world.kept.away = ["locked", "slow"]
    await world.poll_until(lambda: len(world.kept.texts) == 2)
    assert world.channel.asked[:3] == ["", "", ""]
    assert len(world.slept) >= 2


async def test_the_cursor_moves_after_the_updates_are_kept(world: World) -> None:
    world.channel.updates = updates(2)
    cursors = []

    async def accept(*messages: Incoming) -> None:
        cursors.append(await world.cursor())

    world.kept.accept = accept  # type: ignore[method-assign] # looks at the store meanwhile
    await world.poll_until(lambda: len(world.channel.asked) > 2)
    assert cursors == [None]
    assert await world.cursor() == "2"


async def test_failures_wait_longer_each_time_and_a_success_ends_that(world: World) -> None:
    world.channel.failures = [OSError("reset")] * 8
    world.channel.updates = updates(1)
    await world.poll_until(lambda: len(world.kept.texts) == 1)
    waits = world.slept[:8]
    assert all(0.5 * 2**n <= wait <= 1.5 * 2**n for n, wait in enumerate(waits[:6]))
    assert max(waits) <= 90
    world.channel.failures = [OSError("reset")]
    world.slept.clear()
    await world.poll_until(lambda: not world.channel.failures and bool(world.slept))
    assert world.slept[0] <= 1.5


async def test_a_platform_that_asks_to_wait_is_waited_for(world: World) -> None:
    world.channel.failures = [SendLaterError("slow down", seconds=17)]
    world.channel.updates = updates(1)
    await world.poll_until(lambda: bool(world.kept.texts))
    assert world.slept[0] == 17


async def test_a_platform_with_nothing_new_is_not_asked_without_end(world: World) -> None:
    await world.poll_until(lambda: len(world.channel.asked) > 5)
    assert set(world.slept) == {1.0}


async def test_an_update_that_nobody_can_read_stops_nothing(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    world.channel.updates = [b"junk", *updates(1), b"{}", b'{"id": 1, "text": "last"}']
    with caplog.at_level(logging.DEBUG, "cloche"):
        await world.poll_until(lambda: len(world.kept.texts) == 2)
    assert world.kept.texts == ["t0", "last"]
    assert "channel=mailbox type=none | unread: body: is no message" in caplog.text


async def test_what_fails_is_told_once_and_without_what_it_says(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    world.channel.failures = [
        OSError("https://api/bot123:TOKEN"), OSError("https://api/bot123:TOKEN"),
        SendError("hunter2 says it is away", told="the platform is away"),
    ]  # fmt: skip
    world.channel.updates = updates(1)
    with caplog.at_level(logging.WARNING, "cloche"):
        await world.poll_until(lambda: bool(world.kept.texts))
    assert "TOKEN" not in caplog.text
    assert caplog.text.count("OSError") == 1
    assert "not polled: the platform is away" in caplog.text
    assert "hunter2" not in caplog.text


async def test_a_failure_is_told_once_in_its_own_words_and_then_that_it_is_over(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    for again in (1, 2):
        told_so = "Bell cannot be reached (refused), try {}"
        away = [SendError("it said: oolong", told=told_so.format(n)) for n in range(9)]
        world.channel.failures = [*away, TimeoutError()]
        world.channel.updates = updates(again)
        with caplog.at_level(logging.WARNING, "cloche"):
            await world.poll_until(lambda: len(world.kept.texts) == again)  # noqa: B023
        told = [one.getMessage() for one in caplog.records]
        assert told == [
            "channel=mailbox | not polled: Bell cannot be reached (refused), try 0; "
            "tried again until it works",
            "channel=mailbox | not polled: no answer in time; tried again until it works",
            "channel=mailbox | is polled again",
        ]
        caplog.clear()


async def test_a_closed_store_ends_polling(world: World) -> None:
    world.channel.updates = updates(1)
    world.kept.away = ["closed"]
    poller = Poller(world.kept, world.state, sleep=world.sleep)
    await asyncio.wait_for(poller.run(), 10)
    assert world.kept.texts == []


async def test_a_poll_that_hangs_is_given_up(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cloche.delivery.polling.POLL_SECONDS", 0.01)
    world.channel.hangs = True
    await world.poll_until(lambda: len(world.channel.asked) > 2)
    assert all(wait > 0.4 for wait in world.slept)
