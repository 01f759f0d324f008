"""``/reminders``, and what people answer to them: ``/done``, ``/snooze``, ``/skip``, ``/quiet``."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Final, Literal

from cloche.errors import ToolError
from cloche.ids import record_id
from cloche.memory.lifecycle import validity_for
from cloche.memory.pipeline import SCOPE, Memory
from cloche.memory.records import MemoryRecord, Source
from cloche.people import People, Person
from cloche.reminders.last_told import ANSWERABLE, last_told
from cloche.reminders.quiet import parse_quiet
from cloche.reminders.reach import in_reach
from cloche.reminders.reminder import MOST, Reminder, reminder_id
from cloche.reminders.schedule import Once
from cloche.reminders.snoozing import snoozed_until
from cloche.reminders.store import TooManyRemindersError
from cloche.reminders.telling import SHORT, confirmation, listed
from cloche.sqlite import to_micros
from cloche.texts import say, say_day

SOON: Final = timedelta(minutes=1)
KEPT: Final = timedelta(days=90)
"""How long what became of a reminder is remembered."""
OFF: Final = ("off", "no", "none", "ninguno", "nunca", "关", "關", "关闭", "取消")


async def show_reminders(argument: str, person: Person, memory: Memory) -> str:
    """What is to come, the next first, and how to cancel one.

    Raises:
        MemoryUnavailableError: the store is away.
    """
    language = person.language
    coming = await memory.reminders.list(person.actor)
    if not coming:
        return say("command_reminders_none", language)
    lines = [f"- {listed(one, language)}" for one in coming]
    named = next((one.text for one in coming if one.text), "")
    how = say("command_reminders_how", language, text=named) if named else ""
    head = say("command_reminders", language, count=len(coming))
    return "\n".join([head, "", *lines, *(["", how] if how else [])])


async def unanswered(person: Person, memory: Memory) -> list[Reminder]:
    """What was told within a day and not answered yet, the newest first.

    Raises:
        MemoryUnavailableError: a store is away.
    """
    now, found = memory.clock(), []
    for one in await memory.reminders.told(person.actor):
        if one.kind != "asked" or one.handled is None or now - one.handled > ANSWERABLE:
            continue
        answered = await memory.store.get(person.actor, _outcome_id(one))
        waiting = await memory.reminders.get(person.actor, _snoozed(one))
        if answered is None and waiting is None:
            found.append(one)
    return sorted(found, key=lambda one: one.handled or now, reverse=True)


async def done(argument: str, person: Person, memory: Memory) -> str:
    """Remember that what a reminder was about is done.

    Raises:
        MemoryUnavailableError: a store is away.
    """
    return await _outcome(argument, person, memory, "done")


async def skip(argument: str, person: Person, memory: Memory) -> str:
    """Remember that it was left out, this time.

    Raises:
        MemoryUnavailableError: a store is away.
    """
    return await _outcome(argument, person, memory, "skip")


async def snooze(argument: str, person: Person, memory: Memory) -> str:
    """Tell a reminder again in so many minutes, or when the words say; 10 where none are said.

    Raises:
        MemoryUnavailableError: the store is away.
    """
    words = argument.split(maxsplit=1)
    named = words[0] if words and re.fullmatch(rf"[0-9a-f]{{{SHORT}}}", words[0]) else ""
    rest = argument[len(named) :].strip()
    reminder = await _meant(named, person, memory)
    if reminder is None:
        return say("reminder_nothing_due", person.language)
    if await memory.store.get(person.actor, _outcome_id(reminder)):
        return say("reminder_answered", person.language, text=reminder.text)
    now = memory.clock()
    told = Once(reminder.handled or reminder.created_at, reminder.schedule.zone)
    at = snoozed_until(rest, told, now=now)
    if at is None:
        return say("command_snooze_how", person.language, when=rest)
    again = Reminder(
        id=_snoozed(reminder),
        actor=person.actor,
        place=reminder.place,
        text=reminder.text,
        language=reminder.language,
        schedule=Once(at.replace(microsecond=0), reminder.schedule.zone),
        created_at=now,
    )
    try:
        await memory.reminders.put(again)
    except TooManyRemindersError:
        return say("reminder_too_many", person.language, most=MOST)
    kept = await memory.reminders.get(person.actor, again.id)
    return confirmation([("set", kept or again)], person.language, now)


async def quiet(argument: str, person: Person, people: People, memory: Memory) -> str:
    """Set, show or end the hours in which nothing is sent by itself.

    Raises:
        MemoryUnavailableError: the store is away.
    """
    wanted = argument.strip().casefold()
    if not wanted:
        return _quiet_now(person, person.settings.quiet)
    if wanted in OFF:
        await people.choose(person.actor, quiet="")
        await _tell_what_waits(person.actor, memory)
        return say("command_quiet_off", person.language)
    hours = parse_quiet(wanted)
    if hours is None:
        return say("command_quiet_how", person.language)
    await people.choose(person.actor, quiet=str(hours))
    await _tell_what_waits(person.actor, memory)
    return _quiet_now(person, str(hours))


async def _tell_what_waits(actor: str, memory: Memory) -> None:
    """Have what waits for other quiet hours looked at soon; in quiet hours it waits again."""
    now = memory.clock()
    for reminder in await memory.reminders.list(actor):
        if reminder.next and reminder.next <= now:
            await memory.reminders.wait(reminder, now + SOON)


def _quiet_now(person: Person, written: str) -> str:
    hours = parse_quiet(written)
    if hours is None:
        return say("command_quiet_none", person.language)
    return say(
        "command_quiet",
        person.language,
        start=f"{hours.start:%H:%M}",
        end=f"{hours.end:%H:%M}",
        zone=person.zone.key,
    )


async def _outcome(
    argument: str, person: Person, memory: Memory, outcome: Literal["done", "skip"]
) -> str:
    reminder = await _meant(argument.strip(), person, memory)
    if reminder is None:
        return say("reminder_nothing_due", person.language)
    now = memory.clock()
    day = say_day(person.now.date(), reminder.language)
    text = say(f"reminder_{outcome}_memory", reminder.language, day=day, text=reminder.text)
    scope = memory.namespaces[SCOPE]
    record = MemoryRecord(
        id=_outcome_id(reminder),
        actor=person.actor,
        scope=scope.name,
        kind="fact",
        text=text,
        source=Source(type="tool", ref=reminder.id, conversation=person.conversation),
        validity=validity_for("fact", scope, now, lifetime=KEPT),
    )
    try:
        await memory.keeper.store(record)
    except ToolError as error:
        return str(error)
    said = say(f"reminder_{outcome}_said", person.language, text=reminder.text)
    waiting = await memory.reminders.get(person.actor, _snoozed(reminder))
    if waiting is None or waiting.next is None:
        return said
    # What is done, or left out, is not told once more because it was put off before.
    await memory.reminders.cancel(person.actor, waiting.id)
    gone = confirmation([("cancelled", waiting)], person.language, now)
    return f"{said}\n\n{gone}"


def _outcome_id(reminder: Reminder) -> str:
    """The id of the record of what became of a reminder's last telling."""
    told = to_micros(reminder.handled or reminder.created_at)
    return record_id(reminder.actor, "reminder", reminder.id, str(told))


def _snoozed(reminder: Reminder) -> str:
    """The id of what the last telling of a reminder was put off as."""
    told = reminder.handled or reminder.created_at
    return reminder_id(reminder.actor, f"snooze/{reminder.id}/{to_micros(told)}")


async def _meant(named: str, person: Person, memory: Memory) -> Reminder | None:
    """The reminder that is named, else the one that was told last."""
    if named:
        told = await memory.reminders.told(person.actor)
        found = [one for one in told if one.id.startswith(named)]
    else:
        last = await last_told(memory, person.actor)
        there = await memory.reminders.get(person.actor, last) if last else None
        found = [there] if there else []
    # Told in private and answered in a group, its text would be read by others.
    return found[0] if len(found) == 1 and in_reach(found[0], person) else None
