"""Many machines, one state store: each has a conversation, and leaves the others' alone."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from cloche.errors import SettingsError
from cloche.reminders.local import LocalReminders
from cloche.state.sqlite import SqliteStateStore

if TYPE_CHECKING:
    from conftest import Opened


@pytest.fixture(autouse=True)
def shared(monkeypatch: pytest.MonkeyPatch) -> None:
    """State as a service keeps it, and a service that watches the clock."""
    monkeypatch.setattr(SqliteStateStore, "shared", True)
    monkeypatch.setattr(LocalReminders, "external", True)


async def left_in(running: Opened, room: str) -> None:
    """A process ends while a message of a room waits for the turn before it."""
    async with running() as runtime:
        first = asyncio.create_task(runtime.post(room, "wait one", id_="1", status=503))
        await runtime.until(lambda: runtime.agent.asked)
        second = asyncio.create_task(runtime.post(room, "two", id_="2", status=503))
        await runtime.until_kept(2)
    await asyncio.gather(first, second)
    assert runtime.agent.asked == ["wait one"]


async def test_another_conversations_process_takes_over_nothing(running: Opened) -> None:
    await left_in(running, "r")
    async with running() as runtime:
        assert (await runtime.post("other", "hello", id_="3"))["done"]
        assert (await runtime.post("r#2", "hello", id_="4"))["done"]
        await runtime.until_idle()
        assert runtime.agent.asked == ["hello", "hello"]


async def test_its_own_process_goes_on_where_it_stopped(running: Opened) -> None:
    await left_in(running, "r")
    async with running() as runtime:
        # The queue sends again what was not done: it is known, and answered once.
        told = [runtime.post("r", "two", id_="2"), runtime.post("r", "three", id_="5")]
        assert all(one["done"] for one in await asyncio.gather(*told))
        assert sorted(runtime.agent.asked) in (["three", "two"], ["two\n\nthree"])
        assert (await runtime.post("r", "two", id_="2"))["done"]
        assert len(runtime.agent.asked) <= 2


async def test_a_reply_that_was_not_sent_is_sent_by_its_own_process(running: Opened) -> None:
    async with running() as runtime:
        blocked = asyncio.Event()

        async def held(self: object, part: object) -> None:
            blocked.set()
            await asyncio.sleep(3600)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("cloche_posted.Posted.send", held)
            patch.setattr("cloche.serving.CLOSE_SECONDS", 0.2)
            posting = asyncio.create_task(runtime.post("r", "hello", id_="1", status=503))
            await blocked.wait()
            await runtime.stop()
        await posting
    async with running() as runtime:
        await runtime.post("other", "hi", id_="2")
        assert ("r", "You said: hello") not in runtime.sent
        assert (await runtime.post("r", "hello", id_="1"))["done"]
        assert runtime.sent[-1] == ("r", "You said: hello")
        assert runtime.agent.asked == ["hi"]


@pytest.fixture
def two_machines(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second machine has files of its own; here only the lock of the first is in its way."""
    monkeypatch.setattr("cloche.delivery.lock.ServedOnce.acquire", lambda lock: None)
    for name, seconds in (("RENEW", 0.05), ("OVER", 60.0), ("LOOK", 0.02), ("WAIT", 0.5)):
        monkeypatch.setattr(f"cloche.delivery.leases.{name}_SECONDS", seconds)


async def test_while_one_machine_works_on_a_conversation_another_is_told_to_come_again(
    running: Opened, two_machines: None
) -> None:
    async with running() as first, running() as second:
        working = asyncio.create_task(first.post("r", "wait", id_="1"))
        await first.until(lambda: first.agent.asked)
        told = await second.post("r", "wait", id_="1", status=503)
        assert told["error"] == "elsewhere"
        assert (await second.post("other", "hello", id_="2"))["done"]
        first.agent.let.set()
        assert (await working)["done"]
        assert (await second.post("r", "wait", id_="1"))["done"]
        assert (await second.post("r", "你好", id_="3"))["done"]
        assert second.sent == [
            ("other", "You said: hello"),
            ("r", "You said: wait"),
            ("r", "You said: 你好"),
        ]
        assert second.agent.asked == ["hello", "你好"]


async def test_a_machine_that_thaws_finds_its_turn_answered(
    running: Opened, two_machines: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cloche.delivery.leases.OVER_SECONDS", 0.3)
    monkeypatch.setattr("cloche.delivery.leases.WAIT_SECONDS", 30.0)
    async with running() as first, running() as second:
        second.agent.let.set()
        frozen = asyncio.create_task(first.post("r", "block", id_="1"))  # its event loop stands
        await first.until(lambda: first.agent.asked)
        assert (await second.post("r", "block", id_="1"))["done"]
        first.agent.let.set()
        await frozen
        await first.until_idle()
        assert first.sent == [("r", "You said: block")]
        assert (await first.post("r", "and now?", id_="2"))["done"]
        assert first.sent[1:] == [("r", "You said: and now?")]


async def test_no_machine_watches_the_clock_for_all(
    running: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LocalReminders, "external", False)
    with pytest.raises(SettingsError, match="CLOCHE_REMINDERS__STORE"):
        async with running() as runtime:
            await runtime.invoke({"kind": "health"}, status=503)
