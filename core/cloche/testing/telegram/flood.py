"""Flood control of the loopback Bot API: the limits of https://core.telegram.org/bots/faq.

About one message a second to one chat, with short bursts; 20 a minute to one group; about 30 a
second to all chats together.
"""

from __future__ import annotations

import math
from collections import defaultdict, deque
from dataclasses import dataclass
from typing import Final

from cloche.clock import Clock
from cloche.testing.telegram.refusal import too_many


@dataclass(frozen=True, slots=True)
class Window:
    """So many messages within so many seconds."""

    messages: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Flood:
    """What is let through; None = any number.

    Attributes:
        private: Messages to one private chat.
        group: Messages to one group.
        together: Messages to all chats.
    """

    private: Window | None = Window(5, 5.0)
    group: Window | None = Window(20, 60.0)
    together: Window | None = Window(30, 1.0)


DOCUMENTED: Final = Flood()
NO_FLOOD_CONTROL: Final = Flood(None, None, None)


class FloodControl:
    """Counts messages by the given clock."""

    def __init__(self, flood: Flood, clock: Clock) -> None:
        """Begin with nothing sent."""
        self._flood, self._clock = flood, clock
        self._sent: dict[object, deque[float]] = defaultdict(deque)

    def admit(self, chat: int, *, group: bool, messages: int = 1) -> None:
        """Count messages to a chat.

        Raises:
            RefusedError: they are too many; 429 with the whole seconds to wait.
        """
        now = self._clock().timestamp()
        kinds = (
            (chat, self._flood.group if group else self._flood.private),
            ("together", self._flood.together),
        )
        wait = max(self._wait(key, window, now, messages) for key, window in kinds)
        if wait > 0:
            raise too_many(math.ceil(wait))
        for key, _ in kinds:
            self._sent[key].extend([now] * messages)

    def _wait(self, key: object, window: Window | None, now: float, messages: int) -> float:
        if window is None:
            return 0.0
        sent = self._sent[key]
        while sent and sent[0] <= now - window.seconds:
            sent.popleft()
        over = len(sent) + messages - window.messages
        if over <= 0 or not sent:
            return 0.0
        return sent[min(over, len(sent)) - 1] + window.seconds - now
