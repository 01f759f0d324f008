"""What follows turns (memory, files, what they took), beside the turn that comes next.

It asks models, one after another. All of it and a turn after it take longer than anybody waits, so
the next turn waits only for a moment. What two turns of a place leave behind is kept in order.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

logger = logging.getLogger(__name__)


class Following:
    """A task for each turn that was answered and is not over yet, in order in each place."""

    def __init__(self, at_once: int) -> None:
        """Take how many may ask models at once; places wait for each other beyond it."""
        self._slots = asyncio.Semaphore(at_once)
        self._last: dict[str, asyncio.Task[None]] = {}
        self._tasks: dict[asyncio.Task[None], str] = {}

    def runs(self, place: str) -> bool:
        """Whether anything follows there yet."""
        return place in self._last

    def begin(
        self, place: str, follows: Callable[[], Awaitable[None]], over: Callable[[], None]
    ) -> None:
        """Do what follows a turn, after what follows those before it.

        Args:
            place: Where the turn was.
            follows: What is to be done.
            over: Called when it is done, however; not when it is broken off.
        """
        before = self._last.get(place)

        async def follow() -> None:
            if before is not None:
                await asyncio.wait({before})
            try:
                async with self._slots:
                    await follows()
            except Exception:
                logger.exception("what follows a turn was not finished")

        def ended(task: asyncio.Task[None]) -> None:
            del self._tasks[task]
            if self._last.get(place) is task:
                del self._last[place]
            if not task.cancelled():
                over()

        self._last[place] = task = asyncio.create_task(follow())
        self._tasks[task] = place
        task.add_done_callback(ended)

    async def caught_up(self, place: str, seconds: float) -> None:
        """Wait until nothing follows any more in a place, at most so long."""
        if (task := self._last.get(place)) and seconds > 0:
            await asyncio.wait({task}, timeout=seconds)

    async def let_go(self, place: str) -> None:
        """Break off what follows in a place."""
        await _broken_off({task for task, where in self._tasks.items() if where == place})

    async def close(self, seconds: float) -> None:
        """What runs has so long, then it is broken off."""
        if self._tasks:
            _, late = await asyncio.wait({*self._tasks}, timeout=seconds)
            await _broken_off(late)


async def _broken_off(tasks: set[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
