"""What happens to an invocation in the host's thread, read on whatever event loop asks.

The SDK's own bridge blocks a thread of the pool that answers ``/ping`` for each open stream; this
one blocks none.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock
from typing import TypeAlias

from cloche.runtime.refusals import RefusedError

Body: TypeAlias = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Said:
    """Something on the way: kept, or the next piece of an answer."""

    body: Body


@dataclass(frozen=True, slots=True)
class Ended:
    """The answer; nothing follows."""

    body: Body


@dataclass(frozen=True, slots=True)
class Failed:
    """There is no answer; nothing follows."""

    error: RefusedError


Event: TypeAlias = Said | Ended | Failed


class Events:
    """One invocation's events, from any thread to one reader at a time."""

    def __init__(self) -> None:
        """Begin with none."""
        self._lock = Lock()
        self._waiting: deque[Event] = deque()
        self._wake: Callable[[], object] | None = None
        self.over = False

    def put(self, event: Event) -> None:
        """Add one; what comes after the end is dropped."""
        with self._lock:
            if self.over:
                return
            self.over = not isinstance(event, Said)
            self._waiting.append(event)
            wake, self._wake = self._wake, None
        if wake:
            with suppress(RuntimeError):  # whoever read has gone, and its loop with it
                wake()

    async def next(self) -> Event:
        """The next one, on the loop this is asked on."""
        loop, there = asyncio.get_running_loop(), asyncio.Event()
        while True:
            with self._lock:
                if self._waiting:
                    return self._waiting.popleft()
                there.clear()
                self._wake = lambda: loop.call_soon_threadsafe(there.set)
            await there.wait()

    async def last(self) -> Ended | Failed:
        """The end of it."""
        while True:
            event = await self.next()
            if not isinstance(event, Said):
                return event
