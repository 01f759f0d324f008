"""What is due is told once, on time or with the time it was due, whatever dies meanwhile."""

from __future__ import annotations

import asyncio
import itertools
import random
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from cloche.channels import Left
from cloche.messages import Address, Message
from cloche.reminders.local import PAGE
from cloche.reminders.runner import Runner
from cloche.reminders.schedule import Calendar, Every, Once, Schedule, occurrences
from cloche.testing.clock import FakeClock

if TYPE_CHECKING:
    from conftest import Process, Sent, Start

OSLO = "Europe/Oslo"
MIDNIGHT = datetime(2026, 3, 2)
DAILY = Calendar("FREQ=DAILY;BYHOUR=12;BYMINUTE=0;BYSECOND=0", MIDNIGHT, OSLO)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


async def test_a_reminder_is_told_when_it_is_due_and_not_before(
    process: Start, clock: FakeClock
) -> None:
    one = process()
    await one.start()
    reminder = await one.set(Once(at("2026-03-02T09:30"), OSLO))
    assert await one.round() == 60
    assert one.sent == []
    clock.pass_(minutes=29, seconds=40)
    assert await one.round() == 20  # one timer, set to the very moment
    clock.pass_(seconds=20)
    await one.round()
    assert one.sent == [f"{reminder.id[:6]}@03-02T09:30+0"]
    for _ in range(3):
        clock.pass_(minutes=1)
        await one.round()
    assert len(one.sent) == 1
    await one.end()


async def test_a_reminder_goes_where_it_was_asked_for(process: Start, clock: FakeClock) -> None:
    one = process()
    await one.start()
    for person in ("ann", "bo"):
        await one.set(Once(at("2026-03-02T10:00"), OSLO), actor=f"letterbox_-{person}")
    clock.pass_(hours=1)
    await one.round()
    assert sorted(part.conversation for part in one.disk.sent) == ["chat-ann", "chat-bo"]
    await one.end()


async def test_what_was_missed_for_less_than_six_hours_is_told_once(
    process: Start, clock: FakeClock
) -> None:
    one = process()
    await one.start()
    hourly = await one.set(Every(at("2026-03-02T10:00"), timedelta(hours=1), OSLO), key="h")
    clock.pass_(hours=5)  # 14:00: five were due
    await one.round()
    assert one.sent == [f"{hourly.id[:6]}@03-02T14:00+0"]
    await one.end()


async def test_what_was_missed_for_longer_is_told_in_one_line(
    process: Start, clock: FakeClock
) -> None:
    one = process()
    await one.start()
    first = await one.set(Once(at("2026-03-02T10:00"), OSLO), key="a")
    second = await one.set(Once(at("2026-03-02T11:00"), OSLO), key="b")
    daily = await one.set(DAILY, key="c")
    clock.pass_(days=3, hours=9)  # 18:00 UTC: the last daily one was due at 11:00 UTC
    await one.round()
    (line,) = one.sent
    assert line.split() == [
        f"{first.id[:6]}@03-02T10:00!+0",
        f"{second.id[:6]}@03-02T11:00!+0",
        f"{daily.id[:6]}@03-05T11:00!+3",
    ]
    clock.pass_(hours=20)
    await one.round()
    assert len(one.sent) == 2
    await one.end()


async def test_of_what_comes_often_the_newest_is_told_and_the_old_ones_are_counted(
    process: Start, clock: FakeClock
) -> None:
    one = process()
    await one.start()
    often = await one.set(Every(at("2026-03-02T09:10"), timedelta(minutes=10), OSLO))
    clock.pass_(days=30)
    await one.round()
    (told,) = one.sent
    assert told.startswith(f"{often.id[:6]}@04-01T09:00+")
    assert int(told.rpartition("+")[2]) > 400
    await one.end()


async def test_quiet_hours_defer_and_then_it_is_told(process: Start, clock: FakeClock) -> None:
    one = process()
    await one.start()
    await one.people.choose("letterbox_-ann", quiet="22:00-07:00", time_zone=OSLO)
    reminder = await one.set(Once(at("2026-03-02T22:30"), OSLO))  # 23:30 in Oslo
    clock.pass_(hours=14)
    await one.round()
    assert one.sent == []
    clock.now = at("2026-03-03T05:59:30")
    assert await one.round() == 30  # until seven in Oslo
    clock.pass_(seconds=30)
    await one.round()
    # Seven and a half hours late, but nothing was missed: it waited.
    assert one.sent == [f"{reminder.id[:6]}@03-02T22:30+0"]
    await one.end()


async def test_a_daily_look_is_not_made_up_for(process: Start, clock: FakeClock) -> None:
    one = process()
    await one.start()
    look = replace(await one.set(DAILY), kind="check", text="")
    await one.store.put(look)
    clock.pass_(hours=5)  # two hours late
    await one.round()
    assert one.sent == []
    clock.now = at("2026-03-03T11:00")
    await one.round()
    assert one.sent == [f"{look.id[:6]}@03-03T11:00+0"]
    await one.end()


async def test_somebody_who_cannot_be_reached_is_not_told_a_pile_later(
    process: Start, clock: FakeClock
) -> None:
    one = process()
    await one.start()
    reminder = await one.set(DAILY)
    await one.delivery.accept(Left("left-1", "chat-ann"))
    for _ in range(5):
        clock.pass_(days=1)
        await one.round()
    assert one.sent == []
    clock.now = at("2026-03-07T12:00")
    await one.delivery.accept(_hello())
    await one.delivery.idle()
    await one.round()
    assert one.sent[1:] == [f"{reminder.id[:6]}@03-07T11:00+5"]
    await one.end()


async def test_a_chat_tells_only_its_own_owner(process: Start, clock: FakeClock) -> None:
    chat = process(only="chat-bo")
    await chat.start()
    for person in ("ann", "bo"):
        await chat.set(Once(at("2026-03-02T10:00"), OSLO), actor=f"letterbox_-{person}")
    clock.pass_(hours=1)
    await chat.round()
    assert [part.conversation for part in chat.disk.sent] == ["chat-bo"]
    await chat.end()


async def test_a_door_that_became_somebody_elses_is_told_nothing(
    process: Start, clock: FakeClock
) -> None:
    one = process()
    await one.start()
    reminder = await one.set(Once(at("2026-03-02T10:00"), OSLO), actor="letterbox_-ann")
    await one.store.cancel(reminder.actor, reminder.id)
    await one.store.put(replace(reminder, actor="telegram_-ann"))
    clock.pass_(hours=1)
    await one.round()
    assert one.sent == []
    await one.end()


async def test_sixty_at_the_same_moment_are_all_told(process: Start, clock: FakeClock) -> None:
    one = process()
    await one.start()
    due = Once(at("2026-03-02T10:00"), OSLO)
    for number in range(60):
        person = "ann" if number < 50 else "bo"
        await one.set(due, actor=f"letterbox_-{person}", key=str(number))
    clock.pass_(hours=1)
    await one.round()
    assert len(set(one.sent)) == len(one.sent) == 60
    await one.end()


async def test_many_who_cannot_be_reached_keep_nobody_else_waiting(
    process: Start, clock: FakeClock
) -> None:
    one = process()
    await one.start()
    for number in range(PAGE + 1):
        away = f"away{number // 50}"
        due = Once(at("2026-03-02T10:00"), OSLO)
        await one.set(due, actor=f"letterbox_-{away}", key=str(number))
    for number in range(PAGE // 50 + 1):
        await one.delivery.accept(Left(f"left-{number}", f"chat-away{number}"))
    reminder = await one.set(Once(at("2026-03-02T10:05"), OSLO))
    clock.pass_(hours=2)
    await one.round()
    assert one.sent == [f"{reminder.id[:6]}@03-02T10:05+0"]
    await one.end()


async def test_two_processes_tell_it_once(disk: Sent, clock: FakeClock, process: Start) -> None:
    both = [process(), process()]
    for one in both:
        await one.start()
    reminder = await both[0].set(Every(at("2026-03-02T10:00"), timedelta(hours=1), OSLO))
    for _ in range(6):
        clock.pass_(hours=1)
        await asyncio.gather(*(one.runner.round() for one in both))
        for one in both:
            await one.delivery.idle()
    told = [part.text for part in disk.sent]
    assert told == [f"{reminder.id[:6]}@03-02T{10 + n}:00+0" for n in range(6)]
    await both[0].end()


@pytest.mark.parametrize("down", [7, 30])
@pytest.mark.parametrize("late", [0, 7])
async def test_killed_at_any_write_and_away_for_hours_it_is_told_once(
    parts: tuple[Any, Any], late: int, down: int
) -> None:
    Sent, Process = parts  # noqa: N806
    for dies, after in itertools.product(range(1, 14), (False, True)):
        clock, disk = FakeClock(at("2026-03-02T09:00")), Sent()
        one = Process(disk, clock)
        await one.start()
        made = [
            await one.set(Once(at(f"2026-03-02T10:{minute}"), OSLO), key=minute)
            for minute in ("00", "30")
        ]
        await one.end()
        clock.pass_(hours=1.6 + late)
        two = Process(disk, clock, dies_at=dies, after=after)
        if await two.live(two.start()) >= 0:
            await two.round()
        await two.end()
        clock.pass_(hours=down)
        three = Process(disk, clock)
        await three.start()
        for _ in range(3):
            await three.round()
            clock.pass_(hours=1)
        await three.end()
        told = {part.key: part.text for part in disk.sent}  # one in flight may be sent twice
        words = " ".join(told.values())
        assert [words.count(one.id[:6]) for one in made] == [1, 1], (dies, after, told)


async def test_rounds_on_both_sides_of_the_hour_at_which_it_is_missed_tell_it_once(
    parts: tuple[Any, Any],
) -> None:
    Sent, Process = parts  # noqa: N806
    for steps in range(0, 30, 2):
        clock, disk = FakeClock(at("2026-03-02T09:00")), Sent()
        one = Process(disk, clock)
        await one.start()
        ids = [
            (await one.set(Once(at(f"2026-03-02T1{n}:00"), "UTC"), key=f"{n}")).id[:6]
            for n in (0, 1)
        ]
        clock.now = at("2026-03-02T17:00")  # the first is missed; a moment later both are

        async def another(one: Any = one, steps: int = steps) -> None:
            for _ in range(steps):
                await asyncio.sleep(0)
            one.clock.pass_(seconds=1)
            doors = {"letterbox": one.delivery}
            await Runner(one.store, one.state, one.people, doors, one.clock).round()

        await asyncio.gather(one.runner.round(), another())
        await one.round()
        words = " ".join(one.sent)
        assert [words.count(id_) for id_ in ids] == [1, 1], (steps, one.sent)
        await one.end()


async def test_rounds_of_one_process_do_not_overlap(
    process: Start, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, turn = process(), asyncio.Lock()
    doors, inside, most = {"letterbox": one.delivery}, 0, 0
    real = one.store.next_due

    async def next_due(*asked: Any, **also: Any) -> datetime | None:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        for _ in range(5):
            await asyncio.sleep(0)
        inside -= 1
        return await real(*asked, **also)

    monkeypatch.setattr(one.store, "next_due", next_due)
    runners = [Runner(one.store, one.state, one.people, doors, clock, turn=turn) for _ in range(3)]
    await asyncio.gather(*(runner.round() for runner in runners))
    assert most == 1


@pytest.mark.parametrize("whose", ["", "letterbox_-p1"])
async def test_a_round_of_one_conversation_reads_nobody_elses_reminders(
    process: Start, clock: FakeClock, whose: str
) -> None:
    one = process()
    await one.start()
    for number in range(40):
        await one.set(DAILY, actor=f"letterbox_-p{number}")
    read: list[str] = []
    real = one.state.get

    async def get(key: str) -> Any:
        read.append(key)
        return await real(key)

    one.state.get = get  # type: ignore[method-assign]
    doors = {"letterbox": one.delivery}
    runner = Runner(one.store, one.state, one.people, doors, clock, only="chat-p1", whose=whose)
    await runner.round()
    assert not [key for key in read if "reminders/" in key and "letterbox_-p1/" not in key]
    assert len(read) < 3
    await one.end()


async def test_a_clock_that_runs_ahead_and_is_set_back_repeats_nothing(
    process: Start, clock: FakeClock
) -> None:
    one = process()
    await one.start()
    await one.set(DAILY)
    clock.now = at("2026-03-02T11:00")
    await one.round()
    for hours in (10, -10, 3, -2, 5):
        clock.pass_(hours=hours)
        await one.round()
    assert len(one.sent) == 1
    clock.pass_(days=400)
    await one.round()
    clock.pass_(days=-400)
    await one.round()
    before = len(one.sent)
    clock.now = at("2026-03-03T11:00")
    await one.round()
    assert len(one.sent) == before + 1
    await one.end()


@pytest.mark.parametrize("hours", [2, 20, 24 * 40])
async def test_a_clock_that_was_ahead_and_is_set_right_leaves_nobody_unreminded(
    process: Start, clock: FakeClock, hours: int
) -> None:
    one = process()
    await one.start()
    soon = await one.set(Once(at("2026-03-02T10:30"), OSLO), key="soon")
    late = await one.set(Once(at("2026-03-02T21:00"), OSLO), key="late")
    hourly = await one.set(Every(at("2026-03-02T10:00"), timedelta(hours=1), OSLO), key="hourly")
    clock.pass_(hours=hours)
    await one.round()
    ahead = len(one.sent)
    meanwhile = await one.set(DAILY, key="meanwhile")
    clock.pass_(hours=-hours)
    for _ in range(15 * 6):
        clock.pass_(minutes=10)
        await one.round()
    told = one.sent[ahead:]
    assert f"{late.id[:6]}@03-02T21:00+0" in told
    assert f"{meanwhile.id[:6]}@03-02T11:00+0" in told  # set for today by a clock of tomorrow
    both = one.sent.count(f"{soon.id[:6]}@03-02T10:30+0")
    assert both == 1  # at its hour, or early: never twice
    each = [f"{hourly.id[:6]}@03-02T{hour}:00+0" for hour in range(12, 24)]
    assert [text for text in told if text in each] == each
    await one.end()


SCHEDULES: tuple[Schedule, ...] = (
    Every(at("2026-03-02T09:20"), timedelta(hours=5, minutes=20), OSLO),
    DAILY,
    Calendar("FREQ=WEEKLY;BYDAY=MO,TH;BYHOUR=7;BYMINUTE=30;BYSECOND=0", MIDNIGHT, OSLO),
    Once(at("2026-03-04T16:40"), OSLO),
    Once(at("2026-03-06T23:00"), OSLO),
)


@settings(
    max_examples=20,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # shrinking a week takes long
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    deaths=st.lists(st.tuples(st.integers(1, 60), st.booleans()), min_size=1, max_size=25),
    seed=st.integers(0, 2**32),
)
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_week_with_kills_tells_every_occurrence_once(
    parts: tuple[Any, Any], deaths: list[tuple[int, bool]], seed: int
) -> None:
    asyncio.run(_a_week(*parts, deaths, random.Random(seed)))


async def _a_week(
    Sent: Any,  # noqa: N803
    Process: Any,  # noqa: N803
    deaths: list[tuple[int, bool]],
    steps: random.Random,
) -> None:
    clock, disk = FakeClock(at("2026-03-02T09:00")), Sent()
    setter = Process(disk, clock)
    expected = Counter[str]()
    end = clock() + timedelta(days=7)
    for person in ("ann", "bo"):
        for number, schedule in enumerate(SCHEDULES):
            made = await setter.set(schedule, actor=f"letterbox_-{person}", key=str(number))
            for due in occurrences(schedule, after=clock(), limit=200):
                if due <= end:
                    expected[f"{made.id[:6]}@{due:%m-%dT%H:%M}+0"] += 1
    lives = iter(deaths)
    dies, after = next(lives)
    one = Process(disk, clock, dies_at=dies, after=after)
    started = await _lives(one.start, one)
    while True:
        while not started or await one.round() < 0:
            dies, after = next(lives, (None, False))
            one = Process(disk, clock, dies_at=dies, after=after)
            started = await _lives(one.start, one)
        if clock() == end:
            break
        clock.now = min(end, clock() + timedelta(minutes=steps.randint(1, 200)))
    told = Counter({part.key: part.text for part in disk.sent}.values())
    assert told == expected
    # A part that was in flight when its process died may have been sent twice.
    assert len(disk.sent) - sum(expected.values()) <= len(deaths)
    await one.end()


async def _lives(work: Callable[[], Awaitable[None]], process: Process) -> bool:
    await work()
    return not process.state.died.is_set()


def _hello() -> Message:
    return Message("hello-1", Address("letterbox", "ann"), "chat-ann", "hello")
