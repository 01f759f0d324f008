"""EventBridge Scheduler: what every store must do, against moto and against documented limits."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.config import Config
from moto import mock_aws

from cloche.clock import Clock
from cloche.errors import MemoryUnavailableError
from cloche.reminders.eventbridge import EventBridgeReminders
from cloche.reminders.reminder import MOST
from cloche.reminders.schedule import Calendar, Every, Schedule, occurrences
from cloche.reminders.service_schedules import base_name, wanted
from cloche.reminders.store import ReminderStore
from cloche.state.sqlite import SqliteStateStore
from cloche.testing.clock import FakeClock
from cloche.testing.reminder_conformance import ReminderStoreConformance
from cloche.testing.reminder_samples import ANN, BO, OSLO, a_reminder, daily, once
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


def client(url: str | None) -> Any:
    config = Config(retries={"total_max_attempts": 1}, connect_timeout=2, read_timeout=5)
    return boto3.client("scheduler", endpoint_url=url, config=config)


@asynccontextmanager
async def opened(
    tmp_path: Path, clock: Clock, url: str | None
) -> AsyncIterator[EventBridgeReminders]:
    state = SqliteStateStore(tmp_path / "state.db", clock)
    store = EventBridgeReminders(
        state, clock, client=lambda: client(url), group=GROUP, queue=QUEUE, role=ROLE
    )
    yield store
    await store.close()
    await state.close()


class TestAgainstMoto(ReminderStoreConformance):
    @pytest.fixture(autouse=True)
    def moto(self, credentials: None) -> Iterator[None]:
        with mock_aws():
            yield

    def opened(self, tmp_path: Path, clock: Clock) -> AbstractAsyncContextManager[ReminderStore]:
        return opened(tmp_path, clock, None)


class TestAgainstItsLimits(ReminderStoreConformance):
    @pytest.fixture(autouse=True)
    def server(self, credentials: None) -> Iterator[SchedulerServer]:
        with SchedulerServer(lambda: datetime(2026, 1, 1, tzinfo=UTC)) as server:
            self.url = server.url
            yield server

    def opened(self, tmp_path: Path, clock: Clock) -> AbstractAsyncContextManager[ReminderStore]:
        return opened(tmp_path, clock, self.url)


class Cloud:
    """A store and the service it uses."""

    def __init__(self, server: SchedulerServer, store: EventBridgeReminders, clock: FakeClock):
        self.server, self.store, self.clock = server, store, clock

    @property
    def schedules(self) -> dict[str, dict[str, Any]]:
        return self.server.schedules.get(GROUP, {})

    async def until(self, instant: datetime) -> list[tuple[str, datetime]]:
        """Time passes; what the queue gives is taken care of. Which, and when they were due."""
        told = []
        while self.clock() < instant:
            self.clock.now = min(instant, self.clock() + timedelta(minutes=30))
            for delivered in self.server.pass_to(self.clock()):
                document = json.loads(delivered.message)
                assert set(document) == {"reminder", "at"}  # no payload names anybody
                reminder = await self.store.find(document["reminder"])
                assert reminder is not None
                at = datetime.fromisoformat(document["at"])
                assert delivered.group == reminder.place.id
                due = reminder.next
                if due and await self.store.claim(reminder.actor, reminder.id, at):
                    told.append((reminder.text, due))
        return told


@pytest.fixture
async def cloud(tmp_path: Path) -> AsyncIterator[Cloud]:
    clock = FakeClock(datetime(2026, 3, 2, 9, 0, tzinfo=UTC))
    async with SchedulerServer(clock) as server, opened(tmp_path, clock, server.url) as store:
        yield Cloud(server, store, clock)


async def test_a_one_off_is_one_schedule_that_removes_itself(cloud: Cloud) -> None:
    reminder = a_reminder(cloud.clock, once(cloud.clock, hours=1))
    await cloud.store.put(reminder)
    ((name, one),) = cloud.schedules.items()
    assert name.startswith(base_name(reminder))
    assert len(name) <= 64
    assert ANN not in str(cloud.server.schedules)
    assert one["ScheduleExpression"] == "at(2026-03-02T10:00:00)"
    assert one["ActionAfterCompletion"] == "DELETE"
    assert one["Target"]["SqsParameters"] == {"MessageGroupId": "telegram_-c1"}
    assert await cloud.until(datetime(2026, 3, 2, 12, tzinfo=UTC)) == [
        ("post the letters", datetime(2026, 3, 2, 10, tzinfo=UTC))
    ]
    assert not cloud.schedules


async def test_what_is_put_again_is_an_update(cloud: Cloud) -> None:
    reminder = a_reminder(cloud.clock, daily(cloud.clock))
    await cloud.store.put(reminder)
    await cloud.store.put(replace(reminder, schedule=daily(cloud.clock, _RULE)))
    assert cloud.schedules[base_name(reminder)]["ScheduleExpression"] == "cron(30 7 ? * 2,5 *)"
    assert "PUT /schedules/" + base_name(reminder) in cloud.server.calls


_RULE = "FREQ=WEEKLY;BYDAY=MO,TH;BYHOUR=7;BYMINUTE=30;BYSECOND=0"
RULES = [
    "FREQ=DAILY;BYHOUR=9;BYMINUTE=0;BYSECOND=0",
    "FREQ=DAILY;BYHOUR=2;BYMINUTE=30;BYSECOND=0",  # clocks skip it on 29 March
    _RULE,
    "FREQ=WEEKLY;INTERVAL=2;BYDAY=SU;BYHOUR=9;BYMINUTE=0;BYSECOND=0",
    "FREQ=DAILY;COUNT=5;BYHOUR=9;BYMINUTE=0;BYSECOND=0",
    "FREQ=MONTHLY;BYMONTHDAY=-1;BYHOUR=9;BYMINUTE=0;BYSECOND=0",
    "FREQ=MONTHLY;BYMONTHDAY=31;BYHOUR=9;BYMINUTE=0;BYSECOND=0",
    "FREQ=DAILY;UNTIL=20260320T080000Z;BYHOUR=9;BYMINUTE=0;BYSECOND=0",
]


@pytest.mark.parametrize("rule", [*RULES, "every 5 h"])
async def test_over_five_weeks_it_fires_when_it_is_due_and_then_only(
    cloud: Cloud, rule: str
) -> None:
    schedule: Schedule = daily(cloud.clock, rule) if "FREQ" in rule else _every(cloud.clock)
    await cloud.store.put(a_reminder(cloud.clock, schedule))
    end = cloud.clock() + timedelta(weeks=5)
    meant = [at for at in occurrences(schedule, after=cloud.clock(), limit=500) if at <= end]
    told = await cloud.until(end)
    assert [at for _, at in told] == meant
    assert len(cloud.schedules) <= 2


def _every(clock: Clock) -> Every:
    return Every(clock() + timedelta(hours=5), timedelta(hours=5), OSLO)


async def test_the_day_that_clocks_skip_has_a_schedule_of_its_own(cloud: Cloud) -> None:
    reminder = a_reminder(cloud.clock, daily(cloud.clock, RULES[1]))
    await cloud.store.put(reminder)
    there = {one["ScheduleExpression"] for one in cloud.schedules.values()}
    assert there == {"cron(30 2 * * ? *)", "at(2026-03-29T01:00:00)"}


async def test_paused_ones_are_disabled_and_what_was_missed_fires_when_they_go_on(
    cloud: Cloud,
) -> None:
    await cloud.store.put(a_reminder(cloud.clock, daily(cloud.clock)))
    assert await cloud.store.pause(ANN) == 1
    assert {one["State"] for one in cloud.schedules.values()} == {"DISABLED"}
    assert await cloud.until(datetime(2026, 3, 5, 10, tzinfo=UTC)) == []
    assert await cloud.store.resume(ANN) == 1
    told = await cloud.until(datetime(2026, 3, 5, 12, tzinfo=UTC))
    assert [at for _, at in told] == [datetime(2026, 3, 3, 8, tzinfo=UTC)]  # since when it waited
    assert {one["State"] for one in cloud.schedules.values()} == {"ENABLED"}


async def test_forgetting_a_person_leaves_none_of_their_schedules(cloud: Cloud) -> None:
    for number in range(MOST):
        key = str(number)
        await cloud.store.put(a_reminder(cloud.clock, once(cloud.clock, hours=number + 1), key=key))
    await cloud.store.put(a_reminder(cloud.clock, once(cloud.clock, hours=1), actor=BO))
    assert len(cloud.schedules) == MOST + 1
    assert await cloud.store.forget(ANN) == MOST
    assert len(cloud.schedules) == 1


async def test_a_long_list_is_read_page_by_page(
    cloud: Cloud, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cloche.reminders.eventbridge.PAGE", 2)
    for number in range(7):
        key = str(number)
        await cloud.store.put(a_reminder(cloud.clock, once(cloud.clock, hours=number + 1), key=key))
    assert await cloud.store.forget(ANN) == 7
    assert not cloud.schedules


@pytest.mark.parametrize(
    ("code", "status", "cause"),
    [
        ("ThrottlingException", 429, "slow"),
        ("InternalServerException", 500, "io"),
        ("AccessDeniedException", 403, "io"),
        ("ServiceQuotaExceededException", 402, "io"),
    ],
)
async def test_a_refusal_of_the_service_is_the_stores(
    cloud: Cloud, code: str, status: int, cause: str
) -> None:
    await cloud.store.put(a_reminder(cloud.clock, once(cloud.clock, hours=1), key="before"))
    cloud.server.refuse.append((code, status))
    with pytest.raises(MemoryUnavailableError) as refused:
        await cloud.store.put(a_reminder(cloud.clock, once(cloud.clock, hours=1)))
    assert refused.value.cause == cause


async def test_a_service_that_is_away_is_the_stores(tmp_path: Path) -> None:
    clock = FakeClock()
    async with opened(tmp_path, clock, "http://127.0.0.1:9") as store:
        with pytest.raises(MemoryUnavailableError):
            await store.put(a_reminder(clock, once(clock, hours=1)))


async def test_a_chain_goes_on_when_a_process_dies_before_it_claims(
    cloud: Cloud, monkeypatch: pytest.MonkeyPatch
) -> None:
    reminder = a_reminder(cloud.clock, daily(cloud.clock, RULES[3]))
    await cloud.store.put(reminder)
    first, second = reminder.coming(2)
    cloud.clock.now = first
    (delivered,) = cloud.server.pass_to(first)
    assert not cloud.schedules

    async def dies(*_: object) -> bool:
        raise MemoryUnavailableError("gone", cause="closed")

    with monkeypatch.context() as patched:
        patched.setattr("cloche.reminders.local.LocalReminders.claim", dies)
        with pytest.raises(MemoryUnavailableError):
            await cloud.store.claim(ANN, reminder.id, first)
    assert len(cloud.schedules) == 1
    assert await cloud.store.claim(ANN, reminder.id, first)  # the queue gives it again
    told = await cloud.until(second)
    assert [at for _, at in told] == [second]
    assert delivered.at == first


@pytest.mark.parametrize(
    "change",
    [
        {"ScheduleExpression": "every tuesday"},
        {"ScheduleExpression": "cron(0 9 * * * *)"},
        {"ScheduleExpression": "rate(0 minutes)"},
        {"ScheduleExpressionTimezone": "Mars/Olympus"},
        {"Name": "n" * 65},
        {"Name": "with space"},
        {"StartDate": datetime(2020, 1, 1, tzinfo=UTC)},
        {"GroupName": "nowhere"},
    ],
)
async def test_the_endpoint_refuses_what_the_service_refuses(
    cloud: Cloud, change: dict[str, object]
) -> None:
    from botocore.exceptions import ClientError, ParamValidationError

    reminder = a_reminder(cloud.clock, daily(cloud.clock))
    await cloud.store.put(reminder)
    ((name, one),) = wanted(reminder, cloud.clock()).items()
    asked = {**cloud.store._request(name, one), "Name": "another", **change}
    with pytest.raises((ClientError, ParamValidationError)):
        client(cloud.server.url).create_schedule(**asked)


def test_a_calendar_no_expression_says_is_a_chain() -> None:
    clock = FakeClock()
    schedule = daily(clock, RULES[3])
    assert isinstance(schedule, Calendar)
    ((name, one),) = wanted(a_reminder(clock, schedule), clock()).items()
    assert one.expression.text.startswith("at(")
    assert len(name) == 60
