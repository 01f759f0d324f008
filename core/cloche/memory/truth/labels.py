"""Open values by their slug, and never two labels under one of them.

A slug is made of a label by one rule, and two labels can have the same one: Chinese words that
sound alike do. Whoever was first keeps it; the other gets a number ("shizi", "shizi-2"), for good.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Final

from cloche.memory.records import Metadata, MetadataValue, Tag
from cloche.people import person_prefix
from cloche.state.store import Json, StateStore
from cloche.vocabulary import MAX_SLUG_CHARS, MetadataKey, Vocabulary, fold

_TRIES: Final = 20
_SIGNS: Final = "#@%&*"


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

        Labels that differ only by case, accents, spaces, dots or dashes are the same. ``asking``
        is for a search: a label that is not known yet is not noted.

        Raises:
            MemoryUnavailableError: the state store is away.
        """
        owner = next((value for value in key.values if value.id == tag.id), None)
        if key.closed or (owner and any(_bare(s) == _bare(tag.label) for s in owner.spellings)):
            return tag
        first = [_bare(owner.label or owner.id)] if owner else []
        bare, place = _bare(tag.label), f"{person_prefix(actor)}labels/{key.id}/"
        for _ in range(_TRIES):
            item = await self._state.get(f"{place}{tag.id}")
            known = _noted(item.value if item else None, tag.id, first)
            if bare in known:
                return Tag(known[bare], tag.label)
            made = tag.id if not known else await self._free(place, key, tag.id, known, bare)
            if asking:
                return Tag(made, tag.label)
            if made != tag.id and not await self._claim(place, made, bare):
                continue
            noted = [label for label in known if label not in first]
            value: Json = {
                "labels": [*noted, bare],
                "ids": [*(known[label] for label in noted), made],
            }
            version = item.version if item else 0
            if await self._state.compare_and_set(f"{place}{tag.id}", value, version=version):
                return Tag(made, tag.label)
        return tag

    async def _free(
        self, place: str, key: MetadataKey, slug: str, known: Mapping[str, str], bare: str
    ) -> str:
        """The first numbered id that stands for nothing else: "Shizi 2" may have it as its own."""
        number, taken = len(known) + 1, {*known.values(), *(value.id for value in key.values)}
        while True:
            made = _numbered(slug, number)
            item = await self._state.get(f"{place}{made}")
            owners = _noted(item.value if item else None, made, [])
            if made not in taken and (not owners or next(iter(owners)) == bare):
                return made
            number += 1

    async def _claim(self, place: str, made: str, bare: str) -> bool:
        """Note a numbered id as this label's, so that no label whose own it is gets it, too."""
        value: Json = {"labels": [bare], "ids": [made]}
        if await self._state.compare_and_set(f"{place}{made}", value, version=0):
            return True
        item = await self._state.get(f"{place}{made}")
        return next(iter(_noted(item.value if item else None, made, [])), "") == bare


def _noted(value: Json, slug: str, first: list[str]) -> dict[str, str]:
    """Ids by label, in the order they came; ``first`` are those of the vocabulary."""
    labels = value.get("labels") if isinstance(value, Mapping) else None
    ids = value.get("ids") if isinstance(value, Mapping) else None
    bare = [*first, *(str(label) for label in (labels if isinstance(labels, list) else []))]
    counted = [slug if not index else _numbered(slug, index + 1) for index in range(len(bare))]
    if isinstance(ids, list) and len(ids) == len(bare) - len(first):
        counted = [*counted[: len(first)], *(str(one) for one in ids)]
    return dict(zip(bare, counted, strict=True))


def _numbered(slug: str, number: int) -> str:
    end = f"-{number}"
    return slug[: MAX_SLUG_CHARS - len(end)] + end


def _bare(label: str) -> str:
    """A label as it is told from others: its letters, digits and signs, folded.

    Signs tell things apart ("C", "C++", "C#"); dots, dashes and quotes do not.
    """
    return "".join(char for char in fold(label) if _tells(char)) or fold(label).strip()


def _tells(char: str) -> bool:
    return char.isalnum() or char in _SIGNS or unicodedata.category(char) in ("Sm", "Sc", "So")
