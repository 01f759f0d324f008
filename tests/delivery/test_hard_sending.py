"""Replies that are hard to send: unseen, endless, for closed threads, past channels that break."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from cloche.channels import Left, Limits, MovedError, Part, SendLaterError, ThreadClosedError
from cloche.ids import actor_id
from cloche.messages import Address, Due, Reply
from cloche.texts import say

SMALL = Limits(text=4000, text_bytes=16_000)


@pytest.mark.parametrize(
    "text", ["", " \n\t", "\u200b\u200d", "\u3164 \u2800", "\ufeff\u2060\ufe0f", "\x00\x1b"]
)
async def test_a_reply_nobody_could_see_is_a_polite_sentence(world: Any, text: str) -> None:
    world.assistant.answer = lambda message: Reply(text)
    await world.say("one")
    await world.delivery.idle()
    assert world.channel.said == [say("reply_unseen", "en")]
    assert world.assistant.followed == ["one"]


async def test_a_reminder_that_has_nothing_to_tell_stays_silent(world: Any) -> None:
    world.assistant.answer = lambda message: Reply("")
    await world.say("", due=(Due("r1", world.clock()),))
    await world.delivery.idle()
    assert world.channel.said == []


@pytest.mark.parametrize("seconds", [0, -5, float("nan"), None, "5", True])
async def test_a_wait_that_is_none_is_an_ordinary_back_off(world: Any, seconds: Any) -> None:
    world.channel.failures += [SendLaterError("flood", seconds=seconds) for _ in range(8)]
    await world.say("one")
    await world.delivery.idle()
    assert world.channel.said == ["re: one"]
    assert min(world.slept) >= 0.25
    assert sum(world.slept) > 20, "it waits longer each time"


async def test_a_wait_without_end_is_an_hour(world: Any) -> None:
    world.channel.failures.append(SendLaterError("flood", seconds=float("inf")))
    await world.say("one")
    await world.delivery.idle()
    assert 3600 <= world.slept[0] <= 4000


async def test_however_often_a_platform_asks_to_wait_a_moment_the_reply_arrives(world: Any) -> None:
    world.channel.failures += [SendLaterError("flood", seconds=1) for _ in range(2000)]
    await world.say("one")
    await world.delivery.idle()
    assert world.channel.said == ["re: one"]


async def test_after_a_day_of_failures_a_part_makes_room_for_the_next(world: Any) -> None:
    send = world.channel.send

    async def broken(part: Part) -> None:
        if part.text == "re: one":
            raise ConnectionResetError
        await send(part)

    world.channel.send = broken
    await world.say("one")
    await world.delivery.idle()
    await world.say("two")
    await world.delivery.idle()
    assert world.channel.said == ["re: two"]
    assert 86_400 <= sum(world.slept) < 86_500


@pytest.mark.parametrize(
    "failure", [asyncio.CancelledError(), GeneratorExit(), BaseExceptionGroup("x", [KeyError()])]
)
async def test_whatever_a_channel_raises_the_replies_behind_it_are_sent(
    world: Any, failure: BaseException
) -> None:
    world.channel.failures += [failure, MovedError("moved", conversation="")]
    await world.say("one")
    await world.delivery.finished("c1")
    await world.say("two")
    await world.delivery.idle()
    assert world.channel.said == ["re: one", "re: two"]


async def test_a_send_that_is_no_coroutine_is_a_failure_like_others(world: Any) -> None:
    send, calls = world.channel.send, 0

    def wrong(part: Part) -> Any:
        nonlocal calls
        calls += 1
        return None if calls == 1 else send(part)

    world.channel.send = wrong
    await world.say("one")
    await world.delivery.idle()
    assert world.channel.said == ["re: one"]


async def test_a_closed_thread_waits_for_its_next_message_and_holds_up_no_other(
    world: Any,
) -> None:
    world.channel.failures.append(ThreadClosedError("topic closed"))
    await world.say("one", thread="7", group=True)
    await world.delivery.idle()
    await world.say("two", thread="8", group=True)
    await world.delivery.idle()
    assert world.channel.said == ["re: two"]
    await world.say("three", thread="7", group=True)
    await world.delivery.idle()
    assert world.channel.said == ["re: two", "re: one", "re: three"]


async def held_in_flight(world: Any, text: str) -> asyncio.Event:
    """Have a part of this text be on its way until the event is set."""
    arrived, send = asyncio.Event(), world.channel.send
    reached = asyncio.Event()

    async def slow(part: Part) -> None:
        if part.text == text:
            reached.set()
            await arrived.wait()
        await send(part)

    world.channel.send = slow
    await world.say(text.removeprefix("re: "), group=True)
    await reached.wait()
    return arrived


@pytest.mark.parametrize("forgotten", [False, True])
async def test_what_waited_is_sent_though_somebody_left_and_came_back_meanwhile(
    world: Any, state: Any, forgotten: bool
) -> None:
    world.channel.failures.append(ThreadClosedError("topic closed"))
    await world.say("in a thread", thread="7", group=True)
    await world.delivery.idle()
    arrived = await held_in_flight(world, "re: general")
    await world.say("next", group=True)
    await world.delivery.accept(Left("u-left", "c1"))
    await world.say("again", thread="7", group=True)
    await world.until(lambda: "again" in world.assistant.asked)
    if forgotten:
        door = actor_id(Address("doorway", "ann"))
        assert await world.delivery.forget([door], lambda words: "general" in words) == 1
    arrived.set()
    await asyncio.wait_for(world.delivery.idle(), 60)
    there = ["re: in a thread", "re: again"]
    assert [text for text in world.channel.said if text in there] == there
    others = ["re: next"] if forgotten else ["re: general", "re: next"]
    assert [text for text in world.channel.said if text not in there] == others
    assert not [item for item in await state.list_items("outbox/") if item.value]


async def test_what_waits_for_a_closed_thread_outlives_the_process(
    world: Any, state: Any, clock: Any, build: Any
) -> None:
    world.channel.failures.append(ThreadClosedError("topic closed"))
    await world.say("one", thread="7", group=True)
    await world.delivery.idle()
    await world.delivery.close(seconds=1)
    other = build(state, clock)
    await other.delivery.start()
    await other.delivery.idle()
    assert other.channel.said == ["re: one"]
    await other.delivery.close(seconds=1)


@pytest.mark.parametrize("letter", ["a", '"', "文", "😀"])
async def test_a_reply_larger_than_a_store_takes_arrives_whole(
    state: Any, clock: Any, build: Any, letter: str
) -> None:
    world = build(state, clock, limits=SMALL)
    length = 1_200_000 // len(letter.encode())
    world.assistant.answer = lambda message: Reply(letter * length)
    await world.delivery.start()
    await world.say("one")
    await world.delivery.idle()
    assert "".join(world.channel.said) == letter * length
    assert world.assistant.asked == ["one"]
    assert [item for item in await state.list_items("outbox/") if item.value] == []
    await world.delivery.close(seconds=1)


async def test_one_message_larger_than_a_store_takes_arrives_whole(
    state: Any, clock: Any, build: Any
) -> None:
    from cloche.delivery.rendering import render

    large = Limits(text=10_000_000, text_bytes=40_000_000)
    world = build(state, clock, limits=large, render=render)
    words = " ".join(f"**w{number}**" for number in range(60_000))
    world.assistant.answer = lambda message: Reply(words)
    await world.delivery.start()
    await world.say("one")
    await world.delivery.idle()
    assert " ".join(world.channel.said).split() == words.replace("**", "").split()
    assert world.assistant.asked == ["one"]
    await world.delivery.close(seconds=1)


async def test_a_long_reply_goes_on_after_a_restart_where_it_was(
    state: Any, clock: Any, build: Any
) -> None:
    world = build(state, clock, limits=SMALL)
    world.assistant.answer = lambda message: Reply("a" * 900_000)
    await world.delivery.start()
    send, number = world.channel.send, 0

    async def stuck(part: Part) -> None:
        nonlocal number
        number += 1
        if number > 100:
            await asyncio.Event().wait()
        await send(part)

    world.channel.send = stuck
    await world.say("one")
    await world.until(lambda: number > 100)
    await world.delivery.close(seconds=0)
    other = build(state, clock)
    await other.delivery.start()
    await other.delivery.idle()
    assert len("".join(world.channel.said + other.channel.said)) == 900_000
    assert other.assistant.asked == []
    await other.delivery.close(seconds=1)


async def test_the_rest_of_a_reply_whose_beginning_was_not_kept_is_none(
    state: Any, clock: Any, build: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = build(state, clock, limits=SMALL)
    world.assistant.answer = lambda message: Reply("a" * 900_000)
    write, reached = state.compare_and_set, asyncio.Event()

    async def dies(key: str, value: Any, **about: Any) -> Any:
        if key.startswith("outbox/") and "~" not in key:
            reached.set()
            await asyncio.Event().wait()
        return await write(key, value, **about)

    monkeypatch.setattr(state, "compare_and_set", dies)
    await world.delivery.start()
    await world.say("one")
    await reached.wait()
    await world.delivery.close(seconds=0)
    monkeypatch.undo()
    assert [item for item in await state.list_items("outbox/") if "~" in item.key]
    other = build(state, clock)
    await other.delivery.start()
    await other.delivery.idle()
    assert other.channel.said == ["re: one"]
    assert await state.list_items("outbox/") == []
    await other.delivery.close(seconds=1)
