"""Cases about records: kept whole, replaced, archived, removed."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from cloche.memory.records import Tag
from cloche.memory.store import Filter, SearchQuery
from cloche.testing.samples import SENTENCES, START, make_record, whole_record
from cloche.testing.stores.base import ANA, StoreCases, found

LATER = START + timedelta(days=30)


class RecordCases(StoreCases):
    """What a store must do with records."""

    async def test_a_record_comes_back_as_it_was_written(self, tmp_path: Path) -> None:
        """Every field, metadata of every type, in any language."""
        records = [whole_record()]
        records += [make_record(n, text, subject=text) for n, text in enumerate(SENTENCES)]
        async with self.opened(tmp_path) as store:
            for record in records:
                await store.write(record)
            for record in records:
                assert await store.get(ANA, record.id) == record
            assert list(await store.iterate(ANA)) == sorted(records, key=lambda r: r.id)
            assert await store.get(ANA, "mem-none") is None

    async def test_a_record_outlives_the_store_object(self, tmp_path: Path) -> None:
        """It was durable before ``write`` returned, and can still be searched."""
        async with self.opened(tmp_path) as store:
            await store.write(whole_record())
        async with self.opened(tmp_path) as store:
            assert await store.get(ANA, whole_record().id) == whole_record()
            assert await found(store, ANA, SearchQuery("desván", LATER)) == [whole_record().text]

    async def test_writing_an_id_that_is_there_changes_nothing(self, tmp_path: Path) -> None:
        """Writing again what was written is harmless, at once too."""
        first = make_record(1, "The first wording.")
        async with self.opened(tmp_path) as store:
            await store.write(first)
            await store.write(replace(first, text="Another wording."))
            await asyncio.gather(*(store.write(make_record(2)) for _ in range(10)))
            assert await store.get(ANA, first.id) == first
            assert len(await store.iterate(ANA)) == 2
            assert await found(store, ANA, SearchQuery("another", LATER)) == []

    async def test_an_update_replaces_all_of_a_record(self, tmp_path: Path) -> None:
        """What is searched and filtered is the new one, never the old one."""
        old = make_record(1, "The lamp is green.", metadata={"colours": (Tag("green", "Green"),)})
        new = replace(
            old,
            text="The lamp is yellow.",
            kind="decision",
            scope="personal",
            subject="lamp",
            metadata={"colours": (Tag("yellow", "Yellow"),)},
            validity=replace(old.validity, updated_at=LATER),
        )
        async with self.opened(tmp_path) as store:
            await store.write(old)
            assert await store.update(new)
            assert await store.get(ANA, old.id) == new
            assert await found(store, ANA, SearchQuery("green", LATER)) == []
            assert await found(store, ANA, SearchQuery("yellow", LATER)) == [new.text]
            assert await found(store, ANA, SearchQuery("", LATER, kinds=("fact",))) == []
            assert await found(store, ANA, SearchQuery("", LATER, scopes=("personal",)))
            green, yellow = (Filter("colours", "contains", c) for c in ("green", "yellow"))
            assert await found(store, ANA, SearchQuery("", LATER, filters=(green,))) == []
            assert await found(store, ANA, SearchQuery("", LATER, filters=(yellow,)))

    async def test_an_update_of_nothing_is_told_and_writes_nothing(self, tmp_path: Path) -> None:
        """False, and the record is still not there."""
        async with self.opened(tmp_path) as store:
            assert not await store.update(make_record(1))
            assert await store.get(ANA, make_record(1).id) is None
            assert list(await store.iterate(ANA)) == []

    async def test_an_archived_record_is_history(self, tmp_path: Path) -> None:
        """Out of every search, but there to be read, with the instant it was archived at."""
        record = make_record(1, "The lamp is green.")
        async with self.opened(tmp_path) as store:
            await store.write(record)
            await store.write(make_record(2, "The chair is green."))
            assert await store.archive(ANA, record.id, LATER)
            archived = replace(record, validity=replace(record.validity, archived_at=LATER))
            assert await store.get(ANA, record.id) == archived
            assert archived in await store.iterate(ANA)
            for text in ("green", "lamp", ""):
                assert record.text not in await found(store, ANA, SearchQuery(text, LATER))
            # Even as of an instant before it was archived.
            assert record.text not in await found(store, ANA, SearchQuery("lamp", START))
            assert await store.archive(ANA, record.id, LATER)
            assert not await store.archive(ANA, "mem-none", LATER)

    async def test_a_record_written_as_archived_is_not_found(self, tmp_path: Path) -> None:
        """As an import does; an update can bring it back."""
        archived = make_record(1, "The lamp is green.", archived_at=START)
        current = replace(archived, validity=replace(archived.validity, archived_at=None))
        async with self.opened(tmp_path) as store:
            await store.write(archived)
            assert await found(store, ANA, SearchQuery("lamp", LATER)) == []
            assert await found(store, ANA, SearchQuery("", LATER)) == []
            assert await store.update(current)
            assert await found(store, ANA, SearchQuery("lamp", LATER)) == [current.text]
            assert await store.update(archived)
            assert await found(store, ANA, SearchQuery("lamp", LATER)) == []

    async def test_a_deleted_record_is_gone(self, tmp_path: Path) -> None:
        """From reading, paging and search; archived ones can be deleted too."""
        record, archived = make_record(1, "The lamp is green."), make_record(2, "A stool.")
        async with self.opened(tmp_path) as store:
            await store.write(record)
            await store.write(archived)
            await store.archive(ANA, archived.id, LATER)
            for one in (record, archived):
                assert await store.delete(ANA, one.id)
                assert not await store.delete(ANA, one.id)
                assert await store.get(ANA, one.id) is None
            assert list(await store.iterate(ANA)) == []
            assert await found(store, ANA, SearchQuery("lamp", LATER)) == []
            assert not await store.update(record)
            assert not await store.archive(ANA, record.id, LATER)
            await store.write(record)
            assert await found(store, ANA, SearchQuery("lamp", LATER)) == [record.text]

    async def test_pages_of_records_hold_each_once_in_the_order_of_ids(
        self, tmp_path: Path
    ) -> None:
        """Whatever the size of a page; of one scope, or of all."""
        records = [make_record(n, scope="personal" if n % 3 else "long_term") for n in range(14)]
        async with self.opened(tmp_path) as store:
            for record in reversed(records):
                await store.write(record)
            for scope in (None, "personal", "long_term", "project"):
                wanted = [r.id for r in records if scope in (None, r.scope)]
                for limit in (1, 5, 14, 100):
                    read: list[str] = []
                    while page := await store.iterate(
                        ANA, scope=scope, after=read[-1] if read else "", limit=limit
                    ):
                        assert len(page) <= limit
                        read += [record.id for record in page]
                    assert read == wanted
