"""A reply's rows: written before it is sent where the store takes them; else it is sent without.

A process that dies before there is room again answers once more: nothing could tell the next one.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from cloche.delivery.keeping import Keeping
from cloche.delivery.leases import Leases
from cloche.delivery.outbox_rows import OutboxRows
from cloche.delivery.rows import Sending
from cloche.delivery.waits import Sleep
from cloche.errors import HeldElsewhereError, MemoryUnavailableError

logger = logging.getLogger(__name__)


class KeptReplies:
    """One channel's replies, as far as the store takes them."""

    def __init__(self, rows: OutboxRows, leases: Leases, keeping: Keeping, sleep: Sleep) -> None:
        """Take the rows, whose conversations are, and what is written late."""
        self._rows, self._leases, self._keeping, self._sleep = rows, leases, keeping, sleep

    async def keep(self, sendings: Sequence[Sending], *, unasked: bool) -> None:
        """Keep a reply's rows; those that are not sent are written later where they cannot be now.

        Raises:
            HeldElsewhereError: it answers what another machine has taken over; nothing is kept.
            MemoryUnavailableError: the store is closed.
        """

        async def write() -> None:
            # The first row says that the turn is answered: the others are there by then.
            for sending in reversed(sendings):
                if unasked:
                    await self._rows.add(sending)
                elif not sending.version:
                    await self._rows.write(sending)

        async def undo() -> None:
            for sending in sendings:
                await self._rows.take_back(sending)

        if unasked:
            await self._keeping.until(write)
        elif self._leases.shared:
            await self._leases.guard(sendings[0].conversation, write, undo, self._sleep)
        else:
            await self._kept_or_owed(write, sendings)

    async def progress(self, sending: Sending) -> None:
        """Keep how much is sent; one that cannot be kept goes on all the same.

        Raises:
            HeldElsewhereError: another machine has taken over.
            MemoryUnavailableError: the store is closed.
        """
        try:
            await self._keeping.tried(partial(self._rows.write, sending))
        except MemoryUnavailableError as error:
            if isinstance(error, HeldElsewhereError) or error.cause == "closed":
                raise
            logger.warning("cause=%s | how much is sent is not kept", error.cause)

    async def told(self, sending: Sending) -> None:
        """Have a reply told.

        Raises:
            MemoryUnavailableError: the store is closed.
        """
        await self._keeping.written(partial(self._rows.remove, sending))

    async def _kept_or_owed(
        self, write: Callable[[], Awaitable[None]], sendings: Sequence[Sending]
    ) -> None:
        try:
            await self._keeping.tried(write)
        except MemoryUnavailableError as error:
            if error.cause == "closed":
                raise
            self._keeping.owe(partial(self._keep_unsent, sendings))

    async def _keep_unsent(self, sendings: Sequence[Sending]) -> None:
        for sending in reversed(sendings):
            if sending.next < len(sending.parts) and not sending.version:
                await self._rows.write(sending)
