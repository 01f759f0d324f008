"""Brings reminders to where their person is, once the chat they were asked for in is not theirs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from cloche.ids import actor_id
from cloche.messages import Address
from cloche.reminders.for_tools import CHECK
from cloche.reminders.reminder import Place, Reminder, reminder_id
from cloche.reminders.store import ReminderStore


async def bring_home(
    store: ReminderStore,
    actor: str,
    place: Place,
    person_of: Callable[[Address], Awaitable[str]],
) -> int:
    """Have every reminder of a person told in a place that is theirs; how many were not.

    One that was another's gets an id of its own, because the old one names the other's still.

    Args:
        store: The reminders.
        actor: The person.
        place: Where they can be told.
        person_of: Whose a door is.

    Raises:
        ValueError: the actor is empty.
        MemoryUnavailableError: the store is away; run it again, it does what is left.
    """
    brought = 0
    for reminder in await store.list(actor):
        there = Address(reminder.place.channel, reminder.place.sender)
        if await person_of(there) == actor:
            continue
        id_ = reminder_id(actor, f"brought/{reminder.id}")
        known = await store.get(actor, id_)
        await store.cancel(actor, reminder.id)
        if known is None:  # else it was brought before, and may have been told since
            await store.put(replace(reminder, id=id_, place=place))
            brought += 1
    return brought


async def tell_here(store: ReminderStore, actor: str, door: str, place: Place) -> int:
    """Have a person's reminders that are told at one of their doors be told in another place.

    Those that are over are brought along, because they can be put off; only those to come count.

    Args:
        store: The reminders.
        actor: The person.
        door: The door that is to be theirs no longer.
        place: Where they can be told.

    Raises:
        ValueError: the actor is empty.
        MemoryUnavailableError: the store is away; run it again, it does what is left.
    """
    for reminder in await store.told(actor):
        if _door_of(reminder) == door and not reminder.next:
            await store.put(replace(reminder, place=place))
    brought = [one for one in await store.list(actor) if _door_of(one) == door]
    for reminder in brought:
        await store.put(replace(reminder, place=place))
    return len(brought)


async def leave_there(store: ReminderStore, actor: str, door: str) -> int:
    """Have a person's reminders that are told at one of their doors be the door's own; how many.

    Args:
        store: The reminders.
        actor: The person.
        door: The door that is to be theirs no longer.

    Raises:
        ValueError: an actor is empty.
        MemoryUnavailableError: the store is away; run it again, it does what is left.
    """
    left = [one for one in await store.list(actor) if _door_of(one) == door]
    for reminder in left:
        id_ = reminder_id(door, CHECK if reminder.kind == "check" else f"parted/{reminder.id}")
        # Kept before it is removed: a process that dies in between loses none.
        if await store.get(door, id_) is None:
            await store.put(replace(reminder, id=id_, actor=door))
        await store.cancel(actor, reminder.id)
    return len(left)


def _door_of(reminder: Reminder) -> str:
    return actor_id(Address(reminder.place.channel, reminder.place.sender))
