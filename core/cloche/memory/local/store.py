"""``MemoryStore`` on one SQLite file."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path
from sqlite3 import Connection
from typing import TypeVar

from cloche.clock import Clock
from cloche.embedders import Embedder
from cloche.memory.codec import Document, event_from_json, record_from_json
from cloche.memory.local import rows
from cloche.memory.local.embedding import Embedding
from cloche.memory.local.schema import MIGRATIONS, mend_full_text
from cloche.memory.local.searching import Searching
from cloche.memory.local.stored import parsed
from cloche.memory.records import Event, MemoryRecord
from cloche.memory.store import EventHit, EventQuery, Forgotten, Hit, SearchQuery
from cloche.sqlite import Database, expect_shape, to_micros

logger = logging.getLogger(__name__)

T = TypeVar("T")


class LocalMemoryStore:
    """Events and records of one assistant's people, in one file that many processes may share.

    Ids are unique within an actor: nobody's data can be in the way of another's. Made without
    touching the disk; the file is opened by the first call, and again by later ones where it
    could not be.
    """

    def __init__(self, path: Path, clock: Clock, embedder: Embedder | None = None) -> None:
        """Take the file and an embedder, which is the store's to close from then on.

        Args:
            path: The file; its folder is made when it is not there.
            clock: The present instant.
            embedder: Makes vectors, in the background; None = search goes by words alone, as it
                does where numpy is not installed, which compares vectors.
        """
        self._database = Database(path, clock, MIGRATIONS, mend_full_text)
        self._idle: Embedder | None = None
        if embedder is not None and find_spec("numpy") is None:
            logger.warning("search goes by words alone: numpy is not installed")
            self._idle, embedder = embedder, None
        self._embedding = Embedding(self._database, embedder, clock) if embedder else None
        self._searching = Searching(self._database, self._embedding)
        self._path, self._told_damage = path, False

    async def add_event(self, event: Event) -> None:
        """Store an event durably before returning; the same id twice stores it once."""
        _require(event.actor, event.id)
        await self._database.write(lambda c: rows.insert_event(c, event))
        self._embed_soon()

    async def recent_events(
        self,
        actor: str,
        *,
        limit: int,
        session: str | None = None,
        conversation: str | None = None,
        before: datetime | None = None,
    ) -> Sequence[Event]:
        """The newest events that fit, oldest first; of one instant, in the order of storing."""
        _require(actor)
        parameters = {
            "session": session,
            "conversation": conversation,
            "before": None if before is None else to_micros(before),
        }
        found = await self._readable(
            actor,
            "SELECT document FROM events WHERE actor = :actor "
            "AND (:session IS NULL OR session = :session) "
            "AND (:conversation IS NULL OR conversation = :conversation) "
            "AND (:before IS NULL OR at < :before) ORDER BY at DESC, number DESC",
            parameters,
            event_from_json,
            limit,
        )
        return tuple(reversed(found))

    async def count_events(self, actor: str, *, session: str) -> int:
        """How many events a session has."""
        _require(actor)
        return await self._database.read(lambda c: rows.count_events(c, actor, session))

    async def search(self, actor: str, query: SearchQuery) -> Sequence[Hit]:
        """Records that fit, best first; ties broken by id. Only this actor's data counts.

        What has a word of the text fits, and what is close to it by its vector.
        """
        _require(actor)
        found = await self._searching.records(actor, query)
        hits = ((parsed(record_from_json, one), score) for one, score in found)
        return self._whole([None if one is None else Hit(one, score) for one, score in hits])

    async def search_events(self, actor: str, query: EventQuery) -> Sequence[EventHit]:
        """Events that fit, best first, ties by id. Only this actor's data counts.

        Both sides' words count, those of the neighbours in the session, who spoke, and when. With
        vectors all events are ranked; without, none is found when no word and no day fits.
        """
        _require(actor)
        found = await self._searching.events(actor, query)
        hits = ((parsed(event_from_json, one), score) for one, score in found)
        return self._whole([None if one is None else EventHit(one, score) for one, score in hits])

    async def get(self, actor: str, record_id: str) -> MemoryRecord | None:
        """One record of the actor, archived ones too."""
        _require(actor)
        found = await self._readable(
            actor,
            "SELECT document FROM records WHERE actor = :actor AND id = :id",
            {"id": record_id},
            record_from_json,
            1,
        )
        return found[0] if found else None

    async def iterate(
        self, actor: str, *, scope: str | None = None, after: str = "", limit: int = 100
    ) -> Sequence[MemoryRecord]:
        """A page of all records (archived ones too), ordered by id, with ids above ``after``."""
        _require(actor)
        return await self._readable(
            actor,
            "SELECT document FROM records WHERE actor = :actor AND id > :after "
            "AND (:scope IS NULL OR scope = :scope) ORDER BY id",
            {"after": after, "scope": scope},
            record_from_json,
            limit,
        )

    async def iterate_events(
        self, actor: str, *, after: str = "", limit: int = 100
    ) -> Sequence[Event]:
        """A page of all events ordered by id, with ids above ``after``."""
        _require(actor)
        return await self._readable(
            actor,
            "SELECT document FROM events WHERE actor = :actor AND id > :after ORDER BY id",
            {"after": after},
            event_from_json,
            limit,
        )

    async def write(self, record: MemoryRecord) -> None:
        """Store a new record durably before returning; an id that is there stays as it is."""
        _require(record.actor, record.id)
        await self._database.write(lambda c: rows.insert_record(c, record))
        self._embed_soon()

    async def update(self, record: MemoryRecord) -> bool:
        """Replace a record of the same actor and id; False when there is none."""
        _require(record.actor, record.id)
        updated = await self._database.write(lambda c: rows.update_record(c, record))
        self._embed_soon()
        return updated

    async def archive(self, actor: str, record_id: str, at: datetime) -> bool:
        """Take a record out of search, keep it as history; False when none can be read.

        A record that is archived already keeps the instant it has.
        """
        _require(actor)
        return await self._database.write(lambda c: rows.archive_record(c, actor, record_id, at))

    async def delete(self, actor: str, record_id: str) -> bool:
        """Remove a record for good, from indexes and disk; False when there is none."""
        _require(actor)
        return await self._database.erase(lambda c: rows.delete_record(c, actor, record_id))

    async def delete_event(self, actor: str, event_id: str) -> bool:
        """Remove an event for good, from indexes and disk; False when there is none."""
        _require(actor)
        return await self._database.erase(lambda c: rows.delete_event(c, actor, event_id))

    async def forget(self, actor: str) -> Forgotten:
        """Remove everything of an actor for good, from indexes and disk."""
        _require(actor)
        return await self._database.erase(lambda c: rows.forget_actor(c, actor))

    async def embed_pending(self, limit: int) -> int:
        """Embed at most so many of the items that wait for a vector; how many were.

        The store does this by itself in the background; who wants it done now calls it until it
        gives 0. Safe to call from several processes at once.

        Raises:
            ModelError: the embedder failed.
            ValueError: the embedder gave something else than vectors of its length.
        """
        return await self._embedding.embed_pending(_checked(limit)) if self._embedding else 0

    @property
    def embeds(self) -> bool:
        """True when there is an embedder."""
        return self._embedding is not None

    async def pending_vectors(self) -> int:
        """How many items wait for a vector; 0 without an embedder."""
        return await self._embedding.pending() if self._embedding else 0

    async def close(self) -> None:
        """Release what is held; later calls raise ``MemoryUnavailableError``."""
        if self._embedding is not None:
            await self._embedding.close()
        if self._idle is not None:
            await self._idle.close()
        await self._database.close()

    def _embed_soon(self) -> None:
        if self._embedding is not None:
            self._embedding.wake()

    async def damaged(self) -> int:
        """How many events and records cannot be read, of everybody; every one is looked at.

        Raises:
            MemoryUnavailableError: the file cannot be used, or has other tables.
        """

        def look(connection: Connection) -> int:
            expect_shape(connection, MIGRATIONS)
            return rows.count_damaged(connection)

        return await self._database.read(look)

    async def _readable(
        self,
        actor: str,
        sql: str,
        parameters: dict[str, str | int | None],
        parse: Callable[[Document], T],
        limit: int,
    ) -> tuple[T, ...]:
        _checked(limit)
        items, damaged = await self._database.read(
            lambda c: rows.readable(c, actor, sql, parameters, parse, limit)
        )
        self._tell_of(damaged)
        return tuple(items)

    def _whole(self, hits: list[T | None]) -> tuple[T, ...]:
        """The hits without those whose document is damaged."""
        whole = tuple(hit for hit in hits if hit is not None)
        self._tell_of(len(hits) - len(whole))
        return whole

    def _tell_of(self, damaged: int) -> None:
        """One damaged row must not hide the others; it is told once."""
        if damaged and not self._told_damage:
            self._told_damage = True
            logger.warning(
                "file=%s damaged=%d | rows passed over, `cloche doctor` counts them",
                self._path,
                damaged,
            )


def _require(actor: str, item_id: str = "-") -> None:
    if not actor:
        raise ValueError("actor is empty; nobody's memory is used without one")
    if not item_id:
        raise ValueError("id is empty")


def _checked(limit: int) -> int:
    # SQLite takes a negative limit for none at all.
    if limit < 0:
        raise ValueError(f"limit is {limit}, not a number of items")
    return limit
