"""How long a tool keeps the event loop to itself: all conversations of a process wait meanwhile."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Generator
from typing import Any, Final

HELD_SECONDS: Final = 1.0
"""A tool that does not await for so long blocks: it waits or reckons where it should not."""


class Steps:
    """Awaits a tool's answer, and tells how long its longest step between two awaits was."""

    def __init__(
        self,
        answer: Awaitable[str],
        held: Callable[[float], None],
        *,
        now: Callable[[], float] = time.perf_counter,
    ) -> None:
        """Take what is awaited, and who is told the seconds when they were too many."""
        self._answer, self._held, self._now = answer, held, now

    def __await__(self) -> Generator[Any, Any, str]:
        """Pass on whatever goes in and out, a cancellation too."""
        steps = self._answer.__await__()
        longest, sent, error = 0.0, None, None
        try:
            while True:
                began = self._now()
                try:
                    waits_for = steps.throw(error) if error else steps.send(sent)
                except StopIteration as done:
                    answer: str = done.value
                    return answer
                finally:
                    longest = max(longest, self._now() - began)
                sent = error = None
                try:
                    sent = yield waits_for
                except BaseException as thrown:  # into the tool with it
                    error = thrown
        finally:
            if longest > HELD_SECONDS:
                self._held(longest)
