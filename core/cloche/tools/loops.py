"""The event loop of a lane: it knows whether anything was left on it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from contextvars import Context
from typing import Final, TypeVarTuple
from weakref import WeakValueDictionary

if sys.platform == "win32":
    from asyncio import ProactorEventLoop as _Loop
else:
    from asyncio import SelectorEventLoop as _Loop

Ts = TypeVarTuple("Ts")

_POOL: Final = "aiohttp.helpers"
"""Its timers close the connections that the next calls may use again, and do nothing else."""


class LaneLoop(_Loop):
    """An event loop that counts what is put on it, and knows its timers."""

    def __init__(self) -> None:
        """Begin with nothing on it."""
        self._put = self._made = 0
        self._timers = WeakValueDictionary[int, asyncio.TimerHandle]()
        super().__init__()

    def call_soon(
        self,
        callback: Callable[[*Ts], object],
        *args: *Ts,
        context: Context | None = None,
    ) -> asyncio.Handle:
        """As any loop does."""
        self._put += 1
        return super().call_soon(callback, *args, context=context)

    def call_at(
        self,
        when: float,
        callback: Callable[[*Ts], object],
        *args: *Ts,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        """As any loop does; ``call_later`` ends here, too."""
        timer = super().call_at(when, callback, *args, context=context)
        if getattr(callback, "__module__", "") != _POOL:
            self._made += 1
            self._timers[self._made] = timer
        return timer

    async def settle(self, until: float) -> bool:
        """Let run what is due; False when that went on putting more on the loop.

        Args:
            until: The loop's time at which this ends.
        """
        while self.time() < until:
            put = self._put
            # Of two turns: what was due at the first has run by the end of the second.
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            if self._put == put + 2:  # our own
                return True
        return False

    def waits(self, since: float) -> bool:
        """Whether a timer is still to come that was not due at that time."""
        return any(
            timer.when() > since and not timer.cancelled() for timer in self._timers.values()
        )
