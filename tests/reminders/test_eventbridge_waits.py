"""What EventBridge Scheduler fired and nobody could be told: it fires again, and arrives."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import boto3
import pytest
from botocore.config import Config
from moto import mock_aws

from cloche.chat_commands.reminders import quiet
from cloche.logs import OncePerCause
from cloche.messages import Address, Message
from cloche.people import People
from cloche.reminders.eventbridge import EventBridgeReminders
from cloche.reminders.runner import Runner
from cloche.state.sqlite import SqliteStateStore
from cloche.testing.clock import FakeClock
from cloche.testing.reminder_samples import ANN, OSLO, a_reminder, daily, once
from cloche.testing.scheduler import SchedulerServer

QUEUE = "arn:aws:sqs:eu-west-1:123456789012:due.fifo"
ROLE = "arn:aws:iam::123456789012:role/reminders"
GROUP = "cloche-luthier"


@pytest.fixture(autouse=True)
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys that open nothing."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "none")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "none")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


@dataclass
class Door:
    """A channel that keeps what it is handed."""

    accepted: list[Message] = field(default_factory=list)

    async def accept(self, *messages: Message) -> None:
        self.accepted += messages

    async def knows(self, message: Message) -> bool:
        return any(one.id == message.id for one in self.accepted)

    def reaches(self, conversation: str) -> bool:
        return True


@dataclass
class Cloud:
    """A store, its service, and what is run when a message comes out of the queue."""

    store: EventBridgeReminders
    people: People
    runner: Runner
    door: Door
    clock: FakeClock

    @property
    def told(self) -> list[tuple[datetime, datetime]]:
        """When each was told, and when it was due."""
        return [(m.sent_at, m.due[0].at) for m in self.door.accepted if m.sent_at]

    async def until(self, instant: datetime, server: SchedulerServer) -> None:
        while self.clock() < instant:
            self.clock.now = min(instant, self.clock() + timedelta(minutes=10))
            for delivered in server.pass_to(self.clock()):
                assert set(json.loads(delivered.message)) == {"reminder", "at"}
                await self.runner.round()


@asynccontextmanager
async def opened(tmp_path: Path, clock: FakeClock, url: str | None) -> AsyncIterator[Cloud]:
    def client() -> Any:
        config = Config(retries={"total_max_attempts": 1}, connect_timeout=2, read_timeout=5)
        return boto3.client("scheduler", endpoint_url=url, config=config)

    state = SqliteStateStore(tmp_path / "state.db", clock)
    store = EventBridgeReminders(state, clock, client=client, group=GROUP, queue=QUEUE, role=ROLE)
    people = People(
        state, clock, default_zone=OSLO, notices=OncePerCause(logging.getLogger("test"))
    )
    door = Door()
    runner = Runner(store, state, people, {"telegram": door}, clock, only="c1")
    await people.choose(ANN, quiet="22:00-07:00", time_zone=OSLO)
    yield Cloud(store, people, runner, door, clock)
    await store.close()
    await state.close()


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(datetime(2026, 3, 2, 20, 0, tzinfo=UTC))  # 21:00 in Oslo


MORNING = datetime(2026, 3, 3, 6, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    "schedule",
    [
        lambda clock: once(clock, hours=2, minutes=30),
        lambda clock: daily(clock, "FREQ=DAILY;BYHOUR=23;BYMINUTE=30;BYSECOND=0"),
        lambda clock: daily(clock, "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;BYHOUR=23;BYMINUTE=30"),
    ],
)
async def test_what_fires_in_quiet_hours_comes_after_them(
    tmp_path: Path, clock: FakeClock, schedule: Callable[[FakeClock], Any]
) -> None:
    async with SchedulerServer(clock) as server, opened(tmp_path, clock, server.url) as cloud:
        reminder = replace(a_reminder(clock, schedule(clock)), actor=ANN)
        await cloud.store.put(reminder)
        await cloud.until(datetime(2026, 3, 3, 5, 50, tzinfo=UTC), server)
        assert cloud.told == []
        waiting = server.schedules[GROUP]
        assert any(
            one["ScheduleExpression"] == "at(2026-03-03T06:00:00)" for one in waiting.values()
        )
        assert all(len(name) <= 64 for name in waiting)
        assert ANN not in str(waiting)
        await cloud.until(datetime(2026, 3, 3, 12, 0, tzinfo=UTC), server)
        assert cloud.told == [(MORNING, datetime(2026, 3, 2, 22, 30, tzinfo=UTC))]
        assert "at(2026-03-03T06:00:00)" not in str(server.schedules)


async def test_one_that_is_cancelled_meanwhile_does_not_come(
    tmp_path: Path, clock: FakeClock
) -> None:
    async with SchedulerServer(clock) as server, opened(tmp_path, clock, server.url) as cloud:
        reminder = a_reminder(clock, once(clock, hours=2, minutes=30))
        await cloud.store.put(reminder)
        await cloud.until(datetime(2026, 3, 3, 5, 0, tzinfo=UTC), server)
        assert await cloud.store.cancel(ANN, reminder.id)
        assert not server.schedules[GROUP]
        await cloud.until(datetime(2026, 3, 3, 12, 0, tzinfo=UTC), server)
        assert cloud.told == []


async def test_when_quiet_hours_are_ended_what_waited_comes_soon(
    tmp_path: Path, clock: FakeClock
) -> None:
    async with SchedulerServer(clock) as server, opened(tmp_path, clock, server.url) as cloud:
        await cloud.store.put(a_reminder(clock, once(clock, hours=2, minutes=30)))
        await cloud.until(datetime(2026, 3, 2, 23, 0, tzinfo=UTC), server)
        person = await cloud.people.of(Message("1", Address("telegram", "1"), "c1", "/quiet off"))
        memory = SimpleNamespace(clock=clock, reminders=cloud.store)
        await quiet("off", person, cloud.people, memory)  # type: ignore[arg-type]
        await cloud.until(datetime(2026, 3, 3, 12, 0, tzinfo=UTC), server)
        assert [at for at, _ in cloud.told] == [datetime(2026, 3, 2, 23, 10, tzinfo=UTC)]


class TestAgainstMoto:
    @pytest.fixture(autouse=True)
    def moto(self, credentials: None) -> Iterator[None]:
        with mock_aws():
            yield

    async def test_it_is_asked_for_once_however_often_it_waits(
        self, tmp_path: Path, clock: FakeClock
    ) -> None:
        """The queue may give a message twice."""
        async with opened(tmp_path, clock, None) as cloud:
            await cloud.store.put(a_reminder(clock, once(clock, hours=2, minutes=30)))
            clock.pass_(hours=2, minutes=30)
            for _ in range(2):
                await cloud.runner.round()
            listed = boto3.client("scheduler").list_schedules(GroupName=GROUP)["Schedules"]
            there = [
                boto3.client("scheduler").get_schedule(GroupName=GROUP, Name=one["Name"])
                for one in listed
            ]
            again = [one for one in there if one["ScheduleExpression"] == "at(2026-03-03T06:00:00)"]
            assert len(again) == 1
            assert again[0]["ActionAfterCompletion"] == "DELETE"
            clock.now = MORNING
            await cloud.runner.round()
            assert [at for at, _ in cloud.told] == [MORNING]
            assert not boto3.client("scheduler").list_schedules(GroupName=GROUP)["Schedules"]
