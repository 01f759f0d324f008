"""Why a record is there: the words it rests on, what it replaced and by which rule, its uses."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from cloche.memory.holdings import matching_records, read_records
from cloche.memory.pipeline import Memory
from cloche.memory.records import Event, MemoryRecord
from cloche.memory.retrieval import STATEMENTS
from cloche.memory.store import SearchQuery
from cloche.memory.truth.notes import read_notes
from cloche.memory.use_log import Use, read_uses


@dataclass(frozen=True, slots=True)
class Succession:
    """One record in the place of another.

    Attributes:
        record_id: Id of the other record.
        record: The other one itself; None when it was forgotten since.
        rule: Code of the rule, as ``truth.notes`` keeps it; "" when none was noted.
    """

    record_id: str
    record: MemoryRecord | None
    rule: str


@dataclass(frozen=True, slots=True)
class Used:
    """A turn whose words asked for a record.

    Attributes:
        turn: Its id.
        at: When.
        words: What the person wrote; "" when that was forgotten since, or when it was nothing.
        forgotten: True when the turn is there no more.
        files: How many files came with it.
    """

    turn: str
    at: datetime
    words: str
    forgotten: bool = False
    files: int = 0


@dataclass(frozen=True, slots=True)
class Reasons:
    """All that can be told of a record's grounds.

    Attributes:
        record: The record.
        events: The turns it was said in, oldest first.
        replaced: What it took the place of.
        instead: What holds in its place; None while it holds itself.
        used: The turns of the last three months whose words asked for it, newest first.
        at_hand: In how many more it stood there without anything asking for it, as what a person
            always wants known does.
    """

    record: MemoryRecord
    events: tuple[Event, ...]
    replaced: tuple[Succession, ...]
    instead: Succession | None
    used: tuple[Used, ...]
    at_hand: int = 0

    @property
    def quote(self) -> str:
        """The person's own words it rests on, else the statement."""
        return self.record.source.quote or self.record.text

    @property
    def author(self) -> str:
        """Name of who wrote the quote when that was not the person; "" = the person."""
        return next((event.speaker for event in self.events if event.speaker), "")


async def candidates(memory: Memory, actor: str, written: str) -> list[MemoryRecord]:
    """Records that an id's beginning names, archived ones too; else the one the words fit best.

    Words that fit nothing find nothing, and what a session came to is found by its id alone.

    Raises:
        MemoryUnavailableError: the store is away.
    """
    words = written.strip().strip("`")
    if not words:
        return []
    found = [] if " " in words else await matching_records(actor, memory.store, words)
    if found:
        return found
    query = SearchQuery(words, memory.clock(), limit=1, kinds=STATEMENTS, sure=True)
    return [hit.record for hit in await memory.store.search(actor, query)]


async def reasons(memory: Memory, record: MemoryRecord) -> Reasons:
    """Everything that is known of why a record is there.

    Raises:
        MemoryUnavailableError: a store is away.
    """
    actor, source = record.actor, record.source
    every = await read_uses(memory.state, actor)
    uses = [use for use in every if record.id in use.records]
    told = {source.ref, *source.derived_from}
    events = await events_of(memory, actor, told | {use.turn for use in uses})
    turns = {event.id: event for event in events}
    return Reasons(
        record=record,
        events=tuple(event for event in events if event.id in told),
        replaced=await _replaced(memory, record),
        instead=await _instead(memory, record),
        used=tuple(_used(use, turns.get(use.turn)) for use in uses),
        at_hand=sum(
            record.id in (*use.at_hand, *use.session) and record.id not in use.records
            for use in every
        ),
    )


def _used(use: Use, turn: Event | None) -> Used:
    if turn is None:
        return Used(use.turn, use.at, "", forgotten=True)
    return Used(use.turn, use.at, turn.user_text, files=len(turn.attachments))


async def events_of(memory: Memory, actor: str, ids: Collection[str]) -> list[Event]:
    """A person's events of these ids, oldest first; what is not there is left out.

    Raises:
        MemoryUnavailableError: the store is away.
    """
    after, found = "", list[Event]()
    while page := await memory.store.iterate_events(actor, after=after, limit=500):
        after = page[-1].id
        found += [event for event in page if event.id in ids]
    return sorted(found, key=lambda event: (event.at, event.id))


async def last_use(memory: Memory, actor: str) -> tuple[Use, Sequence[MemoryRecord]] | None:
    """The newest turn that a record entered, and those of its records that are still there.

    Raises:
        MemoryUnavailableError: a store is away.
    """
    for use in (await read_uses(memory.state, actor))[:1]:
        records = [await memory.store.get(actor, one) for one in use.ids]
        return use, [record for record in records if record is not None]
    return None


async def _replaced(memory: Memory, record: MemoryRecord) -> tuple[Succession, ...]:
    notes = await read_notes(memory.state, record.actor, record.id)
    rules = {note.replaced: note.rule for note in notes if note.replaced}
    ids = dict.fromkeys((*record.validity.supersedes, *rules))
    return tuple(
        [
            Succession(one, await memory.store.get(record.actor, one), rules.get(one, ""))
            for one in ids
        ]
    )


async def _instead(memory: Memory, record: MemoryRecord) -> Succession | None:
    if record.validity.archived_at is None:
        return None
    for note in await read_notes(memory.state, record.actor, record.id):
        if note.by:
            holds = await memory.store.get(record.actor, note.by)
            return Succession(note.by, holds, note.rule)
    successors = await _successors(memory, record)
    # Two may have taken each other's place in turn: who holds, or did last, counts.
    return max(successors, key=_latest) if successors else None


async def took_its_place(memory: Memory, record: MemoryRecord) -> tuple[MemoryRecord, ...]:
    """What holds, or held, in the place of a record.

    Raises:
        MemoryUnavailableError: a store is away.
    """
    by = [note.by for note in await read_notes(memory.state, record.actor, record.id) if note.by]
    held = [await memory.store.get(record.actor, one) for one in by]
    successors = [one.record for one in await _successors(memory, record)]
    return tuple(one for one in (*held, *successors) if one is not None)


async def _successors(memory: Memory, record: MemoryRecord) -> list[Succession]:
    found = []
    for other in await read_records(record.actor, memory.store):
        notes = await read_notes(memory.state, record.actor, other.id)
        rules = {note.replaced: note.rule for note in notes}
        if record.id in other.validity.supersedes or record.id in rules:
            found.append(Succession(other.id, other, rules.get(record.id, "")))
    return found


def _latest(one: Succession) -> tuple[bool, datetime, str]:
    validity = one.record.validity if one.record else None
    if validity is None:
        return False, datetime.min.replace(tzinfo=UTC), one.record_id
    return validity.archived_at is None, validity.updated_at, one.record_id
