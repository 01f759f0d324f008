"""What a tool may do with reminders: bound to the person and the place of its turn."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from cloche.clock import Clock
from cloche.errors import ToolError
from cloche.memory.extraction import screen
from cloche.people import Person
from cloche.reminders.codec import schedule_to_json
from cloche.reminders.meant import meant
from cloche.reminders.moving import moved, put_off
from cloche.reminders.plain_words import doubtful_words, part_each, part_words, read_words
from cloche.reminders.reach import in_reach
from cloche.reminders.reminder import MAX_TEXT_CHARS, MOST, Place, Reminder, reminder_id
from cloche.reminders.schedule import Every, Once, Schedule, WhenError, occurrences
from cloche.reminders.store import ReminderStore, TooManyRemindersError
from cloche.reminders.telling import Deed, listed
from cloche.reminders.when import parse_when
from cloche.texts import say
from cloche.tools.settings import ToolSettings

CHECK: Final = "check"
"""The key of a person's one look whether anything is due."""


@dataclass(slots=True)
class TurnReminders:
    """One turn's part in the reminders of a person.

    Attributes:
        store: Where they are kept.
        person: Whom the turn acts for.
        place: Where it is.
        clock: The present instant.
        done: What was done in this turn, in order.
    """

    store: ReminderStore
    person: Person
    place: Place
    clock: Clock
    done: list[tuple[Deed, Reminder]] = field(default_factory=list)


class PersonReminders:
    """The reminders of one person, as one tool call sees them (``cloche.tools.reminders``)."""

    def __init__(self, turn: TurnReminders, call_id: str, settings: ToolSettings) -> None:
        """Take the turn, the call's id (run again, it sets the same reminder), and the zone."""
        self._turn, self._call_id, self._set = turn, call_id, 0
        self._settings = settings

    def when(self, written: str, *, of: Reminder | None = None) -> Schedule:
        """The schedule that a text says; of a reminder, its own at another hour, or on another day.

        Raises:
            ToolError: it says no time to come, or only one for a reminder that repeats.
        """
        if of is not None and (other := self._moved(of, written)):
            return other
        schedule = self._when(written)
        if of is not None and isinstance(schedule, Once) and not isinstance(of.schedule, Once):
            raise ToolError(self._say("reminder_when_once", text=of.text, when=written.strip()))
        return schedule

    def _moved(self, of: Reminder, written: str) -> Schedule | None:
        now = self._turn.clock()
        if not re.match(r"\s*[+\-\u2212]", written):
            return moved(of.schedule, written, now=now)
        try:
            other = put_off(of.schedule, written, now=now)
        except WhenError as error:
            raise self._unclear(error, written) from error
        if other is None and not isinstance(of.schedule, Once):
            raise ToolError(self._say("reminder_not_put_off", text=of.text))
        return other

    def _when(self, written: str) -> Schedule:
        now = self._turn.clock()
        try:
            spoken = read_words(written, now=now, zone=self._zone)
            return parse_when(spoken or written, now=now, zone=self._zone)
        except WhenError as error:
            raise self._unclear(error, written) from error

    def _unclear(self, error: WhenError, written: str) -> ToolError:
        return ToolError(self._say(f"reminder_when_{error.fault}", when=written.strip()))

    def parted(self, said: str) -> tuple[str, str]:
        """What somebody wants to be reminded of, and the words that say when; "" = none do.

        Raises:
            ToolError: beside a time stand words that may say when, too, and cannot be read.
        """
        now = self._turn.clock()
        what, when = part_words(said, now=now, zone=self._zone)
        if not when and (words := doubtful_words(said, now=now, zone=self._zone)):
            raise ToolError(self._say("reminder_when_unreadable", when=words))
        return what, when

    def several(self, said: str) -> Sequence[tuple[str, str]]:
        """What and when, of each reminder that a sentence asks for; empty where it asks for one."""
        return part_each(said, now=self._turn.clock(), zone=self._zone)

    def needs_zone(self, written: str) -> bool:
        """True when a time can only be told with the person's zone, and that is not known."""
        if self._settings.zone_known or self._turn.person.settings.zone_told:
            return False
        now = self._turn.clock()
        try:
            spoken = read_words(written, now=now, zone="UTC") or written
            return not _elapses(parse_when(spoken, now=now, zone="UTC"), spoken)
        except WhenError:
            return False  # what cannot be read is told as such

    def line(self, reminder: Reminder) -> str:
        """A reminder as its person reads it."""
        return listed(reminder, self._turn.person.language)

    async def set(self, text: str, when: Schedule) -> Reminder:
        """Keep a reminder.

        Raises:
            ToolError: the text is empty, too long or never kept, or the person has 50 already.
        """
        text = self._checked(text)
        self._set += 1
        id_ = reminder_id(self._turn.person.actor, f"{self._call_id}/{self._set}")
        known = await self._turn.store.get(self._turn.person.actor, id_)
        return await self._keep(known or await self._same(text, when) or self._new(id_, text, when))

    async def list(self) -> Sequence[Reminder]:
        """Those that are to come and may be told of where the turn is, the next first."""
        person = self._turn.person
        return [one for one in await self._turn.store.list(person.actor) if in_reach(one, person)]

    async def meant(self, which: str) -> Sequence[Reminder]:
        """Those that words name by text or time; several are to be asked about."""
        return meant(which, await self.list(), now=self._turn.clock(), zone=self._zone)

    async def change(
        self, reminder_id: str, *, text: str | None = None, when: Schedule | None = None
    ) -> Reminder:
        """Change what it says or when it is due.

        Raises:
            ToolError: there is no such reminder, it belongs to another chat than this group, or
                the text is empty, too long or never kept.
        """
        there = await self._get(reminder_id)
        if there is None:
            raise ToolError(self._say("reminder_none_such"))
        changed = replace(there, text=there.text if text is None else self._checked(text))
        if when is not None:
            changed = replace(changed, schedule=when, created_at=self._turn.clock(), handled=None)
        return await self._keep(changed, "changed")

    async def cancel(self, reminder_id: str) -> bool:
        """Remove one; False when there is none.

        Raises:
            ToolError: it belongs to another chat than this group.
        """
        there = await self._get(reminder_id)
        if there is None or not await self._turn.store.cancel(there.actor, reminder_id):
            return False
        self._turn.done.append(("cancelled", there))
        return True

    async def check_daily(self, when: Schedule | None) -> Reminder | None:
        """Look whether anything is due, at a time the person agreed to; None = never.

        Raises:
            ToolError: the time is one alone, not one of every day, or they look in another chat
                than this group.
        """
        id_ = reminder_id(self._turn.person.actor, CHECK)
        if when is None:
            await self.cancel(id_)
            return None
        if isinstance(when, Once):
            raise ToolError(self._say("reminder_look_when"))
        await self._get(id_)
        check = replace(self._new(id_, "", when), kind="check")
        return await self._keep(check)

    async def _get(self, reminder_id: str) -> Reminder | None:
        """The reminder; refused where others would learn of what is private."""
        there = await self._turn.store.get(self._turn.person.actor, reminder_id)
        if there is not None and not in_reach(there, self._turn.person):
            raise ToolError(self._say("reminder_not_here"))
        return there

    async def _keep(self, reminder: Reminder, deed: Deed = "set") -> Reminder:
        """Keep it, and have the host tell what is kept, not what was asked for."""
        try:
            await self._turn.store.put(reminder)
        except TooManyRemindersError as error:
            raise ToolError(self._say("reminder_too_many", most=MOST)) from error
        kept = await self._turn.store.get(reminder.actor, reminder.id)
        if kept is None:
            raise ToolError(self._say("reminder_not_kept"))
        self._turn.done.append((deed, kept))
        return kept

    async def _same(self, text: str, when: Schedule) -> Reminder | None:
        """One that says the same at the same times: asked for twice, it is told once."""
        after = self._turn.clock()
        coming = occurrences(when, after=after, limit=5)
        for one in await self.list():
            said = " ".join(one.text.casefold().split()) == " ".join(text.casefold().split())
            if said and (
                schedule_to_json(one.schedule) == schedule_to_json(when)
                or occurrences(one.schedule, after=after, limit=5) == coming
            ):
                return replace(one, place=self._turn.place, paused=False)
        return None

    def _new(self, id_: str, text: str, when: Schedule) -> Reminder:
        return Reminder(
            id=id_,
            actor=self._turn.person.actor,
            place=self._turn.place,
            text=text,
            language=self._turn.person.language,
            schedule=when,
            created_at=self._turn.clock(),
        )

    def _checked(self, text: str) -> str:
        text = " ".join(text.split())
        if not 1 <= len(text) <= MAX_TEXT_CHARS:
            raise ToolError(self._say("reminder_text", most=MAX_TEXT_CHARS))
        if refusal := screen(text):
            raise ToolError(self._say(f"reminder_refused_{refusal}"))
        return text

    @property
    def _zone(self) -> str:
        return self._settings.time_zone

    def _say(self, key: str, **slots: object) -> str:
        return say(key, self._turn.person.language, **slots)


def _elapses(schedule: Schedule, written: str) -> bool:
    """True for what is due after hours or minutes, whatever clocks show."""
    upper = written.upper()
    return isinstance(schedule, Every) or upper.startswith("PT")
