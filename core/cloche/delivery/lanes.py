"""What is to be sent in one conversation, as a process has it in hand."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, field

from cloche.delivery.rows import Sending


@dataclass(slots=True)
class Lane:
    """One conversation's replies, who sends them, and those whose threads are closed."""

    queue: deque[Sending] = field(default_factory=deque)
    task: asyncio.Task[None] | None = None
    paused: bool = False
    held: bool = False
    shelved: dict[str, list[Sending]] = field(default_factory=dict)

    @property
    def waiting(self) -> tuple[Sending, ...]:
        """All that is not sent."""
        return (*self.queue, *(one for some in self.shelved.values() for one in some))

    def take_out(self, sending: Sending) -> bool:
        """Take a reply out, wherever it stands; True when its thread is open."""
        for thread, some in [*self.shelved.items()]:
            self.shelved[thread] = [one for one in some if one is not sending]
        before = len(self.queue)
        self.queue = deque(one for one in self.queue if one is not sending)
        return len(self.queue) < before

    @property
    def stuck(self) -> bool:
        """True when it waits for something that may take long."""
        unsettled = bool(self.queue) and not self.queue[0].settled.is_set()
        return self.held or (unsettled and self.queue[0].next == len(self.queue[0].parts))
