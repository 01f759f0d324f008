"""What a tool may do with reminders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from cloche.reminders.reminder import Reminder
from cloche.reminders.schedule import Schedule


class ToolReminders(Protocol):
    """The reminders of the actor of the turn, told where the turn is.

    What was set, changed or cancelled is told the person by the host, from what is kept.
    """

    def when(self, written: str, *, of: Reminder | None = None) -> Schedule:
        """The schedule that a text says, in the person's zone.

        Args:
            written: An ISO 8601 duration, a local date and time, an RRULE, or plain words in one
                of the host's languages.
            of: The reminder whose time is changed. One that repeats keeps its rule where the text
                says a time of day alone, and is never made one that is due once; one that is due
                once keeps its day, or its hour where the text says a day alone.

        Raises:
            ToolError: it says no time to come, or only one for a reminder that repeats; one
                sentence for the model or the person.
        """
        ...

    def parted(self, said: str) -> tuple[str, str]:
        """What somebody wants to be reminded of, and the words that say when; "" = none do."""
        ...

    def several(self, said: str) -> Sequence[tuple[str, str]]:
        """What and when, of each reminder that one sentence asks for; empty where it asks for one.

        Every time is one that ``when`` reads.
        """
        ...

    def needs_zone(self, written: str) -> bool:
        """True when a time can only be told with the person's zone, and that is not known."""
        ...

    def line(self, reminder: Reminder) -> str:
        """A reminder as its person reads it: text, when, zone, and what names it."""
        ...

    async def set(self, text: str, when: Schedule) -> Reminder:
        """Keep a reminder; the same call, or the same text and time again, is the same one.

        Raises:
            ToolError: the text is empty or too long, or the person has 50 already.
        """
        ...

    async def list(self) -> Sequence[Reminder]:
        """Those that are to come, the next first; in a group those of that place alone.

        There the others are in reach only where the person lets what is private be used in groups.
        """
        ...

    async def meant(self, which: str) -> Sequence[Reminder]:
        """Those that words name: by id or text, else by when they come ("the Saturday one").

        One is meant; where there are several, whoever said it is asked.
        """
        ...

    async def change(
        self, reminder_id: str, *, text: str | None = None, when: Schedule | None = None
    ) -> Reminder:
        """Change what it says or when it is due.

        Raises:
            ToolError: there is no such reminder, it is out of reach in this group, or the text is
                empty or too long.
        """
        ...

    async def cancel(self, reminder_id: str) -> bool:
        """Remove one; False when there is none.

        Raises:
            ToolError: it is out of reach in this group.
        """
        ...

    async def check_daily(self, when: Schedule | None) -> Reminder | None:
        """Look by oneself whether anything is due, at a time the person agreed to; None = never."""
        ...
