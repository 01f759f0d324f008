"""What becomes of a statement: a new record, one more confirmation, or another record's end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final
from weakref import WeakValueDictionary
from zoneinfo import ZoneInfo

from cloche.clock import Clock
from cloche.errors import MemoryUnavailableError
from cloche.ids import record_id
from cloche.memory.extraction import Draft, screen
from cloche.memory.extraction.timebound import expiry_of
from cloche.memory.lifecycle import validity_for
from cloche.memory.ranking import is_current
from cloche.memory.records import Event, MemoryRecord, Source, Trust, no_metadata
from cloche.memory.refusals import no_such_memory, refuse_same, refuse_unkept
from cloche.memory.sessions import Sessions
from cloche.memory.settling import Settler
from cloche.memory.spelling import holds
from cloche.memory.store import MemoryStore, SearchQuery
from cloche.memory.truth.current import CurrentTruth
from cloche.memory.truth.judging import Judge
from cloche.memory.truth.labels import Labels
from cloche.memory.truth.notes import Note
from cloche.memory.truth.screening import count_screened
from cloche.memory.truth.wholes import Wholes, named_in, scope_of
from cloche.memory.unsaying import Unsaying
from cloche.memory.usable import usable
from cloche.memory.writer import Writer
from cloche.messages import Correction
from cloche.namespaces import NamespaceScheme
from cloche.people import Person
from cloche.state.store import StateStore
from cloche.vocabulary import Vocabulary

logger = logging.getLogger(__name__)

JUST_KEPT: Final = 10
"""Records that tools may have kept in one turn."""

_UTC: Final = ZoneInfo("UTC")


class Keeper:
    """Keeps statements of one assistant's people, so that what is current says each thing once."""

    def __init__(
        self,
        store: MemoryStore,
        writer: Writer,
        state: StateStore,
        sessions: Sessions,
        namespaces: NamespaceScheme,
        vocabulary: Vocabulary,
        clock: Clock,
        *,
        seconds: float,
        judge: Judge | None = None,
    ) -> None:
        """Take where records lie, and how many seconds a look at them may take.

        ``judge`` is asked where the rules cannot tell how two statements stand to each other.
        """
        self._store, self._writer, self._state = store, writer, state
        self._sessions, self._namespaces, self._clock = sessions, namespaces, clock
        self._seconds = seconds
        self._truth = CurrentTruth(store, vocabulary, judge, seconds=seconds)
        self._wholes = Wholes(self._truth, namespaces, vocabulary)
        self._vocabulary, self.labels = vocabulary, Labels(state, vocabulary)
        self._settler = Settler(store, writer, state, sessions, self._truth, self.labels)
        self._unsaying = Unsaying(store, writer, self._settler)
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def keep(
        self,
        drafts: Sequence[Draft],
        event: Event,
        scope_keys: Mapping[str, str],
        zone: ZoneInfo = _UTC,
        corrected: Sequence[Correction] = (),
    ) -> tuple[MemoryRecord, ...]:
        """Write what is new of an event's statements; never fails. The records written.

        Secrets and instructions among the event's words are counted, whoever left them out.

        Args:
            drafts: What was extracted.
            event: The turn it was extracted from.
            scope_keys: The turn's.
            zone: The person's, which "today" and "until Friday" are counted in.
            corrected: Earlier messages that the person edited; what was edited out holds no more.
        """
        try:
            await count_screened(self._state, event)
        except MemoryUnavailableError as error:
            logger.info("what was kept out is not counted: %s", error.cause)
        records = []
        async with self._turn_of(event.actor):
            told = await self._told_to_tools(event)
            for index, draft in enumerate(drafts):
                if screen(draft.text) or screen(draft.subject):
                    continue
                if any(holds(draft.text, text) for text in told):
                    continue
                record = await self._kept(draft, event, index, scope_keys, zone)
                if record is not None:
                    records.append(record)
            try:
                await self._unsaying.unsay(event, corrected, records)
            except MemoryUnavailableError as error:
                logger.info("what was edited out is kept: %s", error.cause)
        return tuple(records)

    def _turn_of(self, actor: str) -> asyncio.Lock:
        """One person's statements are weighed one after the other, whatever turns run at once."""
        return self._turns.setdefault(actor, asyncio.Lock())

    async def _kept(
        self,
        draft: Draft,
        event: Event,
        index: int,
        scope_keys: Mapping[str, str],
        zone: ZoneInfo,
    ) -> MemoryRecord | None:
        """The record written of a statement; what is wrong with one costs none of the others."""
        for metadata in (usable(draft.metadata), no_metadata()):
            try:
                made = self._record(
                    replace(draft, metadata=metadata), event, index, scope_keys, zone
                )
                record, corrected = await self._wholes.whole(made, zone)
                if record is None or await self._settler.settle(record, corrected) is not None:
                    return None
                return record
            except Exception as error:
                fault = type(error).__name__  # its text may quote what was said
                logger.warning("turn=%s fault=%s | a statement is not kept so", event.id, fault)
        return None

    async def store(self, record: MemoryRecord) -> MemoryRecord:
        """Keep a statement that a tool gives; the record that stands for it from now on.

        Raises:
            ToolError: it holds a secret, or orders to the assistant.
        """
        refuse_unkept(record.text, record.subject)
        async with self._turn_of(record.actor):
            return await self._settler.settle(record) or record

    async def correct(
        self, person: Person, old_id: str, text: str, *, call_id: str, written: bool = False
    ) -> MemoryRecord:
        """Have a record say something else: a new one supersedes it, the old one is history.

        ``written`` = the person wrote the text just so: it is their own words.

        Raises:
            ToolError: there is no such current record of this person, or the text holds a secret
                or orders to the assistant.
        """
        refuse_unkept(text)
        async with self._turn_of(person.actor):
            return await self._corrected(person, old_id, text, call_id, text if written else "")

    async def _corrected(
        self, person: Person, old_id: str, text: str, call_id: str, quote: str
    ) -> MemoryRecord:
        new_id = record_id(person.actor, call_id, "correct", old_id)
        if done := await self._store.get(person.actor, new_id):
            return done  # the turn is run again
        old = await self._store.get(person.actor, old_id)
        if old is None or not is_current(old, self._clock()):
            raise no_such_memory(old_id)
        refuse_same(text, old.text)
        # What only the old words named goes with them, but of which kind it is stays.
        before = named_in(old.text, self._vocabulary)
        kept = {
            key: value
            for key, value in old.metadata.items()
            if key not in before or self._vocabulary[key].closed
        }
        now, scope = self._clock(), scope_of(old, self._namespaces)
        ends = expiry_of(text, old.kind, now, person.zone)
        new = replace(
            old,
            id=new_id,
            text=text,
            metadata={**kept, **named_in(text, self._vocabulary)},
            source=Source(
                type="tool",
                ref=call_id,
                quote=quote,
                conversation=person.conversation,
                group=person.group,
            ),
            validity=replace(
                validity_for(old.kind, scope, now, lifetime=ends - now if ends else None),
                supersedes=(old.id,),
            ),
            trust=replace(old.trust, confirmations=0, verified_at=now),
        )
        await self._writer.write(new)
        await self._settler.end(old, new)
        await self._settler.note(new, [Note("corrected", old.id)])
        return new

    async def _told_to_tools(self, event: Event) -> list[str]:
        """What tools kept of this very turn: said once, so it is neither kept nor counted again.

        The event is noted as where it was told, so that forgetting it reaches the event, too.
        """
        query = SearchQuery("", self._clock(), limit=JUST_KEPT)
        try:
            async with asyncio.timeout(self._seconds):
                hits = await self._store.search(event.actor, query)
        except (MemoryUnavailableError, TimeoutError) as error:
            cause = getattr(error, "cause", "slow")
            logger.info("statements are kept without a look at what tools kept: %s", cause)
            return []
        told = []
        for record in (hit.record for hit in hits):
            source, at = record.source, record.validity.updated_at
            here = source.type == "tool" and source.conversation == event.conversation
            new = here and at >= event.at
            confirmed = at > event.at and holds(event.user_text, record.text)
            if not new and not confirmed:
                continue
            told.append(record.text)
            if event.id not in (source.ref, *source.derived_from):
                linked = replace(source, derived_from=(*source.derived_from, event.id))
                await self._writer.update(replace(record, source=linked))
        return told

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
            metadata={**draft.metadata, **self._vocabulary.host_set(scope_keys)},
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
