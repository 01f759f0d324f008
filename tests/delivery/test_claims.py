"""What was claimed and what is told unasked: by whichever machine, late, or with its answer lost.

Each is answered and told once, without anything else having to come.
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from cloche.errors import MemoryUnavailableError
from cloche.messages import Reply

from .conftest import World
from .test_fences import at_write, rested
from .test_leases import OVER, Machine, Machines, hurried, left, machine

__all__ = ["hurried", "machine"]


def loses_answers(one: Any, prefix: str, number: int = 1) -> asyncio.Event:
    """The answers to a store's first writes under a prefix are lost, the writes are not.

    The event lets the last of them be known as lost.
    """
    let, count = asyncio.Event(), [0]

    def held(real: Any) -> Any:
        async def write(key: str, *also: Any, **more: Any) -> Any:
            written = await real(key, *also, **more)
            if key.startswith(prefix) and count[0] < number:
                count[0] += 1
                if count[0] == number:
                    await let.wait()
                raise MemoryUnavailableError("no answer in time", cause="slow")
            return written

        return write

    for name in ("put", "compare_and_set"):
        setattr(one, name, held(getattr(one, name)))
    return let


@pytest.mark.parametrize("busy", [False, True], ids=["left again", "at work yet"])
async def test_one_frozen_before_it_claims_a_message_answers_it_with_nothing_else_coming(
    machine: Machines, busy: bool
) -> None:
    first, second = await machine(), await machine()
    frozen = at_write(first, "inbox/", 1, first.runs.clear)
    taking = asyncio.create_task(first.world.delivery.accept(first.world.message("uno", id="1")))
    await asyncio.wait_for(frozen.wait(), 5)
    two = second.assistant.hold("二") if busy else asyncio.Event()
    await second.world.delivery.accept(second.world.message("二", id="2"))
    if busy:
        await second.world.until(lambda: bool(second.assistant.running))
    else:
        await rested(second)
    first.runs.set()
    await asyncio.sleep(OVER if busy else 0)
    two.set()
    await taking
    await rested(first, second)
    assert (first.channel.said, second.channel.said) == (["re: uno"], ["re: 二"])


async def test_one_that_may_not_go_on_says_so_and_another_answers_what_it_claimed(
    machine: Machines, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It claims, loses its way to the store for good, and the queue sends the message again."""
    first, second = await machine(), await machine()
    frozen = at_write(first, "inbox/", 1, first.runs.clear)
    message = first.world.message("one", id="1")
    taking = asyncio.create_task(first.world.delivery.accept(message))
    await asyncio.wait_for(frozen.wait(), 5)
    await second.world.delivery.accept(second.world.message("two", id="2"))
    await rested(second)

    async def closed(*_: Any, **__: Any) -> Any:
        raise MemoryUnavailableError("it is over", cause="closed")

    # The claim that was on its way goes through; nothing that is asked from now on does.
    for name in ("put", "compare_and_set", "get", "list_items", "delete"):
        setattr(first._store, name, closed)
    first.runs.set()
    with pytest.raises(MemoryUnavailableError):
        await taking
    for _ in range(3):
        await second.world.delivery.accept(message)
    await rested(second)
    assert (first.channel.said, second.channel.said) == ([], ["re: two", "re: one"])


@pytest.mark.parametrize("busy", [False, True], ids=["left again", "at work yet"])
async def test_a_turn_lost_to_one_that_only_told_something_there_is_run_with_nothing_else_coming(
    machine: Machines, busy: bool
) -> None:
    first, second = await machine(), await machine()
    held = first.assistant.hold("茶")
    message = await first.world.say("茶")
    await first.world.until(lambda: bool(first.assistant.running))
    waiting = asyncio.create_task(first.world.delivery.finished(message.place))
    first.runs.clear()
    let, send = asyncio.Event(), second.channel.send

    async def slow(part: Any) -> None:
        await let.wait()
        await send(part)

    second.channel.send = slow  # type: ignore[method-assign]
    await second.world.delivery.tell(second.world.message("", id="t"), Reply("Somebody came in."))
    await second.world.until(lambda: second.is_working)
    if not busy:
        let.set()
        await rested(second)
    held.set()
    first.runs.set()
    await asyncio.sleep(OVER if busy else 0)
    assert not waiting.done()  # nobody is told that it is answered
    let.set()
    await asyncio.wait_for(waiting, 10)
    assert (first.channel.said, second.channel.said) == (["re: 茶"], ["Somebody came in."])
    await rested(first, second)


@pytest.mark.parametrize("times", [1, 2])
async def test_a_message_whose_claim_was_kept_but_not_known_to_be_is_answered_once(
    world: World, times: int
) -> None:
    loses_answers(world.state, "inbox/", times).set()
    message = world.message("hola", id="1")
    for _ in range(times):
        with pytest.raises(MemoryUnavailableError):
            await world.delivery.accept(message)
    for _ in range(3):
        await world.delivery.accept(message)
        await world.delivery.idle()
    # Time passes at once here: it may have been said meanwhile that messages are not kept.
    assert world.channel.said.count("re: hola") == 1


async def test_what_comes_twice_at_once_and_in_one_list_is_answered_once(world: World) -> None:
    message = world.message("hola", id="1")
    both = (world.delivery.accept(message, message) for _ in range(3))
    await asyncio.gather(*both)
    await world.delivery.idle()
    await world.delivery.accept(message)
    await world.delivery.idle()
    assert world.channel.said == ["re: hola"]


async def test_what_comes_again_while_its_turn_runs_or_waits_is_answered_once(
    world: World,
) -> None:
    held = world.assistant.hold("one")
    one, two = world.message("one", id="1"), world.message("two", id="2")
    await world.delivery.accept(one)
    await world.until(lambda: bool(world.assistant.running))
    await world.delivery.accept(two)
    await world.delivery.accept(one, two)
    held.set()
    await world.delivery.idle()
    assert world.channel.said == ["re: one", "re: two"]


async def test_what_is_told_with_its_answer_lost_and_told_by_another_is_told_once(
    machine: Machines,
) -> None:
    first, second = await machine(), await machine()
    let = loses_answers(first._store, "outbox/")
    told = first.world.message("", id="t")
    telling = asyncio.create_task(first.world.delivery.tell(told, Reply("Somebody came in.")))
    async with asyncio.timeout(5):
        while not await left(second):
            await asyncio.sleep(0.01)
    await second.world.say("one")  # whoever works there finds it
    await rested(second)
    assert sorted(second.channel.said) == ["Somebody came in.", "re: one"]
    let.set()
    await telling
    await rested(first, second)
    assert first.channel.said == []
    assert await left(first) == []


async def test_what_is_told_with_its_answer_lost_and_by_nobody_else_is_told_once(
    machine: Machines,
) -> None:
    first = await machine()
    loses_answers(first._store, "outbox/", 2).set()
    await first.world.delivery.tell(first.world.message("", id="t"), Reply("Somebody came in."))
    await rested(first)
    assert first.channel.said == ["Somebody came in."]


async def test_what_is_told_again_while_it_waits_is_told_once(machine: Machines) -> None:
    one: Machine = await machine()
    told, reply = one.world.message("", id="t"), Reply("Somebody came in.")
    await asyncio.gather(*(one.world.delivery.tell(told, reply) for _ in range(3)))
    await rested(one)
    assert one.channel.said == ["Somebody came in."]


async def test_what_waits_for_another_machine_does_not_hold_up_the_end(machine: Machines) -> None:
    first, second = await machine(), await machine()
    first.assistant.hold("one")
    await first.world.say("one")
    await first.world.until(lambda: bool(first.assistant.running))
    taking = asyncio.create_task(second.world.delivery.accept(second.world.message("二", id="2")))
    await second.world.until(lambda: bool(second.world.delivery._accepting._tasks))
    async with asyncio.timeout(3):  # and not for as long as it would wait there
        await second.world.delivery.close(seconds=0.1)
    with pytest.raises(MemoryUnavailableError) as told:
        await taking
    assert told.value.cause == "closed"  # so that it is sent again
