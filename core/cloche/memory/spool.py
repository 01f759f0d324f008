"""Where writes wait while the memory is away: a spool of operations on it."""

from __future__ import annotations

from contextlib import suppress

from cloche.memory.codec import Document
from cloche.memory.operations import Operation, apply, operation_from_json, operation_to_json
from cloche.memory.store import MemoryStore
from cloche.spool import Waiting

__all__ = ["Operation", "Spool"]


class Spool(Waiting):
    """One assistant's waiting writes to its memory. Made without touching the disk."""

    async def append(self, operation: Operation) -> None:
        """Have an operation wait; it is on disk when this returns.

        Raises:
            ValueError: the operation has no actor, or cannot be written as JSON.
            MemoryUnavailableError: the file cannot be written.
        """
        await self.add(operation_to_json(operation))

    async def drain(self, store: MemoryStore) -> int:
        """Apply what waits, in order, until the store fails or nothing is left; how many were.

        See ``Waiting.work_off``.

        Raises:
            MemoryUnavailableError: the file cannot be read or written.
        """

        async def done(document: Document) -> bool:
            return await apply(operation_from_json(document), store)

        return await self.work_off(done)

    async def operations(self, actor: str) -> list[Operation]:
        """What waits of an actor, in order; what cannot be read is left out.

        Raises:
            ValueError: the actor is empty.
            MemoryUnavailableError: the file cannot be read.
        """
        found = []
        for document in await self.documents(actor):
            with suppress(ValueError):
                found.append(operation_from_json(document))
        return found
