"""Which reminder a person was told last: they may answer it without saying which one."""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Final

from cloche.errors import MemoryUnavailableError
from cloche.memory.pipeline import Memory
from cloche.messages import Due
from cloche.people import person_prefix
from cloche.reminders.reminder import Reminder
from cloche.sqlite import to_micros

logger = logging.getLogger(__name__)

ANSWERABLE: Final = timedelta(days=1)
"""So long after a reminder was told may it be answered without saying which one."""


async def last_told(memory: Memory, actor: str) -> str:
    """Id of the reminder a person was told last, within a day; "" = none.

    Raises:
        MemoryUnavailableError: the store is away.
    """
    item = await memory.state.get(_told_key(actor))
    value = item.value if item and isinstance(item.value, dict) else {}
    return str(value.get("id", ""))


async def note_told(memory: Memory, actor: str, reminder: Reminder, due: Due) -> None:
    """Keep that a reminder was told; never fails."""
    try:
        await memory.state.put(
            _told_key(actor), {"id": reminder.id, "at": to_micros(due.at)}, ttl=ANSWERABLE
        )
    except MemoryUnavailableError as error:
        logger.warning("cause=%s | which reminder was told last is not kept", error.cause)


def _told_key(actor: str) -> str:
    return f"{person_prefix(actor)}reminded"
