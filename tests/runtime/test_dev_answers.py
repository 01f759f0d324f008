"""What a console message to the runtime is answered with."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from cloche.assistant import Assistant
from cloche.memory.remembered import Remembered
from cloche.messages import Reply, ReplyFile
from cloche.runtime.dev import answer_of
from cloche.state.sqlite import SqliteStateStore
from cloche.turn import Turn, nothing

if TYPE_CHECKING:
    from conftest import Opened

PLAN = ReplyFile("console_-ana", "made/plan.txt", "plan.txt", 4, "I cannot send `plan.txt` here.")


def test_a_file_that_cannot_go_out_is_said_below_the_words() -> None:
    for text, told in (
        ("Here.", "Here.\n\nI cannot send `plan.txt` here."),
        ("", "I cannot send `plan.txt` here."),
    ):
        turn = Turn("t", Reply(text, files=(PLAN,)), "en", nothing)
        assert answer_of(turn)["text"] == told


async def test_who_asks_for_json_sees_nothing_grow_and_waits_no_longer_for_that(
    running: Opened,
) -> None:
    async with running() as runtime:
        await runtime.said("one")
        async with runtime.http.post(
            f"{runtime.url}/invocations",
            json={"kind": "message", "text": "two"},
            headers={"Accept": "text/event-stream"},
        ) as response:
            assert "delta" in await response.text()
        assert runtime.agent.listened == [False, True]


async def test_the_next_message_is_not_held_up_by_what_follows(
    running: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    let = asyncio.Event()

    async def learns(*_: object) -> Remembered:
        while not let.is_set():  # it is another loop's event
            await asyncio.sleep(0.01)
        return Remembered()

    monkeypatch.setattr("cloche.delivery.conversations.FOLLOWS_SECONDS", 1.0)
    monkeypatch.setattr(Assistant, "_afterwards", learns)
    async with running() as runtime:
        async with asyncio.timeout(60):
            assert (await runtime.said("one"))["text"] == "You said: one"
            assert (await runtime.said("two"))["text"] == "You said: two"
        assert runtime.busy.status.busy
        # What it waited is taken from the time that its turn has.
        assert runtime.agent.patience[1] < runtime.settings.model.patience_seconds - 0.9
        let.set()
        await runtime.until_idle()


async def test_health_says_when_nothing_can_be_written(
    running: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running() as runtime:
        assert (await runtime.invoke({"kind": "health"}))["state"] == "ok"
        put = SqliteStateStore.put

        async def to_be_read_only(store: SqliteStateStore, *given: Any, **more: Any) -> object:
            await store._database.read(
                lambda connection: connection.execute("PRAGMA query_only = 1").fetchall()
            )
            return await put(store, *given, **more)

        monkeypatch.setattr(SqliteStateStore, "put", to_be_read_only)
        assert (await runtime.invoke({"kind": "health"}))["state"] == "io"
