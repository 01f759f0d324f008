"""Where reminders lie in a StateStore; see ``cloche.reminders.local``."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from cloche.people import person_prefix
from cloche.reminders.reminder import Reminder
from cloche.sqlite import from_micros, to_micros
from cloche.state.store import StateItem

_DIGITS: Final = 20


def prefix_of(actor: str) -> str:
    """Where all of a person's lie."""
    return f"{person_prefix(actor)}reminders/"


def key_of(reminder: Reminder) -> str:
    """Where one lies."""
    return prefix_of(reminder.actor) + reminder.id


def spelled(instant: datetime) -> str:
    """An instant so that keys are ordered as instants are."""
    return f"{max(to_micros(instant), 0):0{_DIGITS}d}"


def pointer_key(reminder: Reminder, at: datetime, channel: str = "") -> str:
    """What says that it is due at an instant."""
    return f"due/{channel or reminder.place.channel}/{spelled(at)}/{reminder.id}/{reminder.actor}"


def told_key(reminder: Reminder, at: datetime) -> str:
    """What says that it was over after an instant."""
    return f"told/{spelled(at)}/{reminder.id}/{reminder.actor}"


def pointer_of(item: StateItem) -> tuple[datetime, str, str, str] | None:
    """When, the key itself, whose, and which; None for what is no pointer."""
    parts = item.key.split("/")
    if len(parts) < 4 or not parts[-3].isdecimal():
        return None
    micros, id_, actor = parts[-3:]
    return from_micros(int(micros)), item.key, actor, id_
