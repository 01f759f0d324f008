"""Forgetting: whatever tells of it goes, wherever it lies."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from dataclasses import replace
from typing import Protocol

from cloche.links import Links
from cloche.memory.forgotten import Forgotten
from cloche.memory.groups import MAX_CHARS, GroupWords
from cloche.memory.records import MemoryRecord
from cloche.memory.remembered import Erased
from cloche.memory.sessions import Sessions
from cloche.memory.store import MemoryStore
from cloche.memory.summaries import Summaries
from cloche.memory.telling import any_tells, said_in, told_in
from cloche.memory.truth.notes import drop_note
from cloche.memory.writer import Writer
from cloche.people import person_prefix
from cloche.reminders.store import ReminderStore
from cloche.state.store import StateStore
from cloche.vocabulary import bare_words


class Traces(Protocol):
    """Where people's words lie besides memory: what waits to be answered or sent."""

    async def forget(self, doors: Collection[str], tells: Callable[[str], bool]) -> int:
        """Drop what waits of the people behind some doors and tells of what is forgotten.

        Args:
            doors: Actor ids of addresses.
            tells: Whether words tell of it.

        Returns:
            How much that was.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        ...


class Files(Protocol):
    """What people sent and what was made for them."""

    async def forget(self, actor: str) -> int:
        """Remove all of a person's files; how many.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        ...

    async def forget_telling(self, actor: str, tells: Callable[[str], bool]) -> int:
        """Remove a person's texts that tell of something; how many.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        ...


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
        links: Links,
        reminders: ReminderStore,
        forgotten: Forgotten,
        files: Files,
    ) -> None:
        """Take every place that something about a person can lie in, and whose doors are whose."""
        self._reminders, self._forgotten, self._files = reminders, forgotten, files
        self._traces: list[Traces] = []
        self._store, self._writer, self._state = store, writer, state
        self._summaries, self._links = summaries, links
        self._sessions, self._groups = sessions, groups
        self._elsewhere: list[Callable[[str], Awaitable[None]]] = []
        self._kept_elsewhere: list[Callable[[str], Awaitable[int]]] = []

    def also(self, forget: Callable[[str], Awaitable[None]]) -> None:
        """Have somebody else who keeps what was said let go of a person's, whenever we do."""
        self._elsewhere.append(forget)

    def also_files(self, forget: Callable[[str], Awaitable[int]]) -> None:
        """Have somebody else who keeps files remove all of a person's, and say how many."""
        self._kept_elsewhere.append(forget)

    def reach(self, traces: Traces) -> None:
        """Have forgetting reach what waits somewhere, too."""
        self._traces.append(traces)

    async def record(self, actor: str, forgotten_id: str, *, turn: str = "") -> Erased:
        """Remove a record for good, with all that would still tell it.

        That is the records it superseded, every turn whose words or answer say the same, the turns
        it was taken from, the summaries and tasks made of these, what the session parts show, the
        lines of groups it was told in, and files whose text says it. What turns that began before
        would store of it is left out, but for the one it is forgotten in (``turn``; "" = none).

        Raises:
            MemoryUnavailableError: a store is away; run it again, what is gone stays gone.
        """
        async with self._forgotten.alone(actor):
            return await self._record(actor, forgotten_id, turn)

    async def _record(self, actor: str, forgotten_id: str, turn: str) -> Erased:
        removed = await self._chain(actor, forgotten_id)
        said = said_in(removed)
        if removed:
            await self._forgotten.note(actor, said, turn=turn)
        doors = [actor, *(link.door for link in await self._links.doors_of(actor))]
        waiting = await self._waiting(doors, lambda text: any_tells(text, said))
        files = await self._files.forget_telling(actor, lambda text: any_tells(text, said))
        told = await self._turns_that_tell(actor, removed)
        words = [*told.values(), *(r.source.quote for r in removed)]
        state = await self._groups.forget(actor, lambda line: _repeats(line, words, said))
        events, records = 0, 0
        for event_id in told:
            events += await self._writer.delete_event(actor, event_id)
        for record in removed:
            if record.kind == "summary":
                await self._summaries.never_again(record)
            records += await self._writer.delete(actor, record.id)
            await drop_note(self._state, actor, record.id)
        records += await self._summaries.without_events(actor, list(told))
        self._sessions.drop(actor)
        if removed:
            await self._forgotten.finish(actor)
        await self._let_go(actor)
        if removed:
            state += await self._state.delete_prefix(f"{person_prefix(actor)}session/")
        return Erased(events, records, waiting, state, files)

    async def _chain(self, actor: str, record_id: str) -> list[MemoryRecord]:
        """The record and those it superseded, and theirs."""
        chain, found, seen = [record_id], [], set[str]()
        while chain:
            one = chain.pop()
            if one in seen:  # two that took each other's place in turn
                continue
            seen.add(one)
            record = await self._store.get(actor, one)
            if record is not None:
                found.append(record)
                chain += record.validity.supersedes
        return found

    async def _turns_that_tell(self, actor: str, records: list[MemoryRecord]) -> dict[str, str]:
        """The person's words in these turns, by the turn's id."""
        named = {event_id for r in records for event_id in _told_in(r)}
        said = said_in(records)
        found, after = dict[str, str](), ""
        while page := await self._store.iterate_events(actor, after=after, limit=500):
            after = page[-1].id
            for event in page:
                if event.id in named or any_tells(told_in(event), said):
                    found[event.id] = event.user_text
        return found

    async def everything(self, actor: str) -> Erased:
        """Remove all there is about a person: events, records, spool, reminders, state.

        What a door linked to them had and was not moved yet is theirs, too: it goes with it. Roles
        and links stay; see docs/security.md.

        Raises:
            MemoryUnavailableError: a store is away; run it again, what is gone stays gone.
        """
        doors = [link.door for link in await self._links.doors_of(actor)]
        dropped = await self._waiting([actor, *doors], lambda text: True)
        erased = await self._all_of(actor)
        for door in doors:
            more = await self._all_of(door)
            erased = Erased(
                erased.events + more.events,
                erased.records + more.records,
                erased.waiting + more.waiting,
                erased.state + more.state,
                erased.files + more.files,
            )
        return replace(erased, waiting=erased.waiting + dropped)

    async def _waiting(self, doors: Collection[str], tells: Callable[[str], bool]) -> int:
        return sum([await traces.forget(doors, tells) for traces in self._traces])

    async def _let_go(self, actor: str) -> None:
        for forget in self._elsewhere:
            await forget(actor)

    async def _all_of(self, actor: str) -> Erased:
        async with self._forgotten.alone(actor):
            await self._forgotten.mark(actor)
            erased = await self._erased(actor)
            await self._forgotten.finish(actor)
            await self._let_go(actor)  # of what a turn looked up while it was being erased
            return erased

    async def _erased(self, actor: str) -> Erased:
        self._sessions.drop(actor)
        await self._let_go(actor)
        waiting = await self._writer.purge(actor)
        forgotten = await self._store.forget(actor)
        rings = await self._groups.forget(actor)
        told = await self._reminders.forget(actor)
        files = await self._files.forget(actor)
        files += sum([await forget(actor) for forget in self._kept_elsewhere])
        items = await self._state.delete_prefix(person_prefix(actor))
        return Erased(forgotten.events, forgotten.records, waiting, items + rings + told, files)


def _told_in(record: MemoryRecord) -> list[str]:
    """Events a record was told in: where it was said, and where it was said again."""
    if record.kind == "summary":
        return []  # the session's turns stay; each is forgotten with what it told
    return [event_id for event_id in (record.source.ref, *record.source.derived_from) if event_id]


def _repeats(line: str, turns: list[str], said: list[str]) -> bool:
    """True for a group's line that is one of the turns, or the beginning of a long one."""
    whole = any(turn and turn[:MAX_CHARS] == line for turn in turns)
    return whole or (bool(bare_words(line)) and any_tells(line, said))
