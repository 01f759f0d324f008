"""Due reminders: told to whom the store says, in their conversation, once."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from cloche.assembly import open_assistant
from cloche.clock import utc_now
from cloche.plugins import load_host
from cloche.reminders.reminder import Place, Reminder, reminder_id
from cloche.reminders.schedule import Once
from cloche.runtime.session import runtime_session_id

if TYPE_CHECKING:
    from conftest import Opened, Runtime

    from cloche.settings import Settings

SESSION = runtime_session_id("posted", "room")


async def remind(
    settings: Settings, at: datetime, key: str = "k", text: str = "water the tea"
) -> Reminder:
    """Keep a reminder of ben's, as a turn before would have."""
    actor = "posted_-ben"
    reminder = Reminder(
        id=reminder_id(actor, key),
        actor=actor,
        place=Place("posted", "room", "ben"),
        text=text,
        language="en",
        schedule=Once(at, "UTC"),
        created_at=at - timedelta(hours=1),
    )
    assistant = await open_assistant(load_host(settings), "tea", settings)
    try:
        await assistant.memory.reminders.put(reminder)
    finally:
        await assistant.close()
    return reminder


class Later:
    """A clock that is behind until it is moved."""

    def __init__(self, behind: timedelta) -> None:
        self.behind = behind

    def __call__(self) -> datetime:
        return utc_now() - self.behind


async def due(
    runtime: Runtime, reminder: Reminder, at: datetime, **more: object
) -> dict[str, object]:
    payload = {"kind": "reminder", "reminder": reminder.id, "at": at.isoformat()}
    return await runtime.invoke(payload, **{"session": SESSION, **more})  # type: ignore[arg-type]


async def test_what_is_due_is_told_once_where_the_store_says(
    running: Opened, settings: Settings
) -> None:
    at = datetime.now(UTC).replace(microsecond=0)
    reminder = await remind(settings, at)
    # The service's clock is ahead of ours: by ours nothing is due yet, and no timer tells it.
    async with running(clock=Later(timedelta(minutes=2))) as runtime:
        assert await due(runtime, reminder, at) == {"told": True, "done": True}
        assert [room for room, _ in runtime.sent] == ["room"]
        assert "the hour they asked to be reminded at" in runtime.sent[0][1]
        assert await due(runtime, reminder, at) == {"told": False, "done": True}
        await asyncio.sleep(0.1)
        assert len(runtime.sent) == 1


async def test_it_must_come_with_its_conversations_session(
    running: Opened, settings: Settings
) -> None:
    at = datetime.now(UTC).replace(microsecond=0)
    reminder = await remind(settings, at)
    async with running(clock=Later(timedelta(minutes=2))) as runtime:
        other = runtime_session_id("posted", "another")
        told = await due(runtime, reminder, at, session=other, status=409)
        assert told["error"] == "wrong_session"
        assert runtime.sent == []


async def test_one_that_nobody_knows_is_told_to_nobody(runtime: Runtime) -> None:
    payload = {"kind": "reminder", "reminder": "0" * 32, "at": datetime.now(UTC).isoformat()}
    assert await runtime.invoke(payload) == {"told": False, "done": True}


async def test_an_instant_to_come_is_refused(running: Opened, settings: Settings) -> None:
    at = datetime.now(UTC).replace(microsecond=0) + timedelta(hours=1)
    reminder = await remind(settings, at)
    async with running() as runtime:
        told = await due(runtime, reminder, at, status=400)
        assert told["field"] == "at"
        assert await due(runtime, reminder, datetime.now(UTC)) == {"told": False, "done": True}
        assert runtime.sent == []


async def test_without_a_service_the_process_watches_the_clock(
    running: Opened, settings: Settings
) -> None:
    await remind(settings, datetime.now(UTC) - timedelta(seconds=1))
    async with running() as runtime:
        await runtime.until(lambda: runtime.sent)
        assert "the hour they asked to be reminded at" in runtime.sent[0][1]
