"""What others wrote fails alone: a conversation goes on, whatever ends or never does in there."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

from cloche.channels import Capabilities
from cloche.delivery import apart, costs, presence, turns
from cloche.turn import Turn

Fault = Callable[[], Awaitable[None]]


async def cancelled() -> None:
    raise asyncio.CancelledError


async def never() -> None:
    await asyncio.Event().wait()


async def stubborn() -> None:
    """Stays when it is told to stop, until it is told again."""
    with suppress(asyncio.CancelledError):
        await never()
    await never()


class Page:
    """A watcher that fails in one of the things it is told."""

    def __init__(self, where: str, fault: Fault) -> None:
        self._where, self._fault = where, fault
        self.told: list[str] = []

    async def _tell(self, what: str) -> None:
        self.told.append(what)
        if what == self._where:
            await self._fault()

    async def began(self, message: object) -> None:
        await self._tell("began")

    async def delta(self, piece: str) -> None:
        await self._tell("delta")

    async def answered(self, turn: object) -> None:
        await self._tell("answered")

    async def followed(self, remembered: object) -> None:
        await self._tell("followed")


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody has long."""
    monkeypatch.setattr(apart, "BREAK_OFF_SECONDS", 0.02)
    monkeypatch.setattr(presence, "TELL_SECONDS", 0.02)
    monkeypatch.setattr(turns, "ASKED_SECONDS", 0.02)
    monkeypatch.setattr(costs, "ASKED_SECONDS", 0.02)
    monkeypatch.setattr(costs, "AFTERWARDS_SECONDS", 0.02)


FAULTS = pytest.mark.parametrize("fault", [cancelled, never, stubborn])


@FAULTS
@pytest.mark.parametrize("where", ["began", "delta", "answered", "followed"])
async def test_a_watcher_that_ends_or_hangs_costs_no_answer(
    world: Any, where: str, fault: Fault
) -> None:
    world.channel.watcher = page = Page(where, fault)
    await world.say("one")
    await world.delivery.idle()
    await world.say("two")
    await world.delivery.idle()
    assert world.channel.said == ["re: one", "re: two"]
    assert where in page.told
    assert world.assistant.followed == ["one", "two"]


async def test_a_watcher_that_hangs_is_told_no_more_of_the_turn(world: Any) -> None:
    world.channel.watcher = page = Page("delta", never)
    await world.say("one")
    await world.delivery.idle()
    assert page.told == ["began", "delta"]
    await world.say("two")
    await world.delivery.idle()
    assert page.told == ["began", "delta"] * 2, "the next turn has a watcher again"


@FAULTS
async def test_a_platform_that_never_shows_typing_costs_no_answer(
    build: Any, state: Any, clock: Any, fault: Fault
) -> None:
    world = build(state, clock, capabilities=Capabilities(typing_seconds=0.02))
    world.channel.typing = lambda *where: fault()
    await world.delivery.start()
    await world.say("one")
    await world.say("two", conversation="c2")
    await world.delivery.idle()
    assert sorted(world.channel.said) == ["re: one", "re: two"]
    await world.delivery.close(seconds=1)


@FAULTS
@pytest.mark.parametrize("where", ["admit", "spent", "overhear", "afterwards", "language"])
async def test_whoever_is_asked_and_ends_or_hangs_holds_up_no_later_message(
    world: Any, monkeypatch: pytest.MonkeyPatch, where: str, fault: Fault
) -> None:
    handle = world.assistant.handle

    async def broken(*asked: object) -> Any:
        await fault()

    async def handled(*asked: Any) -> Turn:
        if where == "language":
            raise RuntimeError("so that a sentence is looked for")
        return replace(await handle(*asked), afterwards=broken)

    with monkeypatch.context() as broke:
        if where in ("admit", "spent"):
            broke.setattr(world.gate, where, broken)
        elif where == "overhear":
            broke.setattr(world.assistant, "overhear", broken)
        else:
            broke.setattr(world.assistant, "handle", handled)
            if where == "language":
                broke.setattr(world.assistant, "language_of", broken)
        await world.say("one", addressed=where != "overhear")
        await asyncio.wait_for(world.delivery.idle(), 60)
    await world.say("two")
    await asyncio.wait_for(world.delivery.idle(), 60)
    assert world.channel.said[-1] == "re: two"
    first = {"admit": "couldn't finish", "language": "couldn't finish", "overhear": "re: two"}
    assert first.get(where, "re: one") in world.channel.said[0]


async def test_a_turn_that_is_cancelled_from_within_is_its_own(world: Any, build: Any) -> None:
    """Whatever lies between: here the store that is to keep the reply."""
    write = world.state.compare_and_set
    faults = [asyncio.CancelledError()]

    async def once(key: str, *also: Any, **more: Any) -> Any:
        if key.startswith("outbox/") and faults:
            raise faults.pop()
        return await write(key, *also, **more)

    world.state.compare_and_set = once
    await world.say("one")
    await asyncio.wait_for(world.delivery.idle(), 60)
    await world.say("two")
    await asyncio.wait_for(world.delivery.idle(), 60)
    assert world.channel.said == ["re: two"]
    await world.delivery.close(seconds=1)
    other = build(world.state, world.clock)
    await other.delivery.start()
    await other.delivery.idle()
    assert other.channel.said == ["re: one"], "the next process answers what that one could not"
    await other.delivery.close(seconds=1)


async def test_who_works_in_a_place_and_is_ended_is_replaced(world: Any) -> None:
    held = world.assistant.hold("one")
    await world.say("one")
    await world.until(lambda: world.assistant.running)
    worker = world.delivery._conversations._places["c1"].worker
    worker.cancel()
    await asyncio.wait({worker})
    held.set()
    await world.say("two")
    await world.until(lambda: world.channel.said)
    assert world.channel.said == ["re: two"]


async def test_what_a_call_gives_or_raises_is_given_or_raised() -> None:
    async def seven() -> int:
        return 7

    async def wrong() -> int:
        raise LookupError("gone")

    def not_even_a_coroutine() -> Awaitable[int]:
        raise LookupError("gone")

    assert await apart.apart(seven) == 7
    for call in (wrong, not_even_a_coroutine):
        with pytest.raises(LookupError):
            await apart.apart(call)
    with pytest.raises(apart.BrokenOffError):
        await apart.apart(cancelled)
    with pytest.raises(TimeoutError):
        await apart.apart(never, 0.01)


async def test_a_cancellation_from_outside_reaches_what_runs_apart() -> None:
    ended: list[str] = []

    async def long() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("inside")

    task = asyncio.create_task(apart.apart(long))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended == ["inside"]
