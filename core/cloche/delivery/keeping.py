"""Writes on which a person's answer waits, where the store cannot be written: a full disk.

Nobody waits for long then. What must be written before something can be done is tried for a moment;
what only says that something was done is owed, and written in order once there is room. Until then
nothing new is taken in: what could not be kept would be lost.

Where machines share the store all of this waits for it as long as it takes: another one may go on
with what could not be written.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from typing import Final, TypeVar

from cloche.delivery.waits import STORE_FIRST, STORE_MOST, Sleep, back_off, until_kept
from cloche.errors import HeldElsewhereError, MemoryUnavailableError, StoreCause

logger = logging.getLogger(__name__)

T = TypeVar("T")
Write = Callable[[], Awaitable[object]]

MOMENT_SECONDS: Final = 2.0
"""So long is tried what can be owed, or done without."""
LATE_SECONDS: Final = 6.0
"""Whoever waits for longer than this is told."""
CLOSE_SECONDS: Final = 2.0
"""What is owed is tried once more for so long when the process ends."""


class Keeping:
    """What one channel has to write, and what of it the store has not taken yet."""

    def __init__(self, sleep: Sleep, *, shared: Callable[[], bool]) -> None:
        """Take how to wait, and whether other machines may be at the same conversations."""
        self._sleep, self._shared = sleep, shared
        self._owed: deque[Write] = deque()
        self._paying: asyncio.Task[None] | None = None
        self._one_by_one = asyncio.Lock()
        self._again = asyncio.Event()
        self._late = 0
        self._closing = False
        self._cause: StoreCause = "io"

    @property
    def cause(self) -> StoreCause | None:
        """Why something is not written yet; None = all of it is."""
        return self._cause if self._owed or self._late else None

    async def tried(self, write: Callable[[], Awaitable[T]]) -> T:
        """Write, for a moment.

        Raises:
            MemoryUnavailableError: the store did not take it.
        """
        if self._shared():
            return await until_kept(write, self._sleep)
        waited, began = 0.0, time.monotonic()
        for seconds in self._waits():
            try:
                return await write()
            except MemoryUnavailableError as error:
                self._cause = error.cause
                over = max(waited, time.monotonic() - began) >= MOMENT_SECONDS
                if error.cause == "closed" or self._owed or over:
                    raise
            await self._sleep(seconds)
            waited += seconds
        raise AssertionError("waiting does not end by itself")

    async def written(self, write: Write) -> None:
        """Write, now or once the store takes it, after all that is owed before."""
        if self._shared():
            await until_kept(write, self._sleep)
            return
        if self._owed:
            return self.owe(write)
        try:
            await self.tried(write)
        except MemoryUnavailableError as error:
            if error.cause == "closed":
                raise
            self.owe(write)

    def owe(self, write: Write) -> None:
        """Write once the store takes it, after all that is owed before."""
        if not self._owed:
            logger.warning("cause=%s | the store takes nothing, what is done is owed", self._cause)
        self._owed.append(write)
        if self._paying is None and not self._closing:
            self._paying = asyncio.create_task(self._pay())

    async def until(
        self,
        write: Callable[[], Awaitable[T]],
        late: Callable[[], Awaitable[None]] | None = None,
    ) -> T:
        """Do what nothing can go on without, as long as it takes.

        Args:
            write: What is tried.
            late: Called once, when it takes long.

        Raises:
            MemoryUnavailableError: the store or the channel is closed, so that waiting is in vain.
        """
        if self._shared():
            return await until_kept(write, self._sleep)
        waited, began, told = 0.0, time.monotonic(), False
        try:
            for seconds in self._waits():
                try:
                    return await write()
                except MemoryUnavailableError as error:
                    if error.cause == "closed" or self._closing:
                        raise MemoryUnavailableError("it is closed", cause="closed") from error
                    self._cause = error.cause
                if not told and max(waited, time.monotonic() - began) >= LATE_SECONDS:
                    logger.warning("cause=%s | the state store is away, a turn waits", self._cause)
                    self._late, told = self._late + 1, True
                    if late is not None:
                        await late()
                await self._pause(seconds)
                waited += seconds
        finally:
            self._late -= told
        raise AssertionError("waiting does not end by itself")

    async def settle(self) -> None:
        """Write all that is owed; return when nothing is.

        Raises:
            MemoryUnavailableError: some of it cannot be written yet.
        """
        if self._owed:
            await self._pay_once()
        if self._late:
            self._again.set()
            raise MemoryUnavailableError("a turn waits for the store", cause=self._cause)

    async def close(self) -> None:
        """Have those that wait stop, and try once more to write what is owed."""
        self._closing = True
        self._again.set()
        if self._paying is not None:
            self._paying.cancel()
            await asyncio.gather(self._paying, return_exceptions=True)
        with suppress(MemoryUnavailableError, TimeoutError):
            async with asyncio.timeout(CLOSE_SECONDS):
                await self._pay_once()
        if self._owed:
            logger.error("writes=%d | the store took nothing to the end", len(self._owed))

    def stop_waiting(self) -> None:
        """The channel closes: whoever waits for the store waits no longer."""
        self._closing = True
        self._again.set()

    async def _pay(self) -> None:
        try:
            for seconds in self._waits():
                await self._pause(seconds)
                with suppress(MemoryUnavailableError):
                    await self._pay_once()
                if not self._owed:
                    return
        finally:
            self._paying = None

    async def _pay_once(self) -> None:
        """Write what is owed, in order, as far as the store takes it.

        Raises:
            MemoryUnavailableError: it does not.
        """
        async with self._one_by_one:
            while self._owed:
                write = self._owed[0]
                try:
                    await write()
                except HeldElsewhereError as error:
                    logger.warning("what was owed is not written: %s", error)
                except MemoryUnavailableError as error:
                    self._cause = error.cause
                    raise
                except Exception:
                    logger.exception("what was owed is not written")
                self._owed.popleft()

    async def _pause(self, seconds: float) -> None:
        """Wait, or until somebody believes that the store works again."""
        self._again.clear()
        again = asyncio.ensure_future(self._again.wait())
        sleeping = asyncio.ensure_future(self._sleep(seconds))
        try:
            await asyncio.wait({again, sleeping}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            again.cancel()
            sleeping.cancel()

    def _waits(self) -> Iterator[float]:
        return back_off(STORE_FIRST, STORE_MOST)
