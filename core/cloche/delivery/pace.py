"""The pace a platform allows: least time between two messages, by conversation and over all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from cloche.channels.declared import Limits
from cloche.delivery.waits import Sleep

MANY: Final = 10_000
"""So many conversations are remembered before those that may send at once are dropped."""
ALL_TOLD: Final = 3
"""When so many conversations are told to wait at once, it is all of them that are too fast."""


class Pace:
    """Hands out moments to send at, in the order they are asked for."""

    def __init__(
        self, limits: Limits, *, on: bool, seconds: Callable[[], float], sleep: Sleep
    ) -> None:
        """Take the platform's limits, a clock that only goes forward, and how to wait."""
        self._limits, self._on = limits, on
        self._seconds, self._sleep = seconds, sleep
        self._all = 0.0
        self._each: dict[str, float] = {}
        self._told: dict[str, float] = {}

    def now(self) -> float:
        """Seconds on the clock that only goes forward."""
        return self._seconds()

    async def turn(self, conversation: str, *, group: bool) -> None:
        """Return when the next message may be sent to a conversation.

        One conversation asks for its next turn when the message before is sent.
        """
        limits = self._limits
        own = limits.group_seconds if group else limits.conversation_seconds
        if self._on and own:
            # The chat's own turn comes first: whoever waits for it takes nobody's place among all.
            await self._until(self._each.get(conversation, 0.0))
        now = self._seconds()
        at = max(now, self._all)
        if self._on and limits.per_second:
            self._all = at + 1 / limits.per_second
        if self._on and own:
            self._each[conversation] = at + own
            if len(self._each) > MANY:
                self._each = {key: free for key, free in self._each.items() if free > now}
        await self._until(at)

    async def _until(self, at: float) -> None:
        if (seconds := at - self._seconds()) > 0:
            await self._sleep(seconds)

    def told(self, conversation: str, seconds: float) -> None:
        """A platform told one conversation to wait.

        No platform says whether it means one chat or the whole bot. Where it tells several at
        once it means the bot: then nobody sends before the first of those waits is over, since
        each refused attempt makes them longer.
        """
        now = self._seconds()
        self._told = {key: until for key, until in self._told.items() if until > now}
        self._told[conversation] = now + seconds
        if len(self._told) >= ALL_TOLD:
            self._all = max(self._all, min(self._told.values()))
