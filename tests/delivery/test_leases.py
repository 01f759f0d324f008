"""Two machines and one conversation: each message is answered once, whoever dies or freezes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from cloche.channels import Limits, Part
from cloche.delivery.outbox_rows import TOLD
from cloche.errors import HeldElsewhereError, MemoryUnavailableError
from cloche.messages import Reply
from cloche.state.sqlite import SqliteStateStore
from cloche.testing.clock import FakeClock

from .conftest import World

OVER = 0.2


class Machine:
    """One machine with its own way to the store that all share; it may freeze, or lose its way.

    Attributes:
        runs: Cleared = frozen: nothing that it asks of the store is asked.
        is_cut: True = the store is away for this machine.
    """

    def __init__(self, file: Path, clock: FakeClock, *, parts: int = 0) -> None:
        self._store = SqliteStateStore(file, clock)
        self.runs, self.is_cut = asyncio.Event(), False
        self.runs.set()
        limits = Limits(text=parts) if parts else None
        self.world = World(self, clock, limits=limits)  # type: ignore[arg-type]
        self.assistant, self.channel = self.world.assistant, self.world.channel

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._store, name)
        if not callable(method):
            return method

        async def asked(*arguments: object, **named: object) -> object:
            await self.runs.wait()
            if self.is_cut:
                raise MemoryUnavailableError("no way there", cause="io")
            return await method(*arguments, **named)

        return asked

    async def start(self) -> None:
        await self.world.delivery.start(by_place=True)

    @property
    def is_working(self) -> bool:
        """Whether it has any conversation."""
        return any(lease.version for lease in self.world.delivery._leases._leases.values())


Machines = Callable[..., Awaitable[Machine]]


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, seconds in (("RENEW", 0.02), ("OVER", OVER), ("LOOK", 0.01), ("WAIT", 5.0)):
        monkeypatch.setattr(f"cloche.delivery.leases.{name}_SECONDS", seconds)


@pytest.fixture
async def machine(tmp_path: Path) -> AsyncIterator[Machines]:
    """Starts one; ``ahead`` is how wrong its clock is."""
    started: list[Machine] = []

    async def start(*, ahead: timedelta = timedelta(0), parts: int = 0) -> Machine:
        clock = FakeClock()
        clock.now += ahead
        one = Machine(tmp_path / "state.db", clock, parts=parts)
        await one.start()
        started.append(one)
        return one

    yield start
    for one in started:
        one.runs.set()
        one.is_cut = False
        for gate in one.assistant.gates.values():
            gate.set()
        await one.world.delivery.close(seconds=1)
        await one._store.close()


async def left(machine: Machine) -> list[str]:
    """What the outbox has that is not sent."""
    items = await machine._store.list_items("outbox/")
    return [item.key for item in items if item.value not in (None, TOLD)]


async def test_the_second_waits_until_the_first_is_done(machine: Machines) -> None:
    first, second = await machine(), await machine()
    held = first.assistant.hold("one")
    message = await first.world.say("one")
    await first.world.until(lambda: first.assistant.running)
    again = asyncio.create_task(second.world.delivery.accept(message))
    await asyncio.sleep(OVER * 2)
    assert not again.done()
    held.set()
    await again
    await second.world.delivery.idle()
    assert (first.channel.said, second.channel.said) == (["re: one"], [])
    assert second.assistant.asked == []


async def test_what_the_first_has_left_the_second_need_not_wait_for(
    machine: Machines, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cloche.delivery.leases.OVER_SECONDS", 1000.0)
    first, second = await machine(), await machine()
    for n, one in enumerate((first, second, first, first, second)):
        await one.world.delivery.accept(one.world.message(f"m{n}", id=f"m{n}"))
        await one.world.delivery.idle()
        await first.world.until(lambda: not (first.is_working or second.is_working))
    assert first.channel.said == ["re: m0", "re: m2", "re: m3"]
    assert second.channel.said == ["re: m1", "re: m4"]


async def test_one_that_works_too_long_is_not_waited_for(
    machine: Machines, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cloche.delivery.leases.WAIT_SECONDS", OVER)
    first, second = await machine(), await machine()
    held = first.assistant.hold("one")
    await first.world.say("one")
    message = second.world.message("two", id="other")
    with pytest.raises(HeldElsewhereError):
        await second.world.delivery.accept(message)
    other = second.world.message("elsewhere", id="c2", conversation="c2")
    await second.world.delivery.accept(other)
    held.set()
    await first.world.delivery.idle()
    await second.world.delivery.accept(message)
    await second.world.delivery.idle()
    assert first.channel.said == ["re: one"]
    assert second.channel.said == ["re: elsewhere", "re: two"]


@pytest.mark.parametrize("hours", [0, 5, -5], ids=["same time", "behind", "ahead"])
async def test_what_a_dead_one_had_is_answered_by_the_second(machine: Machines, hours: int) -> None:
    first, second = await machine(), await machine(ahead=timedelta(hours=hours))
    first.assistant.hold("one")
    message = await first.world.say("one")
    await first.world.until(lambda: first.assistant.running)
    first.runs.clear()
    await second.world.delivery.accept(message)
    await second.world.delivery.idle()
    assert second.channel.said == ["re: one"]


@pytest.mark.parametrize("hours", [0, 5, -5], ids=["same time", "behind", "ahead"])
async def test_one_that_thaws_in_a_turn_sends_and_keeps_nothing(
    machine: Machines, hours: int
) -> None:
    first, second = await machine(), await machine(ahead=timedelta(hours=hours))
    held = first.assistant.hold("one")
    message = await first.world.say("one")
    await first.world.say("two")
    await first.world.until(lambda: first.assistant.running)
    first.runs.clear()
    await second.world.delivery.accept(message)
    await second.world.delivery.idle()
    assert second.channel.said == ["re: one", "re: two"]
    held.set()
    first.runs.set()
    await first.world.delivery.idle()
    assert first.channel.said == []
    assert await left(second) == []
    # What comes to it later is its own again.
    await first.world.say("three")
    await first.world.delivery.idle()
    assert first.channel.said == ["re: three"]
    assert first.assistant.asked.count("one") == 1


async def test_one_that_thaws_in_the_middle_of_a_reply_repeats_no_part_but_the_one_in_flight(
    machine: Machines,
) -> None:
    first, second = await machine(parts=3), await machine(parts=3)
    for one in (first, second):
        one.assistant.answer = lambda message: Reply("aaabbbccc")
    flying, landed = asyncio.Event(), asyncio.Event()
    send = first.channel.send

    async def slow(part: Part) -> None:
        if part.text == "bbb":
            flying.set()
            await landed.wait()
        await send(part)

    first.channel.send = slow  # type: ignore[method-assign]
    message = await first.world.say("one")
    await flying.wait()
    first.runs.clear()
    await second.world.delivery.accept(message)
    await second.world.delivery.idle()
    assert (first.channel.said, second.channel.said) == (["aaa"], ["bbb", "ccc"])
    landed.set()
    first.runs.set()
    await first.world.delivery.idle()
    assert first.channel.said in (["aaa"], ["aaa", "bbb"])
    assert await left(second) == []


async def test_one_that_freezes_just_as_it_keeps_its_reply_leaves_nothing_that_is_sent_later(
    machine: Machines, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = await machine(), await machine()
    write, keeps = first._store.compare_and_set, asyncio.Event()

    async def held(key: str, value: object, **more: Any) -> Any:
        if key.startswith("outbox/") and not keeps.is_set():
            first.runs.clear()
            keeps.set()
            await first.runs.wait()
        return await write(key, value, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(first._store, "compare_and_set", held)
    message = await first.world.say("one")
    await keeps.wait()
    await second.world.delivery.accept(message)
    await second.world.delivery.idle()
    assert second.channel.said == ["re: one"]
    first.runs.set()
    await first.world.delivery.idle()
    async with asyncio.timeout(60):
        while await left(second):
            await asyncio.sleep(0.01)
    assert first.channel.said == []


async def test_one_whose_way_to_the_store_is_cut_sends_nothing_meanwhile_or_after(
    machine: Machines,
) -> None:
    first, second = await machine(), await machine()
    held = first.assistant.hold("one")
    message = await first.world.say("one")
    await first.world.until(lambda: first.assistant.running)
    first.is_cut = True
    held.set()
    await second.world.delivery.accept(message)
    await second.world.delivery.idle()
    assert (first.channel.said, second.channel.said) == ([], ["re: one"])
    first.is_cut = False
    await first.world.delivery.idle()
    assert first.channel.said == []


async def test_two_that_are_sent_the_same_at_once_answer_it_once(machine: Machines) -> None:
    first, second = await machine(), await machine()
    messages = [first.world.message(f"m{n}") for n in range(6)]
    both = [one.world.delivery.accept(message) for message in messages for one in (first, second)]
    await asyncio.gather(*both)
    for one in (first, second):
        await one.world.delivery.idle()
    said = "\n".join([*first.channel.said, *second.channel.said])
    assert [said.count(f"m{n}") for n in range(6)] == [1] * 6


async def test_what_is_told_unasked_waits_for_who_works_there_and_is_told_once(
    machine: Machines,
) -> None:
    first, second = await machine(), await machine()
    held = first.assistant.hold("one")
    await first.world.say("one")
    await second.world.delivery.tell(second.world.message("", id="t"), Reply("Somebody came in."))
    await asyncio.sleep(OVER)
    assert second.channel.said == []
    held.set()
    await second.world.delivery.idle()
    assert (first.channel.said, second.channel.said) == (["re: one"], ["Somebody came in."])
    await first.world.say("two")
    await first.world.delivery.idle()
    assert first.channel.said == ["re: one", "re: two"]


async def test_what_is_told_unasked_and_found_by_who_works_there_is_told_once(
    machine: Machines,
) -> None:
    first, second = await machine(), await machine()
    second.runs.clear()
    telling = asyncio.create_task(
        second.world.delivery.tell(second.world.message("", id="t"), Reply("Somebody came in."))
    )
    held = first.assistant.hold("one")
    second.runs.set()
    await telling
    second.runs.clear()  # kept, and frozen before it is sent
    await first.world.say("one")
    held.set()
    await first.world.delivery.idle()
    second.runs.set()
    await second.world.delivery.idle()
    said = [*first.channel.said, *second.channel.said]
    assert sorted(said) == ["Somebody came in.", "re: one"]
