"""What is learned of a turn: by a model, or by rules where that gives nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from zoneinfo import ZoneInfo

from cloche.errors import ModelError
from cloche.llm.ledger import Ledger
from cloche.logs import OncePerCause
from cloche.memory.extraction import Extracted, Extractor
from cloche.memory.extraction.data import Telling, without_data
from cloche.memory.keeping import Keeper
from cloche.memory.records import Event, MemoryRecord
from cloche.messages import Correction
from cloche.vocabulary import Vocabulary


class Learner:
    """Learns of one assistant's turns; never fails."""

    def __init__(
        self,
        extractor: Extractor,
        fallback: Extractor,
        keeper: Keeper,
        vocabulary: Vocabulary,
        notices: OncePerCause,
        ledger: Ledger,
    ) -> None:
        """Take who extracts, who does where the first one's model gives nothing, and who keeps.

        What extracting took goes into the ledger at once: what comes after it may be broken off.
        """
        self._ledger = ledger
        self._extractor, self._fallback, self._keeper = extractor, fallback, keeper
        self._vocabulary, self._notices = vocabulary, notices

    async def learn(
        self,
        event: Event,
        keys: Mapping[str, str],
        zone: ZoneInfo,
        telling: Telling,
        corrected: Sequence[Correction],
    ) -> tuple[MemoryRecord, ...]:
        """The records written of what was found in a turn."""
        try:
            extracted = await self._extract(event)
            # In a thread: skills say themselves what they understand.
            names = self._vocabulary.extracted
            told = await asyncio.to_thread(without_data, extracted, event, telling, names)
            return await self._keeper.keep(told.drafts, event, keys, zone, corrected)
        except Exception as error:
            # The event is kept, whatever is wrong with what should be learned from it.
            fault = type(error).__name__
            self._notices.warn(f"extraction {fault}", "nothing learned from a turn: %s", fault)
            return ()

    async def _extract(self, event: Event) -> Extracted:
        if not event.user_text.strip():
            return Extracted()
        try:
            extracted = await self._extractor.extract(event, self._vocabulary.extracted)
        except ModelError as error:
            self._ledger.add(event.actor, error.usage)
            self._notices.warn(f"extraction {error.cause}", "extraction: %s", error)
            return await self._fallback.extract(event, self._vocabulary.extracted)
        self._ledger.add(event.actor, extracted.usage)
        return extracted
