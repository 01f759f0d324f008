"""What the host says of reminders, from what is kept. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Literal, TypeAlias
from zoneinfo import ZoneInfo

from cloche.messages import Button
from cloche.reminders.instants import local_of
from cloche.reminders.reminder import Reminder
from cloche.texts import say, say_day

Deed: TypeAlias = Literal["set", "changed", "cancelled"]
"""What was done about a reminder."""
SHORT: int = 8
"""Characters of an id that name a reminder to its person."""


def confirmation(done: Sequence[tuple[Deed, Reminder]], language: str, now: datetime) -> str:
    """One line for each reminder that was set, changed or cancelled; the last word on each counts.

    Args:
        done: What was done, with the reminder as it is kept.
        language: The person's.
        now: The present instant.
    """
    last = {reminder.id: (deed, reminder) for deed, reminder in done}
    return "\n".join(_line(deed, reminder, language, now) for deed, reminder in last.values())


def told_at(instant: datetime, zone: str, language: str) -> str:
    """An instant as a person's clocks show it: weekday, day and time."""
    local = local_of(instant, ZoneInfo(zone))
    return say(
        "reminder_at",
        language,
        weekday=say("reminder_weekdays", language).split()[local.weekday()],
        day=say_day(local.date(), language),
        time=f"{local:%H:%M}",
    )


def listed(reminder: Reminder, language: str) -> str:
    """A reminder on a list: text, next time, whether it comes again, zone, what names it."""
    zone = reminder.schedule.zone
    coming = [told_at(at, zone, language) for at in reminder.coming(2)]
    text = reminder.text or say("reminder_look", language)
    key = "reminder_listed_again" if len(coming) == 2 else "reminder_listed"
    slots = dict(zip(("first", "second"), coming or ["-"], strict=False))
    paused = say("reminder_paused", language) if reminder.paused else ""
    line = say(key, language, text=text, zone=zone, id=reminder.id[:SHORT], **slots)
    return f"{line} {paused}".rstrip()


def due_text(reminder: Reminder, language: str) -> str:
    """A due reminder where no model writes it: the person's own words."""
    return say("reminder_due", language, text=reminder.text)


def late_note(reminder: Reminder, at: datetime, language: str, before: int = 0) -> str:
    """Says when a reminder that comes late was due, and how often it was before."""
    told = told_at(at, reminder.schedule.zone, language)
    key = "reminder_late_more" if before else "reminder_late"
    return say(key, language, at=told, count=before)


def missed_line(missed: Sequence[tuple[Reminder, datetime, int]], language: str) -> str:
    """One line on what was due long ago: each reminder, when, and how often before."""
    lines = [
        say(
            "reminder_missed_more" if before else "reminder_missed_one",
            language,
            text=reminder.text,
            at=told_at(at, reminder.schedule.zone, language),
            count=before,
        )
        for reminder, at, before in missed
    ]
    return say("reminder_missed", language, lines="; ".join(lines))


def buttons_for(reminder: Reminder, language: str) -> tuple[Button, ...]:
    """What a person may answer to a due reminder; the texts are commands."""
    id_ = reminder.id[:SHORT]
    return tuple(
        Button(say(f"reminder_{name}", language), f"/{name} {id_}")
        for name in ("done", "snooze", "skip")
    )


def _line(deed: Deed, reminder: Reminder, language: str, now: datetime) -> str:
    zone = reminder.schedule.zone
    coming = [told_at(at, zone, language) for at in reminder.coming(2)]
    if reminder.kind == "check":
        if deed == "cancelled" or len(coming) < 2:
            return say("reminder_line_check_off", language)
        first, second = coming
        return say("reminder_line_check", language, first=first, second=second, zone=zone)
    if deed == "cancelled" or not coming:
        return say("reminder_line_cancelled", language, text=reminder.text)
    key = f"reminder_line_{deed}" + ("_again" if len(coming) == 2 else "")
    slots = dict(zip(("first", "second"), coming, strict=False))
    return say(key, language, text=reminder.text, zone=zone, **slots)
