"""Brings reminders of an archive to where their new person is: an old chat is somebody else's."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from cloche.messages import Address
from cloche.reminders.reminder import Place, reminder_id
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
