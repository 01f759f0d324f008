"""Files at hand on this machine and for good somewhere else: restored when needed, saved later.

A write is whole and waits in the spool before it returns, and nobody waits for the network;
``save`` brings it away, and what cannot be brought stays in the spool. What waits is the truth;
else the other place is, and what lies here is sent again only when it has changed there. A file
that was never brought there (somebody set the other place only now) goes with the next save.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final, TypeVar

from cloche.clock import Clock
from cloche.errors import MemoryUnavailableError, StoreCause
from cloche.logs import OncePerCause
from cloche.memory.codec import Document
from cloche.spool import Waiting
from cloche.workspace.folder import FolderFiles
from cloche.workspace.locking import locked
from cloche.workspace.names import checked_key
from cloche.workspace.store import Content, FileStore, StoredFile

logger = logging.getLogger(__name__)

LIST_SECONDS: Final = 3.0
READ_SECONDS: Final = 8.0
"""While somebody waits for an answer; after that what is at hand has to do."""
AWAY: Final = timedelta(seconds=30)
"""So long nobody who waits for an answer waits for it again."""
KEPT: Final = "kept"
"""The folder of the copies, which is the store itself where there is no other place."""
SPOOL: Final = "spool.jsonl"
SAVE, DELETE = "save", "delete"
T = TypeVar("T")


class Mirrored:
    """Keeps files here and in another place (``FileStore``)."""

    def __init__(
        self,
        root: Path,
        remote: FileStore,
        clock: Clock,
        notices: OncePerCause,
        *,
        patience: float = 1,
    ) -> None:
        """Take the folder for what is at hand, and the other place; nothing is touched yet.

        Args:
            root: The folder; with what waits in it, it may outlive the process.
            remote: Where files are for good.
            clock: The present instant.
            notices: Takes what the operator must know.
            patience: Multiplies the times that are waited for the other place; for tests.
        """
        self._copies, self._marks = FolderFiles(root / KEPT), FolderFiles(root / "saved")
        self._waiting = Waiting(root / SPOOL, clock)
        self._lock, self._writing = root / "files.lock", asyncio.Lock()
        self._remote, self._clock = remote, clock
        self._notices, self._patience = notices, patience
        self._away: tuple[datetime, StoreCause] | None = None

    async def put(self, actor: str, key: str, data: bytes) -> str:
        """Keep a file here; it waits to be saved."""
        checked_key(key)
        async with self._alone():
            # First the line: a file that nobody knows of would never be brought anywhere.
            await self._waiting.add({"actor": actor, "do": SAVE, "key": key})
            return await self._copies.put(actor, key, data)

    async def get(
        self, actor: str, key: str, *, known: str = "", strict: bool = False
    ) -> Content | None:
        """The newest content that can be had; ``known`` is not looked at."""
        here = await self._copies.get(actor, key)
        if key in await self._unsaved(actor):
            return here
        mark = await self._mark(actor, key, here)
        try:
            there = await self._asked(
                READ_SECONDS, lambda: self._remote.get(actor, key, known=mark)
            )
        except MemoryUnavailableError as error:
            if strict:
                raise
            self._notices.warn(f"files seen {error.cause}", "files as last seen here: %s", error)
            return here
        if there is None:
            return here if here is not None and not await self._was_saved(actor, key) else None
        if there.data is None:
            return here
        await self._restore(actor, key, there.version, there.data)
        return there

    async def list(self, actor: str, *, strict: bool = False) -> Sequence[StoredFile]:
        """All of an actor's files as they will be when all is saved, by key."""
        try:
            remote = await self._asked(LIST_SECONDS, lambda: self._remote.list(actor))
        except MemoryUnavailableError as error:
            if strict:
                raise
            self._notices.warn(f"files seen {error.cause}", "files as last seen here: %s", error)
            return await self._copies.list(actor)
        there = {file.key: file for file in remote}
        async with self._alone():
            unsaved = await self._unsaved(actor)
            saved = {file.key for file in await self._marks.list(actor)}
            for file in await self._copies.list(actor):
                if file.key in unsaved:
                    there[file.key] = file
                elif file.key not in saved:
                    there[file.key] = file
                    await self._waiting.add({"actor": actor, "do": SAVE, "key": file.key})
                elif file.key not in there:  # the whole list was read: it was removed elsewhere
                    await self._drop(actor, file.key)
        gone = {key for key, do in unsaved.items() if do == DELETE}
        return [there[key] for key in sorted(there) if key not in gone]

    def path(self, actor: str, key: str) -> Path | None:
        """Where a copy lies that is at hand."""
        return self._copies.path(actor, key)

    def alone(self, actor: str) -> AbstractAsyncContextManager[None]:
        """Nobody else changes an actor's files on this machine meanwhile."""
        return self._copies.alone(actor)

    async def delete(self, actor: str, key: str) -> None:
        """Remove a file here; there, with the next save."""
        checked_key(key)
        async with self._alone():
            await self._waiting.add({"actor": actor, "do": DELETE, "key": key})
            await self._copies.delete(actor, key)

    async def forget(self, actor: str) -> None:
        """Remove all of an actor's files for good, here and there, at once."""
        await self._waiting.purge(actor)  # waits for a save under way: it would bring them back
        await self._copies.forget(actor)
        await self._marks.forget(actor)
        await self._remote.forget(actor)

    async def save(self) -> int:
        """Bring away what waits, in order, until the other place fails; how much was brought.

        Raises:
            MemoryUnavailableError: the spool cannot be read or written.
        """
        return await self._waiting.work_off(self._bring)

    async def pending(self) -> int:
        """How many changes wait.

        Raises:
            MemoryUnavailableError: the spool cannot be read.
        """
        return await self._waiting.pending()

    async def close(self) -> None:
        """Release the other place."""
        await self._remote.close()

    async def _bring(self, document: Document) -> None:
        actor, do, key = (document.get(name) for name in ("actor", "do", "key"))
        if not (isinstance(actor, str) and isinstance(key, str)):
            raise ValueError("actor or key is no text")
        checked_key(key)
        if do == DELETE:
            await self._told(self._remote.delete(actor, key))
            await self._marks.delete(actor, key)
        elif do == SAVE:
            here = await self._copies.get(actor, key)
            if here is not None and here.data is not None:  # else removed since: a line says so
                version = await self._told(self._remote.put(actor, key, here.data))
                await self._note(actor, key, version, here.data)
        else:
            raise ValueError(f"do is {do!r}, which is nothing to do")

    async def _told(self, asked: Awaitable[T]) -> T:
        try:
            told = await asked
            self._away = None
            return told
        except MemoryUnavailableError as error:
            self._notices.warn(f"files unsaved {error.cause}", "files wait to be saved: %s", error)
            raise

    async def _asked(self, seconds: float, asked: Callable[[], Awaitable[T]]) -> T:
        """Ask the other place while somebody waits: not for long, and not again at once.

        Raises:
            MemoryUnavailableError: it is away.
        """
        if self._away and self._clock() < self._away[0]:
            raise MemoryUnavailableError("it was away just now", cause=self._away[1])
        try:
            async with asyncio.timeout(seconds * self._patience):
                return await asked()
        except (MemoryUnavailableError, TimeoutError) as error:
            cause: StoreCause = "slow" if isinstance(error, TimeoutError) else error.cause
            self._away = (self._clock() + AWAY, cause)
            raise MemoryUnavailableError(str(error) or "no answer in time", cause=cause) from error

    async def _unsaved(self, actor: str) -> dict[str, str]:
        """What waits, by key: what is to be done last."""
        return {
            str(document.get("key")): str(document.get("do"))
            for document in await self._waiting.documents(actor)
        }

    async def _restore(self, actor: str, key: str, version: str, data: bytes) -> None:
        """Have what came from there at hand, unless it was written here meanwhile."""
        try:
            async with self._alone():
                if key not in await self._unsaved(actor):
                    await self._note(actor, key, version, data)
                    await self._copies.put(actor, key, data)
        except MemoryUnavailableError as error:  # it was read all the same
            self._notices.warn(
                f"files at hand {error.cause}", "a file is not kept at hand: %s", error
            )

    async def _drop(self, actor: str, key: str) -> None:
        await self._copies.delete(actor, key)
        await self._marks.delete(actor, key)

    async def _note(self, actor: str, key: str, version: str, data: bytes) -> None:
        """Remember which version there these bytes are."""
        mark = {"version": version, "sha256": hashlib.sha256(data).hexdigest()}
        await self._marks.put(actor, key, json.dumps(mark).encode())

    async def _was_saved(self, actor: str, key: str) -> bool:
        return await self._marks.get(actor, key) is not None

    async def _mark(self, actor: str, key: str, here: Content | None) -> str:
        """The version there that is at hand; "" = none is known to be."""
        noted = await self._marks.get(actor, key)
        if noted is None or noted.data is None or here is None or here.data is None:
            return ""
        try:
            mark = json.loads(noted.data)
            same = mark["sha256"] == hashlib.sha256(here.data).hexdigest()
            return str(mark["version"]) if same else ""
        except (ValueError, KeyError, TypeError):  # cut by a crash
            return ""

    @asynccontextmanager
    async def _alone(self) -> AsyncIterator[None]:
        """Nobody else writes here meanwhile, in whichever process; never held over the network."""
        # Threads are few: only one of this process waits for others, not one per writer.
        async with self._writing:
            async with locked(self._lock):
                yield
