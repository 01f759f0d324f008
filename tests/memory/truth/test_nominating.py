"""Which records a new one is compared with: by words and slots, whatever vectors there are."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from cloche.memory.records import MemoryRecord
from cloche.memory.store import Hit, SearchQuery
from cloche.memory.truth.current import CurrentTruth
from cloche.memory.truth.judging import Verdict
from cloche.testing.samples import make_record
from cloche.vocabulary import Vocabulary


class Asked:
    """A store that finds nothing and notes what it was asked for."""

    def __init__(self) -> None:
        self.queries: list[SearchQuery] = []

    async def search(self, actor: str, query: SearchQuery) -> Sequence[Hit]:
        self.queries.append(query)
        return ()


class Undecided:
    async def compare(self, new: MemoryRecord, old: Sequence[MemoryRecord]) -> Sequence[Verdict]:
        return ()


@pytest.mark.parametrize("text", ["I moved to Bergen.", "Me mudé a Sevilla.", "我搬到北京了。"])
async def test_no_vector_decides_what_a_statement_is_compared_with(text: str) -> None:
    store = Asked()
    await CurrentTruth(store, Vocabulary(), seconds=3).decide(make_record(1, text))  # type: ignore[arg-type]
    assert all(query.by_words or not query.text for query in store.queries)
    slot = " ".join(query.text for query in store.queries)
    assert {"live", "vivo", "住在"} <= set(slot.split())


async def test_a_model_is_given_what_is_near_in_meaning_too() -> None:
    store = Asked()
    truth = CurrentTruth(store, Vocabulary(), Undecided(), seconds=3)  # type: ignore[arg-type]
    await truth.decide(make_record(1, "I adore jazz."))
    assert [query for query in store.queries if query.text and not query.by_words]
