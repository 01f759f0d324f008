"""EventBridge fires, the queue hands over, the runtime tells: as messages come out of the queue."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from cloche.assembly import open_assistant
from cloche.plugins import load_host
from cloche.reminders.reminder import Place, Reminder, reminder_id
from cloche.reminders.schedule import Once
from cloche.runtime.session import message_group, runtime_session_id, session_of_group
from cloche.settings import ReminderSettings
from cloche.state.sqlite import SqliteStateStore
from cloche.testing.clock import FakeClock
from cloche.testing.scheduler import Delivered, SchedulerServer

if TYPE_CHECKING:
    from conftest import Opened, Runtime

    from cloche.settings import Settings

BEN = "posted_-ben"
EVENING = datetime(2026, 3, 2, 20, 0, tzinfo=UTC)
DUE = datetime(2026, 3, 2, 22, 30, tzinfo=UTC)
MORNING = datetime(2026, 3, 3, 7, 0, tzinfo=UTC)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(EVENING)


@pytest.fixture
def service(clock: FakeClock, monkeypatch: pytest.MonkeyPatch) -> Iterator[SchedulerServer]:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "none")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "none")
    monkeypatch.setattr(SqliteStateStore, "shared", True)
    with SchedulerServer(clock) as server:
        monkeypatch.setenv("AWS_ENDPOINT_URL_SCHEDULER", server.url)
        yield server


@pytest.fixture
def cloud(settings: Settings, service: SchedulerServer) -> Settings:
    reminders = ReminderSettings(
        store="eventbridge",
        queue_arn="arn:aws:sqs:eu-west-1:123456789012:due.fifo",
        role_arn="arn:aws:iam::123456789012:role/reminders",
        region="eu-west-1",
    )
    return settings.model_copy(update={"reminders": reminders})


async def remind(settings: Settings, clock: FakeClock, *, quiet: str = "", key: str = "k") -> None:
    """Ben asked in a topic of a group, as a turn before would have kept it."""
    assistant = await open_assistant(load_host(settings), "tea", settings, clock=clock)
    try:
        if quiet:
            await assistant.people.choose(BEN, quiet=quiet)
        await assistant.memory.reminders.put(
            Reminder(
                id=reminder_id(BEN, key),
                actor=BEN,
                place=Place("posted", "room", "ben", thread="7", group=True),
                text="water the tea",
                language="en",
                schedule=Once(DUE, "UTC"),
                created_at=EVENING,
            )
        )
    finally:
        await assistant.close()


async def handed_over(runtime: Runtime, delivered: Delivered) -> dict[str, object]:
    """As the queue's consumer does: it knows the group and the message, and no more."""
    payload = {"kind": "reminder", **json.loads(delivered.message)}
    return await runtime.invoke(payload, session=session_of_group(delivered.group))


def fired(service: SchedulerServer, clock: FakeClock, at: datetime) -> list[Delivered]:
    clock.now = at
    return list(service.pass_to(at))


async def test_what_is_due_has_the_session_of_its_conversation(
    running: Opened, cloud: Settings, clock: FakeClock, service: SchedulerServer
) -> None:
    await remind(cloud, clock)
    async with running(chosen=cloud, clock=clock) as runtime:
        (delivered,) = fired(service, clock, DUE)
        assert delivered.group == message_group("posted", "room")
        assert session_of_group(delivered.group) == runtime_session_id("posted", "room")
        assert await handed_over(runtime, delivered) == {"told": True, "done": True}
        assert [room for room, _ in runtime.sent] == ["room"]
        # The queue hands over at least once; a message of the same group reaches the same session.
        assert await handed_over(runtime, delivered) == {"told": False, "done": True}
        assert (await runtime.post("room", "thank you", id_="1", who="ben"))["done"]
        assert len(runtime.sent) == 2


async def test_what_is_due_in_quiet_hours_comes_after_them(
    running: Opened, cloud: Settings, clock: FakeClock, service: SchedulerServer
) -> None:
    await remind(cloud, clock, quiet="22:00-07:00")
    async with running(chosen=cloud, clock=clock) as runtime:
        (delivered,) = fired(service, clock, DUE)
        assert await handed_over(runtime, delivered) == {"told": False, "done": True}
        assert fired(service, clock, MORNING - timedelta(minutes=1)) == []
        assert runtime.sent == []
    # By then its machine is gone; the next one has nothing but what comes out of the queue.
    async with running(chosen=cloud, clock=clock) as runtime:
        before = len(runtime.sent)
        (delivered,) = fired(service, clock, MORNING)
        assert await handed_over(runtime, delivered) == {"told": True, "done": True}
        assert [room for room, _ in runtime.sent[before:]] == ["room"]
        assert fired(service, clock, MORNING + timedelta(days=3)) == []


async def test_one_of_very_many_that_are_due_is_told(
    running: Opened, cloud: Settings, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cloche.reminders.local.PAGE", 2)
    for number in range(5):
        await remind(cloud, clock, key=f"k{number}")
    clock.now = DUE
    async with running(chosen=cloud, clock=clock) as runtime:
        last = max(reminder_id(BEN, f"k{number}") for number in range(5))
        payload = {"kind": "reminder", "reminder": last, "at": DUE.isoformat()}
        told = await runtime.invoke(payload, session=runtime_session_id("posted", "room"))
        assert told == {"told": True, "done": True}
