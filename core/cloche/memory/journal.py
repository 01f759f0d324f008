"""Turns that were answered but not yet remembered, so that a killed process loses none.

A turn is entered before its answer is shown and struck out when all that follows it is done. What
is still entered when the person comes back is remembered then; ids make a repeat harmless.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from datetime import datetime
from typing import Final

from cloche.errors import MemoryUnavailableError
from cloche.logs import OncePerCause
from cloche.memory.codec import event_from_json, event_to_json
from cloche.memory.records import Event
from cloche.people import person_prefix
from cloche.sqlite import from_micros, to_micros
from cloche.state.store import Json, StateItem, StateStore

logger = logging.getLogger(__name__)

ENTER_SECONDS: Final = 0.5
"""An answer waits no longer than this for its entry."""


class Journal:
    """Open turns of one assistant's people, in the StateStore."""

    def __init__(self, state: StateStore, notices: OncePerCause) -> None:
        """Take the store the entries lie in."""
        self._state, self._notices = state, notices
        self._mine: set[str] = set()
        self._entered: set[str] = set()

    async def enter(
        self, event: Event, scope_keys: Mapping[str, str], arrived: datetime | None = None
    ) -> None:
        """Enter a turn; never fails, and never takes longer than half a second.

        ``arrived``: when its words came, which may be before it began; None = then.
        """
        self._mine.add(event.id)
        keys: dict[str, Json] = dict(scope_keys)
        entry: dict[str, Json] = {"event": event_to_json(event), "keys": keys}
        if arrived is not None:
            entry["arrived"] = to_micros(arrived)
        try:
            async with asyncio.timeout(ENTER_SECONDS):
                await self._state.put(_key(event.actor, event.id), entry)
            self._entered.add(event.id)
        except (MemoryUnavailableError, TimeoutError, ValueError) as error:
            cause = error.cause if isinstance(error, MemoryUnavailableError) else "slow"
            self._notices.warn(f"journal {cause}", "a turn could not be entered: %s", cause)

    async def strike_out(self, event: Event) -> None:
        """Take out a turn that is remembered."""
        await self._state.delete(_key(event.actor, event.id))
        self._mine.discard(event.id)
        self._entered.discard(event.id)

    def postpone(self, event: Event) -> bool:
        """Leave a turn to be remembered when its person comes back; False where it is not entered.

        Unless everything is forgotten by then: what is entered goes with it.
        """
        if event.id not in self._entered:
            return False
        self._mine.discard(event.id)
        return True

    async def left_open(self, actor: str) -> list[tuple[Event, dict[str, str], datetime]]:
        """Turns of the actor that another, ended process left, oldest first; when each came.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        found = []
        after = ""
        while page := await self._state.list_items(_key(actor, ""), after=after):
            after = page[-1].key
            for item in page:
                if item.key.rsplit("/", 1)[-1] in self._mine:
                    continue
                turn = _turn(item.value, actor)
                if turn is None:
                    await self._set_aside(item, actor)
                else:
                    found.append(turn)
        return sorted(found, key=lambda one: (one[0].at, one[0].id))

    async def _set_aside(self, item: StateItem, actor: str) -> None:
        """Keep a damaged entry where nobody trips over it; `cloche memory doctor` tells of it."""
        name = item.key.rsplit("/", 1)[-1]
        self._notices.warn("journal damaged", "a damaged entry of a turn is set aside: %s", name)
        try:
            await self._state.put(f"{damaged_prefix(actor)}{name}", item.value)
        except ValueError as error:
            logger.warning("entry=%s | cannot be set aside, stays: %s", name, error)
            return
        await self._state.delete(item.key)


def damaged_prefix(actor: str) -> str:
    """Where entries lie that stand for no turn."""
    return f"{person_prefix(actor)}damaged/"


def _key(actor: str, event_id: str) -> str:
    return f"{person_prefix(actor)}open/{event_id}"


def _turn(value: Json, actor: str) -> tuple[Event, dict[str, str], datetime] | None:
    """What an entry stands for; None when it is damaged, or somebody else's."""
    document = value.get("event") if isinstance(value, dict) else None
    keys = value.get("keys") if isinstance(value, dict) else None
    if not isinstance(document, dict):
        return None
    try:
        event = event_from_json(document)
    except ValueError:
        return None
    if event.actor != actor or not event.id:
        return None
    scope_keys = keys if isinstance(keys, dict) else {}
    arrived = value.get("arrived") if isinstance(value, dict) else None
    came = from_micros(arrived) if isinstance(arrived, int) else event.at
    return event, {name: str(given) for name, given in scope_keys.items()}, came
