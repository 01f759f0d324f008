"""A disk that is really full, as SQLite says it: what people see; nothing is lost or twice."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from typing import Any

import pytest

from cloche.channels import Capabilities, Part
from cloche.delivery import Admission
from cloche.errors import MemoryUnavailableError
from cloche.messages import Message
from cloche.state.sqlite import SqliteStateStore
from cloche.state.store import StateStore
from cloche.testing.clock import FakeClock
from cloche.texts import say

WORDS = "x" * 6000
"""More than the free pages of a file that is full hold."""


class Disk:
    """The file of a store, which a test may keep from growing."""

    async def fill(self, state: StateStore) -> None:
        await self._limit(state, full=True)
        for size in (len(WORDS), 20):  # what is free inside the file is used up
            with pytest.raises(MemoryUnavailableError) as full:
                await self._write(state, size)
            assert full.value.cause == "disk_full"

    async def _write(self, state: StateStore, size: int) -> None:
        for number in range(10_000):
            await state.put(f"fill/{size}/{number}", "x" * size)

    async def make_room(self, state: StateStore) -> None:
        await self._limit(state, full=False)

    async def _limit(self, state: StateStore, *, full: bool) -> None:
        assert isinstance(state, SqliteStateStore)

        def limit(connection: sqlite3.Connection) -> None:
            pages = connection.execute("PRAGMA page_count").fetchone()[0] if full else 1_000_000
            connection.execute(f"PRAGMA max_page_count = {pages}")

        await state._database.read(limit)


def watched(world: Any) -> list[float]:
    """Seconds since now at which parts are sent."""
    began, send, at = world.clock(), world.channel.send, list[float]()

    async def timed(part: Part) -> None:
        at.append((world.clock() - began).total_seconds())
        await send(part)

    world.channel.send = timed
    return at


@pytest.fixture
def disk() -> Disk:
    return Disk()


class Counting:
    """A gate that counts in the store, as the real one does."""

    def __init__(self, state: StateStore) -> None:
        self.state = state

    async def admit(self, message: Message) -> Admission:
        await self.state.put(f"count/{message.id}", WORDS)
        return Admission(go=True)

    async def spent(self, message: Message, usage: object) -> None:
        return None


async def being_answered(world: Any) -> asyncio.Event:
    """A message that is answered once the event is set."""
    held: asyncio.Event = world.assistant.hold("one")
    await world.say("one")
    await world.until(lambda: world.assistant.running)
    return held


async def test_nothing_new_is_taken_and_people_are_told_so_once(
    world: Any, state: StateStore, disk: Disk
) -> None:
    await world.say("hello")
    await world.delivery.idle()
    await disk.fill(state)
    message = world.message(WORDS)
    for _ in range(3):  # the platform sends it again and again
        with pytest.raises(MemoryUnavailableError) as refused:
            await world.delivery.accept(message)
        assert refused.value.cause == "disk_full"
    await world.until(lambda: len(world.channel.said) > 1)
    assert world.channel.said == ["re: hello", say("delivery_waits", "en")]
    await disk.make_room(state)
    await world.delivery.accept(message)
    await world.delivery.idle()
    assert "".join(world.channel.said[2:]) == f"re: {WORDS}"
    assert world.assistant.asked == ["hello", WORDS]


async def test_what_was_taken_before_is_answered_in_time_and_once(
    build: Callable[..., Any], state: StateStore, clock: FakeClock, disk: Disk
) -> None:
    world = build(state, clock)
    await world.delivery.start()
    held = await being_answered(world)
    await world.say("two")
    await disk.fill(state)
    at = watched(world)
    held.set()
    await world.until(lambda: len(world.channel.said) == 2)
    assert world.channel.said == ["re: one", "re: two"]
    assert max(at) < 30
    with pytest.raises(MemoryUnavailableError):
        await world.say("three")
    await disk.make_room(state)
    await world.until(lambda: world.delivery.unkept is None)
    await world.delivery.idle()
    await world.delivery.close()
    again = build(state, clock)
    await again.delivery.start()
    await again.delivery.idle()
    await again.delivery.close()
    assert again.assistant.asked == again.channel.said == []


async def test_the_end_of_a_process_waits_for_no_room(
    build: Callable[..., Any], state: StateStore, clock: FakeClock, disk: Disk
) -> None:
    world = build(state, clock)
    await world.delivery.start()
    held = await being_answered(world)
    await disk.fill(state)
    held.set()
    await world.until(lambda: world.channel.said)
    async with asyncio.timeout(10):
        await world.delivery.close()


async def test_who_is_let_in_only_by_the_store_is_told_and_answered_later(
    build: Callable[..., Any], state: StateStore, clock: FakeClock, disk: Disk
) -> None:
    world = build(state, clock)
    world.gate = Counting(state)
    world.delivery = world.made()
    await world.delivery.start()
    held = await being_answered(world)
    await world.say("two")
    await disk.fill(state)
    held.set()
    await world.until(lambda: len(world.channel.said) == 2)
    assert world.channel.said == ["re: one", say("delivery_waits", "en")]
    await disk.make_room(state)
    await world.delivery.idle()
    assert world.channel.said[2:] == ["re: two"]
    await world.delivery.close()


async def test_a_page_that_sees_the_refusal_is_told_nothing_beside_it(
    build: Callable[..., Any], state: StateStore, clock: FakeClock, disk: Disk
) -> None:
    world = build(state, clock, capabilities=Capabilities(owner_only=True))
    await world.delivery.start()
    await world.say("hello")
    await world.delivery.idle()
    await disk.fill(state)
    with pytest.raises(MemoryUnavailableError):
        await world.say(WORDS)
    for _ in range(50):
        await asyncio.sleep(0)
    assert world.channel.said == ["re: hello"]
    await disk.make_room(state)
    await world.delivery.close()
