"""All that is kept about one person, in one view: to count it, to show it, to carry it away."""

from __future__ import annotations

import os
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from cloche.memory.ranking import is_current
from cloche.memory.records import Event, MemoryRecord
from cloche.memory.store import MemoryStore
from cloche.people import person_prefix
from cloche.state.store import Json, StateItem, StateStore
from cloche.workspace.shelf import KeptFile
from cloche.workspace.workspace import Workspace

PAGE: Final = 500
SHORT_ID_CHARS: Final = 8
MIN_ID_CHARS: Final = 4
"""Fewer characters of an id than these name no record: a slip must not remove anything."""

WORKING_STATE: Final = (
    "session/",
    "used/",
    "in/",
    "open/",
    "forget-code",
    "spoke",
    "link",
    "door/",
    "reminder-room",
)
"""Keys, and beginnings of keys, below a person's prefix that the host goes by."""


def is_working_state(key: str) -> bool:
    """True for a key (below the person's prefix) of the host's own working state."""
    return any(
        key.startswith(one) if one.endswith("/") else key.split("/", maxsplit=1)[0] == one
        for one in WORKING_STATE
    )


@dataclass(frozen=True, slots=True)
class Counts:
    """How many items of each kind."""

    state: int = 0
    events: int = 0
    records: int = 0
    files: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.state + self.events + self.records + self.files


@dataclass(frozen=True, slots=True)
class Holdings:
    """What belongs to one person for good.

    What has a lifetime in the StateStore (counters, session parts, the use log) is working state
    that lapses by itself, and is not among it.

    Attributes:
        actor: The person.
        state: Key below the person's own prefix, and value; by key.
        events: Every event, by id.
        records: Every record, archived ones too, by id.
        files: Every file, by key.
    """

    actor: str
    state: tuple[tuple[str, Json], ...]
    events: tuple[Event, ...]
    records: tuple[MemoryRecord, ...]
    files: tuple[KeptFile, ...] = ()

    @property
    def counts(self) -> Counts:
        """How much there is of each."""
        return Counts(len(self.state), len(self.events), len(self.records), len(self.files))


async def read_holdings(
    actor: str, store: MemoryStore, state: StateStore, files: Workspace | None = None
) -> Holdings:
    """Read all that the stores keep about a person; no file without a workspace.

    Raises:
        ValueError: the actor is empty.
        MemoryUnavailableError: a store is away.
    """
    prefix = person_prefix(actor)
    items = [item async for item in _items(state, prefix) if item.expires_at is None]
    return Holdings(
        actor=actor,
        state=tuple(
            (key, item.value)
            for item in items
            if not is_working_state(key := item.key.removeprefix(prefix))
        ),
        events=tuple([event async for event in _events(store, actor)]),
        records=tuple([record async for record in _records(store, actor)]),
        files=tuple([file async for file in _files(files, actor)] if files else ()),
    )


async def add_holdings(
    holdings: Holdings, store: MemoryStore, state: StateStore, files: Workspace | None = None
) -> Counts:
    """Write what is not there yet; what is there stays as it is, so that a repeat does nothing.

    Another file of a name that is there is kept beside it, whatever room there is.

    Returns:
        How much was added.

    Raises:
        ValueError: the actor is empty.
        MemoryUnavailableError: a store is away; run it again, what is in stays in.
    """
    prefix = person_prefix(holdings.actor)
    items = [
        key
        for key, value in holdings.state
        if await state.compare_and_set(prefix + key, value, version=0)
    ]
    known = {event.id async for event in _events(store, holdings.actor)}
    events = [event for event in holdings.events if event.id not in known]
    for event in events:
        await store.add_event(event)
    known = {record.id async for record in _records(store, holdings.actor)}
    records = [record for record in holdings.records if record.id not in known]
    for record in records:
        await store.write(record)
    added = [await files.add(holdings.actor, file) for file in holdings.files if files]
    return Counts(len(items), len(events), len(records), sum(added))


async def count_holdings(
    actor: str, store: MemoryStore, state: StateStore, files: Workspace | None = None
) -> Counts:
    """How much a forget would remove from the stores, working state too.

    Raises:
        ValueError: the actor is empty.
        MemoryUnavailableError: a store is away.
    """
    return Counts(
        state=sum([1 async for _ in _items(state, person_prefix(actor))]),
        events=sum([1 async for _ in _events(store, actor)]),
        records=sum([1 async for _ in _records(store, actor)]),
        files=len(await files.list(actor)) if files else 0,
    )


async def read_records(
    actor: str, store: MemoryStore, at: datetime | None = None
) -> list[MemoryRecord]:
    """A person's records, newest first: those that hold at an instant, or all (None)."""
    records = [
        record async for record in _records(store, actor) if at is None or is_current(record, at)
    ]
    return sorted(records, key=lambda record: (record.validity.created_at, record.id))[::-1]


async def matching_records(actor: str, store: MemoryStore, written_id: str) -> list[MemoryRecord]:
    """Records whose id begins as written, with or without ``mem-``; needs 4 characters of it."""
    wanted = written_id.strip().lower().removeprefix("mem-")
    if len(wanted) < MIN_ID_CHARS:
        return []
    return [
        record
        async for record in _records(store, actor)
        if record.id.lower().removeprefix("mem-").startswith(wanted)
    ]


def short_id(record_id: str) -> str:
    """The first 8 characters that tell one record from another."""
    return record_id.removeprefix("mem-")[:SHORT_ID_CHARS]


def write_private(path: Path, text: str) -> None:
    """Write a file whole or not at all, readable by its owner only.

    Raises:
        OSError: it cannot be written; a file that was there before is as it was.
    """
    path = path.resolve()
    if path.exists() and not path.is_file():
        raise FileExistsError(f"{path} is there and is no regular file")
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:60]}-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode("utf-8"))
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


async def _records(store: MemoryStore, actor: str) -> AsyncIterator[MemoryRecord]:
    after = ""
    while page := await store.iterate(actor, after=after, limit=PAGE):
        for record in page:
            yield record
        after = page[-1].id


async def _events(store: MemoryStore, actor: str) -> AsyncIterator[Event]:
    after = ""
    while page := await store.iterate_events(actor, after=after, limit=PAGE):
        for event in page:
            yield event
        after = page[-1].id


async def _files(files: Workspace, actor: str) -> AsyncIterator[KeptFile]:
    for file in await files.list(actor, strict=True):
        kept = await files.whole(actor, file.key)
        if kept is not None:  # else removed meanwhile
            yield kept


async def _items(state: StateStore, prefix: str) -> AsyncIterator[StateItem]:
    after = ""
    while page := await state.list_items(prefix, after=after, limit=PAGE):
        for item in page:
            yield item
        after = page[-1].key
