"""What becomes of an extracted statement: a new record, or one more confirmation of an old one."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final
from zoneinfo import ZoneInfo

from cloche.clock import Clock
from cloche.errors import MemoryUnavailableError, ToolError
from cloche.ids import record_id
from cloche.memory.extraction import Draft
from cloche.memory.extraction.timebound import expiry_of
from cloche.memory.lifecycle import validity_for
from cloche.memory.ranking import is_current
from cloche.memory.records import Event, MemoryRecord, Source, Trust
from cloche.memory.sessions import Sessions
from cloche.memory.store import MemoryStore, SearchQuery
from cloche.memory.writer import Writer
from cloche.namespaces import NamespaceScheme
from cloche.people import Person
from cloche.vocabulary import fold

_UTC: Final = ZoneInfo("UTC")


class Keeper:
    """Keeps statements of one assistant's people, so that what is current says each thing once."""

    def __init__(
        self,
        store: MemoryStore,
        writer: Writer,
        sessions: Sessions,
        namespaces: NamespaceScheme,
        clock: Clock,
        *,
        seconds: float,
    ) -> None:
        """Take where records lie, and how many seconds a look at them may take."""
        self._store, self._writer, self._sessions = store, writer, sessions
        self._namespaces, self._clock, self._seconds = namespaces, clock, seconds

    async def keep(
        self,
        drafts: Sequence[Draft],
        event: Event,
        scope_keys: Mapping[str, str],
        zone: ZoneInfo = _UTC,
    ) -> tuple[MemoryRecord, ...]:
        """Write what is new of an event's statements; never fails. The records written.

        Args:
            drafts: What was extracted.
            event: The turn it was extracted from.
            scope_keys: The turn's.
            zone: The person's, which "today" and "until Friday" are counted in.
        """
        records = []
        for index, draft in enumerate(drafts):
            if record := await self._keep(self._record(draft, event, index, scope_keys, zone)):
                records.append(record)
        return tuple(records)

    async def correct(
        self, person: Person, old_id: str, text: str, *, call_id: str
    ) -> MemoryRecord:
        """Have a record say something else: a new one supersedes it, the old one is history.

        Raises:
            ToolError: there is no such current record of this person.
        """
        old = await self._store.get(person.actor, old_id)
        if old is None or not is_current(old, self._clock()):
            raise ToolError(f"There is no memory {old_id!r}; list them to see the ids.")
        now = self._clock()
        new = replace(
            old,
            id=record_id(person.actor, call_id, "correct", old.id),
            text=text,
            source=Source(
                type="tool", ref=call_id, conversation=person.conversation, group=person.group
            ),
            validity=replace(old.validity, created_at=now, updated_at=now, supersedes=(old.id,)),
            trust=replace(old.trust, confirmations=0, verified_at=now),
        )
        await self._writer.write(new)
        await self._writer.archive(person.actor, old.id, now)
        await self._sessions.rebuild_without(person.actor, old.id)
        return new

    def _record(
        self,
        draft: Draft,
        event: Event,
        index: int,
        scope_keys: Mapping[str, str],
        zone: ZoneInfo,
    ) -> MemoryRecord:
        ends = expiry_of(draft.text, draft.kind, event.at, zone)
        scope, key = self._namespaces.scope_for(scope_keys)
        return MemoryRecord(
            id=record_id(event.actor, event.id, str(index)),
            actor=event.actor,
            scope=scope.name,
            scope_key=key,
            kind=draft.kind,
            subject=draft.subject,
            text=draft.text,
            metadata=draft.metadata,
            source=Source(
                stated=draft.stated,
                ref=event.id,
                start=draft.start,
                end=draft.end,
                quote=event.user_text[draft.start : draft.end],
                conversation=event.conversation,
                group=event.group,
            ),
            validity=validity_for(
                draft.kind, scope, event.at, lifetime=ends - event.at if ends else None
            ),
            trust=Trust(confidence=draft.confidence, importance=draft.importance),
        )

    async def _keep(self, record: MemoryRecord) -> MemoryRecord | None:
        """Write a record, or confirm the one that says the same; None when nothing was new."""
        same = await self._same_statement(record)
        if same is None:
            await self._writer.write(record)
            return record
        if same.id != record.id and same.source.ref != record.source.ref:
            await self._writer.update(
                replace(
                    same,
                    validity=replace(same.validity, updated_at=record.validity.updated_at),
                    trust=replace(same.trust, confirmations=same.trust.confirmations + 1),
                )
            )
        return None

    async def _same_statement(self, record: MemoryRecord) -> MemoryRecord | None:
        query = SearchQuery(text=record.text, at=self._clock(), limit=10, kinds=(record.kind,))
        try:
            async with asyncio.timeout(self._seconds):
                hits = await self._store.search(record.actor, query)
        except (MemoryUnavailableError, TimeoutError):
            return None
        for hit in hits:
            if _says(hit.record) == _says(record):
                return hit.record
        return None


def _says(record: MemoryRecord) -> tuple[str, str, str, str, bool]:
    where = record.source.conversation if record.source.group else ""
    return (
        record.subject,
        record.scope_key,
        " ".join(fold(record.text).split()),
        where,
        record.source.group,
    )
