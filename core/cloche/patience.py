"""How long a person waits for an answer: the one clock of a turn.

Whoever wrote sees something within ``wait`` seconds: an answer, its beginning, or one sentence
that there is none. What a turn does one after another (files, tools, models) has no time of its
own: each has what is left until a share of the wait is over, so that the sum holds. What is shown
begins the wait anew, and ``longest`` seconds after the message the turn ends, whatever is shown.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Final

WAIT_SECONDS: Final = 30
LONGEST_SECONDS: Final = 60

WORK: Final = 0.6
"""Until here files are fetched and tools called; a model has the rest for its answer."""
ANSWER: Final = 0.95
"""Until here an answer is waited for; one that is still growing is then given as far as it came."""
ALL: Final = 0.97
"""Until here everything is done; the rest is for sending it."""


class Patience:
    """The time of one turn; it runs from when it is made."""

    def __init__(
        self,
        wait: float = WAIT_SECONDS,
        longest: float = LONGEST_SECONDS,
        *,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Begin.

        Args:
            wait: Seconds a person may wait without seeing anything new.
            longest: Seconds the turn may take where something is seen.
            now: Seconds on a clock that never goes back.
        """
        self._wait, self._longest, self._now = wait, max(wait, longest), now
        self._begun = self._shown = now()

    def left(self, share: float = ALL) -> float:
        """Seconds until so much of the wait is over; 0 = it is."""
        over = min(self._shown + self._wait * share, self._begun + self._longest * share)
        return max(0.0, over - self._now())

    def waited(self, seconds: float) -> Patience:
        """The same; so long was waited before it began. At least half of the wait is left."""
        gone = min(max(0.0, seconds), self._wait / 2)
        self._begun, self._shown = self._begun - gone, self._shown - gone
        return self

    def showing(
        self, on_delta: Callable[[str], Awaitable[None]] | None
    ) -> Callable[[str], Awaitable[None]] | None:
        """The same listener; whenever it has shown something, the wait begins anew."""
        if on_delta is None:
            return None

        async def show(piece: str) -> None:
            await on_delta(piece)
            self._shown = self._now()

        return show
