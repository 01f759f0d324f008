"""What leans on an earlier statement made whole: pieces put into it, an "it" given its name."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Final
from zoneinfo import ZoneInfo

from cloche.memory.extraction.draft import LEANING
from cloche.memory.extraction.timebound import expiry_of
from cloche.memory.lifecycle import validity_for
from cloche.memory.records import MemoryRecord, MetadataValue
from cloche.memory.truth.completing import Fragment
from cloche.memory.truth.current import CurrentTruth
from cloche.namespaces import MemoryScope, NamespaceScheme
from cloche.vocabulary import Vocabulary

JUST_TOLD: Final = 3
JUST_NOW: Final = timedelta(days=2)
"""What a piece of a statement may go into: statements that were told so lately."""


class Wholes:
    """Makes whole statements of what one assistant's people say in pieces."""

    def __init__(
        self, truth: CurrentTruth, namespaces: NamespaceScheme, vocabulary: Vocabulary
    ) -> None:
        """Take who finds what was told before, and what a record's scope and tags come from."""
        self._truth, self._namespaces, self._vocabulary = truth, namespaces, vocabulary

    async def whole(
        self, record: MemoryRecord, zone: ZoneInfo
    ) -> tuple[MemoryRecord | None, MemoryRecord | None]:
        """The record as a whole statement, None when it says nothing; and the one it corrects.

        A piece of a statement ("No, on Tuesday") is put into the one it corrects; what "it" stands
        for becomes the subject.
        """
        rules = self._truth.rules
        refers = rules.refers_back(record)
        if fragment := rules.fragment(record):
            for old in await self._told(record, fragment):
                if text := rules.complete(record, old):
                    return self._put_into(old, text, record, zone), old
            if not refers or fragment.kind == "contrast":
                return None, None
        if thing := await self._truth.referred_to(record):
            return replace(record, subject=thing), None
        return (None if refers and record.trust.confidence <= LEANING else record), None

    async def _told(self, record: MemoryRecord, fragment: Fragment) -> list[MemoryRecord]:
        """What a piece may belong to; where it names nothing of it, only what was just told."""
        latest = await self._truth.latest(record)
        if fragment.kind in ("contrast", "name"):
            return latest
        since = record.validity.created_at - JUST_NOW
        near = latest[: 1 if fragment.last_only else JUST_TOLD]
        return [old for old in near if old.validity.updated_at >= since]

    def _put_into(
        self, old: MemoryRecord, text: str, piece: MemoryRecord, zone: ZoneInfo
    ) -> MemoryRecord:
        """A new record of what an old one says with a piece of it corrected."""
        before, scope = named_in(old.text, self._vocabulary), scope_of(old, self._namespaces)
        kept = {key: tags for key, tags in old.metadata.items() if key not in before}
        at = piece.validity.created_at
        ends = expiry_of(text, old.kind, at, zone)
        return replace(
            piece,
            kind=old.kind,
            subject=old.subject,
            text=text,
            metadata={**kept, **named_in(text, self._vocabulary)},
            validity=validity_for(old.kind, scope, at, lifetime=ends - at if ends else None),
            trust=replace(old.trust, confirmations=0, verified_at=None),
        )


def scope_of(record: MemoryRecord, namespaces: NamespaceScheme) -> MemoryScope:
    """A record's scope; what came from elsewhere may name one that this assistant lacks."""
    scopes = {scope.name: scope for scope in namespaces.all_scopes}
    return scopes.get(record.scope, scopes["long_term"])


def named_in(text: str, vocabulary: Vocabulary) -> dict[str, MetadataValue]:
    """Tags of the known values that a text names."""
    return {
        key_id: tags[:1] if vocabulary[key_id].type == "string" else tags
        for key_id, tags in vocabulary.extracted.mentions(text).items()
    }
