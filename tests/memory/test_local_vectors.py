from __future__ import annotations

import asyncio
import logging
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from cloche.errors import ModelError
from cloche.memory.local import LocalMemoryStore
from cloche.memory.store import EventQuery, Filter, SearchQuery
from cloche.testing import FakeEmbedder
from cloche.testing.clock import FakeClock
from cloche.testing.samples import START, make_event, make_record

pytest.importorskip("numpy")

ANA, LUIS = "console_-ana", "console_-luis"
CONCEPTS = {
    "bread": ("bread", "loaf", "pan", "面包"),
    "bicycle": ("bicycle", "bike", "bicicleta", "自行车"),
    "rain": ("rain", "lluvia", "雨"),
}
FACTS = (
    "The loaf rises overnight.",
    "La bicicleta está en el sótano.",
    "雨天我在家看书。",
    "The kettle is on the shelf.",
)

Opener = Callable[..., LocalMemoryStore]


@pytest.fixture
async def opened(tmp_path: Path) -> AsyncIterator[Opener]:
    stores = []

    def open_store(
        embedder: FakeEmbedder | None = None, clock: FakeClock | None = None
    ) -> LocalMemoryStore:
        store = LocalMemoryStore(tmp_path / "memory.db", clock or FakeClock(), embedder)
        stores.append(store)
        return store

    yield open_store
    for store in stores:
        await store.close()


async def settled(store: LocalMemoryStore) -> None:
    while await store.embed_pending(8):
        pass


async def told(store: LocalMemoryStore, *texts: str, actor: str = ANA) -> None:
    for number, text in enumerate(texts, start=1):
        await store.write(make_record(number, text, actor=actor))
        await store.add_event(
            make_event(number, actor, user_text=text, assistant_text=None, session=f"s-{number}")
        )


async def test_a_damaged_row_keeps_no_other_from_its_vector(opened: Opener, tmp_path: Path) -> None:
    plain = opened()
    await told(plain, *FACTS)
    await plain.close()
    with sqlite3.connect(tmp_path / "memory.db") as connection:
        for table in ("records", "events"):
            connection.execute(
                f"UPDATE {table} SET document = '{{' "
                f"WHERE number = (SELECT max(number) FROM {table})"
            )
    connection.close()
    store = opened(FakeEmbedder(CONCEPTS))
    await settled(store)
    assert await store.pending_vectors() == 0
    assert (await records(store, "bike"))[0] == FACTS[1]
    assert (await events(store, "lluvia"))[0] == FACTS[2]


async def records(store: LocalMemoryStore, text: str, actor: str = ANA) -> list[str]:
    return [hit.record.text for hit in await store.search(actor, SearchQuery(text, START))]


async def events(store: LocalMemoryStore, text: str, actor: str = ANA) -> list[str]:
    query = EventQuery(text, START + timedelta(days=9))
    return [hit.event.user_text for hit in await store.search_events(actor, query)]


async def test_what_shares_no_word_is_found_by_its_meaning_in_other_languages(
    opened: Opener,
) -> None:
    store = opened(FakeEmbedder(CONCEPTS))
    await told(store, *FACTS)
    await settled(store)
    for question, fact in (
        ("¿Dónde hay pan?", FACTS[0]),
        ("面包", FACTS[0]),
        ("my bike", FACTS[1]),
        ("自行车在哪里?", FACTS[1]),
        ("rain", FACTS[2]),
        ("lluvia", FACTS[2]),
    ):
        assert (await records(store, question))[:1] == [fact], question
        assert (await events(store, question))[:1] == [fact], question


async def test_a_word_in_common_is_found_with_vectors_too(opened: Opener) -> None:
    store = opened(FakeEmbedder(CONCEPTS))
    await told(store, *FACTS)
    await settled(store)
    assert (await records(store, "kettle"))[0] == FACTS[3]
    assert FACTS[3] not in await records(store, "pan")


async def test_search_goes_by_words_until_vectors_are_there(opened: Opener) -> None:
    plain = opened()
    await told(plain, *FACTS)
    assert await plain.pending_vectors() == 0
    assert await plain.embed_pending(5) == 0
    store = opened(FakeEmbedder(CONCEPTS))
    assert await store.pending_vectors() == 8
    assert await records(store, "kettle") == [FACTS[3]]
    assert await records(plain, "面包") == []
    await settled(store)
    assert await store.pending_vectors() == 0
    assert await records(store, "面包") == [FACTS[0]]


async def test_another_model_embeds_all_anew_and_search_works_meanwhile(opened: Opener) -> None:
    old, new = FakeEmbedder(CONCEPTS), FakeEmbedder({"none": ("qqq",)}, model_id="fake-2")
    store = opened(old)
    await told(store, *FACTS)
    await settled(store)
    await store.close()
    store = opened(new)
    assert await store.pending_vectors() == 8
    assert (await records(store, "kettle"))[0] == FACTS[3]
    await settled(store)
    assert await store.pending_vectors() == 0
    assert {text for texts, query in new.calls if not query for text in texts} >= set(FACTS)
    assert (await records(store, "kettle"))[0] == FACTS[3]


async def test_a_text_embedded_before_is_not_embedded_again(opened: Opener) -> None:
    embedder = FakeEmbedder(CONCEPTS)
    store = opened(embedder)
    await told(store, *FACTS)
    await settled(store)
    embedder.calls.clear()
    record = make_record(1, FACTS[0])
    await store.update(replace(record, metadata={"litres": 2.0}))
    await store.write(make_record(9, FACTS[0], actor=LUIS))
    await settled(store)
    assert embedder.calls == []
    assert await records(store, "pan", LUIS) == [FACTS[0]]
    heavy = SearchQuery("面包", START, filters=(Filter("litres", "greater", 1.0),))
    assert [hit.record.id for hit in await store.search(ANA, heavy)] == [record.id]
    await store.update(replace(record, text="The kettle whistles."))
    await settled(store)
    assert [texts for texts, query in embedder.calls if not query] == [("The kettle whistles.",)]
    assert await records(store, "pan") == []


async def test_what_is_archived_deleted_or_forgotten_has_no_vector(
    opened: Opener, tmp_path: Path
) -> None:
    store = opened(FakeEmbedder(CONCEPTS))
    await told(store, "bread one", "bread two", "bread three", "bread four")
    await told(store, "bread", actor=LUIS)
    await settled(store)
    assert len(await records(store, "面包")) == 4
    await store.archive(ANA, make_record(1).id, START)
    await store.delete(ANA, make_record(3).id)
    await store.delete_event(ANA, make_event(2).id)
    assert await records(store, "面包") == ["bread two", "bread four"]
    assert sorted(await events(store, "面包")) == ["bread four", "bread one", "bread three"]
    await settled(store)
    assert sorted(await events(store, "面包")) == ["bread four", "bread one", "bread three"]
    await store.forget(LUIS)
    assert await records(store, "面包", LUIS) == []
    await store.close()
    with sqlite3.connect(tmp_path / "memory.db") as connection:
        (held,) = connection.execute("SELECT count(vector) FROM passages").fetchone()
        (vectors,) = connection.execute("SELECT count(*) FROM vectors").fetchone()
    connection.close()
    assert held == vectors == 5


async def test_an_archived_record_that_is_restored_is_found_again(opened: Opener) -> None:
    store = opened(FakeEmbedder(CONCEPTS))
    await told(store, *FACTS)
    await settled(store)
    record = make_record(1, FACTS[0])
    await store.archive(ANA, record.id, START)
    assert await records(store, "面包") == []
    await store.update(record)
    await settled(store)
    assert await records(store, "面包") == [FACTS[0]]


async def test_an_answer_is_found_by_the_question_it_answers(opened: Opener) -> None:
    embedder = FakeEmbedder(CONCEPTS)
    store = opened(embedder)
    await store.add_event(make_event(1, user_text="How old is the bike?", assistant_text=None))
    await store.add_event(
        make_event(2, user_text="Seven years.", assistant_text=None, speaker="Luis")
    )
    await settled(store)
    passages = {text for texts, query in embedder.calls if not query for text in texts}
    assert passages == {"How old is the bike?", "How old is the bike?\nLuis: Seven years."}
    assert await events(store, "自行车多少年了?") == ["Seven years.", "How old is the bike?"]


async def test_two_stores_on_one_file_see_each_others_writes_and_vectors(opened: Opener) -> None:
    one, two = opened(FakeEmbedder(CONCEPTS)), opened(FakeEmbedder(CONCEPTS))
    await told(one, *FACTS)
    assert await records(two, "kettle") == [FACTS[3]]
    await asyncio.gather(settled(one), settled(two))
    assert await records(one, "面包") == await records(two, "面包") == [FACTS[0]]
    await two.write(make_record(7, "Another loaf."))
    await settled(two)
    assert set(await records(one, "面包")) == {FACTS[0], "Another loaf."}
    await one.delete(ANA, make_record(7).id)
    assert await records(two, "面包") == [FACTS[0]]
    await one.forget(ANA)
    assert await records(two, "面包") == []
    await one.write(make_record(1, "bread", actor="somebody-new"))
    await settled(one)
    assert await records(two, "面包", "somebody-new") == ["bread"]


async def test_what_others_say_moves_nobodys_ranking_with_vectors(opened: Opener) -> None:
    store = opened(FakeEmbedder(CONCEPTS))
    await told(store, *FACTS)
    await settled(store)

    async def everything() -> list[object]:
        query = EventQuery("loaf of rain 自行车", START)
        return [
            await store.search(ANA, SearchQuery("loaf of rain 自行车", START)),
            await store.search_events(ANA, query),
        ]

    before = await everything()
    await told(store, *FACTS, *(f"bread and rain {n}" for n in range(20)), actor=LUIS)
    await settled(store)
    assert await everything() == before
    await store.forget(LUIS)
    assert await everything() == before


async def test_an_embedder_that_fails_is_left_alone_for_a_minute(
    opened: Opener, caplog: pytest.LogCaptureFixture
) -> None:
    clock, embedder = FakeClock(), FakeEmbedder(CONCEPTS)
    embedder.failure = ModelError("no answer", cause="unreachable")
    store = opened(embedder, clock)
    with caplog.at_level(logging.WARNING):
        await told(store, *FACTS)
        assert await records(store, "kettle") == [FACTS[3]]
        asked = len(embedder.calls)
        assert await records(store, "kettle") == [FACTS[3]]
        assert len(embedder.calls) == asked
    assert "no answer" in caplog.text
    embedder.failure = None
    clock.pass_(minutes=2)
    await settled(store)
    assert await records(store, "面包") == [FACTS[0]]


class Wrong(FakeEmbedder):
    """Gives what is no vector of its length."""

    def __init__(self, vector: Sequence[float]) -> None:
        super().__init__(CONCEPTS)
        self.given = tuple(vector)

    async def embed(self, texts: Sequence[str], *, query: bool) -> Sequence[tuple[float, ...]]:
        return [self.given for _ in texts]


@pytest.mark.parametrize("vector", [(), (1.0,), (float("nan"),) * 35, (0.0,) * 35])
async def test_what_is_no_vector_is_not_kept(opened: Opener, vector: Sequence[float]) -> None:
    store = opened(Wrong(vector))
    await told(store, *FACTS)
    with pytest.raises(ValueError, match="vector"):
        await settled(store)
    assert await store.pending_vectors() == 8
    assert await records(store, "kettle") == [FACTS[3]]


class Held(FakeEmbedder):
    """Holds every passage until it is let go."""

    def __init__(self) -> None:
        super().__init__(CONCEPTS)
        self.asked, self.let_go = asyncio.Event(), asyncio.Event()

    async def embed(self, texts: Sequence[str], *, query: bool) -> Sequence[tuple[float, ...]]:
        if not query:
            self.asked.set()
            await self.let_go.wait()
        return await super().embed(texts, query=query)


async def test_vectors_come_in_the_background_and_hold_nothing_up(opened: Opener) -> None:
    embedder = Held()
    store = opened(embedder)
    await told(store, *FACTS)  # acknowledged though nothing can be embedded
    await embedder.asked.wait()
    assert await records(store, "kettle") == [FACTS[3]]
    embedder.let_go.set()
    await all_embedded(store)
    assert await records(store, "面包") == [FACTS[0]]


async def all_embedded(store: LocalMemoryStore) -> None:
    async with asyncio.timeout(30):
        while await store.pending_vectors():
            await asyncio.sleep(0)


async def test_what_another_process_left_is_embedded_once_somebody_searches(
    opened: Opener,
) -> None:
    await told(opened(), *FACTS)
    store = opened(FakeEmbedder(CONCEPTS))
    await records(store, "kettle")
    await all_embedded(store)
    assert await records(store, "面包") == [FACTS[0]]


async def test_after_a_failure_the_next_search_has_it_tried_again(opened: Opener) -> None:
    clock, embedder = FakeClock(), FakeEmbedder(CONCEPTS)
    embedder.failure = ModelError("no answer", cause="unreachable")
    store = opened(embedder, clock)
    await told(store, *FACTS)
    with pytest.raises(ModelError):
        await store.embed_pending(1)
    await records(store, "kettle")
    embedder.failure = None
    clock.pass_(minutes=2)
    await records(store, "kettle")
    await all_embedded(store)


async def test_closing_waits_for_no_embedding(opened: Opener) -> None:
    embedder = Held()
    store = opened(embedder)
    await told(store, *FACTS)
    await embedder.asked.wait()
    async with asyncio.timeout(60):
        await store.close()
        await store.close()
    embedder.let_go.set()
    with pytest.raises(ModelError, match="closed"):
        await embedder.embed(["x"], query=False)
    again = opened(FakeEmbedder(CONCEPTS))
    assert await again.pending_vectors() == 8
    await settled(again)
    assert await records(again, "面包") == [FACTS[0]]


EMBEDS = """
import asyncio, sys
from pathlib import Path
from cloche.memory.local import LocalMemoryStore
from cloche.testing import FakeEmbedder
from cloche.testing.clock import FakeClock

async def main():
    path, model = sys.argv[1:]
    store = LocalMemoryStore(Path(path), FakeClock(), FakeEmbedder(model_id=model))
    while done := await store.embed_pending(3):
        print(done, flush=True)
    await store.close()

asyncio.run(main())
"""


async def test_a_process_killed_while_it_embeds_loses_nothing(
    opened: Opener, tmp_path: Path
) -> None:
    store = opened()
    for number in range(60):
        await store.write(make_record(number, f"Statement {number} on bread."))
    whole = await store.iterate(ANA, limit=100)
    for killed in range(4):
        command = [sys.executable, "-c", EMBEDS, str(tmp_path / "memory.db"), f"model-{killed % 2}"]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            for _ in range(1 + 2 * killed):
                process.stdout.readline()
            os.kill(process.pid, signal.SIGKILL)
        assert await store.iterate(ANA, limit=100) == whole
        assert len(await records(store, "bread")) == 50
    with sqlite3.connect(tmp_path / "memory.db") as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()
    last = opened(FakeEmbedder(CONCEPTS))
    await settled(last)
    assert await last.pending_vectors() == 0
    assert len(await records(last, "面包")) >= 5


async def test_processes_embed_one_store_at_once(opened: Opener, tmp_path: Path) -> None:
    store = opened()
    for number in range(80):
        await store.write(make_record(number, f"Statement {number} on bread."))
    command = [sys.executable, "-c", EMBEDS, str(tmp_path / "memory.db"), "one-model"]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(2)]
    for process in processes:
        process.communicate(timeout=120)
        assert process.returncode == 0
    assert await opened(FakeEmbedder(model_id="one-model")).pending_vectors() == 0


async def test_without_numpy_search_goes_by_words(
    opened: Opener, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("cloche.memory.local.store.find_spec", lambda name: None)
    embedder = FakeEmbedder(CONCEPTS)
    store = opened(embedder)
    await told(store, *FACTS)
    assert await records(store, "kettle") == [FACTS[3]]
    assert embedder.calls == []
    assert "numpy is not installed" in caplog.text
    await store.close()
    with pytest.raises(ModelError, match="closed"):
        await embedder.embed(["x"], query=False)


def test_without_an_embedder_numpy_is_not_loaded(tmp_path: Path) -> None:
    program = """
import asyncio, sys
from pathlib import Path
from cloche.memory.local import LocalMemoryStore
from cloche.memory.store import EventQuery, SearchQuery
from cloche.testing.clock import FakeClock
from cloche.testing.samples import START, make_event, make_record

async def main():
    store = LocalMemoryStore(Path(sys.argv[1]), FakeClock())
    await store.write(make_record(1))
    await store.add_event(make_event(1))
    assert await store.search("console_-ana", SearchQuery("kettle", START))
    assert await store.search_events("console_-ana", EventQuery("words last week", START))
    await store.close()
    assert "numpy" not in sys.modules

asyncio.run(main())
"""
    subprocess.run([sys.executable, "-c", program, tmp_path / "memory.db"], check=True)
