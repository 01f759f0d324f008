"""Open values by their slug, and never two labels under one of them.

A slug is made of a label by one rule, and two labels can have the same one: Chinese words that
sound alike do. Whoever was first keeps it; the other gets a number ("shizi", "shizi-2"), for good.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from cloche.memory.records import Metadata, MetadataValue, Tag
from cloche.people import person_prefix
from cloche.state.store import Json, StateStore
from cloche.vocabulary import MAX_SLUG_CHARS, MetadataKey, Vocabulary, fold

_TRIES: Final = 20


class Labels:
    """Which label has which slug, per person and key, in the StateStore."""

    def __init__(self, state: StateStore, vocabulary: Vocabulary) -> None:
        """Take where labels are noted, and the vocabulary that has values of its own."""
        self._state, self._vocabulary = state, vocabulary

    async def settle(self, actor: str, metadata: Metadata) -> Metadata:
        """The metadata with an id of its own for every label of an open key.

        Raises:
            MemoryUnavailableError: the state store is away.
        """
        settled: dict[str, MetadataValue] = dict(metadata)
        for key_id, value in metadata.items():
            if isinstance(value, tuple) and key_id in self._vocabulary:
                key = self._vocabulary[key_id]
                tags = [await self.tag(actor, key, tag) for tag in value]
                settled[key_id] = tuple(dict.fromkeys(tags))
        return settled

    async def tag(self, actor: str, key: MetadataKey, tag: Tag, *, asking: bool = False) -> Tag:
        """The tag of a label: the same for the same label, another for another.

        Labels that differ only by case, accents, spaces or punctuation are the same. ``asking``
        is for a search: a label that is not known yet is not noted.

        Raises:
            MemoryUnavailableError: the state store is away.
        """
        owner = next((value for value in key.values if value.id == tag.id), None)
        if key.closed or (owner and any(_bare(s) == _bare(tag.label) for s in owner.spellings)):
            return tag
        first = [_bare(owner.label or owner.id)] if owner else []
        name = f"{person_prefix(actor)}labels/{key.id}/{tag.id}"
        for _ in range(_TRIES):
            item = await self._state.get(name)
            known = first + (_noted(item.value) if item else [])
            if _bare(tag.label) in known:
                return _numbered(tag, known.index(_bare(tag.label)))
            if asking:
                return _numbered(tag, len(known))
            noted: Json = {"labels": [*known[len(first) :], _bare(tag.label)]}
            if await self._state.compare_and_set(name, noted, version=item.version if item else 0):
                return _numbered(tag, len(known))
        return tag


def _noted(value: Json) -> list[str]:
    labels = value.get("labels") if isinstance(value, Mapping) else None
    return [str(label) for label in labels] if isinstance(labels, list) else []


def _numbered(tag: Tag, index: int) -> Tag:
    if not index:
        return tag
    number = f"-{index + 1}"
    return Tag(tag.id[: MAX_SLUG_CHARS - len(number)] + number, tag.label)


def _bare(label: str) -> str:
    """A label as it is told from others: its letters and digits, folded."""
    return "".join(char for char in fold(label) if char.isalnum()) or fold(label).strip()
