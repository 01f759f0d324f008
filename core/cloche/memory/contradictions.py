"""Pairs of records that both hold and, by the rules of current truth, perhaps cannot."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import combinations
from typing import Final

from cloche.memory.findings import Finding
from cloche.memory.holdings import short_id
from cloche.memory.ranking import is_current
from cloche.memory.records import MemoryRecord, Metadata
from cloche.memory.truth.current import COMPARED
from cloche.memory.truth.judging import RulesJudge
from cloche.words import split

MAX_PAIRS: Final = 10_000
"""Pairs of records compared at most; when that is not all, it is told."""
NAMED: Final = 5
"""Pairs a finding names."""
SHOWN: Final = 80
"""Characters of a record that are shown."""


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
    new, old, _ = found[0]
    one, other = short_id(new.id), short_id(old.id)
    named = "; ".join(
        f"“{_line(new)}” ({short_id(new.id)}) and “{_line(old)}” ({short_id(old.id)})"
        for new, old, _ in found[:NAMED]
    )
    return Finding(
        "contradictions",
        "warning",
        f"{len(found)} pairs to look at, which may not both hold: {named}{unseen}",
        f"Do both hold? Then nothing is to be done. If only {one} does: `cloche memory revive "
        f"{one} --instead {other}`; if only {other}: `cloche memory revive {other} --instead "
        f"{one}`. What stands back is history, and nothing is lost.",
        tuple(dict.fromkeys(one.id for pair in found for one in pair[:2])),
    )


def _line(record: MemoryRecord) -> str:
    text = " ".join(record.told.split())
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


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
