"""What a new record does to those that hold: the records it may concern, and what follows."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from cloche.errors import MemoryUnavailableError, ModelError
from cloche.memory.ranking import is_current
from cloche.memory.records import KINDS, MemoryRecord
from cloche.memory.store import Filter, MemoryStore, SearchQuery
from cloche.memory.truth.decisions import Decision, Meeting
from cloche.memory.truth.judging import Judge, ModelAfterRules, RulesJudge, Verdict
from cloche.vocabulary import Vocabulary

BY_WORDS: Final = 20
BY_SLOT: Final = 20
BY_TAG: Final = 10
NEWEST: Final = 50
"""Looked at whatever they say: in a small memory nothing is missed for want of a common word."""
MAX_TAGS: Final = 3
LATEST: Final = 10
"""Of the conversation, where a statement refers back or corrects without naming anything."""
NEVER_COMPARED: Final = ("summary", "task_state", "note")
"""Kinds that tell of a time or are written one by one on purpose: they stand side by side."""
COMPARED: Final = tuple(kind for kind in KINDS if kind not in NEVER_COMPARED)
"""Asked for as such: a year's summaries must not crowd out the few records that matter."""


class CurrentTruth:
    """Decides for one assistant's people; looks at the store, writes nothing."""

    def __init__(
        self,
        store: MemoryStore,
        vocabulary: Vocabulary,
        model: Judge | None = None,
        *,
        seconds: float,
    ) -> None:
        """Take where records lie, the words that name things, and who is asked when unsure.

        Args:
            store: Where records lie.
            vocabulary: The assistant's.
            model: Asked where the rules cannot tell; None = then both records are kept.
            seconds: How long a look at the store may take.
        """
        self._store, self._vocabulary, self._seconds = store, vocabulary, seconds
        self.rules = RulesJudge(vocabulary)
        self._asks_model = model is not None
        self._judge: Judge = ModelAfterRules(self.rules, model) if model else self.rules

    async def decide(self, record: MemoryRecord, corrected: MemoryRecord | None = None) -> Decision:
        """What a record that is about to be written does; never fails.

        When the store cannot be asked it is simply new. ``corrected`` is the one that a piece of
        a statement was put into: that one it replaces, and to all others it is a plain statement.
        """
        if corrected:
            plain = replace(record, source=replace(record.source, quote=""))
            decision = await self.decide(plain)
            others = [pair for pair in decision.replaces if pair[0].id != corrected.id]
            verdict = Verdict(corrected.id, "changed", "corrected")
            same = decision.confirms if decision.confirms != corrected else None
            replaces = (*others, (corrected, verdict))
            return Decision(confirms=same, replaces=replaces, seen=decision.seen)
        if record.kind in NEVER_COMPARED:
            return Decision()
        try:
            async with asyncio.timeout(self._seconds):
                old = await self._nominated(record)
        except (MemoryUnavailableError, TimeoutError):
            return Decision()
        if not old:
            return Decision()
        decision = self._weighed(record, old, await self._verdicts(record, old))
        return replace(decision, seen=frozenset(one.id for one in old))

    async def met(self, record: MemoryRecord, seen: frozenset[str]) -> list[Meeting]:
        """What another process wrote while a record was decided on, and the record, too.

        By the rules alone and in one order, so that both processes come to the same.
        """
        if record.kind in NEVER_COMPARED:
            return []
        found: dict[str, MemoryRecord] = {}
        try:
            async with asyncio.timeout(self._seconds):
                newest = SearchQuery("", record.validity.updated_at, LATEST, kinds=COMPARED)
                await self._add(found, record, newest)
        except (MemoryUnavailableError, TimeoutError):
            return []
        meetings = []
        for other in (one for one in found.values() if one.id not in seen):
            first, last = sorted((record, other), key=_precedence)
            (verdict,) = await self.rules.compare(last, [first])
            ends = verdict.relation == "changed" and not _passing(last, first)
            doubled = verdict.relation == "same" and _place(last) == _place(first)
            if ends or doubled:
                meetings.append(Meeting(last, first, verdict))
        return meetings

    async def referred_to(self, record: MemoryRecord) -> str:
        """What the "it" of a record stands for, in an earlier record's words; "" = nothing.

        What was said in a group stands for nothing that was said elsewhere: the record would show
        the group what it is about.
        """
        if record.subject or not self.rules.refers_back(record):
            return ""
        try:
            async with asyncio.timeout(self._seconds):
                nominated = await self._nominated(record)
        except (MemoryUnavailableError, TimeoutError):
            return ""
        old = [one for one in nominated if not record.source.group or _place(one) == _place(record)]
        for one, found in zip(old, self.rules.comparisons(record, old), strict=True):
            if found.relation != "both":
                return self.rules.thing_of(one)
        return ""

    async def latest(self, record: MemoryRecord) -> list[MemoryRecord]:
        """What was told last in the record's conversation, newest first; never fails."""
        found: dict[str, MemoryRecord] = {}
        try:
            async with asyncio.timeout(self._seconds):
                await self._add(found, record, self._latest(record))
        except (MemoryUnavailableError, TimeoutError):
            return []
        return list(found.values())

    async def _verdicts(
        self, record: MemoryRecord, old: Sequence[MemoryRecord]
    ) -> Sequence[Verdict]:
        try:
            return await self._judge.compare(record, old)
        except ModelError:
            return await self.rules.compare(record, old)

    def _weighed(
        self, record: MemoryRecord, old: Sequence[MemoryRecord], verdicts: Sequence[Verdict]
    ) -> Decision:
        """Said beats inferred, then later beats earlier; in two places nothing is merged."""
        pairs = list(zip(old, verdicts, strict=True))
        here = [
            (one, v) for one, v in pairs if v.relation == "same" and _place(one) == _place(record)
        ]
        same = [one for one, _ in here if not _of_another_day(record, one)]
        changed = [
            (one, v) for one, v in pairs if v.relation == "changed" and not _passing(record, one)
        ]
        changed += [(one, replace(v, rule="date")) for one, v in here if one not in same]
        if not record.source.stated:
            said = [one for one, _ in changed if one.source.stated]
            if said and not same:
                return Decision(stands_behind=said[0], rule="stated_stands")
            changed = [(one, verdict) for one, verdict in changed if not one.source.stated]
        later = [one for one, _ in changed if _outranks(one, record)]
        if later and not same:
            return Decision(stands_behind=later[0], rule="older")
        return Decision(
            confirms=min(same, key=lambda one: (not one.source.stated, one.id), default=None),
            replaces=tuple((one, verdict) for one, verdict in changed if one not in later),
        )

    async def _nominated(self, record: MemoryRecord) -> list[MemoryRecord]:
        """Current records that may be about the same: by words, slots and tags, or just said.

        Nothing of it hangs on vectors, which are made in the background: how fast somebody writes
        must not decide what holds. Only where a model is asked what is near in meaning counts, too.
        """
        now, near = record.validity.created_at, f"{record.subject} {record.text}".strip()
        slot = self.rules.slot_of(record)
        queries = [
            SearchQuery(near, now, BY_WORDS, kinds=COMPARED, by_words=True),
            *([SearchQuery(slot, now, BY_SLOT, kinds=COMPARED, by_words=True)] if slot else ()),
            *(
                SearchQuery("", now, BY_TAG, filters=(condition,), kinds=COMPARED)
                for condition in self._tags(record)
            ),
        ]
        if self._asks_model:
            queries.append(SearchQuery(near, now, BY_WORDS, kinds=COMPARED))
        if self.rules.refers_back(record) or self.rules.corrects(record):
            queries.append(self._latest(record))
        if not self.rules.refers_back(record):
            queries.append(SearchQuery("", now, NEWEST, kinds=COMPARED))
        found: dict[str, MemoryRecord] = {}
        for query in queries:
            await self._add(found, record, query)
        return list(found.values())

    def _latest(self, record: MemoryRecord) -> SearchQuery:
        where = record.source.conversation or None
        return SearchQuery(
            "", record.validity.created_at, LATEST, kinds=COMPARED, conversation=where
        )

    async def _add(
        self, found: dict[str, MemoryRecord], record: MemoryRecord, query: SearchQuery
    ) -> None:
        for hit in await self._store.search(record.actor, query):
            old = hit.record
            if (
                old.id != record.id
                and (old.scope, old.scope_key) == (record.scope, record.scope_key)
                and self._set_alike(old, record)
                and is_current(old, query.at)
            ):
                found.setdefault(old.id, old)

    def _set_alike(self, one: MemoryRecord, other: MemoryRecord) -> bool:
        """True when the host set the same for both: else they are of two places, never one."""
        return all(
            _ids(one, key.id) == _ids(other, key.id)
            for key in self._vocabulary.keys
            if key.host_set
        )

    def _tags(self, record: MemoryRecord) -> list[Filter]:
        return [
            Filter(key.id, "contains", tag.id)
            for key in self._vocabulary.keys
            if not key.closed and isinstance(tags := record.metadata.get(key.id), tuple)
            for tag in tags
        ][:MAX_TAGS]


def _ids(record: MemoryRecord, key_id: str) -> frozenset[str]:
    tags = record.metadata.get(key_id)
    return frozenset(tag.id for tag in tags) if isinstance(tags, tuple) else frozenset()


def _place(record: MemoryRecord) -> str:
    """What was said in a group is a record of that group, what was said in private is none."""
    return record.source.conversation if record.source.group else ""


def _said_at(record: MemoryRecord) -> datetime:
    return record.validity.updated_at


def _outranks(one: MemoryRecord, new: MemoryRecord) -> bool:
    """True when it was said later; of two turns of one instant ids decide, whoever sees which."""
    if _said_at(one) != _said_at(new):
        return _said_at(one) > _said_at(new)
    return bool(one.source.ref) and one.source.ref != new.source.ref and one.id > new.id


def _precedence(record: MemoryRecord) -> tuple[bool, datetime, str]:
    return record.source.stated, _said_at(record), record.id


def _passing(new: MemoryRecord, old: MemoryRecord) -> bool:
    """True when the new one ends sooner: "today I drink tea" does not end a habit."""
    ends, lasts = new.validity.expires_at, old.validity.expires_at
    return ends is not None and (lasts is None or ends < lasts)


def _of_another_day(new: MemoryRecord, old: MemoryRecord) -> bool:
    """True for the same words of another time ("on holiday until Friday", weeks later)."""
    ends, ended = new.validity.expires_at, old.validity.expires_at
    if ends is None or ended is None or ends == ended:
        return False
    return ends - new.validity.created_at != ended - old.validity.created_at
