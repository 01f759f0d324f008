"""The files of everybody an assistant talks to, each person's for themselves."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from contextvars import Context
from dataclasses import dataclass, replace
from datetime import UTC
from pathlib import Path
from typing import Final
from weakref import WeakValueDictionary

from cloche.clock import Clock
from cloche.errors import MemoryUnavailableError
from cloche.logs import OncePerCause
from cloche.workspace.mirror import Mirrored
from cloche.workspace.names import are_words, folded, is_key, name_from, words_key
from cloche.workspace.shelf import KeptFile, Listing, Shelf
from cloche.workspace.store import FileStore, StoredFile

logger = logging.getLogger(__name__)

SAVE_SECONDS: Final = 10.0
"""How long what follows a turn waits for a save; it goes on all the same."""
CLOSE_SECONDS: Final = 10.0
SENT: Final = "sent"


class NoRoomError(Exception):
    """A person's files are as many or as large as they may be."""


@dataclass(frozen=True, slots=True)
class FileLimits:
    """How much is kept of one person.

    Attributes:
        file_bytes: Of one file.
        files: How many.
        total_bytes: Of all together, with the words that were found in them.
    """

    file_bytes: int = 10_000_000
    files: int = 200
    total_bytes: int = 100_000_000


class Workspace:
    """Keeps what people send and what tools make for them."""

    def __init__(
        self,
        store: FileStore,
        notices: OncePerCause,
        clock: Clock,
        limits: FileLimits | None = None,
        *,
        mirror: Mirrored | None = None,
    ) -> None:
        """Take where files are kept.

        Args:
            store: Keeps them.
            notices: Takes what the operator must know.
            clock: The present instant.
            limits: How much is kept of one person.
            mirror: The store, where it has to be saved after turns; None = it needs no saving.
        """
        self._store, self._notices, self._mirror = store, notices, mirror
        self._shelf = Shelf(store)
        self._clock = clock
        self.limits = limits or FileLimits()
        self._saving: asyncio.Task[None] | None = None
        self._changed: Callable[[int], object] = lambda _number: None
        self._changing: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def list(self, actor: str, *, strict: bool = False) -> Sequence[StoredFile]:
        """A person's files, by key; of two names that some system takes for one, the newer.

        Args:
            actor: The person.
            strict: True = rather fail than leave out what cannot be reached now.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        return (await self._shelf.list(actor, strict=strict)).files

    async def read(self, actor: str, key: str, *, strict: bool = False) -> bytes | None:
        """A file's content, or None; ``strict`` as in ``list``.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        async with self._turn(actor):  # what is read may be kept at hand: not after a forget
            return await self._shelf.read(actor, key, strict=strict)

    async def words(self, actor: str, key: str, *, strict: bool = False) -> str:
        """What is said or written in a file whose bytes do not show it; "" = not known.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        async with self._turn(actor):
            return await self._shelf.words(actor, key, strict=strict)

    def path(self, actor: str, key: str) -> Path | None:
        """Where a file lies on this machine, if it does."""
        return self._store.path(actor, key)

    async def write(self, actor: str, key: str, data: bytes) -> StoredFile:
        """Keep a file in the place of the one that has its name, in whatever spelling.

        Raises:
            NoRoomError: it would be too many or too much.
            MemoryUnavailableError: the store is away.
        """
        async with self._alone(actor):
            listing = await self._shelf.list(actor)
            taken = next((one.key for one in listing.files if folded(one.key) == folded(key)), key)
            others = [one for one in listing.files if one.key != taken]
            file = KeptFile(taken, data)
            if not self._fits(listing, others, file):
                raise NoRoomError
            version = await self._shelf.put(actor, file, listing)
            return StoredFile(taken, len(data), self._clock().astimezone(UTC), version)

    async def delete(self, actor: str, key: str) -> None:
        """Remove a file for good, if it is there.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        async with self._alone(actor):
            await self._shelf.delete(actor, key)

    async def receive(self, actor: str, area: str, files: Iterable[KeptFile]) -> None:
        """Keep what a person sent, under names as they gave them (``key``); never fails.

        The same content under the same name is kept once. Where there is no room, the oldest of
        what was sent makes way; what tools made never does.
        """
        for file in files:
            try:
                async with self._alone(actor):
                    key = f"{area}/{name_from(file.key)}"
                    await self._receive(actor, replace(file, key=key))
            except MemoryUnavailableError as error:
                self._notices.warn(
                    f"files lost {error.cause}", "a sent file is not kept: %s", error
                )
            except NoRoomError:
                logger.info("a sent file is not kept: there is no room for it")

    def watch(self, changed: Callable[[int], object]) -> None:
        """Have something told how many saves are under way whenever that changes."""
        self._changed = changed

    async def save(self) -> None:
        """Bring to where they are for good what turns changed; waits 10 s at most, never fails."""
        if self._mirror is None:
            return
        if self._saving is None or self._saving.done():
            self._saving = asyncio.create_task(
                self._save(self._mirror), name="save-files", context=Context()
            )
            self._changed(1)
        # Not cancelled: a save that was given up half-way could end after a forget.
        await asyncio.wait([self._saving], timeout=SAVE_SECONDS)

    async def forget(self, actor: str) -> int:
        """Remove all of a person's files for good; how many.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        async with self._alone(actor):
            number = len((await self._shelf.list(actor)).files)
            await self._store.forget(actor)
            return number

    async def forget_telling(self, actor: str, tells: Callable[[str], bool]) -> int:
        """Remove a person's files whose words tell of something, or that are called so; how many.

        Words are a text's own, and those heard in a recording or found in a document.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        async with self._alone(actor):
            return await self._shelf.forget_telling(actor, tells)

    async def move(self, door: str, person: str) -> int:
        """Copy what one actor has to another, what is there already stays; how many.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        moved = 0
        for file in await self.list(door, strict=True):
            async with self._turn(door):
                kept = await self._shelf.whole(door, file.key)
            if kept is not None and await self.add(person, kept):
                moved += 1
        return moved

    async def whole(self, actor: str, key: str) -> KeptFile | None:
        """A file with all that is kept of it, to be carried away; None = it is gone.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        async with self._turn(actor):
            return await self._shelf.whole(actor, key)

    async def add(self, actor: str, file: KeptFile) -> bool:
        """Keep a file beside what is there, whatever room there is; False = it is there already.

        Raises:
            ValueError: the key is none.
            MemoryUnavailableError: the store is away.
        """
        if not is_key(file.key) or are_words(file.key):
            raise ValueError("a file's key is no area and name")
        async with self._alone(actor):
            listing = await self._shelf.list(actor)
            key, there = await self._shelf.place(actor, file, listing)
            if there:
                await self._shelf.add_words(actor, key, file.words)
            else:
                await self._shelf.put(actor, replace(file, key=key), listing)
            return not there

    async def close(self) -> None:
        """Save what can still be saved, and release the store."""
        if self._mirror is not None:
            if self._saving is not None and not self._saving.done():
                await asyncio.wait([self._saving], timeout=CLOSE_SECONDS)
            else:
                await self.save()
            if self._saving is not None and not self._saving.done():
                self._saving.cancel()  # what waits stays in the spool
                await asyncio.wait([self._saving], timeout=CLOSE_SECONDS)
        await self._store.close()

    async def _save(self, mirror: Mirrored) -> None:
        try:
            await mirror.save()
        except MemoryUnavailableError as error:
            self._notices.warn(f"files unsaved {error.cause}", "files wait to be saved: %s", error)
        finally:
            self._changed(0)

    async def _receive(self, actor: str, file: KeptFile) -> None:
        listing = await self._shelf.list(actor)
        key, there = await self._shelf.place(actor, file, listing)
        if there:  # what could not be read in it then may be known now
            await self._shelf.add_words(actor, key, file.words)
            return
        if len(file.data) > self.limits.file_bytes:
            raise NoRoomError
        files = list(listing.files)
        oldest = sorted(
            (one for one in files if one.key.startswith(SENT)), key=lambda one: (one.at, one.key)
        )
        going = []
        while not self._fits(listing, files, file):
            if not oldest:
                raise NoRoomError
            going.append(oldest.pop(0))
            files.remove(going[-1])
        for one in going:
            await self._shelf.delete(actor, one.key)
        await self._shelf.put(actor, replace(file, key=key), listing)

    def _fits(self, listing: Listing, beside: Sequence[StoredFile], file: KeptFile) -> bool:
        """Whether there is room for a file and its words beside others and theirs."""
        kept = sum(one.size + listing.words.get(words_key(one.key), 0) for one in beside)
        size = len(file.data) + len(file.words.encode("utf-8", "replace"))
        return (
            len(file.data) <= self.limits.file_bytes
            and len(beside) < self.limits.files
            and kept + size <= self.limits.total_bytes
        )

    @asynccontextmanager
    async def _alone(self, actor: str) -> AsyncIterator[None]:
        """One change of a person's files at a time, by whatever process of this machine."""
        async with self._turn(actor), self._store.alone(actor):
            yield

    def _turn(self, actor: str) -> asyncio.Lock:
        """One reads or changes a person's files at a time, of those in this process."""
        return self._changing.setdefault(actor, asyncio.Lock())
