"""What a process knows of who works on a conversation, and what a row of the store says of it."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field

from cloche.state.store import StateItem


@dataclass(slots=True)
class Lease:
    """What is known here of one conversation.

    Attributes:
        conversation: By its first id.
        version: Of the row as this machine wrote it last; 0 = it does not have the conversation.
        left: The same of the row by which it left it.
        tenure: Counted up whenever another machine may have been there.
        stale: True when another machine may have been there since: what is in hand is old.
        users: How many are just taking in what came.
        seen: Another's row: its version, since when that is the newest, and how often it was looked
            at since.
        lock: Held while the row is read and written.
    """

    conversation: str
    version: int = 0
    left: int = 0
    tenure: int = 0
    stale: bool = True
    users: int = 0
    seen: tuple[int, float, int] = (0, 0.0, 0)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    def is_over(self, version: int, seconds: float, *, look: float) -> bool:
        """Whether another's row has been the same for so long that nobody can be behind it.

        Whoever stood still as well has seen nothing: it was looked at all the while.
        """
        seen, since, looks = self.seen
        if seen != version:
            self.seen = (version, time.monotonic(), 0)
            return False
        self.seen = (version, since, looks + 1)
        return time.monotonic() - since >= seconds and looks >= seconds / look / 2


def holder_of(item: StateItem | None) -> str:
    """The name in a row; "" = none."""
    match item.value if item else None:
        case {"by": str(name)}:
            return name
    return ""
