"""What a reminder store does when clocks are wrong or many ask at once: part of its conformance."""

from __future__ import annotations

import asyncio
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from cloche.clock import Clock
from cloche.reminders.reminder import MOST, reminder_id
from cloche.reminders.schedule import Every
from cloche.reminders.store import ReminderStore, TooManyRemindersError
from cloche.testing.clock import FakeClock
from cloche.testing.inherited import KeepsInheritedTests
from cloche.testing.reminder_samples import ANN, HOUR, OSLO, a_reminder, daily, once


class ReminderStoreRaces(KeepsInheritedTests):
    """Tests that ``ReminderStoreConformance`` hands on."""

    def opened(self, tmp_path: Path, clock: Clock) -> AbstractAsyncContextManager[ReminderStore]:
        """A store whose data lies at ``tmp_path``, closed at the end."""
        raise NotImplementedError("give opened: it makes the store under test")

    async def test_a_clock_that_ran_ahead_loses_no_reminder(self, tmp_path: Path) -> None:
        """A year ahead and back: tomorrow's is due tomorrow. Minutes back change nothing."""
        clock = FakeClock()
        reminder = a_reminder(clock, daily(clock))
        async with self.opened(tmp_path, clock) as store:
            await store.put(reminder)
            clock.pass_(days=365)
            assert await store.claim(ANN, reminder.id, clock())
            clock.pass_(days=-365)
            assert await store.set_back(clock()) == 1
            clock.pass_(days=1)
            assert [one.id for one in await store.due(clock(), ["telegram"])] == [reminder.id]
            assert await store.claim(ANN, reminder.id, clock())
            clock.pass_(minutes=-5)
            assert await store.set_back(clock()) == 0
            assert not await store.due(clock(), ["telegram"])

    async def test_a_clock_hours_ahead_loses_no_reminder(self, tmp_path: Path) -> None:
        """What comes once, what comes daily, and what was set meanwhile are due at their hour."""
        clock = FakeClock()
        async with self.opened(tmp_path, clock) as store:
            await store.put(a_reminder(clock, once(clock, hours=12), key="once"))
            await store.put(a_reminder(clock, daily(clock), key="daily"))
            clock.pass_(hours=20)
            due = await store.due(clock(), ["telegram"])
            assert len(due) >= 1
            for one in due:
                assert one.next is not None
                assert await store.claim(ANN, one.id, one.next)
            started = clock() - 20 * HOUR
            rule = Every(started + HOUR, HOUR, OSLO)
            await store.put(a_reminder(clock, rule, key="meanwhile"))
            clock.pass_(hours=-20)
            assert await store.set_back(clock()) == len(due) + 1
            there = {one.id: one.next for one in await store.list(ANN)}
            assert there[reminder_id(ANN, "once")] == clock() + 12 * HOUR
            assert there[reminder_id(ANN, "meanwhile")] == clock() + HOUR
            clock.pass_(hours=12)
            told = [one.id for one in await store.due(clock(), ["telegram"])]
            assert reminder_id(ANN, "once") in told
            assert await store.claim(ANN, reminder_id(ANN, "once"), clock())

    async def test_many_at_once_are_no_more_than_fifty(self, tmp_path: Path) -> None:
        """Of two processes, too."""
        clock = FakeClock()
        async with self.opened(tmp_path, clock) as one, self.opened(tmp_path, clock) as other:
            for number in range(MOST - 2):
                await one.put(a_reminder(clock, once(clock, hours=1), key=str(number)))
            asked = [
                store.put(a_reminder(clock, once(clock, hours=2), key=f"more{number}"))
                for number, store in enumerate((one, other) * 4)
            ]
            results = await asyncio.gather(*asked, return_exceptions=True)
            assert sum(isinstance(each, TooManyRemindersError) for each in results) == 6
            assert [each for each in results if each is None] == [None, None]
            assert len(await one.list(ANN)) == MOST

    async def test_an_occurrence_is_claimed_once(self, tmp_path: Path) -> None:
        """By many tasks of two stores on the same data; the next one is another."""
        clock = FakeClock()
        reminder = a_reminder(clock, daily(clock))
        async with self.opened(tmp_path, clock) as one, self.opened(tmp_path, clock) as other:
            await one.put(reminder)
            for _ in range(3):
                clock.pass_(days=1)
                (due,) = await other.due(clock(), ["telegram"])
                assert due.next is not None
                asked = [s.claim(ANN, reminder.id, due.next) for s in (one, other) * 8]
                assert sum(await asyncio.gather(*asked)) == 1
                assert not await one.due(clock(), ["telegram"])
