"""A weighed statement is written, and what follows from it for the records that held so far."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

from cloche.errors import MemoryUnavailableError
from cloche.memory.records import MemoryRecord
from cloche.memory.sessions import Sessions
from cloche.memory.store import MemoryStore
from cloche.memory.truth.confirming import confirmed_by
from cloche.memory.truth.correcting import without_correction
from cloche.memory.truth.current import CurrentTruth
from cloche.memory.truth.decisions import Decision, Meeting
from cloche.memory.truth.labels import Labels
from cloche.memory.truth.notes import Note, read_notes, write_note
from cloche.memory.writer import Writer
from cloche.state.store import StateStore

logger = logging.getLogger(__name__)


class Settler:
    """Writes statements of one assistant's people as what holds now has it."""

    def __init__(
        self,
        store: MemoryStore,
        writer: Writer,
        state: StateStore,
        sessions: Sessions,
        truth: CurrentTruth,
        labels: Labels,
    ) -> None:
        """Take where records lie and are written, and who decides what a new one does."""
        self._store, self._writer, self._state = store, writer, state
        self._sessions, self._truth, self._labels = sessions, truth, labels

    async def settle(
        self, record: MemoryRecord, corrected: MemoryRecord | None = None
    ) -> MemoryRecord | None:
        """Write a record and what follows from it; the older one that says the same, if any."""
        try:
            if await self._store.get(record.actor, record.id):
                return None  # the turn is run again
            record = replace(
                record, metadata=await self._labels.settle(record.actor, record.metadata)
            )
        except MemoryUnavailableError as error:
            logger.info("a statement is written without a look at others: %s", error.cause)
        decision = await self._truth.decide(record, corrected)
        if decision.stands_behind:
            await self._write_as_history(record, decision)
            return None
        if decision.confirms:
            if confirmed := confirmed_by(decision.confirms, record):
                await self._writer.update(confirmed)
                await self._meet(confirmed, decision)
            await self._replace(confirmed or decision.confirms, decision)
            return confirmed or decision.confirms
        replaced = tuple(old.id for old, _ in decision.replaces)
        text = without_correction(record.text)
        record = replace(record, text=text, validity=replace(record.validity, supersedes=replaced))
        await self._writer.write(record)
        await self._replace(record, decision)
        return await self._meet(record, decision)

    async def _meet(self, record: MemoryRecord, decision: Decision) -> MemoryRecord | None:
        """Settle what another process wrote meanwhile; the record that says the same, if any."""
        seen = decision.seen | {record.id} | {old.id for old, _ in decision.replaces}
        for meeting in await self._truth.met(record, seen):
            if meeting.verdict.relation == "same":
                # Whoever looks last joins them: the other may have looked before there were two.
                first, last = meeting.ends, meeting.holds
                await self._join(first, last)
                if last.id == record.id:
                    return first
            else:
                await self._part(meeting)
        return None

    async def _part(self, meeting: Meeting) -> None:
        """Of two that exclude each other, the one that was said last takes the other's place."""
        holds, ends = meeting.holds, meeting.ends
        supersedes = tuple(dict.fromkeys((*holds.validity.supersedes, ends.id)))
        await self._writer.update(
            replace(holds, validity=replace(holds.validity, supersedes=supersedes))
        )
        await self.end(ends, holds)
        await self.note_too(holds, Note(meeting.verdict.rule, ends.id))

    async def _join(self, first: MemoryRecord, last: MemoryRecord) -> None:
        """Make one record of two that say the same."""
        if confirmed := confirmed_by(first, last):
            await self._writer.update(confirmed)
        await self._writer.delete(last.actor, last.id)

    async def _notes_of(self, record: MemoryRecord) -> tuple[Note, ...]:
        try:
            return await read_notes(self._state, record.actor, record.id)
        except MemoryUnavailableError:
            return ()

    async def _replace(self, new: MemoryRecord, decision: Decision) -> None:
        """Have the new record stand in the place of others; their history stays."""
        for old, _ in decision.replaces:
            if await self._said_again(old, new):
                await self._writer.archive(new.actor, new.id, new.validity.updated_at)
                await self.note(new, [Note("older", by=old.id)])
                return
            await self.end(old, new)
        notes = [Note(verdict.rule, old.id) for old, verdict in decision.replaces]
        if notes:
            await self.note(new, notes)

    async def _said_again(self, old: MemoryRecord, new: MemoryRecord) -> bool:
        """True when another process confirmed an old record after the new statement was made."""
        try:
            now = await self._store.get(old.actor, old.id)
        except MemoryUnavailableError:
            return False
        if now is None or now.validity.updated_at == old.validity.updated_at:
            return False
        return now.validity.updated_at > new.validity.updated_at

    async def end(self, old: MemoryRecord, new: MemoryRecord) -> None:
        """Make an old record history, for a new one holds instead."""
        await self._writer.archive(old.actor, old.id, new.validity.updated_at)
        try:
            await self._sessions.rebuild_without(old.actor, old.id)
        except MemoryUnavailableError as error:
            logger.info("a session part may still show what changed: %s", error.cause)

    async def _write_as_history(self, record: MemoryRecord, decision: Decision) -> None:
        """What does not hold against what was said goes into the history at once."""
        holds = decision.stands_behind.id if decision.stands_behind else ""
        await self._writer.write(record)
        await self._writer.archive(record.actor, record.id, record.validity.created_at)
        await self.note(record, [Note(decision.rule, by=holds)])

    async def note_too(self, record: MemoryRecord, note: Note) -> None:
        """Note one more rule beside those that are noted."""
        before = await self._notes_of(record)
        await self.note(record, list(dict.fromkeys(chain(before, [note]))))

    async def note(self, record: MemoryRecord, notes: Sequence[Note]) -> None:
        """Note by which rule a record took others' places."""
        try:
            await write_note(self._state, record.actor, record.id, notes)
        except MemoryUnavailableError as error:
            logger.info("the rule a record changed by is not noted: %s", error.cause)
