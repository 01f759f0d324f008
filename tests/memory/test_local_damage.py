"""Damage inside the file: what cannot be used is passed over or told, and never falsifies."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from cloche.errors import MemoryUnavailableError
from cloche.memory.local import LocalMemoryStore
from cloche.memory.store import EventQuery, SearchQuery
from cloche.testing import FakeEmbedder
from cloche.testing.clock import FakeClock
from cloche.testing.samples import START, make_event, make_record

pytest.importorskip("numpy")

ANA = "console_-ana"
CONCEPTS = {"tree": ("fig", "higuera", "无花果"), "rain": ("rain", "lluvia", "雨")}
TEXTS = (
    "The fig is tall.",
    "La higuera está seca.",
    "无花果很甜。",
    "It rains.",
    "Llueve: lluvia.",
)


async def filled(path: Path) -> None:
    store = LocalMemoryStore(path, FakeClock(), FakeEmbedder(CONCEPTS))
    for number, text in enumerate(TEXTS, start=1):
        await store.write(make_record(number, text, actor=ANA))
        await store.add_event(
            make_event(number, ANA, user_text=text, assistant_text=None, session="s")
        )
    while await store.embed_pending(50):
        pass
    await store.close()


def damage(path: Path, statement: str, *parameters: object) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(statement, parameters)


async def found(store: LocalMemoryStore, words: str) -> list[str]:
    return [hit.record.text for hit in await store.search(ANA, SearchQuery(words, START))]


SIZE = 4 * FakeEmbedder(CONCEPTS).dimensions
BLOBS = {
    "three bytes": b"abc",
    "none": b"",
    "text": "text",
    "a number": 7,
    "no numbers": b"\xff" * SIZE,
    "short": b"\x00\x00\x80\x3f" * (SIZE // 4 - 1),
    "long": bytes(SIZE) + b"\x00\x00\x80\x3f",
    "zeros": bytes(SIZE),
    "huge": b"\xff\xff\x7f\x7f" * (SIZE // 4),
    "ten times as long": b"\x00\x00\x20\x41" + bytes(SIZE - 4),
}


@pytest.mark.parametrize("what", BLOBS)
async def test_a_damaged_vector_counts_as_none_and_is_made_anew(tmp_path: Path, what: str) -> None:
    path = tmp_path / "memory.db"
    await filled(path)
    whole = LocalMemoryStore(path, FakeClock(), FakeEmbedder(CONCEPTS))
    expected = {words: await found(whole, words) for words in ("fig", "higuera", "无花果", "rain")}
    await whole.close()
    damage(path, "UPDATE vectors SET vector = ? WHERE number % 2 = 0", BLOBS[what])
    embedder = FakeEmbedder(CONCEPTS)
    store = LocalMemoryStore(path, FakeClock(), embedder)
    # By its words every one is found meanwhile, and nothing stands before what is meant.
    assert set(await found(store, "fig")) >= {"The fig is tall."}
    await store.search_events(ANA, EventQuery("fig", START))
    while await store.embed_pending(50):
        pass
    assert {words: await found(store, words) for words in expected} == expected
    assert await store.pending_vectors() == 0
    await store.close()
    again = LocalMemoryStore(path, FakeClock(), FakeEmbedder(CONCEPTS))
    assert {words: await found(again, words) for words in expected} == expected
    assert await again.pending_vectors() == 0
    await again.close()


async def test_a_damaged_vector_is_given_to_no_text_that_says_the_same(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    await filled(path)
    damage(path, "UPDATE vectors SET vector = x'616263'")
    store = LocalMemoryStore(path, FakeClock(), FakeEmbedder(CONCEPTS))
    await store.write(make_record(9, TEXTS[0], actor=ANA))
    while await store.embed_pending(50):
        pass
    assert len(await found(store, "higuera")) == 2  # by the new one's vector, and by the word
    while await store.embed_pending(50):
        pass
    assert len(await found(store, "higuera")) == 4
    await store.close()


STATEMENTS = (
    "DELETE FROM records WHERE id = (SELECT min(id) FROM records)",
    "DELETE FROM events WHERE id = (SELECT min(id) FROM events)",
    "DELETE FROM passages WHERE row = 2",
    "UPDATE records SET updated_at = 'zz' WHERE number = 2",
    "UPDATE records SET updated_at = 9223372036854775807 WHERE number = 2",
    "UPDATE records SET updated_at = NULL WHERE number = 2",
    "UPDATE records SET expires_at = 'zz' WHERE number = 2",
    "UPDATE records SET expires_at = x'00' WHERE number = 2",
    "UPDATE records SET kind = x'ff' WHERE number = 2",
    "UPDATE records SET id = x'ff' WHERE number = 2",
    "UPDATE records SET document = 'x' WHERE number = 2",
    "UPDATE passages SET words = 'zz' WHERE row = 2",
    "UPDATE passages SET who = x'ff' WHERE row = 2",
    "UPDATE passages SET asks = 'zz' WHERE row = 2",
    "UPDATE passages SET model = 'zz' WHERE row = 2",
    "UPDATE passages SET number = 999 WHERE row = 2",
    "UPDATE passages SET vector = 999 WHERE row = 2",
    "UPDATE events SET at = 'zz'",
    "UPDATE events SET at = 9223372036854775807",
    "UPDATE events SET at = -9223372036854775807",
    "UPDATE events SET session = x'ff'",
    "UPDATE actors SET changes = 0",
    "UPDATE actors SET changes = 'zz'",
    "UPDATE actors SET removed = 'zz'",
    "UPDATE tags SET value = 1",
    "DELETE FROM actors",
)


@pytest.mark.parametrize("embeds", [False, True])
@pytest.mark.parametrize("statement", STATEMENTS)
async def test_damaged_columns_raise_nothing_but_what_a_store_may(
    tmp_path: Path, statement: str, embeds: bool
) -> None:
    path = tmp_path / "memory.db"
    await filled(path)
    try:
        damage(path, statement)
    except sqlite3.IntegrityError:
        return  # the file refuses it
    store = LocalMemoryStore(path, FakeClock(), FakeEmbedder(CONCEPTS) if embeds else None)
    told = list[str]()
    for _ in range(2):
        for look in (
            lambda: store.search(ANA, SearchQuery("fig", START)),
            lambda: store.search(ANA, SearchQuery("", START)),
            lambda: store.search(ANA, SearchQuery("in march 2020", START)),
            lambda: store.search_events(ANA, EventQuery("fig", START)),
            lambda: store.recent_events(ANA, limit=3),
            lambda: store.iterate(ANA),
            lambda: store.iterate_events(ANA),
            lambda: store.embed_pending(99),
            store.pending_vectors,
            lambda: store.write(make_record(77, "The fig is old.", actor=ANA)),
        ):
            try:
                await look()
            except MemoryUnavailableError as error:
                told.append(error.cause)
    assert set(told) <= {"corrupt"}
    if "actors" not in statement:
        assert told == [], "one damaged row hides no other"
        assert "The fig is old." in await found(store, "fig")
    await store.close()
