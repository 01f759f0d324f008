"""Which schedules of EventBridge Scheduler a reminder needs. Pure.

One that an expression says is one schedule; where it goes by the calendar, the days on which
clocks skip its time get a one-off each, because the service leaves those days out. Everything else
is a chain of one-offs: the next one is made before the one before it is taken care of.

Limits are those of the service's API (boto3 ``scheduler``, CreateSchedule) and of its User Guide,
read 2026-11: names ``[0-9a-zA-Z-_.]{1,64}``, a start at most five minutes ago.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import takewhile
from typing import Final
from zoneinfo import ZoneInfo

from cloche.reminders.cron import Cron
from cloche.reminders.expressions import Expression, to_expression
from cloche.reminders.reminder import Reminder
from cloche.reminders.schedule import Every, Once, occurrences

SCHEDULED_TIME: Final = "<aws.scheduler.scheduled-time>"
"""The service puts the instant it was due in the place of these words."""
AHEAD: Final = timedelta(days=400)
"""So far are days without the time looked for."""
SOON: Final = timedelta(minutes=1)
PERSON_CHARS: Final = 16


@dataclass(frozen=True, slots=True)
class Wanted:
    """One schedule as it should be.

    Attributes:
        expression: When it fires.
        once: True when it is over then, and shall remove itself.
        enabled: False while the reminder is paused.
        group: ``MessageGroupId``: messages of one conversation stay in order.
        message: What is put on the queue; the instant is filled in by the service.
    """

    expression: Expression
    once: bool
    enabled: bool
    group: str
    message: str


def person_part(actor: str) -> str:
    """The beginning of the names of a person's schedules, which tells nobody who it is."""
    if not actor:
        raise ValueError("an actor is needed; nobody is reminded without")
    return hashlib.sha256(actor.encode()).hexdigest()[:PERSON_CHARS] + "-"


def base_name(reminder: Reminder) -> str:
    """The beginning of the names of a reminder's schedules, 49 characters."""
    return person_part(reminder.actor) + reminder.id


def wanted(reminder: Reminder, now: datetime) -> Mapping[str, Wanted]:
    """The schedules of a reminder by name; none when it is over."""
    due = reminder.next
    if due is None:
        return {}
    expression = to_expression(reminder.schedule)
    if expression is None or isinstance(reminder.schedule, Once) or due <= now:
        return _also(
            reminder, now, {f"{base_name(reminder)}{_at_name(due)}": _one_off(reminder, due, now)}
        )
    return _recurring(reminder, expression, now)


def again(reminder: Reminder, at: datetime) -> Mapping[str, Wanted]:
    """The schedule, by name, that fires what is due already once more."""
    expression = Expression(f"at({at.astimezone(UTC):%Y-%m-%dT%H:%M:%S})")
    name = f"{base_name(reminder)}-w{_at_name(at)}"
    return {name: _wanted(reminder, expression, once=True)}


def _also(reminder: Reminder, now: datetime, first: dict[str, Wanted]) -> dict[str, Wanted]:
    """What was missed fires at once, and a rule that an expression says goes on beside it."""
    expression = to_expression(reminder.schedule)
    if expression is None or isinstance(reminder.schedule, Once):
        return first
    later = replace(reminder, handled=now)
    return first | (_recurring(later, expression, now) if later.next else {})


def _recurring(reminder: Reminder, expression: Expression, now: datetime) -> dict[str, Wanted]:
    if isinstance(reminder.schedule, Every):
        # Counted from what is next: the service takes no start that is long over.
        expression = replace(expression, start=reminder.next)
    found = {base_name(reminder): _wanted(reminder, expression, once=expression.end is not None)}
    if (skipped := _skipped(reminder, expression, now)) is not None:
        found[f"{base_name(reminder)}{_at_name(skipped)}"] = _one_off(reminder, skipped, now)
    return found


def _one_off(reminder: Reminder, at: datetime, now: datetime) -> Wanted:
    at = max(at, now + SOON)
    return _wanted(reminder, Expression(f"at({at.astimezone(UTC):%Y-%m-%dT%H:%M:%S})"), once=True)


def _wanted(reminder: Reminder, expression: Expression, *, once: bool) -> Wanted:
    return Wanted(
        expression=expression,
        once=once,
        enabled=not reminder.paused,
        group=reminder.place.id,
        message=json.dumps({"reminder": reminder.id, "at": SCHEDULED_TIME}),
    )


def _at_name(at: datetime) -> str:
    """What tells one-offs of a reminder apart: 11 characters."""
    return f"-{at.astimezone(UTC):%y%m%d%H%M}"


def _skipped(reminder: Reminder, expression: Expression, now: datetime) -> datetime | None:
    """The next instant that the service would leave out, because clocks skip its time."""
    if not expression.text.startswith("cron("):
        return None
    zone, cron = ZoneInfo(expression.zone), Cron(expression.text, expression.zone)
    day = now
    while day < now + AHEAD:
        after, day = day, day + timedelta(days=1)
        if _offset(day, zone) <= _offset(after, zone):
            continue
        start, end = after - timedelta(days=1), day + timedelta(days=1)
        fired = set(_up_to(end, cron.instants(start, skip_gaps=True)))
        meant = occurrences(reminder.schedule, after=max(start, now), limit=200)
        for at in _up_to(end, meant):
            if at not in fired:
                return at
    return None


def _up_to(end: datetime, instants: Iterable[datetime]) -> Iterable[datetime]:
    return takewhile(lambda at: at <= end, instants)


def _offset(at: datetime, zone: ZoneInfo) -> timedelta:
    return at.astimezone(zone).utcoffset() or timedelta(0)
