"""Reminders to try a store with."""

from __future__ import annotations

from datetime import timedelta
from typing import Final
from zoneinfo import ZoneInfo

from cloche.clock import Clock
from cloche.reminders.instants import local_of
from cloche.reminders.reminder import Place, Reminder, reminder_id
from cloche.reminders.schedule import Calendar, Once, Schedule

OSLO: Final = "Europe/Oslo"
HOUR: Final = timedelta(hours=1)
ANN: Final = "telegram_-1"
BO: Final = "telegram_-2"


def once(clock: Clock, **later: float) -> Once:
    """One instant, so much later."""
    return Once(clock() + timedelta(**later), OSLO)


def daily(clock: Clock, rule: str = "FREQ=DAILY;BYHOUR=9;BYMINUTE=0;BYSECOND=0") -> Calendar:
    """A rule that counts from today."""
    start = local_of(clock(), ZoneInfo(OSLO)).replace(hour=0, minute=0, second=0, microsecond=0)
    return Calendar(rule, start, OSLO)


def a_reminder(
    clock: Clock,
    schedule: Schedule,
    *,
    actor: str = ANN,
    key: str = "k",
    text: str = "post the letters",
    channel: str = "telegram",
) -> Reminder:
    """A reminder as the host makes it."""
    return Reminder(
        id=reminder_id(actor, key),
        actor=actor,
        place=Place(channel, "c1", "1"),
        text=text,
        language="en",
        schedule=schedule,
        created_at=clock(),
    )
