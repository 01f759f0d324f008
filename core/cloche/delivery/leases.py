"""One machine works on a conversation at a time, where machines share the state store.

``served/<channel>/<conversation id>`` names the one that does. It writes its name anew every few
seconds for as long as anything is under way there, and takes it out when nothing is. Another one
that something comes for waits meanwhile. When the row has not changed for a while by *its* clock,
whoever wrote it is dead or frozen, and it takes over: nobody's time of day is compared with anybody
else's. A machine that thaws finds that its version of the row is not the newest: it keeps and sends
nothing more there, and lets go of what it had in hand, which the other one has from the store.

What cannot be taken back is what was in a platform's hands when a machine froze: that one part may
come twice.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from functools import partial
from typing import Final

from cloche.delivery.begun import Begun
from cloche.delivery.lease_rows import Lease, holder_of
from cloche.delivery.waits import Sleep, until_kept
from cloche.errors import HeldElsewhereError, MemoryUnavailableError
from cloche.ids import conversation_id
from cloche.state.store import Json, StateItem, StateStore

logger = logging.getLogger(__name__)

RENEW_SECONDS: Final = 4.0
"""So often whoever works on a conversation says so."""
OVER_SECONDS: Final = 15.0
"""Whoever has not said so for so long does not work on it any more."""
WAIT_SECONDS: Final = 30.0
"""What comes waits so long for another machine; then it is refused, and comes again."""
LOOK_SECONDS: Final = 0.5
KEPT: Final = timedelta(days=7)
"""A machine that was frozen for longer than this would not know that another one had been there."""


class Leases:
    """Which conversations of a channel are this process's; all of them until it has to share.

    Every method that waits raises ``MemoryUnavailableError`` when the store is away.
    """

    def __init__(
        self,
        channel: str,
        state: StateStore,
        *,
        is_busy: Callable[[str], bool],
        let_go: Callable[[str], Awaitable[None]],
        break_off: Callable[[str], Awaitable[None]],
    ) -> None:
        """Take where it is kept who works on what.

        Args:
            channel: The channel's name.
            state: The store that machines share.
            is_busy: Whether anything is under way in a conversation.
            let_go: Drops all that is in hand of a conversation; the store has it.
            break_off: Drops its turns only.
        """
        self._channel, self._state = channel, state
        self._is_busy, self._let_go, self._break_off = is_busy, let_go, break_off
        self._me = secrets.token_hex(8)
        self._leases: dict[str, Lease] = {}
        self._tasks = Begun()
        self._shared = False

    @property
    def shared(self) -> bool:
        """Whether other machines may work on the same conversations."""
        return self._shared

    def tenure(self, conversation: str) -> int:
        """A number that is another one once another machine may have been there."""
        return self._of(conversation).tenure

    def share(self) -> None:
        """From now on other machines may work on the same conversations."""
        self._shared = True
        self._tasks.begin(self._keep_up())

    @asynccontextmanager
    async def held(self, conversation: str) -> AsyncIterator[int]:
        """Take in what came while nobody else works there, nor while anything is under way.

        Gives the ``tenure``.

        Raises:
            HeldElsewhereError: another machine still does.
        """
        if not self._shared:
            yield 0
            return
        lease = self._of(conversation)
        lease.users += 1
        until = time.monotonic() + WAIT_SECONDS
        try:
            async with self._locked(lease, until):
                if not await self._renewed(lease):
                    await self._take(lease, until)
                if lease.stale:
                    await self._let_go(conversation)
                    lease.stale = False
            yield lease.tenure
        finally:
            lease.users -= 1
            self.look()

    async def still(self, conversation: str, tenure: int | None = None) -> bool:
        """Whether it has been this machine's all along; if not, what is in hand is let go of.

        With ``tenure``, all along since it was that.
        """
        if not self._shared:
            return True
        lease = self._of(conversation)
        async with lease.lock:
            return await self._renewed(lease) and tenure in (None, lease.tenure)

    async def confirm(self, conversation: str) -> bool:
        """The same, but waits until it is this machine's again where it is not.

        Returns:
            False when another machine may have been there: what it left is in the store.
        """
        if await self.still(conversation):
            return True
        lease = self._of(conversation)
        while True:
            with suppress(HeldElsewhereError):
                async with lease.lock:
                    if not lease.version:
                        await self._take(lease, time.monotonic() + LOOK_SECONDS)
                        await self._break_off(conversation)
                    lease.stale = True
                    return False

    async def guard(
        self,
        conversation: str,
        write: Callable[[], Awaitable[None]],
        undo: Callable[[], Awaitable[None]],
        sleep: Sleep,
    ) -> None:
        """Write what only whoever works on a conversation may write, once the store is there.

        Whose it is is looked at before each try. It is undone where another machine took over
        between look and write, whatever becomes of whoever waits: it would be sent once more.

        Raises:
            HeldElsewhereError: another machine has taken over; nothing is written.
        """
        if not self._shared:
            return await until_kept(write, sleep)
        still = partial(self.still, conversation, self.tenure(conversation))

        async def tried() -> None:
            if not await still():
                raise HeldElsewhereError("another machine has taken over")
            await write()

        async def guarded() -> None:
            await until_kept(tried, sleep)
            if not await until_kept(still, sleep):
                await until_kept(undo, sleep)
                raise HeldElsewhereError("another machine has taken over")

        await self._tasks.done(guarded())

    def look(self) -> None:
        """Something has ended: leave the conversations in which nothing is under way any more."""
        for lease in self._leases.values():
            if self._is_idle(lease):
                self._tasks.begin(self._leave(lease))

    async def close(self) -> None:
        """Leave every conversation: the next machine need not wait."""
        self._shared = False
        await self._tasks.over(0)
        for lease in self._leases.values():
            if lease.version:
                with suppress(MemoryUnavailableError):
                    await self._write(lease, "", lease.version)

    def _of(self, conversation: str) -> Lease:
        return self._leases.setdefault(conversation, Lease(conversation))

    def _is_idle(self, lease: Lease) -> bool:
        return bool(lease.version) and not lease.users and not self._is_busy(lease.conversation)

    async def _keep_up(self) -> None:
        """Say again and again which conversations are this machine's."""
        while True:
            await asyncio.sleep(RENEW_SECONDS)
            self.look()
            for lease in [each for each in self._leases.values() if each.version]:
                try:
                    await self.still(lease.conversation)
                except MemoryUnavailableError as error:
                    logger.warning("cause=%s | who works on what cannot be said", error.cause)

    async def _renewed(self, lease: Lease) -> bool:
        """Whether the row is still as this machine wrote it; if so it is written anew."""
        if not lease.version:
            return False
        item = await self._write(lease, self._me, lease.version)
        if item is None:
            found = await self._state.get(self._key(lease))
            # A write whose answer was lost is known by the name in it.
            item = found if holder_of(found) == self._me else None
        if item is not None:
            lease.version = item.version
            return True
        logger.warning("channel=%s | another machine took a conversation over", self._channel)
        lease.version, lease.stale, lease.tenure = 0, True, lease.tenure + 1
        self._tasks.begin(self._drop(lease))
        return False

    @asynccontextmanager
    async def _locked(self, lease: Lease, until: float) -> AsyncIterator[None]:
        """The lock of a lease, waited for no longer than until then: one waits there for all.

        Raises:
            HeldElsewhereError: whoever has it still waits for the other machine.
        """
        try:
            async with asyncio.timeout(until - time.monotonic()):
                await lease.lock.acquire()
        except TimeoutError:
            raise HeldElsewhereError("another machine works on the conversation") from None
        try:
            yield
        finally:
            lease.lock.release()

    async def _take(self, lease: Lease, until: float) -> None:
        """Write this machine's name into the row, once nobody's stands there.

        Raises:
            HeldElsewhereError: somebody's still does.
        """
        while True:
            found = await self._state.get(self._key(lease))
            version = found.version if found else 0
            if holder_of(found) in ("", self._me) or lease.is_over(
                version, OVER_SECONDS, look=LOOK_SECONDS
            ):
                if item := await self._write(lease, self._me, version):
                    lease.stale = lease.stale or version != lease.left
                    lease.tenure += lease.stale
                    lease.version = item.version
                    return
                continue
            if time.monotonic() >= until:
                raise HeldElsewhereError("another machine works on the conversation")
            await asyncio.sleep(LOOK_SECONDS)

    async def _leave(self, lease: Lease) -> None:
        async with lease.lock:
            if not self._is_idle(lease):
                return
            try:
                item = await self._write(lease, "", lease.version)
            except MemoryUnavailableError as error:
                logger.info("cause=%s | a conversation is left later", error.cause)
                return
            lease.left, lease.version = item.version if item else 0, 0

    async def _drop(self, lease: Lease) -> None:
        async with lease.lock:
            if not lease.version:
                await self._let_go(lease.conversation)

    async def _write(self, lease: Lease, name: str, version: int) -> StateItem | None:
        row: Json = {"by": name}
        return await self._state.compare_and_set(self._key(lease), row, version=version, ttl=KEPT)

    def _key(self, lease: Lease) -> str:
        return f"served/{self._channel}/{conversation_id(self._channel, lease.conversation)}"
