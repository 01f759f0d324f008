"""Ends and beginnings: what a process finishes, and what the next one finds."""

from __future__ import annotations

import asyncio
import os
from typing import Any

import pytest

from cloche.channels import SendLaterError
from cloche.delivery import Admission
from cloche.errors import MemoryUnavailableError, SettingsError


async def test_a_turn_that_runs_may_finish_and_is_sent(
    world: Any, build: Any, state: Any, clock: Any
) -> None:
    held = world.assistant.hold("one")
    await world.say("one")
    await world.until(lambda: world.assistant.running)
    await world.say("two")
    closing = asyncio.create_task(world.delivery.close(seconds=5))
    await asyncio.sleep(0.01)
    held.set()
    await closing
    assert world.channel.said == ["re: one"]
    assert world.assistant.followed == ["one"]
    other = build(state, clock)
    await other.delivery.start()
    await other.delivery.idle()
    assert other.channel.said == ["re: two"]


async def test_a_turn_that_takes_too_long_is_run_again_by_the_next_process(
    world: Any, build: Any, state: Any, clock: Any
) -> None:
    world.assistant.hold("one")
    await world.say("one")
    await world.until(lambda: world.assistant.running)
    await world.delivery.close(seconds=0.01)
    assert world.channel.said == []
    assert world.assistant.running == []
    other = build(state, clock)
    await other.delivery.start()
    await other.delivery.idle()
    assert other.channel.said == ["re: one"]


async def test_a_reply_that_waits_for_the_platform_is_left_to_the_next_process(
    world: Any, build: Any, state: Any, clock: Any
) -> None:
    waits = asyncio.Event()

    async def long(seconds: float) -> None:
        await waits.wait()

    world.sleep = long
    world.delivery = world.made()
    await world.delivery.start()
    world.channel.failures.append(SendLaterError("flood", seconds=600))
    await world.say("one")
    await world.until(lambda: world.assistant.followed == ["one"])
    await asyncio.wait_for(world.delivery.close(seconds=60), 60)
    other = build(state, clock)
    await other.delivery.start()
    await other.delivery.idle()
    assert other.channel.said == ["re: one"]
    assert other.assistant.asked == []


async def test_a_message_that_kills_every_process_is_given_up_in_a_sentence(
    build: Any, state: Any, clock: Any
) -> None:
    lives = 0
    while lives < 10:
        lives += 1
        world = build(state, clock)
        world.assistant.hold("deadly")
        await world.delivery.start()
        if lives == 1:
            await world.say("deadly")
        await world.until(lambda w=world: w.assistant.running or w.channel.sent)
        await world.delivery.close(seconds=0)
        if world.channel.sent:
            break
    assert lives == 6
    assert "couldn't finish" in world.channel.said[0]
    world = build(state, clock)
    await world.delivery.start()
    await world.delivery.idle()
    assert world.channel.sent == []


@pytest.mark.parametrize("sender", ["", "ann"])
async def test_a_turn_that_only_fails_is_done_with_at_last(
    build: Any, state: Any, clock: Any, sender: str
) -> None:
    """Nobody can be answered, or the answer cannot be kept, in any process."""

    async def never(*asked: Any, **more: Any) -> Any:
        raise ValueError("no reply is kept")

    for life in range(8):
        world = build(state, clock)
        if sender:
            world.delivery._outbox.keep = never
        await world.delivery.start()
        if life == 0:
            await world.say("one", sender=sender)
        await world.delivery.idle()
        await world.delivery.close(seconds=1)
    assert [item.value for item in await state.list_items("inbox/")] == [{"done": True}]
    assert len(world.assistant.asked) == 0, "it was given up before"


async def test_a_row_that_cannot_be_read_stops_nothing(build: Any, state: Any, clock: Any) -> None:
    await state.put("inbox/doorway/doorway_-c1/aa", {"message": {"text": 5}, "arrived": 1})
    await state.put("inbox/doorway/doorway_-c1/bb", "what is this")
    await state.put("outbox/doorway/doorway_-c1/cc", {"parts": []})
    await state.put("moved/doorway/doorway_-c1", 7)
    world = build(state, clock)
    await world.delivery.start()
    await world.say("one")
    await world.delivery.idle()
    assert world.channel.said == ["re: one"]
    await world.delivery.close()


async def test_the_gate_is_asked_again_while_its_store_is_away(world: Any) -> None:
    answers: list[Any] = [MemoryUnavailableError("away", cause="io"), Admission(go=True)]

    async def admit(message: Any) -> Admission:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    world.gate.admit = admit
    await world.say("one")
    await world.delivery.idle()
    assert world.channel.said == ["re: one"]
    assert len(world.slept) == 1


async def test_a_channel_is_served_once(build: Any, state: Any, clock: Any, tmp_path: Any) -> None:
    first = build(state, clock, lock=tmp_path / "locks" / "doorway.lock")
    await first.delivery.start()
    second = build(state, clock, lock=tmp_path / "locks" / "doorway.lock")
    told = rf"served by another process already: process {os.getpid()}, .*doorway\.lock"
    with pytest.raises(SettingsError, match=told):
        await second.delivery.start()
    assert second.channel.opened == 0
    await first.delivery.close()
    await second.delivery.start()
    await second.delivery.close()


async def test_a_channel_that_does_not_open_gives_its_lock_back(
    build: Any, state: Any, clock: Any, tmp_path: Any
) -> None:
    first = build(state, clock, lock=tmp_path / "lock")

    async def broken() -> None:
        raise SettingsError("no token")

    first.channel.open = broken
    with pytest.raises(SettingsError, match="no token"):
        await first.delivery.start()
    second = build(state, clock, lock=tmp_path / "lock")
    await second.delivery.start()
    await second.delivery.close()


async def test_several_processes_may_open_a_door_that_recovers_nothing(
    world: Any, build: Any, state: Any, clock: Any
) -> None:
    held = world.assistant.hold("one")
    await world.say("one")
    await world.until(lambda: world.assistant.running)
    other = build(state, clock)
    await other.delivery.start(recovering=False)
    await other.delivery.idle()
    assert other.assistant.asked == []
    held.set()
    await world.delivery.idle()
    assert world.channel.said == ["re: one"]


async def test_what_was_said_leaves_the_store_with_its_answer(world: Any, tmp_path: Any) -> None:
    await world.say("Quetzaltenango")
    await world.delivery.idle()
    items = [
        item for prefix in ("inbox/", "outbox/") for item in await world.state.list_items(prefix)
    ]
    assert [item.value for item in items] == [{"done": True}]
