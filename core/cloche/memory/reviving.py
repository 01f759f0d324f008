"""The way back: a record that is history holds again, in the place of what took its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cloche.memory.lifecycle import validity_for
from cloche.memory.pipeline import Memory
from cloche.memory.ranking import is_current
from cloche.memory.records import MemoryRecord
from cloche.memory.truth.notes import Note, drop_note, read_notes, write_note
from cloche.memory.why import took_its_place

RULE = "revived"
"""The code it is noted by."""


async def revive(
    memory: Memory, record: MemoryRecord, instead: Sequence[MemoryRecord] = ()
) -> tuple[MemoryRecord, tuple[MemoryRecord, ...]]:
    """Have a record hold; the records that it takes the place of are history from then on.

    Args:
        memory: Where it lies.
        record: Of history, or one that holds already.
        instead: What else it takes the place of, beside what took its own.

    Returns:
        The record as it is now, and what it took the place of.

    Raises:
        MemoryUnavailableError: a store is away.
    """
    now, actor = memory.clock(), record.actor
    others = {one.id: one for one in (*await took_its_place(memory, record), *instead)}
    gone = [one for one in others.values() if one.id != record.id and is_current(one, now)]
    scopes = {scope.name: scope for scope in memory.namespaces.all_scopes}
    scope = scopes.get(record.scope, scopes["long_term"])
    ids = (*record.validity.supersedes, *(one.id for one in gone))
    validity = record.validity
    if not is_current(record, now):
        validity = replace(validity_for(record.kind, scope, now), created_at=validity.created_at)
    holds = replace(
        record,
        validity=replace(validity, updated_at=now, supersedes=tuple(dict.fromkeys(ids))),
        trust=replace(record.trust, verified_at=now),
    )
    await memory.writer.update(holds)
    for one in gone:
        await memory.writer.archive(actor, one.id, now)
        await memory.sessions.rebuild_without(actor, one.id)
    before = [one for one in await read_notes(memory.state, actor, record.id) if one.replaced]
    notes = [*(Note(RULE, one.id) for one in gone), *before]
    if notes:
        await write_note(memory.state, actor, record.id, notes)
    else:
        await drop_note(memory.state, actor, record.id)
    return holds, tuple(gone)
