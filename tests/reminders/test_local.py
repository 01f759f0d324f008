"""Reminders in the StateStore: what every store must do, and what a dead process leaves."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

from cloche.clock import Clock
from cloche.people import person_prefix
from cloche.reminders.local import LocalReminders
from cloche.reminders.reminder import Reminder
from cloche.reminders.room import Room
from cloche.reminders.store import ReminderStore
from cloche.state.sqlite import SqliteStateStore
from cloche.testing.clock import FakeClock
from cloche.testing.reminder_conformance import ReminderStoreConformance
from cloche.testing.reminder_samples import ANN, a_reminder, daily, once


@asynccontextmanager
async def _opened(tmp_path: Path, clock: Clock) -> AsyncIterator[ReminderStore]:
    state = SqliteStateStore(tmp_path / "state.db", clock)
    yield LocalReminders(state, clock)
    await state.close()


class TestLocalReminders(ReminderStoreConformance):
    def opened(self, tmp_path: Path, clock: Clock) -> AbstractAsyncContextManager[ReminderStore]:
        return _opened(tmp_path, clock)


async def test_a_pointer_that_a_dead_process_left_is_passed_over_and_removed(
    tmp_path: Path,
) -> None:
    clock = FakeClock()
    state = SqliteStateStore(tmp_path / "state.db", clock)
    store = LocalReminders(state, clock)
    reminder = a_reminder(clock, once(clock, hours=1))
    await store.put(reminder)
    await state.delete(f"{person_prefix(ANN)}reminders/{reminder.id}")
    clock.pass_(hours=1)
    assert not await store.due(clock(), ["telegram"])
    assert await state.list_items("due/")  # it may be on its way
    clock.pass_(hours=2)
    assert not await store.due(clock(), ["telegram"])
    assert not await state.list_items("due/")
    await state.close()


async def test_a_pointer_to_another_time_is_mended(tmp_path: Path) -> None:
    clock = FakeClock()
    state = SqliteStateStore(tmp_path / "state.db", clock)
    store = LocalReminders(state, clock)
    reminder = a_reminder(clock, daily(clock))
    await store.put(reminder)
    (pointer,) = await state.list_items("due/")
    wrong = f"due/telegram/{1:020d}/{reminder.id}/{ANN}"
    await state.put(wrong, True)
    await state.delete(pointer.key)
    clock.pass_(days=1)
    assert [one.id for one in await store.due(clock(), ["telegram"])] == [reminder.id]
    assert await store.claim(ANN, reminder.id, clock())
    assert len(await state.list_items("due/")) == 1
    await state.close()


async def test_a_reminder_that_cannot_be_read_costs_no_other(tmp_path: Path) -> None:
    clock = FakeClock()
    state = SqliteStateStore(tmp_path / "state.db", clock)
    store = LocalReminders(state, clock)
    good, bad = (a_reminder(clock, once(clock, hours=1), key=key) for key in ("good", "bad"))
    await store.put(good)
    await store.put(bad)
    await state.put(f"{person_prefix(ANN)}reminders/{bad.id}", {"text": 7})
    assert [one.id for one in await store.list(ANN)] == [good.id]
    clock.pass_(hours=1)
    assert [one.id for one in await store.due(clock(), ["telegram"])] == [good.id]
    await state.close()


async def test_a_place_that_was_taken_and_given_back_meanwhile_is_counted(tmp_path: Path) -> None:
    """Who counted before another's reminder was there counts again."""
    clock = FakeClock()
    state = SqliteStateStore(tmp_path / "state.db", clock)
    room, store = Room(state, clock), LocalReminders(state, clock)
    await store.put(a_reminder(clock, once(clock, hours=1), key="first"))
    counted = list[int]()

    async def there() -> Sequence[Reminder]:
        found = await store.list(ANN)
        if not counted:  # all of another's is done between the count and the place
            await store.put(a_reminder(clock, once(clock, hours=1), key="other"))
        counted.append(len(found))
        return found

    mine = a_reminder(clock, once(clock, hours=1), key="mine")
    assert not await room.take(mine, there, most=2)
    assert counted == [1, 2]
    await state.close()


async def test_a_place_whose_process_died_lapses(tmp_path: Path) -> None:
    clock = FakeClock()
    state = SqliteStateStore(tmp_path / "state.db", clock)
    room, store = Room(state, clock), LocalReminders(state, clock)
    dead, mine = (a_reminder(clock, once(clock, hours=1), key=key) for key in ("dead", "mine"))
    assert await room.take(dead, lambda: store.list(ANN), most=1)
    assert await room.take(dead, lambda: store.list(ANN), most=1)  # run again, it is the same
    assert not await room.take(mine, lambda: store.list(ANN), most=1)
    clock.pass_(minutes=2)
    assert await room.take(mine, lambda: store.list(ANN), most=1)
    await state.close()
