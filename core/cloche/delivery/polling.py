"""Asking a platform for updates, for machines that no platform can reach."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from typing import Final

from cloche.channels.channel import Incoming
from cloche.channels.failures import SendLaterError, told_of
from cloche.delivery.receiving import Receiver, read_request
from cloche.delivery.waits import Sleep, back_off, ordered_wait
from cloche.errors import MemoryUnavailableError
from cloche.logs import UntilBack, reason_of
from cloche.state.store import StateStore

logger = logging.getLogger(__name__)

POLL_SECONDS: Final = 120.0
"""A poll that takes longer hangs: a channel waits at most about 30 s for updates."""
FIRST_WAIT: Final = 1.0
LONGEST_WAIT: Final = 60.0
LONGEST_ORDERED_WAIT: Final = 3600.0
SHORT: Final = 1.0
"""A poll that brings nothing new in less does not wait: asking again at once would never end."""


class Poller:
    """Takes one channel's updates, each kept before the platform may forget it."""

    def __init__(
        self,
        delivery: Receiver,
        state: StateStore,
        *,
        sleep: Sleep = asyncio.sleep,
        seconds: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take the host's side of the channel, and where the cursor is kept.

        Args:
            delivery: Where updates go.
            state: Keeps the cursor under ``channel/<name>/cursor``.
            sleep: How to wait.
            seconds: A clock that only goes forward.
        """
        self._delivery, self._state, self._sleep = delivery, state, sleep
        self._channel, self._seconds = delivery.channel, seconds
        self._key = f"channel/{self._channel.name}/cursor"
        self._notices = UntilBack(logger)

    async def run(self) -> None:
        """Poll until cancelled, or until the store is closed.

        What fails is tried again with back-off: nothing is acknowledged that was not kept.
        """
        cursor: str | None = None
        waits = back_off(FIRST_WAIT, LONGEST_WAIT)
        while True:
            try:
                cursor = await self._cursor() if cursor is None else await self._once(cursor)
            except SendLaterError as error:
                await self._sleep(
                    ordered_wait(error.seconds, waits, least=FIRST_WAIT, most=LONGEST_ORDERED_WAIT)
                )
            except MemoryUnavailableError as error:
                if error.cause == "closed":
                    return
                self._tell(error.cause, "what came is not kept, the platform keeps it")
                await self._sleep(next(waits))
            except Exception as error:
                self._tell("", reason(error))
                await self._sleep(next(waits))
            else:
                waits = back_off(FIRST_WAIT, LONGEST_WAIT)

    async def _cursor(self) -> str:
        item = await self._state.get(self._key)
        return item.value if item and isinstance(item.value, str) else ""

    async def _once(self, cursor: str) -> str:
        """One poll; the cursor of the next."""
        began = self._seconds()
        async with asyncio.timeout(POLL_SECONDS):
            polled = await self._channel.poll(cursor)
        self._notices.works("channel=%s | is polled again", self._channel.name)
        incoming: list[Incoming] = []
        for request in polled.requests:
            incoming += read_request(self._channel, request)
        if incoming:
            await self._delivery.accept(*incoming)
        if polled.cursor != cursor:
            await self._state.put(self._key, polled.cursor)
        elif self._seconds() - began < SHORT:
            await self._sleep(SHORT)
        return polled.cursor

    def _tell(self, cause: str, about: str) -> None:
        told = "channel=%s | not polled: %s; tried again until it works"
        self._notices.failed(f"{cause} {reason_of(about)}", told, self._channel.name, about)


def reason(error: Exception) -> str:
    """Why a platform cannot be asked: in its channel's words, and none of the platform's.

    What a channel does not say in words is its author's mistake, and is named for them.
    """
    return "no answer in time" if isinstance(error, TimeoutError) else told_of(error)
