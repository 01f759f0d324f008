"""What somebody edited out of a message that was answered: it is no longer said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from cloche.errors import MemoryUnavailableError
from cloche.memory.ranking import is_current
from cloche.memory.records import Event, MemoryRecord
from cloche.memory.settling import Settler
from cloche.memory.store import MemoryStore, SearchQuery
from cloche.memory.truth.notes import Note
from cloche.memory.writer import Writer
from cloche.messages import Correction
from cloche.vocabulary import fold

MOST: Final = 50


def folded(text: str) -> str:
    """Words as they are compared: whatever their case, spaces and the stop at their end."""
    return " ".join(fold(text).split()).rstrip(".!?。！？")


def is_unsaid(record: MemoryRecord, corrected: Sequence[Correction]) -> bool:
    """True for what stands on words that were edited out."""
    quote = folded(record.source.quote or record.text)
    return bool(quote) and any(
        quote in folded(one.was) and quote not in folded(one.now) for one in corrected
    )


class Unsaying:
    """Makes history of what was edited out, for one assistant's people."""

    def __init__(self, store: MemoryStore, writer: Writer, settler: Settler) -> None:
        """Take where records lie, and who makes history of one."""
        self._store, self._writer, self._settler = store, writer, settler

    async def unsay(
        self, event: Event, corrected: Sequence[Correction], instead: Sequence[MemoryRecord]
    ) -> None:
        """End what no message of the person says any more.

        What was said again elsewhere, or kept on purpose, holds. The first of the statements that
        the edited words made stands in its place, so that the history tells what became of it.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        unsaid = await self._unsaid(event, corrected)
        new = await self._now(instead) if unsaid else None
        for old in unsaid:
            if new is None:
                await self._writer.archive(old.actor, old.id, event.at)
                continue
            if old.id not in new.validity.supersedes:
                ids = (*new.validity.supersedes, old.id)
                new = replace(new, validity=replace(new.validity, supersedes=ids))
                await self._writer.update(new)
                await self._settler.note_too(new, Note("corrected", old.id))
            await self._settler.end(old, new)

    async def _unsaid(
        self, event: Event, corrected: Sequence[Correction]
    ) -> Sequence[MemoryRecord]:
        found: dict[str, MemoryRecord] = {}
        for correction in corrected:
            query = SearchQuery(
                correction.was, event.at, MOST, conversation=event.conversation, by_words=True
            )
            for hit in await self._store.search(event.actor, query):
                found[hit.record.id] = hit.record
        return [
            one
            for one in found.values()
            if is_unsaid(one, corrected)
            and one.source.type == "session"
            and one.source.conversation == event.conversation
            and not one.trust.confirmations
            and one.source.ref != event.id
        ]

    async def _now(self, records: Sequence[MemoryRecord]) -> MemoryRecord | None:
        for record in records:
            try:
                kept = await self._store.get(record.actor, record.id)
            except MemoryUnavailableError:
                return None
            if kept is not None and is_current(kept, record.validity.updated_at):
                return kept
        return None
