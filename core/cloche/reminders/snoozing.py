"""How long a reminder that was told is put off: minutes, or a time in plain words. Pure."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Final

from cloche.reminders.moving import moved
from cloche.reminders.plain_words import read_words
from cloche.reminders.schedule import Once, WhenError
from cloche.reminders.when import parse_when

PUT_OFF: Final = timedelta(minutes=10)
LONGEST: Final = timedelta(days=7)
"""In minutes; days are said in words."""
_MINUTES: Final = re.compile(
    r"(\d{1,5})\s*(?:m|min|minutes?|minutos?|分|分钟|分鐘)?", re.IGNORECASE
)
_LEADING: Final = re.compile(
    r"(?:for|until|till|by|it|por|durante|hasta|para)\s+|(?:推迟|推遲|延后|延後|到)", re.IGNORECASE
)
_FORMS: Final = ("{}", "in {}", "en {}", "{}后")
"""Who puts off says "2 hours" and means in 2 hours."""


def snoozed_until(words: str, told: Once, *, now: datetime) -> datetime | None:
    """When a reminder comes again; None where the words say no one time to come.

    Args:
        words: What was said: minutes, "2 hours", "tomorrow" (then at the hour it was told);
            "" = 10 minutes.
        told: When it was told, in its zone.
        now: The present instant.
    """
    if not words:
        return now + PUT_OFF
    if minutes := _MINUTES.fullmatch(words):
        return now + min(max(timedelta(minutes=int(minutes[1])), timedelta(minutes=1)), LONGEST)
    said = words
    while lead := _LEADING.match(said):
        said = said[lead.end() :].strip()
    for form in _FORMS:
        written = form.format(said)
        try:
            spoken = read_words(written, now=now, zone=told.zone)
            schedule = parse_when(spoken or written, now=now, zone=told.zone)
        except WhenError as error:
            if error.fault == "no_time" and isinstance(same := moved(told, said, now=now), Once):
                return same.at
            continue
        return schedule.at if isinstance(schedule, Once) else None
    return None
