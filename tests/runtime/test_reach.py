"""People who could not be reached, and are again: what was kept for them comes, in order, once."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from cloche.reminders.local import LocalReminders
from cloche.state.sqlite import SqliteStateStore

from .test_reminders import Later, due, remind

if TYPE_CHECKING:
    from conftest import Opened, Runtime

    from cloche.settings import Settings


@pytest.fixture(params=["one machine", "many machines"])
def machines(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Where state is kept here, and where machines share it."""
    if request.param == "many machines":
        monkeypatch.setattr(SqliteStateStore, "shared", True)
        monkeypatch.setattr(LocalReminders, "external", True)
    return str(request.param)


async def test_an_answer_that_found_them_away_comes_when_they_write(
    running: Opened, machines: str
) -> None:
    async with running() as runtime:
        runtime.blocked.add("r")
        assert (await runtime.post("r", "你好", id_="1"))["done"]
        assert (await runtime.post("other", "hi", id_="2"))["done"]
        assert runtime.sent == [("other", "You said: hi")]
        runtime.blocked.clear()
        assert (await runtime.post("r", "again", id_="3"))["done"]
        assert runtime.sent[1:] == [("r", "You said: 你好"), ("r", "You said: again")]


async def test_the_next_process_has_it_for_them(running: Opened, machines: str) -> None:
    async with running() as runtime:
        runtime.blocked.add("r")
        await runtime.post("r", "hola", id_="1")
    async with running() as runtime:
        runtime.blocked.clear()
        assert (await runtime.post("r", "de nuevo", id_="2"))["done"]
        assert runtime.sent == [("r", "You said: hola"), ("r", "You said: de nuevo")]


async def test_a_topic_that_was_closed_has_its_own_when_somebody_writes_there(
    running: Opened, machines: str
) -> None:
    async with running() as runtime:
        runtime.blocked.add(("r", "7"))
        assert (await runtime.post("r", "seven", id_="1", thread="7"))["done"]
        assert (await runtime.post("r", "eight", id_="2", thread="8"))["done"]
        assert runtime.sent == [("r", "You said: eight")]
        runtime.blocked.clear()
        assert (await runtime.post("r", "open", id_="3", thread="7"))["done"]
        assert runtime.sent[1:] == [("r", "You said: seven"), ("r", "You said: open")]


async def test_what_fell_due_while_they_had_left_comes_when_they_write(
    running: Opened, settings: Settings, machines: str
) -> None:
    at = datetime.now(UTC).replace(microsecond=0)
    reminder = await remind(settings, at)
    async with running(clock=Later(timedelta(minutes=2))) as runtime:
        await leave(runtime, "room")
        assert await due(runtime, reminder, at) == {"told": False, "done": True}
        assert runtime.sent == []
    # Another process knows of nobody who left, and the service does not fire again.
    async with running() as runtime:
        assert (await runtime.post("room", "back", id_="1", who="ben"))["done"]
        answer, told = runtime.sent
        assert answer == ("room", "You said: back")
        assert "the hour they asked to be reminded at" in told[1]
        assert (await runtime.post("room", "still", id_="2", who="ben"))["done"]
        assert len(runtime.sent) == 3


async def leave(runtime: Runtime, room: str, id_: str = "left") -> None:
    """The platform says that somebody blocked the chat."""
    assert (await runtime.post(room, "", id_=id_, left=True))["done"]
