"""The protocol for keeping reminders. ``cloche.testing.ReminderStoreConformance`` holds for all."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from typing import Protocol, runtime_checkable

from cloche.errors import ClocheError
from cloche.reminders.reminder import Reminder


class TooManyRemindersError(ClocheError):
    """A person has as many reminders to come as are kept."""


@runtime_checkable
class ReminderStore(Protocol):
    """Keeps reminders, and knows which are due.

    Every method raises ``MemoryUnavailableError`` when the store is away, and ``ValueError`` for
    an empty actor.

    Attributes:
        external: True when a service hands over what is due; then no process need watch.
    """

    external: bool

    async def put(self, reminder: Reminder) -> None:
        """Keep a reminder; one of the same id takes its place.

        Raises:
            TooManyRemindersError: the person has 50 that are to come, and this is another; so it
                is also where many are put at once, by several processes.
        """
        ...

    async def get(self, actor: str, reminder_id: str) -> Reminder | None:
        """The reminder; one that is over is still there for some days. None = there is none."""
        ...

    async def find(self, reminder_id: str) -> Reminder | None:
        """The one of that id that is to come, whoever's it is; None = there is none."""
        ...

    async def list(self, actor: str) -> Sequence[Reminder]:
        """A person's reminders that are to come, paused ones too, the next first."""
        ...

    async def told(self, actor: str) -> Sequence[Reminder]:
        """A person's reminders of which something was due, those that are over too."""
        ...

    async def cancel(self, actor: str, reminder_id: str) -> bool:
        """Remove one for good; False when there is none."""
        ...

    async def pause(self, actor: str) -> int:
        """Have none of a person's be due until they are resumed; how many."""
        ...

    async def resume(self, actor: str) -> int:
        """Have them be due again, what was missed meanwhile too; how many."""
        ...

    async def due(
        self, now: datetime, channels: Collection[str], *, after: Reminder | None = None
    ) -> Sequence[Reminder]:
        """What is due by now in one of the channels, the longest due first; at most 500.

        ``after`` is the last one of the answer before: the next 500.
        """
        ...

    async def next_due(self, channels: Collection[str], *, after: datetime) -> datetime | None:
        """When the next one after an instant is due there."""
        ...

    async def claim(self, actor: str, reminder_id: str, instant: datetime) -> bool:
        """Take care of all that is due up to an instant.

        True for exactly one caller per reminder and instant, over processes and for good. False
        also where the reminder is gone, or paused.
        """
        ...

    async def wait(self, reminder: Reminder, until: datetime) -> None:
        """Have one that is due and cannot be told now be handed over again at an instant to come.

        Where processes watch the clock there is nothing to do; a service fires it once more.
        """
        ...

    async def set_back(self, now: datetime, actor: str = "") -> int:
        """Undo what a clock that ran ahead took care of: how many reminders are due again.

        ``actor`` is the one person whose reminders are looked at; "" = everybody's are, which
        reads all of them.

        A clock that is set back by a few minutes changes nothing: what was told stays told.
        """
        ...

    async def refresh(self, actor: str) -> None:
        """Bring in line what makes reminders fire with what is kept: after an import or a move."""
        ...

    async def forget(self, actor: str) -> int:
        """Remove all that is a person's; how many reminders."""
        ...

    def watch(self, changed: Callable[[], None]) -> None:
        """Have something called whenever this process sets what may be due sooner."""
        ...

    async def close(self) -> None:
        """Release what is held; what it keeps reminders in is its maker's to close."""
        ...
