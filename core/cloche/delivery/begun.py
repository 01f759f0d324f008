"""Work that is begun and goes on, whatever becomes of whoever waits for it."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine

from cloche.errors import MemoryUnavailableError


class Begun:
    """Tasks of one owner, held until they end."""

    def __init__(self) -> None:
        """Begin with none."""
        self._tasks: set[asyncio.Task[None]] = set()

    def begin(self, work: Coroutine[object, object, None]) -> asyncio.Task[None]:
        """Have it done; what it raises is told to whoever waits, if anybody does."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    async def done(self, work: Coroutine[object, object, None]) -> None:
        """Have it done and wait for it; whoever hangs up breaks nothing off.

        Raises:
            MemoryUnavailableError: it was cancelled, as the process ends; or the work raised it.
        """
        task, waiting = self.begin(work), asyncio.current_task()
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError as error:
            if waiting is not None and waiting.cancelling():
                raise
            raise MemoryUnavailableError("the process is ending", cause="closed") from error

    async def over(self, seconds: float) -> None:
        """Let all of it end for so long; the rest is cancelled."""
        if self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=seconds)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()
