"""What a tool may do with memory and storage: bound to the actor of the turn that calls it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from cloche.errors import ToolError
from cloche.ids import record_id
from cloche.memory.extraction.timebound import expiry_of
from cloche.memory.lifecycle import validity_for
from cloche.memory.pipeline import SCOPE, Memory
from cloche.memory.records import Kind, MemoryRecord, MetadataValue, Source, Tag, Trust
from cloche.memory.store import Filter, SearchQuery
from cloche.people import Person, person_prefix
from cloche.state.store import MAX_KEY_CHARS, Json, StateStore
from cloche.tools.storage import checked_key

MAX_TEXT_CHARS: Final = 4_000
"""AgentCore records hold 16,000 characters; a statement worth recalling is far shorter."""


class PersonMemory:
    """The memory of one person, as one tool call sees it (``cloche.tools.memory.ToolMemory``)."""

    def __init__(
        self,
        memory: Memory,
        person: Person,
        call_id: str,
        turn_id: str,
        scope_keys: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """Take the call's id: what it stores gets the same ids when the turn is run again."""
        self._memory, self._person, self._call_id = memory, person, call_id
        self._turn_id, self._scope_keys = turn_id, scope_keys
        self._stored = 0

    async def remember(
        self,
        text: str,
        *,
        kind: Kind = "fact",
        subject: str = "",
        metadata: Mapping[str, Sequence[str]] | None = None,
    ) -> MemoryRecord:
        """Store a statement.

        Raises:
            ToolError: the text is empty or over 4,000 characters, or holds a secret or orders to
                the assistant, or the vocabulary lacks a key or value.
        """
        await self._refuse_if_forgotten(text)
        now = self._memory.clock()
        scope = self._memory.namespaces[SCOPE]
        self._stored += 1
        ends = expiry_of(text, kind, now, self._person.zone)
        record = MemoryRecord(
            id=record_id(self._person.actor, self._call_id, str(self._stored)),
            actor=self._person.actor,
            scope=scope.name,
            kind=kind,
            subject=subject.strip(),
            text=_checked(text),
            metadata={
                **self._metadata(metadata or {}),
                **self._memory.vocabulary.host_set(self._scope_keys),
            },
            source=Source(
                type="tool",
                ref=self._call_id,
                conversation=self._person.conversation,
                group=self._person.group,
                derived_from=(self._turn_id,),
            ),
            validity=validity_for(kind, scope, now, lifetime=ends - now if ends else None),
            trust=Trust(confidence=0.9),
        )
        return await self._memory.keeper.store(record)

    async def search(
        self,
        text: str = "",
        *,
        kinds: tuple[Kind, ...] = (),
        metadata: Mapping[str, str] | None = None,
        limit: int = 20,
    ) -> Sequence[MemoryRecord]:
        """Records that fit, best first; in a group only what was said there, unless switched on.

        Raises:
            ToolError: the vocabulary lacks a key or value.
        """
        person = self._person
        query = SearchQuery(
            text=text,
            at=self._memory.clock(),
            limit=max(1, min(limit, 100)),
            kinds=kinds,
            filters=await self._filters(metadata or {}),
            conversation=None if person.may_recall_anywhere else person.conversation,
        )
        return [hit.record for hit in await self._memory.store.search(person.actor, query)]

    async def correct(self, record_id: str, text: str) -> MemoryRecord:
        """Replace what a record says; the old one stays as history.

        Raises:
            ToolError: there is no such current record.
        """
        await self._refuse_if_forgotten(text)
        return await self._memory.keeper.correct(
            self._person, record_id, _checked(text), call_id=self._call_id
        )

    async def forget(self, record_id: str) -> bool:
        """Remove a record for good; False when there is none."""
        erased = await self._memory.forgetter.record(
            self._person.actor, record_id, turn=self._turn_id
        )
        return erased.records > 0

    async def _refuse_if_forgotten(self, text: str) -> None:
        """Keep nothing for a turn that began before the person had it, or everything, forgotten.

        Raises:
            ToolError: it did.
        """
        if await self._memory.forgotten.covers(self._person.actor, self._person.now):
            raise ToolError("The person has just had everything forgotten: nothing is kept.")
        at, turn = self._person.now, self._turn_id
        if await self._memory.forgotten.tells(self._person.actor, text, at, turn=turn):
            raise ToolError("The person has just had that forgotten: it is not kept.")

    async def _filters(self, wanted: Mapping[str, str]) -> tuple[Filter, ...]:
        labels, filters = self._memory.keeper.labels, []
        for key_id, written in wanted.items():
            for tag in self._tags(key_id, [written]):
                key = self._memory.vocabulary[key_id]
                known = await labels.tag(self._person.actor, key, tag, asking=True)
                filters.append(Filter(key_id, "contains", known.id))
        return tuple(filters)

    def _metadata(self, written: Mapping[str, Sequence[str]]) -> dict[str, MetadataValue]:
        for key_id in written:
            if key_id in self._memory.vocabulary and self._memory.vocabulary[key_id].host_set:
                raise ToolError(f"{key_id!r} is set by the host; leave it out.")
        return {key: tags for key, values in written.items() if (tags := self._tags(key, values))}

    def _tags(self, key_id: str, values: Sequence[str]) -> tuple[Tag, ...]:
        vocabulary = self._memory.vocabulary
        if key_id not in vocabulary:
            known = ", ".join(key.id for key in vocabulary.keys)
            raise ToolError(f"There is no metadata key {key_id!r}; there are: {known}.")
        key, tags = vocabulary[key_id], []
        for value in values:
            if not value.strip():
                continue
            tag = key.tag(value)
            if tag is None:
                allowed = ", ".join(v.id for v in key.values) or "letters or digits"
                raise ToolError(f"{value!r} is no value of {key_id!r}; allowed: {allowed}.")
            tags.append(tag)
        return tuple(dict.fromkeys(tags))


class PersonStorage:
    """A skill's own data about one person (``cloche.tools.storage``), in the StateStore.

    In a group it is data of that group: nothing private is told there, nor written over.
    """

    def __init__(self, state: StateStore, actor: str, skill: str, *, group: str = "") -> None:
        """Take whose data and which skill's.

        Args:
            state: Where it lies.
            actor: The person.
            skill: The skill's name.
            group: The group's conversation where only that group's data may be seen; "" = the
                person's own.
        """
        self._state, self._area = state, storage_prefix(actor, group)
        self._prefix = f"{self._area}{skill}/"

    async def get(self, key: str) -> Json:
        """The document, or None."""
        item = await self._state.get(self._whole(key))
        return item.value if item else None

    async def put(self, key: str, value: Json) -> None:
        """Write a document."""
        await self._state.put(self._whole(key), value)

    async def items(self, prefix: str = "") -> Mapping[str, Json]:
        """All documents whose key starts with ``prefix``."""
        return await self._listed(self._prefix, prefix)

    async def items_of(self, skill: str, prefix: str = "") -> Mapping[str, Json]:
        """What another skill keeps about the same person."""
        return await self._listed(f"{self._area}{skill}/", prefix)

    async def delete(self, key: str) -> bool:
        """Remove a document; False when there is none."""
        return await self._state.delete(self._whole(key))

    def _whole(self, key: str) -> str:
        return self._prefix + checked_key(key, MAX_KEY_CHARS - len(self._prefix))

    async def _listed(self, skill: str, prefix: str) -> Mapping[str, Json]:
        found: dict[str, Json] = {}
        after = ""
        while page := await self._state.list_items(skill + prefix, after=after):
            after = page[-1].key
            found |= {item.key.removeprefix(skill): item.value for item in page}
        return found


def storage_prefix(actor: str, group: str = "") -> str:
    """Where all skills' data about a person lies: their own, or that of one group they are in.

    Both are below the person's prefix, so that export and forget reach them.

    Args:
        actor: The person.
        group: The group's conversation; "" = their own.
    """
    if not group:
        return f"{person_prefix(actor)}storage/"
    name = hashlib.sha256(group.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"{person_prefix(actor)}group-storage/{name}/"


def _checked(text: str) -> str:
    text = text.strip()
    if not 1 <= len(text) <= MAX_TEXT_CHARS:
        raise ToolError(
            f"A statement has 1-{MAX_TEXT_CHARS} characters, this one {len(text)}.",
            key="refused_length",
            most=MAX_TEXT_CHARS,
        )
    return text
