from __future__ import annotations

import asyncio
import sqlite3
import tempfile
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloche.memory.codec import dump_line, event_to_json, record_to_json
from cloche.memory.local import LocalMemoryStore, schema
from cloche.memory.local.rows import tags_of
from cloche.memory.records import Source, Tag
from cloche.memory.store import EventQuery, Filter, Forgotten, SearchQuery
from cloche.sqlite import to_micros
from cloche.testing.clock import FakeClock
from cloche.testing.samples import START, make_event, make_record, whole_event, whole_record

ANA, LUIS = "console_-ana", "console_-luis"
SECRETS = ("zapateria", "Quetzalcoatl", "蝴蝶结", "jubjubbird", "wintermantel", "öræfajökull")


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[LocalMemoryStore]:
    store = LocalMemoryStore(tmp_path / "memory.db", FakeClock())
    yield store
    await store.close()


def raw(folder: Path) -> bytes:
    """All bytes the store has on disk."""
    return b"".join(file.read_bytes() for file in sorted(folder.glob("memory.db*")))


def asked(text: str) -> EventQuery:
    return EventQuery(text, START, limit=9)


def shows(content: bytes, word: str) -> bool:
    return any(one.encode() in content for one in (word, word.lower(), word.casefold()))


def indexed(folder: Path) -> set[str]:
    """Every term in every full-text index."""
    connection = sqlite3.connect(folder / "memory.db")
    names = connection.execute("SELECT name FROM sqlite_schema WHERE sql LIKE '%USING fts5%'")
    terms: set[str] = set()
    for (name,) in names.fetchall():
        connection.execute(f"CREATE VIRTUAL TABLE temp.v_{name} USING fts5vocab(main, {name}, row)")
        terms |= {term for (term,) in connection.execute(f"SELECT term FROM temp.v_{name}")}
    connection.close()
    return terms


async def test_no_word_of_a_deleted_record_is_left_on_disk(
    store: LocalMemoryStore, tmp_path: Path
) -> None:
    one, two, three, four, five, six = SECRETS
    record = make_record(
        7,
        f"{one} {two} {three}",
        subject=four,
        metadata={"colours": (Tag(five, six),)},
        conversation=five,
    )
    for number in range(5):
        await store.write(make_record(number, f"The lamp number {number}."))
    await store.write(record)
    await store.update(replace(record, subject=f"{four} again"))
    before = raw(tmp_path)
    assert all(shows(before, word) for word in SECRETS)
    assert await store.delete(ANA, record.id)
    after = raw(tmp_path)
    assert not [word for word in SECRETS if shows(after, word)]
    assert "quetzalcoatl" not in indexed(tmp_path)
    assert len(await store.search(ANA, SearchQuery("lamp", START))) == 5


async def test_no_word_of_a_deleted_event_is_left_on_disk(
    store: LocalMemoryStore, tmp_path: Path
) -> None:
    one, two, *_ = SECRETS
    for number in range(5):
        await store.add_event(make_event(number))
    event = make_event(7, user_text=one, assistant_text=two)
    await store.add_event(event)
    assert all(shows(raw(tmp_path), word) for word in (one, two))
    assert await store.delete_event(ANA, event.id)
    assert not [word for word in (one, two) if shows(raw(tmp_path), word)]
    assert "quetzalcoatl" not in indexed(tmp_path)


async def test_no_earlier_wording_of_a_deleted_record_is_left_on_disk(
    store: LocalMemoryStore, tmp_path: Path
) -> None:
    record = make_record(1, "The Quetzalcoatl.")
    await store.write(make_record(2, "The lamp."))
    await store.write(record)
    await store.update(replace(record, text="The Jubjubbird."))
    await store.archive(ANA, record.id, START)
    for number in range(3, 9):
        await store.write(make_record(number, f"The lamp number {number}."))
    assert await store.delete(ANA, record.id)
    assert not [word for word in ("Quetzalcoatl", "Jubjubbird") if shows(raw(tmp_path), word)]
    assert not indexed(tmp_path) & {"quetzalcoatl", "jubjubbird"}


async def test_no_word_of_somebody_forgotten_is_left_on_disk(
    store: LocalMemoryStore, tmp_path: Path
) -> None:
    for number, word in enumerate(SECRETS):
        await store.write(make_record(number, f"The {word}.", actor=LUIS, subject=word))
        await store.add_event(
            make_event(number, LUIS, user_text=word, assistant_text=f"{word}?", session=word)
        )
        await store.write(make_record(number, f"The lamp number {number}."))
        await store.add_event(make_event(number, ANA))
    await store.archive(LUIS, make_record(2).id, START)
    before = raw(tmp_path)
    assert all(shows(before, word) for word in (*SECRETS, LUIS))
    assert await store.forget(LUIS) == Forgotten(events=6, records=6)
    after = raw(tmp_path)
    assert not [word for word in (*SECRETS, LUIS) if shows(after, word)]
    assert "quetzalcoatl" not in indexed(tmp_path)
    assert "lamp" in indexed(tmp_path)
    assert len(await store.search(ANA, SearchQuery("lamp", START))) == 6


async def test_forgetting_again_finishes_what_a_crash_left_in_the_log(
    store: LocalMemoryStore, tmp_path: Path
) -> None:
    await store.write(make_record(1, "The zapateria."))
    await store.delete(ANA, make_record(1).id)
    # As after a crash between the commit and cutting the log: the words stand in it alone.
    await store.write(make_record(2, "The zapateria.", actor=LUIS))
    log = (tmp_path / "memory.db-wal").read_bytes()
    assert b"zapateria" in log
    assert not await store.delete(ANA, make_record(1).id)
    assert b"zapateria" not in (tmp_path / "memory.db-wal").read_bytes()


async def test_a_store_of_version_1_keeps_its_data_and_gets_full_text(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    old = sqlite3.connect(path)
    schema.create(old)
    old.execute("PRAGMA user_version = 1")
    old.executemany("INSERT INTO actors (number, id) VALUES (?, ?)", [(4, ANA), (9, LUIS)])
    records = [whole_record(), make_record(2, "An old lamp.", archived_at=START)]
    records += [make_record(3, "His lamp.", actor=LUIS)]
    for number, record in enumerate(records, start=1):
        old.executemany(
            "INSERT INTO tags (record, key, value) VALUES (?, ?, ?)",
            [(number, key, tag_id) for key, tag_id, _, _ in tags_of(record)],
        )
        old.execute(
            "INSERT INTO records (actor, id, scope, kind, conversation, updated_at, expires_at, "
            "archived, document) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                4 if record.actor == ANA else 9,
                record.id,
                record.scope,
                record.kind,
                record.source.conversation,
                to_micros(record.validity.updated_at),
                None,
                record.validity.archived_at is not None,
                dump_line(record_to_json(record)).decode(),
            ),
        )
    event = whole_event()
    old.execute(
        "INSERT INTO events (actor, id, session, conversation, at, document) "
        "VALUES (4, ?, ?, ?, ?, ?)",
        (
            event.id,
            event.session,
            event.conversation,
            to_micros(event.at),
            dump_line(event_to_json(event)).decode(),
        ),
    )
    old.execute(
        "INSERT INTO events (actor, id, session, conversation, at, document) "
        "VALUES (4, 'torn', 's', 'c', 0, '{\"id\": ')"
    )
    old.commit()
    old.close()
    # Two processes may find the old file at the same time.
    stores = [LocalMemoryStore(path, FakeClock()) for _ in range(2)]
    pages = await asyncio.gather(*(store.iterate(ANA) for store in stores))
    assert [list(page) for page in pages] == [sorted(records[:2], key=lambda r: r.id)] * 2
    store = stores[0]
    assert list(await store.iterate_events(ANA)) == [event]
    assert [h.record for h in await store.search(ANA, SearchQuery("desvan", START))] == [records[0]]
    assert list(await store.search(ANA, SearchQuery("lamp", START))) == []
    assert [h.record for h in await store.search(LUIS, SearchQuery("lamp", START))] == [records[2]]
    assert [h.event for h in await store.search_events(ANA, asked("sign"))] == [event]
    old_number = SearchQuery("", START, filters=(Filter("litres", "at_least", 12.75),))
    assert [h.record for h in await store.search(ANA, old_number)] == [records[0]]
    await store.write(make_record(5, "A new lamp."))
    assert await store.damaged() == 1
    assert await store.forget(ANA) == Forgotten(events=2, records=3)
    for one in stores:
        await one.close()
    with sqlite3.connect(path) as connection:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
    connection.close()
    assert version == len(schema.MIGRATIONS)


def spoil(path: Path, *statements: str) -> None:
    """What a person with a database browser does, or a bad disk."""
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


DAMAGE = {
    "no JSON": "'{'",
    "a field missing": "replace(document, '\"id\"', '\"no\"')",
    "no UTF-8": "CAST(x'7bff' AS TEXT)",
    "bytes": "x'00'",
    "a number": "7",
    "nested too deeply": f"'{'[' * 100_000}'",
}


@pytest.mark.parametrize("value", DAMAGE.values(), ids=DAMAGE)
async def test_a_damaged_row_is_passed_over_and_hides_no_other(
    store: LocalMemoryStore,
    tmp_path: Path,
    value: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    for number in range(1, 4):
        await store.write(make_record(number, f"Lamp {number}."))
        await store.add_event(make_event(number))
    bad, whole = make_record(2), [make_record(1).id, make_record(3).id]
    event = make_event(2)
    spoil(
        tmp_path / "memory.db",
        f"UPDATE records SET document = {value} WHERE id = '{bad.id}'",
        f"UPDATE events SET document = {value} WHERE id = '{event.id}'",
    )
    assert [r.id for r in await store.iterate(ANA, limit=2)] == whole
    assert [r.id for r in await store.iterate(ANA, after=whole[0], limit=1)] == whole[1:]
    assert len(await store.recent_events(ANA, limit=2)) == 2
    assert len(await store.iterate_events(ANA, limit=1)) == 1
    assert len(await store.search(ANA, SearchQuery(text="lamp", at=START, limit=9))) == 2
    assert await store.get(ANA, bad.id) is None
    assert await store.archive(ANA, bad.id, START) is False
    assert await store.damaged() == 2
    assert sum("passed over" in line for line in caplog.messages) == 1
    assert await store.update(bad)
    assert await store.damaged() == 1
    assert await store.delete_event(ANA, event.id)
    assert await store.damaged() == 0


async def test_damaged_rows_can_be_forgotten(store: LocalMemoryStore, tmp_path: Path) -> None:
    for number in range(1, 4):
        await store.write(make_record(number))
    spoil(tmp_path / "memory.db", "UPDATE records SET document = '{'")
    assert await store.delete(ANA, make_record(1).id)
    assert await store.forget(ANA) == Forgotten(events=0, records=2)


@pytest.mark.parametrize(
    "damage",
    [
        "DROP TABLE fts_records_1",
        "DROP TABLE fts_records_1_data",
        "DELETE FROM fts_records_1_data",
        "DROP TABLE fts_events_1_config",
        "DROP TABLE fts_records_1_content",
    ],
)
async def test_full_text_that_is_damaged_is_made_again(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "memory.db"
    first = LocalMemoryStore(path, FakeClock())
    await first.write(make_record(1, "A brass lamp."))
    await first.write(make_record(2, "A tin lamp."))
    await first.close()
    unreadable = f"UPDATE records SET document = '{{' WHERE id = '{make_record(2).id}'"
    spoil(path, damage, unreadable)
    second = LocalMemoryStore(path, FakeClock())
    (hit,) = await second.search(ANA, SearchQuery(text="lamp", at=START, limit=9))
    assert hit.record.text == "A brass lamp."
    # Damaged under a program that has it open: forgetting does not need it.
    spoil(path, damage)
    assert await second.forget(ANA) == Forgotten(events=0, records=2)
    await second.write(make_record(3, "A new lamp."))
    assert len(await second.search(ANA, SearchQuery(text="lamp", at=START, limit=9))) == 1
    await second.close()
    connection = sqlite3.connect(path)
    names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master")]
    assert not [name for name in names if name.startswith("fts_") and "_1" in name]
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()


async def test_events_of_one_instant_come_in_the_order_they_were_stored(
    store: LocalMemoryStore,
) -> None:
    for event_id in ("c", "a", "b"):
        await store.add_event(make_event(1, id=event_id))
    assert [e.id for e in await store.recent_events(ANA, limit=9)] == ["c", "a", "b"]
    assert [e.id for e in await store.recent_events(ANA, limit=2)] == ["a", "b"]


async def test_words_that_utf8_cannot_hold_are_kept(store: LocalMemoryStore) -> None:
    event = make_event(1, user_text="caf\udce9 lamp")
    await store.add_event(event)
    assert list(await store.iterate_events(ANA)) == [event]
    assert len(await store.search_events(ANA, asked("lamp \udce9"))) == 1


async def test_a_negative_limit_is_not_everything(store: LocalMemoryStore) -> None:
    for work in (
        store.recent_events(ANA, limit=-1),
        store.iterate(ANA, limit=-1),
        store.iterate_events(ANA, limit=-1),
    ):
        with pytest.raises(ValueError, match="limit"):
            await work


async def test_what_has_no_id_is_not_kept(store: LocalMemoryStore) -> None:
    for work in (
        store.add_event(make_event(1, id="")),
        store.write(replace(make_record(1), id="")),
        store.update(replace(make_record(1), id="")),
    ):
        with pytest.raises(ValueError, match="id is empty"):
            await work


async def test_what_could_not_be_read_back_is_refused(store: LocalMemoryStore) -> None:
    naive = START.replace(tzinfo=None)
    with pytest.raises(ValueError, match="time zone"):
        await store.add_event(make_event(1, at=naive))
    with pytest.raises(ValueError, match="finite"):
        await store.write(make_record(1, metadata={"litres": float("inf")}))
    await store.write(make_record(1))
    with pytest.raises(ValueError, match="time zone"):
        await store.archive(ANA, make_record(1).id, naive)
    assert list(await store.iterate(ANA)) == [make_record(1)]
    assert list(await store.iterate_events(ANA)) == []


async def test_a_quote_is_no_part_of_what_a_record_is_found_by(store: LocalMemoryStore) -> None:
    source = Source(quote="and by the way, the harbour was lovely")
    await store.write(replace(make_record(1, "The lamp is green."), source=source))
    assert list(await store.search(ANA, SearchQuery("harbour", START))) == []


async def test_what_was_told_on_the_day_asked_for_comes_first(store: LocalMemoryStore) -> None:
    for number, day in enumerate((1, 2, 3, 9)):
        at = datetime(2026, 3, day, 11, 0, tzinfo=UTC)
        record = make_record(number, f"The lamp of day {day}.")
        validity = replace(record.validity, created_at=at, updated_at=at)
        await store.write(replace(record, validity=validity))
        await store.add_event(
            make_event(number, at=at, user_text=f"The lamp of day {day}.", session=f"s-{day}")
        )
    now = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)
    for text, zone, day in (
        ("Which lamp did I tell you of yesterday?", "UTC", 3),
        ("¿Qué lámpara, lamp, ayer?", "Europe/Madrid", 3),
        ("昨天的 lamp", "Pacific/Auckland", 9),
        ("昨天的 lamp", "Asia/Shanghai", 3),
        ("lamp hace dos días", "UTC", 2),
        ("the lamp on 9 March", "UTC", 9),
    ):
        at = now if zone != "Pacific/Auckland" else datetime(2026, 3, 9, 12, 0, tzinfo=UTC)
        wanted = f"The lamp of day {day}."
        hits = await store.search(ANA, SearchQuery(text, at, time_zone=zone))
        assert hits[0].record.text == wanted, text
        query = EventQuery(text, at, time_zone=zone)
        assert (await store.search_events(ANA, query))[0].event.user_text == wanted, text


async def test_without_a_word_or_a_day_in_common_no_event_is_found(
    store: LocalMemoryStore,
) -> None:
    for number in range(3):
        await store.add_event(make_event(number, user_text="The lamp."))
    assert list(await store.search_events(ANA, asked("submarine"))) == []
    assert list(await store.search_events(ANA, asked(""))) == []
    assert len(await store.search_events(ANA, asked("lamp"))) == 3


words = st.lists(
    st.sampled_from(["lamp", "lámpara", "hall", "阳台", "灯", "green", "the", "de"]), max_size=6
).map(" ".join)


@settings(max_examples=25, deadline=None)
@given(
    mine=st.lists(words, min_size=1, max_size=6), theirs=st.lists(words, max_size=8), query=words
)
def test_what_others_say_moves_nobodys_ranking(
    mine: list[str], theirs: list[str], query: str
) -> None:
    async def course(folder: Path) -> None:
        store = LocalMemoryStore(folder / "memory.db", FakeClock())
        for number, text in enumerate(mine):
            await store.write(make_record(number, text))
            await store.add_event(make_event(number, user_text=text))
        wanted = SearchQuery(query, START)
        before = (await store.search(ANA, wanted), await store.search_events(ANA, asked(query)))
        for number, text in enumerate(theirs):
            await store.write(make_record(number, text, actor=LUIS))
            await store.add_event(make_event(number, LUIS, user_text=text))
        after = (await store.search(ANA, wanted), await store.search_events(ANA, asked(query)))
        await store.close()
        assert after == before

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(course(Path(folder)))
