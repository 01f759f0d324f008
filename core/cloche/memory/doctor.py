"""What is wrong with a person's memory, and what to do about it. Reads; changes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from cloche.memory.contradictions import contradictions
from cloche.memory.findings import Finding
from cloche.memory.holdings import read_records, short_id
from cloche.memory.journal import damaged_prefix
from cloche.memory.pipeline import Memory
from cloche.memory.records import MemoryRecord, Tag
from cloche.memory.truth.judging import RulesJudge
from cloche.memory.use_log import Use, read_uses
from cloche.vocabulary import Vocabulary, fold
from cloche.words import split

GROWTH: Final = 0.2
"""More than this in a week is told."""
GROWTH_FROM: Final = 50
"""Of so few records a week's talk is a large part; that is no finding."""
WEEK: Final = timedelta(days=7)
NAMED: Final = 5
"""Records a finding names."""


async def examine(memory: Memory, actor: str) -> tuple[Finding, ...]:
    """Look at everything there is of a person; in the same order each time.

    Raises:
        MemoryUnavailableError: a store is away.
    """
    records, now = await read_records(actor, memory.store), memory.clock()
    uses = await read_uses(memory.state, actor)
    waiting = await memory.writer.pending(actor)
    return (
        growth(records, now),
        await contradictions(records, now, RulesJudge(memory.vocabulary)),
        used_after_end(records, uses),
        unknown_tags(records, memory.vocabulary),
        shared_slugs(records),
        without_source(records),
        _spool(waiting),
        await _open_turns(memory, actor),
    )


def growth(records: Sequence[MemoryRecord], now: datetime) -> Finding:
    """How many records came in the last week, against those there were before."""
    new = [one for one in records if one.validity.created_at > now - WEEK]
    before = len(records) - len(new)
    percent = f"{len(new) / before:.0%}" if before else "all new"
    value = f"{len(records)} records, {len(new)} of the last week ({percent})"
    if len(records) < GROWTH_FROM or len(new) <= GROWTH * before:
        return Finding("growth", "ok", value)
    kinds: dict[str, int] = {}
    for one in new:
        name = f"{one.kind} by {one.source.type}"
        kinds[name] = kinds.get(name, 0) + 1
    most = max(sorted(kinds), key=lambda kind: kinds[kind])
    remedy = (
        f"Most of them are of one sort: {most} ({kinds[most]}). Look with `cloche memory show` "
        "whether they are worth keeping; a skill may store too much, or an import ran twice."
    )
    return Finding("growth", "warning", value, remedy, _ids(new))


def used_after_end(records: Sequence[MemoryRecord], uses: Sequence[Use]) -> Finding:
    """Records that entered a turn after they had ended."""
    ends = {one.id: end for one in records if (end := _end(one)) is not None}
    late = [
        (use, one)
        for use in uses
        for one in (*use.records, *use.at_hand)
        if one in ends and ends[one] < _start(use)
    ]
    if not late:
        return Finding("expired but used", "ok", f"none in {len(uses)} turns")
    ids = tuple(dict.fromkeys(one for _, one in late))
    return Finding(
        "expired but used",
        "warning",
        f"{len(ids)}: {_named(ids)}; the last in turn {late[0][0].turn}",
        "What has ended must not enter a turn: the clocks of two machines may differ, or a store "
        f"plugin ignores the end. Remove it: `cloche memory forget {short_id(ids[0])}`.",
        ids,
    )


def unknown_tags(records: Sequence[MemoryRecord], vocabulary: Vocabulary) -> Finding:
    """Keys and closed values in records that the vocabulary does not have any more."""
    unknown: dict[str, list[str]] = {}
    for record in records:
        for key_id, value in record.metadata.items():
            if key_id not in vocabulary:
                unknown.setdefault(key_id, []).append(record.id)
                continue
            key = vocabulary[key_id]
            known = {one.id for one in key.values}
            for tag in value if key.closed and isinstance(value, tuple) else ():
                if tag.id not in known:
                    unknown.setdefault(f"{key_id}={tag.id}", []).append(record.id)
    if not unknown:
        return Finding("vocabulary", "ok", f"all tags of {len(records)} records are known")
    named = ", ".join(f"{name} ({len(ids)})" for name, ids in sorted(unknown.items())[:NAMED])
    return Finding(
        "vocabulary",
        "warning",
        f"the vocabulary no longer knows: {named}",
        "Put the key or value back into the vocabulary, as an alias of the new one where it has "
        "another name now; else no filter finds these records.",
        tuple(dict.fromkeys(one for ids in unknown.values() for one in ids)),
    )


def shared_slugs(records: Sequence[MemoryRecord]) -> Finding:
    """Tags of one key that have one id and labels that are different words."""
    owners: dict[tuple[str, str], dict[str, list[str]]] = {}
    for record in records:
        for key_id, value in record.metadata.items():
            for tag in value if isinstance(value, tuple) else ():
                labels = owners.setdefault((key_id, tag.id), {})
                labels.setdefault(_bare(tag), []).append(record.id)
    shared = {name: labels for name, labels in owners.items() if len(labels) > 1}
    if not shared:
        return Finding("labels", "ok", "each tag has one label")
    named = ", ".join(
        f"{key}={tag} ({' / '.join(sorted(labels))})"
        for (key, tag), labels in sorted(shared.items())[:NAMED]
    )
    return Finding(
        "labels",
        "warning",
        f"two labels under one tag: {named}",
        "If they name one thing, add both to the vocabulary as aliases of one value; if two, "
        "`cloche memory correct` the newer records, which gives the second a tag of its own.",
        tuple(
            dict.fromkeys(i for labels in shared.values() for ids in labels.values() for i in ids)
        ),
    )


def without_source(records: Sequence[MemoryRecord]) -> Finding:
    """Records that do not say what they come from."""
    ids = tuple(one.id for one in records if not (one.source.ref or one.source.derived_from))
    if not ids:
        return Finding("sources", "ok", "every record says where it is from")
    return Finding(
        "sources",
        "warning",
        f"{len(ids)} without: {_named(ids)}",
        "Nobody can tell why these are there: see `cloche memory why "
        f"{short_id(ids[0])}`, and forget or correct them.",
        ids,
    )


def _spool(waiting: int) -> Finding:
    if not waiting:
        return Finding("spool", "ok", "no write waits")
    return Finding(
        "spool",
        "warning",
        f"{waiting} writes wait",
        "They are written with the next turn. If they stay, the store cannot be written to: see "
        "`cloche doctor`, and whether the disk is full.",
    )


async def _open_turns(memory: Memory, actor: str) -> Finding:
    damaged = await memory.state.list_items(damaged_prefix(actor))
    if not damaged:
        return Finding("open turns", "ok", "none is damaged")
    return Finding(
        "open turns",
        "warning",
        f"damaged entries of turns that were set aside: {len(damaged)}",
        "What was said in them is not remembered, unless it was said again. They lie in state.db "
        f"under {damaged_prefix(actor)} until everything of the person is forgotten.",
    )


def _end(record: MemoryRecord) -> datetime | None:
    ends = (record.validity.expires_at, record.validity.archived_at)
    return min((end for end in ends if end is not None), default=None)


def _start(use: Use) -> datetime:
    # It is noted after the answer: what ended while the model wrote was there in time.
    return use.at - timedelta(minutes=5)


def _bare(tag: Tag) -> str:
    return "".join(word.folded for word in split(fold(tag.label)).words) or tag.label


def _named(ids: Sequence[str]) -> str:
    shown = ", ".join(short_id(one) for one in ids[:NAMED])
    return f"{shown}, ..." if len(ids) > NAMED else shown


def _ids(records: Sequence[MemoryRecord]) -> tuple[str, ...]:
    return tuple(record.id for record in records)
