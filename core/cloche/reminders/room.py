"""Room for one more reminder of a person: taken before it is written, so that two never share it.

Who only counts what is there lets two processes write the fiftieth at once. Here a place is taken
by compare-and-set; it is counted until the reminder is there, and lapses where its process died.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from typing import Final

from cloche.clock import Clock
from cloche.people import person_prefix
from cloche.reminders.reminder import Reminder
from cloche.sqlite import to_micros
from cloche.state.store import Json, StateStore

HELD: Final = timedelta(minutes=1)
"""How long a place is held for a reminder that is not there yet."""


class Room:
    """Places for reminders that are being written, in the StateStore."""

    def __init__(self, state: StateStore, clock: Clock) -> None:
        """Take where they are held."""
        self._state, self._clock = state, clock

    async def take(
        self,
        reminder: Reminder,
        there: Callable[[], Awaitable[Sequence[Reminder]]],
        *,
        most: int,
    ) -> bool:
        """Hold a place for a new reminder; False when there are as many as there may be.

        Args:
            reminder: The new one.
            there: Lists those of the person that are to come.
            most: How many there may be.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        key = _key(reminder)
        while True:
            # The places first: what is not among the reminders yet is still among these.
            item = await self._state.get(key)
            held = _held(item.value if item else None, to_micros(self._clock() - HELD))
            ids = {one.id for one in await there()}
            if len(ids | held.keys()) >= most and reminder.id not in held:
                return False
            places: dict[str, Json] = {id_: at for id_, at in held.items() if id_ not in ids}
            places[reminder.id] = to_micros(self._clock())
            if await self._state.compare_and_set(
                key, places, version=item.version if item else 0, ttl=HELD
            ):
                return True

    async def leave(self, reminder: Reminder) -> None:
        """Give the place back: the reminder is there, and may be cancelled at once.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        while item := await self._state.get(_key(reminder)):
            places = item.value if isinstance(item.value, dict) else {}
            if reminder.id not in places:
                return
            left: dict[str, Json] = {id_: at for id_, at in places.items() if id_ != reminder.id}
            # Kept though it may be empty: its version tells whoever counted before from now.
            if await self._state.compare_and_set(item.key, left, version=item.version, ttl=HELD):
                return


def _key(reminder: Reminder) -> str:
    return f"{person_prefix(reminder.actor)}reminder-room"


def _held(document: Json, since: int) -> dict[str, int]:
    """The places that are held still, each with when it was taken."""
    if not isinstance(document, dict):
        return {}
    return {id_: at for id_, at in document.items() if isinstance(at, int) and at >= since}
