"""Memory as the turn uses it: recall before the answer, persist and extract after it.

Memory is an improvement, never a dependency: ``recall`` answers within its budget with whatever
it has, and a write that fails waits in the spool.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Final

from cloche.clock import Clock
from cloche.errors import MemoryUnavailableError, ModelError, ToolError
from cloche.ids import record_id
from cloche.logs import OncePerCause
from cloche.memory.extraction import Draft, Extractor
from cloche.memory.groups import GroupWords
from cloche.memory.lifecycle import validity_for
from cloche.memory.ranking import is_current, rank
from cloche.memory.recall import Recall
from cloche.memory.records import Event, MemoryRecord, Source, Trust
from cloche.memory.remembered import Erased, Remembered
from cloche.memory.retrieval import Retrieval
from cloche.memory.sessions import Sessions
from cloche.memory.store import MemoryStore, SearchQuery
from cloche.memory.writer import Writer
from cloche.messages import Message
from cloche.namespaces import NamespaceScheme
from cloche.people import Person, person_prefix
from cloche.prompt import GroupLine
from cloche.settings import MemorySettings
from cloche.state.store import StateStore
from cloche.vocabulary import Vocabulary, fold

USE_LOG_KEPT: Final = timedelta(days=90)
SCOPE: Final = "long_term"


class Memory:
    """One assistant's memory of everybody it talks to, one person at a time."""

    def __init__(
        self,
        *,
        store: MemoryStore,
        writer: Writer,
        state: StateStore,
        extractor: Extractor,
        fallback: Extractor,
        vocabulary: Vocabulary,
        namespaces: NamespaceScheme,
        settings: MemorySettings,
        clock: Clock,
        notices: OncePerCause,
    ) -> None:
        """Take the parts; ``fallback`` extracts when ``extractor``'s model gives nothing."""
        self.store, self.writer, self.state = store, writer, state
        self._extractor, self._fallback = extractor, fallback
        self.vocabulary, self.namespaces = vocabulary, namespaces
        self._settings, self.clock, self._notices = settings, clock, notices
        self._retrieval = Retrieval(
            store, vocabulary, namespaces, clock, limit=settings.recall_records
        )
        self.sessions = Sessions(store, state)
        self.groups = GroupWords(state)

    async def recall(self, person: Person, message: Message) -> Recall:
        """What the turn gets from memory, within the time budget; never fails."""
        try:
            async with asyncio.timeout(self._settings.recall_seconds):
                part, history, records, earlier, group = await asyncio.gather(
                    self.sessions.part(person),
                    self.sessions.history(person),
                    self._retrieval.records(person, message),
                    self._retrieval.earlier(person, message),
                    self._group_words(person),
                )
        except (MemoryUnavailableError, TimeoutError) as error:
            cause = getattr(error, "cause", "slow")
            self._notices.warn(f"memory {cause}", "answering without memory: %s", cause)
            at_hand = self.sessions.at_hand(person)
            return Recall(history=at_hand, first=not at_hand, degraded=cause)
        known = set(part.records)
        return Recall(
            session_part=part.text,
            history=history,
            records=rank(
                (found for found in records if found.record.id not in known),
                now=self.clock(),
                limit=self._settings.recall_records,
                tokens=self._settings.recall_tokens,
            ),
            earlier=tuple(earlier),
            group=group,
            first=not history,
        )

    async def remember(
        self, person: Person, event: Event, recall: Recall, message: Message
    ) -> Remembered:
        """Store the turn and what the person said in it; never fails.

        The event comes first, then the records taken from it, then what was used.
        """
        self.sessions.note(event)
        await self.writer.add_event(event)
        records = []
        for index, draft in enumerate(await self._extract(event)):
            if record := await self._keep(self._record(draft, event, index, message.scope_keys)):
                records.append(record)
        try:
            await self._log_use(event, recall)
            if person.group:
                await self.groups.add(
                    person.conversation, event.actor, message.sender_name, event.user_text
                )
        except MemoryUnavailableError as error:
            self._notices.warn(f"state {error.cause}", "state store: %s", error)
        return Remembered(tuple(records), await self.writer.pending(event.actor))

    async def correct(
        self, person: Person, old_id: str, text: str, *, call_id: str
    ) -> MemoryRecord:
        """Have a record say something else: a new one supersedes it, the old one is history.

        Raises:
            ToolError: there is no such current record of this person.
        """
        old = await self.store.get(person.actor, old_id)
        if old is None or not is_current(old, self.clock()):
            raise ToolError(f"There is no memory {old_id!r}; list them to see the ids.")
        now = self.clock()
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
        await self.writer.write(new)
        await self.writer.archive(person.actor, old.id, now)
        await self.sessions.rebuild_without(person.actor, old.id)
        return new

    async def forget_record(self, actor: str, forgotten_id: str) -> Erased:
        """Remove a record for good, with all that would still tell it.

        That is the records it superseded, the events they were taken from (the whole turns), and
        what the session parts show.

        Raises:
            MemoryUnavailableError: a store is away; run it again, what is gone stays gone.
        """
        events, records, chain = 0, 0, [forgotten_id]
        while chain:
            record = await self.store.get(actor, chain.pop())
            if record is None:
                continue
            chain += record.validity.supersedes
            if record.source.type == "session" and record.source.ref:
                events += await self.writer.delete_event(actor, record.source.ref)
            records += await self.writer.delete(actor, record.id)
        self.sessions.drop(actor)
        state = await self.state.delete_prefix(f"{person_prefix(actor)}session/") if records else 0
        return Erased(events=events, records=records, waiting=0, state=state)

    async def forget_everything(self, actor: str) -> Erased:
        """Remove all there is about a person: events, records, spool, state.

        Raises:
            MemoryUnavailableError: a store is away; run it again, what is gone stays gone.
        """
        self.sessions.drop(actor)
        waiting = await self.writer.purge(actor)
        forgotten = await self.store.forget(actor)
        rings = await self.groups.forget(actor)
        items = await self.state.delete_prefix(person_prefix(actor))
        return Erased(forgotten.events, forgotten.records, waiting, items + rings)

    async def close(self) -> None:
        """Release the stores."""
        await self.store.close()
        await self.state.close()

    async def _group_words(self, person: Person) -> tuple[GroupLine, ...]:
        return await self.groups.others(person.conversation, person.actor) if person.group else ()

    async def _extract(self, event: Event) -> tuple[Draft, ...]:
        if not event.user_text.strip():
            return ()
        try:
            return await self._extractor.extract(event, self.vocabulary)
        except ModelError as error:
            self._notices.warn(f"extraction {error.cause}", "extraction: %s", error)
            return await self._fallback.extract(event, self.vocabulary)

    def _record(
        self, draft: Draft, event: Event, index: int, scope_keys: Mapping[str, str]
    ) -> MemoryRecord:
        scope, key = self.namespaces.scope_for(scope_keys)
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
            validity=validity_for(draft.kind, scope, event.at),
            trust=Trust(confidence=draft.confidence, importance=draft.importance),
        )

    async def _keep(self, record: MemoryRecord) -> MemoryRecord | None:
        """Write a record, or confirm the one that says the same; None when nothing was new."""
        same = await self._same_statement(record)
        if same is None:
            await self.writer.write(record)
            return record
        if same.id != record.id and same.source.ref != record.source.ref:
            await self.writer.update(
                replace(
                    same,
                    validity=replace(same.validity, updated_at=record.validity.updated_at),
                    trust=replace(same.trust, confirmations=same.trust.confirmations + 1),
                )
            )
        return None

    async def _same_statement(self, record: MemoryRecord) -> MemoryRecord | None:
        query = SearchQuery(text=record.text, at=self.clock(), limit=10, kinds=(record.kind,))
        try:
            async with asyncio.timeout(self._settings.recall_seconds):
                hits = await self.store.search(record.actor, query)
        except (MemoryUnavailableError, TimeoutError):
            return None
        for hit in hits:
            if _says(hit.record) == _says(record):
                return hit.record
        return None

    async def _log_use(self, event: Event, recall: Recall) -> None:
        if recall.records:
            await self.state.put(
                f"{person_prefix(event.actor)}used/{event.id}",
                [recalled.record.id for recalled in recall.records],
                ttl=USE_LOG_KEPT,
            )


def _says(record: MemoryRecord) -> tuple[str, str, str, str, bool]:
    where = record.source.conversation if record.source.group else ""
    return (
        record.subject,
        record.scope_key,
        " ".join(fold(record.text).split()),
        where,
        record.source.group,
    )
