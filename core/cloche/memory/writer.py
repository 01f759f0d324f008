"""Writes that are never lost: to the store, or to the spool until the store is back, in order."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from typing import Final

from cloche.errors import MemoryUnavailableError
from cloche.logs import OncePerCause
from cloche.memory.operations import (
    AddEvent,
    ArchiveRecord,
    DeleteEvent,
    DeleteRecord,
    Operation,
    UpdateRecord,
    WriteRecord,
    apply,
    require_document,
)
from cloche.memory.records import Event, MemoryRecord
from cloche.memory.spool import Spool
from cloche.memory.store import MemoryStore

logger = logging.getLogger(__name__)

WRITE_SECONDS: Final = 3.0
"""A write that takes longer goes to the spool too; ids make the repeat harmless."""
CATCH_UP_SECONDS: Final = 0.5
"""A person waits no longer for what waits to be written."""


class Writer:
    """Writes events and records; whoever calls it never fails for want of the store.

    What can reach neither store nor spool (a full disk) is held in this process and written with
    the next write.
    """

    def __init__(
        self,
        store: MemoryStore,
        spool: Spool,
        notices: OncePerCause,
        *,
        seconds: float = WRITE_SECONDS,
    ) -> None:
        """Take where to write, where to wait, and how long a write may take."""
        self._store, self._spool, self._notices = store, spool, notices
        self._seconds = seconds
        self._held: list[Operation] = []
        self._held_lock = asyncio.Lock()

    async def add_event(self, event: Event) -> None:
        """Store an event, now or later."""
        await self._do(AddEvent(event))

    async def write(self, record: MemoryRecord) -> None:
        """Store a new record, now or later."""
        await self._do(WriteRecord(record))

    async def update(self, record: MemoryRecord) -> bool:
        """Replace a record, now or later; False when there is none."""
        return await self._do(UpdateRecord(record))

    async def archive(self, actor: str, record_id: str, at: datetime) -> bool:
        """Take a record out of search, now or later; False when there is none."""
        return await self._do(ArchiveRecord(actor, record_id, at))

    async def delete(self, actor: str, record_id: str) -> bool:
        """Remove a record for good, now or later; False when there is none."""
        return await self._do(DeleteRecord(actor, record_id))

    async def delete_event(self, actor: str, event_id: str) -> bool:
        """Remove an event for good, now or later; False when there is none."""
        return await self._do(DeleteEvent(actor, event_id))

    @property
    def held(self) -> int:
        """Writes that only this process holds."""
        return len(self._held)

    async def close(self) -> None:
        """Try once more to save what only this process holds; tell the operator what is lost."""
        await self.catch_up()
        if self._held:
            logger.error("%d writes are lost: neither store nor spool takes them", len(self._held))

    async def catch_up(self) -> int:
        """Write what waits, as far as the store takes it; how much was written."""
        try:
            await self._release_held()
            return await self._spool.drain(self._store)
        except MemoryUnavailableError as error:
            self._notices.warn(f"memory {error.cause}", "the spool waits: %s", error)
            return 0

    async def purge(self, actor: str) -> int:
        """Remove what waits for an actor; how much that was.

        Raises:
            MemoryUnavailableError: the spool cannot be rewritten.
        """
        async with self._held_lock:
            before = len(self._held)
            self._held = [operation for operation in self._held if operation.actor != actor]
            return before - len(self._held) + await self._spool.purge(actor)

    async def pending(self, actor: str) -> int:
        """How many of an actor's writes wait; 0 when the spool cannot be read."""
        held = sum(operation.actor == actor for operation in self._held)
        try:
            return held + await self._spool.pending(actor)
        except MemoryUnavailableError:
            return held

    async def left(self, actor: str) -> Sequence[Event]:
        """An actor's turns that still wait after a short try to write them, in order; never fails.

        A store that can be read and not written would else make the talk go on without them.
        """
        if not await self.pending(actor):
            return ()
        with suppress(TimeoutError):
            async with asyncio.timeout(CATCH_UP_SECONDS):
                await self.catch_up()
        try:
            operations = await self._spool.operations(actor)
        except MemoryUnavailableError:
            operations = []
        events: dict[str, Event] = {}
        for operation in [*operations, *self._held]:
            if isinstance(operation, AddEvent) and operation.actor == actor:
                events[operation.event.id] = operation.event
            elif isinstance(operation, DeleteEvent) and operation.actor == actor:
                events.pop(operation.event_id, None)
        return tuple(events.values())

    async def _do(self, operation: Operation) -> bool:
        try:
            async with asyncio.timeout(self._seconds):
                if await self._must_wait():
                    raise MemoryUnavailableError("earlier writes wait", cause="locked")
                return await apply(operation, self._store)
        except (MemoryUnavailableError, TimeoutError) as error:
            cause = error.cause if isinstance(error, MemoryUnavailableError) else "slow"
            self._notices.warn(
                f"memory {cause}", "a write waits in the spool: %s", str(error) or cause
            )
            self._held.append(operation)
        except Exception as error:
            # A store that fails in a way of its own loses no write either. What is no document
            # at all is the caller's fault, and told to it.
            require_document(operation)
            fault = type(error).__name__  # its text may quote what was to be stored
            self._notices.warn(f"memory {fault}", "a write waits in the spool: %s", fault)
            self._held.append(operation)
        try:
            await self._release_held()
        except MemoryUnavailableError as error:
            self._notices.warn(f"spool {error.cause}", "a write is held in memory: %s", error)
        return True

    async def _must_wait(self) -> bool:
        """True when earlier writes still wait after a try to write them: order is kept.

        A spool that cannot be read keeps nobody from a store that can be written.
        """
        try:
            await self._release_held()
            if await self._spool.pending():
                await self._spool.drain(self._store)
                return bool(await self._spool.pending())
        except MemoryUnavailableError as error:
            self._notices.warn(f"spool {error.cause}", "the spool cannot be read: %s", error)
        return False

    async def _release_held(self) -> None:
        """Hand what this process holds to the spool, in order."""
        async with self._held_lock:
            while self._held:
                await self._spool.append(self._held[0])
                self._held.pop(0)
