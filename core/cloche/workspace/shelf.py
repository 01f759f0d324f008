"""One person's files with their words: what is said in a recording or written in a document.

Words lie beside their file, under the same name in an area of their own, and are no file of the
person's: no list shows them. They are written before it and removed after it, so that nothing is
ever kept whose words a forget could not find.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from cloche.attachments.text_files import decode
from cloche.workspace.names import are_words, folded, numbered, words_key
from cloche.workspace.store import FileStore, StoredFile

LONG: Final = 60_000
"""Bytes of text that are looked through beside the event loop."""


@dataclass(frozen=True, slots=True)
class KeptFile:
    """A file with all that is kept of it.

    Attributes:
        key: Area and name; for one that is received, the name as its sender gave it.
        data: Its bytes.
        words: What is said or written in it, where its bytes do not show that; "" = not known.
    """

    key: str
    data: bytes
    words: str = ""


@dataclass(frozen=True, slots=True)
class Listing:
    """What there is of an actor's.

    Attributes:
        files: By key; of two names that some system takes for one, the newer.
        words: By key of words, how many bytes these are.
    """

    files: tuple[StoredFile, ...]
    words: Mapping[str, int]


class Shelf:
    """Files of a store, by actor. Whoever uses it sees to it that an actor's changes are alone.

    Every method raises ``MemoryUnavailableError`` while the store is away.
    """

    def __init__(self, store: FileStore) -> None:
        """Take where they are kept."""
        self._store = store

    async def list(self, actor: str, *, strict: bool = False) -> Listing:
        """What there is of an actor's."""
        files, worded = dict[str, StoredFile](), dict[str, int]()
        for file in sorted(
            await self._store.list(actor, strict=strict), key=lambda file: (file.at, file.key)
        ):
            if are_words(file.key):
                worded[file.key] = file.size
            else:
                files[folded(file.key)] = file
        return Listing(tuple(sorted(files.values(), key=lambda file: file.key)), worded)

    async def read(self, actor: str, key: str, *, strict: bool = False) -> bytes | None:
        """A file's bytes, or None."""
        found = await self._store.get(actor, key, strict=strict)
        return found.data if found else None

    async def words(self, actor: str, key: str, *, strict: bool = False) -> str:
        """A file's words; "" = none are known."""
        data = await self.read(actor, words_key(key), strict=strict)
        return data.decode("utf-8", "replace") if data else ""

    async def whole(self, actor: str, key: str) -> KeptFile | None:
        """A file as it is now, wherever it lies; None = it is gone."""
        data = await self.read(actor, key, strict=True)
        if data is None:
            return None
        return KeptFile(key, data, await self.words(actor, key, strict=True))

    async def put(self, actor: str, file: KeptFile, listing: Listing) -> str:
        """Keep a file and its words in the place of what was there; its version."""
        where = words_key(file.key)
        if file.words:
            await self._store.put(actor, where, file.words.encode("utf-8", "replace"))
        elif where in listing.words:
            await self._store.delete(actor, where)
        return await self._store.put(actor, file.key, file.data)

    async def delete(self, actor: str, key: str) -> None:
        """Remove a file and its words for good."""
        await self._store.delete(actor, key)
        await self._store.delete(actor, words_key(key))

    async def forget_telling(self, actor: str, tells: Callable[[str], bool]) -> int:
        """Remove files whose words tell, or that are called so; how many."""
        keys = {file.key for file in await self._store.list(actor, strict=True)}
        going = set()
        for key in keys:
            named = not are_words(key) and tells(key)
            if named or await _tells(await self.read(actor, key, strict=True), tells):
                going.add(key)
        files = {key for key in keys - going if words_key(key) in going}
        files |= {key for key in going if not are_words(key)}
        for key in sorted(files):
            await self.delete(actor, key)
        for key in going - {words_key(key) for key in files} - files:  # of a file that is gone
            await self._store.delete(actor, key)
        return len(files)

    async def place(self, actor: str, file: KeptFile, listing: Listing) -> tuple[str, bool]:
        """A key like this one, and whether the same content is there; else nobody has the key."""
        area, _, name = file.key.partition("/")
        taken = {folded(one.key): one for one in listing.files}
        number, free = 1, file.key
        while there := taken.get(folded(free)):
            if there.size == len(file.data) and await self.read(actor, there.key) == file.data:
                return there.key, True
            number += 1
            free = f"{area}/{numbered(name, number)}"
        return free, False

    async def add_words(self, actor: str, key: str, words: str) -> None:
        """Keep what was found in a file that is there, beside what is known of it."""
        known = await self.words(actor, key)
        if words and words not in known:
            both = f"{known}\n\n{words}" if known else words
            await self._store.put(actor, words_key(key), both.encode("utf-8", "replace"))


async def told_in(file: KeptFile) -> str:
    """All the words of a file, its name among them."""
    text = await asyncio.to_thread(decode, file.data)
    return "\n".join((file.key, text or "", file.words))


async def _tells(data: bytes | None, tells: Callable[[str], bool]) -> bool:
    if not data:
        return False
    if len(data) <= LONG:
        return tells(decode(data) or "")
    return await asyncio.to_thread(lambda: tells(decode(data) or ""))
