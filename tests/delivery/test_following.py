"""What follows a turn asks models for long: whoever writes meanwhile is answered all the same."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from cloche.delivery import conversations
from cloche.delivery.following import Following


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """What follows is waited for as long as a test has time for."""
    monkeypatch.setattr(conversations, "FOLLOWS_SECONDS", 0.05)


async def test_the_next_message_is_answered_beside_what_follows(world: Any) -> None:
    first, second = world.assistant.after.setdefault("one", asyncio.Event()), asyncio.Event()
    world.assistant.after["two"] = second
    await world.say("one")
    await world.until(lambda: world.channel.said == ["re: one"])
    await world.say("two")
    await world.until(lambda: world.channel.said == ["re: one", "re: two"])
    finished = asyncio.create_task(world.delivery.finished("c1"))
    second.set()
    for _ in range(50):
        await asyncio.sleep(0)
    assert world.assistant.followed == []  # what is learned is learned in the turns' order
    assert not finished.done()
    first.set()
    await finished
    assert world.assistant.followed == ["one", "two"]
    assert world.delivery.busy == 0


async def test_a_turn_knows_how_long_its_message_has_waited(world: Any) -> None:
    held = world.assistant.after.setdefault("one", asyncio.Event())
    running = world.assistant.hold("two")
    await world.say("one")
    await world.until(lambda: world.channel.said)
    await world.say("two")
    world.clock.pass_(seconds=5)
    await world.until(lambda: world.assistant.running)
    await world.say("three")
    world.clock.pass_(seconds=7)  # whoever writes during a turn sees that it runs
    running.set()
    await world.until(lambda: len(world.channel.said) == 3)
    assert [round(one.waited) for one in world.assistant.messages] == [0, 5, 0]
    held.set()


async def test_a_process_that_ends_waits_for_what_follows_and_no_longer(world: Any) -> None:
    world.assistant.after["one"] = asyncio.Event()
    await world.say("one")
    await world.until(lambda: world.channel.said)
    async with asyncio.timeout(5):
        await world.delivery.close(seconds=0.1)
    assert world.assistant.followed == []


async def test_a_place_in_which_nothing_is_left_is_known_no_more(world: Any) -> None:
    await world.say("one")
    await world.delivery.idle()
    assert world.delivery._conversations.is_free(world.message("two"))


async def test_what_is_broken_off_in_a_place_is_all_of_it() -> None:
    following, over = Following(2), list[str]()
    never = asyncio.Event()

    async def hang() -> None:
        await never.wait()

    for name in ("here", "here", "there"):
        following.begin(name, hang, lambda name=name: over.append(name))  # type: ignore[misc]
    await asyncio.sleep(0)
    await following.let_go("here")
    assert not following.runs("here")
    never.set()
    await following.close(10)
    assert over == ["there"]
