"""Forgetting: whatever tells of it goes, wherever it lies."""

from __future__ import annotations

from cloche.memory.groups import GroupWords
from cloche.memory.records import MemoryRecord
from cloche.memory.remembered import Erased
from cloche.memory.sessions import Sessions
from cloche.memory.store import MemoryStore
from cloche.memory.summaries import Summaries
from cloche.memory.truth.notes import drop_note
from cloche.memory.writer import Writer
from cloche.people import person_prefix
from cloche.state.store import StateStore


class Forgetter:
    """Removes one record of a person, or all there is about them."""

    def __init__(
        self,
        store: MemoryStore,
        writer: Writer,
        state: StateStore,
        sessions: Sessions,
        groups: GroupWords,
        summaries: Summaries,
    ) -> None:
        """Take every place that something about a person can lie in."""
        self._store, self._writer, self._state = store, writer, state
        self._summaries = summaries
        self._sessions, self._groups = sessions, groups

    async def record(self, actor: str, forgotten_id: str) -> Erased:
        """Remove a record for good, with all that would still tell it.

        That is the records it superseded, the events they were taken from (the whole turns), the
        summaries and tasks made of these, and what the session parts show.

        Raises:
            MemoryUnavailableError: a store is away; run it again, what is gone stays gone.
        """
        events, records, chain = 0, 0, [forgotten_id]
        told: list[str] = []
        while chain:
            record = await self._store.get(actor, chain.pop())
            if record is None:
                continue
            chain += record.validity.supersedes
            if record.kind == "summary":
                await self._summaries.never_again(record)
            told += _told_in(record)
            for event_id in _told_in(record):
                events += await self._writer.delete_event(actor, event_id)
            records += await self._writer.delete(actor, record.id)
            await drop_note(self._state, actor, record.id)
        records += await self._summaries.without_events(actor, told)
        self._sessions.drop(actor)
        state = await self._state.delete_prefix(f"{person_prefix(actor)}session/") if records else 0
        return Erased(events=events, records=records, waiting=0, state=state)

    async def everything(self, actor: str) -> Erased:
        """Remove all there is about a person: events, records, spool, state.

        Raises:
            MemoryUnavailableError: a store is away; run it again, what is gone stays gone.
        """
        self._sessions.drop(actor)
        waiting = await self._writer.purge(actor)
        forgotten = await self._store.forget(actor)
        rings = await self._groups.forget(actor)
        items = await self._state.delete_prefix(person_prefix(actor))
        return Erased(forgotten.events, forgotten.records, waiting, items + rings)


def _told_in(record: MemoryRecord) -> list[str]:
    """Events a record was told in: where it was said, and where it was said again."""
    if record.kind == "summary":
        return []  # the session's turns stay; each is forgotten with what it told
    first = [record.source.ref] if record.source.type == "session" else []
    return [event_id for event_id in (*first, *record.source.derived_from) if event_id]
