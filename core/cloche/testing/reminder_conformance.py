"""What every reminder store must do: inherited by the tests of a store."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from cloche.reminders.cron import Cron
from cloche.reminders.reminder import MOST, reminder_id
from cloche.reminders.schedule import Every, Schedule
from cloche.reminders.store import TooManyRemindersError
from cloche.testing.clock import FakeClock
from cloche.testing.reminder_races import ReminderStoreRaces
from cloche.testing.reminder_samples import ANN, BO, HOUR, OSLO, a_reminder, daily, once


class ReminderStoreConformance(ReminderStoreRaces):
    """Every sentence of ``ReminderStore``'s documentation as a test.

    A store's author inherits it and gives one method; with ``asyncio_mode = "auto"`` in pytest's
    settings that is all::

        class TestMyReminders(ReminderStoreConformance):
            @asynccontextmanager
            async def opened(self, tmp_path, clock):
                yield MyReminders(...)

    Opening a store twice at one ``tmp_path`` must give the same data, also while both are open.
    """

    async def test_a_reminder_comes_back_as_it_was_put(self, tmp_path: Path) -> None:
        """Of every kind of schedule, after closing and opening, in any script."""
        clock = FakeClock()
        schedules: list[Schedule] = [
            once(clock, days=1),
            Every(clock() + HOUR, 2 * HOUR, OSLO),
            daily(clock, "FREQ=WEEKLY;INTERVAL=2;BYDAY=SU;BYHOUR=9;BYMINUTE=0;BYSECOND=0"),
            Cron("cron(0 9 ? * MON-FRI *)", OSLO),
        ]
        put = [
            replace(a_reminder(clock, schedule, key=str(at)), text="给阳台浇水 ¿qué? 🌱")
            for at, schedule in enumerate(schedules)
        ]
        async with self.opened(tmp_path, clock) as store:
            for one in put:
                await store.put(one)
        async with self.opened(tmp_path, clock) as store:
            assert [await store.get(one.actor, one.id) for one in put] == put
            assert sorted(one.id for one in await store.list(ANN)) == sorted(o.id for o in put)

    async def test_the_same_id_is_an_update(self, tmp_path: Path) -> None:
        """The old time is due no more."""
        clock = FakeClock()
        async with self.opened(tmp_path, clock) as store:
            await store.put(a_reminder(clock, once(clock, hours=1)))
            await store.put(a_reminder(clock, once(clock, hours=3), text="feed the cat"))
            (there,) = await store.list(ANN)
            assert there.text == "feed the cat"
            clock.pass_(hours=2)
            assert not await store.due(clock(), ["telegram"])
            clock.pass_(hours=1)
            assert [one.text for one in await store.due(clock(), ["telegram"])] == ["feed the cat"]

    async def test_two_people_share_nothing(self, tmp_path: Path) -> None:
        """Neither lists, nor removes, nor claims what is another's."""
        clock = FakeClock()
        async with self.opened(tmp_path, clock) as store:
            hers = a_reminder(clock, once(clock, hours=1))
            his = a_reminder(clock, once(clock, hours=1), actor=BO)
            assert hers.id != his.id
            await store.put(hers)
            await store.put(his)
            assert [one.id for one in await store.list(ANN)] == [hers.id]
            assert await store.get(BO, hers.id) is None
            assert not await store.cancel(BO, hers.id)
            clock.pass_(hours=1)
            assert not await store.claim(BO, hers.id, clock())
            assert await store.forget(BO) == 1
            assert [one.id for one in await store.due(clock(), ["telegram"])] == [hers.id]

    async def test_an_empty_actor_is_refused(self, tmp_path: Path) -> None:
        """Nobody is acted for without."""
        clock = FakeClock()
        async with self.opened(tmp_path, clock) as store:
            with pytest.raises(ValueError, match="actor"):
                await store.list("")
            with pytest.raises(ValueError, match="actor"):
                await store.forget("")

    async def test_the_fifty_first_is_refused(self, tmp_path: Path) -> None:
        """An update of one of the fifty is not, and one that is over makes room."""
        clock = FakeClock()
        async with self.opened(tmp_path, clock) as store:
            for number in range(MOST):
                await store.put(a_reminder(clock, once(clock, hours=1 + number), key=str(number)))
            more = a_reminder(clock, once(clock, hours=1), key="more")
            with pytest.raises(TooManyRemindersError):
                await store.put(more)
            await store.put(a_reminder(clock, once(clock, hours=9), key="0"))
            await store.put(a_reminder(clock, once(clock, hours=1), actor=BO, key="more"))
            assert await store.cancel(ANN, reminder_id(ANN, "1"))
            await store.put(more)
            assert len(await store.list(ANN)) == MOST
            assert await store.cancel(ANN, more.id)
            await store.put(a_reminder(clock, once(clock, hours=1), key="another"))

    async def test_what_is_due_is_told_by_channel_the_longest_due_first(
        self, tmp_path: Path
    ) -> None:
        """And what is due next, for whoever waits."""
        clock = FakeClock()
        async with self.opened(tmp_path, clock) as store:
            for hours, channel in ((3, "telegram"), (1, "telegram"), (2, "web")):
                key = f"{channel}{hours}"
                await store.put(
                    a_reminder(clock, once(clock, hours=hours), key=key, text=key, channel=channel)
                )
            both = ["telegram", "web"]
            assert not await store.due(clock(), both)
            assert await store.next_due(both, after=clock()) == clock() + HOUR
            assert await store.next_due(["web"], after=clock()) == clock() + 2 * HOUR
            assert await store.next_due(["console"], after=clock()) is None
            clock.pass_(hours=3)
            told = [one.text for one in await store.due(clock(), both)]
            assert told == ["telegram1", "web2", "telegram3"]
            assert [one.text for one in await store.due(clock(), ["web"])] == ["web2"]
            first, second, _ = await store.due(clock(), both)
            rest = await store.due(clock(), both, after=first)
            assert [one.text for one in rest] == ["web2", "telegram3"]
            assert [one.text for one in await store.due(clock(), both, after=second)] == [
                "telegram3"
            ]

    async def test_a_claim_holds_for_all_that_was_due_before(self, tmp_path: Path) -> None:
        """A week away is one claim, and the rule goes on from there."""
        clock = FakeClock()
        reminder = a_reminder(clock, daily(clock))
        async with self.opened(tmp_path, clock) as store:
            await store.put(reminder)
            clock.pass_(days=7)
            assert await store.claim(ANN, reminder.id, clock())
            assert not await store.claim(ANN, reminder.id, clock() - timedelta(days=2))
            there = await store.get(ANN, reminder.id)
            assert there is not None
            assert there.next is not None
            assert clock() < there.next < clock() + timedelta(days=1)

    async def test_what_is_not_due_cannot_be_claimed(self, tmp_path: Path) -> None:
        """Nor what is gone."""
        clock = FakeClock()
        reminder = a_reminder(clock, once(clock, hours=1))
        async with self.opened(tmp_path, clock) as store:
            await store.put(reminder)
            assert not await store.claim(ANN, reminder.id, clock())
            assert await store.cancel(ANN, reminder.id)
            assert not await store.cancel(ANN, reminder.id)
            clock.pass_(hours=1)
            assert not await store.claim(ANN, reminder.id, clock())
            assert not await store.due(clock(), ["telegram"])

    async def test_one_that_is_over_is_still_known_for_a_while(self, tmp_path: Path) -> None:
        """So that it can be put off; it is on no list, and gone in the end."""
        clock = FakeClock()
        reminder = a_reminder(clock, once(clock, hours=1))
        async with self.opened(tmp_path, clock) as store:
            await store.put(reminder)
            clock.pass_(hours=1)
            assert await store.claim(ANN, reminder.id, clock())
            assert not await store.list(ANN)
            assert [one.id for one in await store.told(ANN)] == [reminder.id]
            assert await store.get(ANN, reminder.id) is not None
            clock.pass_(days=30)
            assert await store.get(ANN, reminder.id) is None

    async def test_paused_ones_wait_and_come_back(self, tmp_path: Path) -> None:
        """With what was missed meanwhile."""
        clock = FakeClock()
        reminder = a_reminder(clock, daily(clock))
        async with self.opened(tmp_path, clock) as store:
            await store.put(reminder)
            assert await store.pause(ANN) == 1
            assert await store.pause(ANN) == 0
            clock.pass_(days=2)
            assert not await store.due(clock(), ["telegram"])
            assert not await store.claim(ANN, reminder.id, clock())
            assert [one.paused for one in await store.list(ANN)] == [True]
            assert await store.resume(ANN) == 1
            assert [one.id for one in await store.due(clock(), ["telegram"])] == [reminder.id]

    async def test_forgetting_leaves_nothing(self, tmp_path: Path) -> None:
        """Those that are over too."""
        clock = FakeClock()
        async with self.opened(tmp_path, clock) as store:
            await store.put(a_reminder(clock, once(clock, hours=1), key="over"))
            await store.put(a_reminder(clock, daily(clock), key="daily"))
            clock.pass_(hours=1)
            assert await store.claim(ANN, reminder_id(ANN, "over"), clock())
            assert await store.forget(ANN) == 2
            assert not await store.list(ANN)
            assert await store.get(ANN, reminder_id(ANN, "over")) is None
            clock.pass_(days=2)
            assert not await store.due(clock(), ["telegram"])
            assert await store.forget(ANN) == 0

    async def test_whoever_watches_is_told_of_what_is_set(self, tmp_path: Path) -> None:
        """So that nobody needs to look all the time."""
        clock, told = FakeClock(), list[int]()
        async with self.opened(tmp_path, clock) as store:
            store.watch(lambda: told.append(1))
            await store.put(a_reminder(clock, once(clock, hours=1)))
            assert told
