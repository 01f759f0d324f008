"""A machine that froze, or lost its way to the store, just before a write: what it writes after
another one has answered changes nothing, and nothing is answered twice."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

import pytest

from cloche.errors import HeldElsewhereError, MemoryUnavailableError
from cloche.messages import Reply

from .test_leases import Machine, Machines, hurried, left, machine

__all__ = ["hurried", "machine"]


def at_write(one: Machine, prefix: str, number: int, then: Callable[[], None]) -> asyncio.Event:
    """Have something happen just before a machine's nth write under a prefix; set then.

    Reads are not held up: the write is already on its way when it happens.
    """
    reached, count = asyncio.Event(), [0]

    def held(real: Any) -> Any:
        async def write(key: str, *also: Any, **more: Any) -> Any:
            if key.startswith(prefix):
                count[0] += 1
                if count[0] == number:
                    then()
                    reached.set()
                    await one.runs.wait()
                    if one.is_cut:
                        raise MemoryUnavailableError("no way there", cause="io")
            return await real(key, *also, **more)

        return write

    for name in ("put", "compare_and_set"):
        setattr(one._store, name, held(getattr(one._store, name)))
    return reached


async def rested(*machines: Machine) -> None:
    """Until nobody has anything in hand, nor any conversation."""
    async with asyncio.timeout(60):
        for one in machines:
            await one.world.delivery.idle()
        while any(one.is_working for one in machines):
            await asyncio.sleep(0.01)


async def freezes(first: Machine, second: Machine, prefix: str, number: int) -> list[str]:
    """What both said: the first freezes at that write of "one", the second goes on, it thaws."""
    frozen = at_write(first, prefix, number, first.runs.clear)
    message = await first.world.say("one")
    await asyncio.wait_for(frozen.wait(), 60)
    await second.world.delivery.accept(message)
    await second.world.delivery.idle()
    first.runs.set()
    await rested(first, second)
    return await after(first, second)


async def after(first: Machine, second: Machine) -> list[str]:
    """What both have said once each was written to again."""
    for one, text in ((second, "second"), (first, "first"), (second, "again")):
        await one.world.delivery.accept(one.world.message(text, id=f"later {text}"))
        await rested(first, second)
    assert [one.world.delivery.busy for one in (first, second)] == [0, 0]
    assert await left(first) == []
    return [*first.channel.said, *second.channel.said]


async def test_one_frozen_before_it_keeps_its_reply_does_not_send_it_later(
    machine: Machines,
) -> None:
    said = await freezes(await machine(), await machine(), "outbox/", 1)
    assert sorted(said) == ["re: again", "re: first", "re: one", "re: second"]


async def test_one_that_thaws_only_to_keep_its_reply_leaves_none_to_be_sent(
    machine: Machines,
) -> None:
    """And stands still for good right after: it cannot take back what it wrote."""
    first, second, third = await machine(), await machine(), await machine()
    frozen = at_write(first, "outbox/", 1, first.runs.clear)
    message = await first.world.say("one")
    await asyncio.wait_for(frozen.wait(), 60)
    await second.world.delivery.accept(message)
    await rested(second)
    asked, over = asyncio.Event(), asyncio.Event()

    async def stands_still(*_: Any, **__: Any) -> Any:
        asked.set()
        await over.wait()
        raise MemoryUnavailableError("it stands still", cause="closed")

    # The write that was on its way goes through; nothing that is asked from now on does.
    for name in ("put", "compare_and_set", "get", "delete"):
        setattr(first._store, name, stands_still)
    first.runs.set()
    await asyncio.wait_for(asked.wait(), 60)
    await third.world.delivery.accept(third.world.message("two", id="two"))
    await rested(third)
    over.set()
    assert third.channel.said == ["re: two"]


async def test_one_frozen_before_it_notes_a_part_repeats_that_part_only(machine: Machines) -> None:
    first, second = await machine(parts=3), await machine(parts=3)
    for one in (first, second):
        one.assistant.answer = lambda m: Reply("aaabbbccc" if m.text == "one" else m.text[:3])
    said = await freezes(first, second, "outbox/", 2)
    assert [said.count(part) for part in ("aaa", "bbb", "ccc")] == [2, 1, 1]


@pytest.mark.parametrize("number", [1, 2, 3])
async def test_one_frozen_before_it_marks_or_ends_a_message_answers_none_twice(
    machine: Machines, number: int
) -> None:
    first, second = await machine(), await machine()
    zero = first.assistant.hold("zero")
    await first.world.say("zero")
    await first.world.until(lambda: bool(first.assistant.running))
    message = await first.world.say("one")
    frozen = at_write(first, "inbox/", number, first.runs.clear)
    zero.set()
    await asyncio.wait_for(frozen.wait(), 60)
    await second.world.delivery.accept(message)
    await second.world.delivery.idle()
    first.runs.set()
    await rested(first, second)
    said = await after(first, second)
    assert sorted(said) == ["re: again", "re: first", "re: one", "re: second", "re: zero"]


@pytest.mark.parametrize("later", [False, True], ids=["at once", "after it was there again"])
async def test_one_cut_off_as_it_keeps_its_reply_does_not_send_it_later(
    machine: Machines, later: bool
) -> None:
    first, second = await machine(), await machine()

    def cut() -> None:
        first.is_cut = True

    reached = at_write(first, "outbox/", 1, cut)
    message = await first.world.say("one")
    await asyncio.wait_for(reached.wait(), 60)
    await second.world.delivery.accept(message)
    await second.world.delivery.idle()
    if later:  # the second has left: the first may take the conversation at once
        await second.world.until(lambda: not second.is_working)
    first.is_cut = False
    await rested(first, second)
    said = await after(first, second)
    assert sorted(said) == ["re: again", "re: first", "re: one", "re: second"]


async def test_a_reply_behind_one_that_another_machine_has_sent_is_not_sent_again(
    machine: Machines,
) -> None:
    """Both were kept when it froze; it has the conversation again before it has let go."""
    first, second = await machine(), await machine()
    flying, landed = asyncio.Event(), asyncio.Event()
    send = first.channel.send

    async def slow(part: Any) -> None:
        flying.set()
        await landed.wait()
        await send(part)

    first.channel.send = slow  # type: ignore[method-assign]
    await first.world.say("one")
    await flying.wait()
    message = await first.world.say("two")
    await first.world.until(lambda: first.assistant.asked == ["one", "two"])
    async with asyncio.timeout(60):
        while len(await left(second)) < 2:
            await asyncio.sleep(0.01)
    first.runs.clear()
    await second.world.delivery.accept(message)
    await rested(second)
    landed.set()
    first.runs.set()
    await rested(first, second)
    assert second.channel.said == ["re: one", "re: two"]
    assert first.channel.said in ([], ["re: one"])  # the one in flight


async def test_all_that_wait_for_another_machine_wait_from_when_they_came(
    machine: Machines, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cloche.delivery.leases.WAIT_SECONDS", 1.0)
    first, second = await machine(), await machine()
    first.assistant.hold("one")
    await first.world.say("one")
    await first.world.until(lambda: bool(first.assistant.running))
    began = time.monotonic()
    come = [second.world.message(f"m{n}", id=f"m{n}") for n in range(6)]
    heard = await asyncio.gather(*map(second.world.delivery.accept, come), return_exceptions=True)
    assert [type(one) for one in heard] == [HeldElsewhereError] * 6
    assert 1 <= time.monotonic() - began < 5  # not 6 seconds


async def test_what_is_let_go_of_in_a_turn_and_its_reply_is_counted_once(
    machine: Machines, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A turn, a message that waits, and a reply in flight, all of one place."""
    monkeypatch.setattr("cloche.delivery.turns.SHOWN_SECONDS", 0.01)
    first, second = await machine(), await machine()
    flying = asyncio.Event()

    async def never(part: Any) -> None:
        flying.set()
        await asyncio.Event().wait()

    first.channel.send = never  # type: ignore[method-assign]
    first.assistant.hold("two")
    await first.world.say("one")
    await flying.wait()
    await first.world.say("two")
    await first.world.until(lambda: "two" in first.assistant.asked)
    message = await first.world.say("three")
    counts: list[int] = []
    first.world.delivery.watch(counts.append)
    first.runs.clear()
    await second.world.delivery.accept(message)
    await second.world.delivery.idle()
    assert second.channel.said == ["re: one", "re: two", "re: three"]
    first.runs.set()
    await rested(first)
    assert first.world.delivery.busy == 0
    assert min(counts) == 0
