"""Reminders for testing tools: in mind, of one person, read and checked as the host's are."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import datetime
from zoneinfo import ZoneInfo

from cloche.clock import Clock
from cloche.messages import Address
from cloche.people import Person, PersonSettings
from cloche.reminders.for_tools import PersonReminders, TurnReminders
from cloche.reminders.reminder import MOST, Place, Reminder
from cloche.reminders.store import TooManyRemindersError
from cloche.tools.settings import ToolSettings


class FakeReminderStore:
    """Keeps reminders as long as the test runs; implements ``ReminderStore``."""

    external = False

    def __init__(self) -> None:
        """Start empty."""
        self.reminders: dict[tuple[str, str], Reminder] = {}

    async def put(self, reminder: Reminder) -> None:
        """Keep it."""
        key = (reminder.actor, reminder.id)
        if key not in self.reminders and len(await self.list(reminder.actor)) >= MOST:
            raise TooManyRemindersError("there are 50 already")
        self.reminders[key] = reminder

    async def get(self, actor: str, reminder_id: str) -> Reminder | None:
        """The reminder, or None."""
        return self.reminders.get((actor, reminder_id))

    async def find(self, reminder_id: str) -> Reminder | None:
        """The one of that id that is to come."""
        found = [one for one in self.reminders.values() if one.id == reminder_id and one.next]
        return found[0] if found else None

    async def list(self, actor: str) -> Sequence[Reminder]:
        """Those that are to come, the next first."""
        found = [(r.next, r.id, r) for r in self.reminders.values() if r.actor == actor and r.next]
        return [reminder for _, _, reminder in sorted(found, key=lambda one: one[:2])]

    async def told(self, actor: str) -> Sequence[Reminder]:
        """Those of which something was due."""
        return [r for r in self.reminders.values() if r.actor == actor and r.handled]

    async def cancel(self, actor: str, reminder_id: str) -> bool:
        """Remove it."""
        return self.reminders.pop((actor, reminder_id), None) is not None

    async def pause(self, actor: str) -> int:
        """Have none be due."""
        return self._set(actor, paused=True)

    async def resume(self, actor: str) -> int:
        """Have them be due again."""
        return self._set(actor, paused=False)

    async def due(
        self, now: datetime, channels: Collection[str], *, after: Reminder | None = None
    ) -> Sequence[Reminder]:
        """What is due by now."""
        there = await self._there(channels)
        found = sorted((r.next, r.id, r.actor, r) for r in there if r.next and r.next <= now)
        last = (after.next, after.id, after.actor) if after and after.next else None
        return [one[3] for one in found if last is None or one[:3] > last][:500]

    async def next_due(self, channels: Collection[str], *, after: datetime) -> datetime | None:
        """When the next one is due."""
        found = [r.next for r in await self._there(channels) if r.next and r.next > after]
        return min(found, default=None)

    async def claim(self, actor: str, reminder_id: str, instant: datetime) -> bool:
        """Take care of what is due up to an instant."""
        there = self.reminders.get((actor, reminder_id))
        if there is None or there.paused or there.next is None or there.next > instant:
            return False
        self.reminders[actor, reminder_id] = replace(there, handled=instant)
        return True

    async def wait(self, reminder: Reminder, until: datetime) -> None:
        """Nobody is woken here."""

    async def set_back(self, now: datetime, actor: str = "") -> int:
        """Nothing runs ahead here."""
        return 0

    async def refresh(self, actor: str) -> None:
        """Everything is in line."""

    async def forget(self, actor: str) -> int:
        """Remove all that is a person's."""
        gone = [key for key in self.reminders if key[0] == actor]
        for key in gone:
            del self.reminders[key]
        return len(gone)

    def watch(self, changed: Callable[[], None]) -> None:
        """Nobody waits here."""

    async def close(self) -> None:
        """Nothing is held."""

    def _set(self, actor: str, *, paused: bool) -> int:
        found = [r for r in self.reminders.values() if r.actor == actor and r.paused != paused]
        for one in found:
            self.reminders[actor, one.id] = replace(one, paused=paused)
        return len(found)

    async def _there(self, channels: Collection[str]) -> Sequence[Reminder]:
        return [
            r
            for actor in {key[0] for key in self.reminders}
            for r in await self.list(actor)
            if r.place.channel in channels and not r.paused
        ]


class FakeToolReminders(PersonReminders):
    """What a tool does with reminders; ``store.reminders`` are those that are kept."""

    def __init__(self, settings: ToolSettings, clock: Clock, *, call_id: str = "call-1") -> None:
        """Take whose zone and language, and the present instant."""
        self.store = FakeReminderStore()
        zone = ZoneInfo(settings.time_zone)
        person = Person(
            actor="console_-fake",
            address=Address("console", "fake"),
            conversation="console_-fake",
            group=False,
            session="fake",
            settings=PersonSettings(),
            language=settings.language,
            zone=zone,
            now=clock().astimezone(zone),
        )
        turn = TurnReminders(self.store, person, Place("console", "fake", "fake"), clock)
        super().__init__(turn, call_id, settings)
