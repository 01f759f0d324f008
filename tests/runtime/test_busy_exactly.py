"""/ping is HealthyBusy from when something comes until all that follows it is done, in one go."""

from __future__ import annotations

import asyncio
import threading
from datetime import UTC, datetime, timedelta
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

from cloche.runtime import busy as busy_module
from cloche.runtime.busy import Status

from .test_reminders import Later, due, remind

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Opened

    from cloche.settings import Settings

EXTRACTOR = "cloche.memory.extraction.rules.extractor.RulesExtractor"


@pytest.fixture
def changes(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Every status there was, the first at the start."""
    made: list[bool] = []

    def status(busy: bool, since: float) -> Status:
        made.append(busy)
        return Status(busy, since)

    monkeypatch.setattr(busy_module, "Status", status)
    return made


class Held:
    """Something that is reached and goes no further until it is let."""

    def __init__(self) -> None:
        self.reached, self.let = threading.Event(), threading.Event()

    async def wait(self) -> None:
        self.reached.set()
        for _ in range(6000):  # where a test fails, its runtime shall end soon
            if self.let.is_set():
                break
            await asyncio.sleep(0.005)


def hold(monkeypatch: pytest.MonkeyPatch, where: str, name: str) -> Held:
    """Hold up a method that does what it does afterwards."""
    module, _, kind = where.rpartition(".")
    owner, held = getattr(import_module(module), kind), Held()
    real: Callable[..., Any] = getattr(owner, name)

    async def slow(self: object, *given: Any, **more: Any) -> Any:
        await held.wait()
        return await real(self, *given, **more)

    monkeypatch.setattr(owner, name, slow)
    return held


@pytest.mark.parametrize(
    ("where", "name"),
    [
        ("cloche.state.sqlite.SqliteStateStore", "compare_and_set"),  # keeping what came
        ("cloche_posted.Posted", "send"),  # a platform that is slow
        (EXTRACTOR, "extract"),
        ("cloche.memory.local.store.LocalMemoryStore", "add_event"),
    ],
)
async def test_a_message_is_one_change_each_way(
    running: Opened, changes: list[bool], monkeypatch: pytest.MonkeyPatch, where: str, name: str
) -> None:
    async with running() as runtime:
        held = hold(monkeypatch, where, name)
        turn = asyncio.create_task(runtime.post("r", "I prefer green tea.", id_="1"))
        await runtime.until(held.reached.is_set)
        during = await runtime.ping()
        assert during["status"] == "HealthyBusy"
        assert changes == [False, True]
        held.let.set()
        assert (await turn)["done"]
        await runtime.until_idle()
        assert changes == [False, True, False]


async def test_a_reminder_that_is_put_into_words_is_one_change_each_way(
    running: Opened, settings: Settings, changes: list[bool]
) -> None:
    at = datetime.now(UTC).replace(microsecond=0)
    reminder = await remind(settings, at, text="wait for the tea")
    async with running(clock=Later(timedelta(minutes=2))) as runtime:
        telling = asyncio.create_task(due(runtime, reminder, at))
        await runtime.until(lambda: runtime.agent.asked)
        assert (await runtime.ping())["status"] == "HealthyBusy"
        runtime.agent.let.set()
        await telling
        await runtime.until_idle()
        assert changes == [False, True, False]


@pytest.mark.parametrize("asked", ["reminder", "message"])
async def test_whatever_is_asked_is_under_way_as_soon_as_it_comes(
    running: Opened, changes: list[bool], monkeypatch: pytest.MonkeyPatch, asked: str
) -> None:
    payloads = {
        "reminder": {"reminder": "0" * 32, "at": datetime.now(UTC).isoformat()},
        "message": {"text": "hello"},
    }
    places = {
        "reminder": ("cloche.reminders.local.LocalReminders", "find"),
        "message": ("cloche.state.sqlite.SqliteStateStore", "compare_and_set"),
    }
    async with running() as runtime:
        held = hold(monkeypatch, *places[asked])
        asking = asyncio.create_task(runtime.invoke({"kind": asked, **payloads[asked]}))
        await runtime.until(held.reached.is_set)
        assert (await runtime.ping())["status"] == "HealthyBusy"
        held.let.set()
        await asking
        await runtime.until_idle()
        assert changes == [False, True, False]


async def test_a_reminder_of_the_processs_own_clock_is_one_change_each_way(
    running: Opened, settings: Settings, changes: list[bool]
) -> None:
    await remind(settings, datetime.now(UTC) - timedelta(seconds=1), text="wait for the tea")
    async with running() as runtime:
        await runtime.until(lambda: runtime.agent.asked)
        assert (await runtime.ping())["status"] == "HealthyBusy"
        runtime.agent.let.set()
        await runtime.until(lambda: runtime.sent)
        await runtime.until_idle()
        assert changes == [False, True, False]
