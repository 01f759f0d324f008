"""What is wrong with a person's memory, and what to do about it. Reads; changes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import combinations
from typing import Final, Literal

from cloche.memory.holdings import read_records, short_id
from cloche.memory.pipeline import Memory
from cloche.memory.ranking import is_current
from cloche.memory.records import MemoryRecord, Metadata, Tag
from cloche.memory.truth.current import COMPARED
from cloche.memory.truth.judging import RulesJudge
from cloche.memory.use_log import Use, read_uses
from cloche.vocabulary import Vocabulary, fold
from cloche.words import split

GROWTH: Final = 0.2
"""More than this in a week is told."""
GROWTH_FROM: Final = 50
"""Of so few records a week's talk is a large part; that is no finding."""
WEEK: Final = timedelta(days=7)
MAX_PAIRS: Final = 10_000
"""Pairs of records compared at most; when that is not all, it is told."""
NAMED: Final = 5
"""Records a finding names."""

Status = Literal["ok", "warning"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        name: What was looked at.
        status: "warning" = something is to be done.
        value: What was found.
        remedy: What to do; "" when nothing is.
        records: Ids of the records it is about.
    """

    name: str
    status: Status
    value: str
    remedy: str = ""
    records: tuple[str, ...] = ()


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


async def contradictions(
    records: Sequence[MemoryRecord], now: datetime, judge: RulesJudge
) -> Finding:
    """Pairs that both hold and, by the rules of current truth, cannot."""
    current = [one for one in records if is_current(one, now) and one.kind in COMPARED]
    pairs, all_of_them = _pairs(current)
    found = list[tuple[MemoryRecord, MemoryRecord, str]]()
    for index, others in pairs.items():
        olds = [current[other] for other in others]
        found += [
            (current[index], old, verdict.rule)
            for old, verdict in zip(olds, await judge.compare(current[index], olds), strict=True)
            if verdict.relation == "changed"
        ]
    compared = sum(len(others) for others in pairs.values())
    unseen = "" if all_of_them else "; not all that share a word were compared"
    if not found:
        return Finding("contradictions", "ok", f"none in {compared} pairs{unseen}")
    named = "; ".join(
        f"{short_id(old.id)} and the newer {short_id(new.id)} ({rule})"
        for new, old, rule in found[:NAMED]
    )
    wrong = short_id(found[0][1].id)
    return Finding(
        "contradictions",
        "warning",
        f"{len(found)}: {named}{unseen}",
        f"Remove what is wrong: `cloche memory forget {wrong}`, or set it right: "
        f"`cloche memory correct {wrong} TEXT`.",
        tuple(dict.fromkeys(one.id for pair in found for one in pair[:2])),
    )


def used_after_end(records: Sequence[MemoryRecord], uses: Sequence[Use]) -> Finding:
    """Records that entered a turn after they had ended."""
    ends = {one.id: end for one in records if (end := _end(one)) is not None}
    late = [
        (use, one) for use in uses for one in use.records if one in ends and ends[one] < _start(use)
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


def _pairs(records: Sequence[MemoryRecord]) -> tuple[dict[int, list[int]], bool]:
    """Which records to compare with which older ones: those that share a word or tag.

    Pairs that share a rare one come first; False when there were too many for all.
    """
    sharing: dict[str | tuple[str, str], list[int]] = {}
    for index, record in enumerate(records):
        words: set[str | tuple[str, str]] = {w.folded for w in split(record.text).words}
        for shared in words | _tags(record.metadata):
            sharing.setdefault(shared, []).append(index)
    pairs: dict[int, list[int]] = {}
    known: set[tuple[int, int]] = set()
    for members in sorted(sharing.values(), key=lambda members: (len(members), members)):
        for new, old in combinations(members, 2):
            if (new, old) in known or _place(records[new]) != _place(records[old]):
                continue
            if len(known) >= MAX_PAIRS:
                return pairs, False
            known.add((new, old))
            pairs.setdefault(new, []).append(old)
    return pairs, True


def _tags(metadata: Metadata) -> set[str | tuple[str, str]]:
    return {
        (key, tag.id)
        for key, value in metadata.items()
        if isinstance(value, tuple)
        for tag in value
    }


def _place(record: MemoryRecord) -> tuple[str, str, str]:
    """What is said in a group and in private stands side by side on purpose."""
    group = record.source.conversation if record.source.group else ""
    return record.scope, record.scope_key, group


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
