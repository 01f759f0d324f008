from __future__ import annotations

import asyncio
import errno
import json
import logging
import os
from dataclasses import replace
from pathlib import Path

import pytest

from cloche.errors import MemoryUnavailableError
from cloche.memory.local import LocalMemoryStore
from cloche.memory.operations import (
    AddEvent,
    ArchiveRecord,
    DeleteRecord,
    Operation,
    UpdateRecord,
    WriteRecord,
    apply,
    operation_from_json,
)
from cloche.memory.records import Event, MemoryRecord
from cloche.memory.spool import Spool
from cloche.spool import BATCH
from cloche.testing.clock import FakeClock
from cloche.testing.samples import START, make_event, make_record

ANA, LUIS = "console_-ana", "console_-luis"


class Store(LocalMemoryStore):
    """A local store that notes what is written to it and can be away."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, FakeClock())
        self.seen: list[str] = []
        self.away_after: int | None = None
        self.gate: asyncio.Event | None = None
        self.reached = asyncio.Event()

    async def _note(self, what: str) -> None:
        self.reached.set()
        if self.gate:
            await self.gate.wait()
        if self.away_after is not None and len(self.seen) >= self.away_after:
            raise MemoryUnavailableError("away", cause="io")
        self.seen.append(what)

    async def add_event(self, event: Event) -> None:
        await self._note(f"event {event.user_text}")
        await super().add_event(event)

    async def write(self, record: MemoryRecord) -> None:
        await self._note(f"write {record.text}")
        await super().write(record)

    async def update(self, record: MemoryRecord) -> bool:
        await self._note(f"update {record.text}")
        return await super().update(record)


def event(number: int, actor: str = ANA, text: str = "") -> AddEvent:
    return AddEvent(make_event(number, actor, user_text=text or f"w{number}"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "spool.jsonl"


@pytest.fixture
def spool(path: Path) -> Spool:
    return Spool(path, FakeClock())


@pytest.fixture
async def store(tmp_path: Path):
    store = Store(tmp_path / "memory.db")
    yield store
    await store.close()


async def test_every_kind_of_write_waits_and_is_done_in_order(spool: Spool, store: Store) -> None:
    first = make_record(1, "The lamp is green.")
    second = make_record(2, "The lamp stands in the hall.")
    third = make_record(3, "A typing mistake.")
    corrected = replace(first, text="The lamp is yellow.")
    operations: list[Operation] = [
        WriteRecord(first),
        AddEvent(make_event(1, user_text="¿Y la lámpara? 灯呢?\u2028")),
        UpdateRecord(corrected),
        WriteRecord(second),
        ArchiveRecord(ANA, second.id, START),
        WriteRecord(third),
        DeleteRecord(ANA, third.id),
    ]
    for operation in operations:
        await spool.append(operation)
    assert await spool.pending() == 7
    assert await spool.drain(store) == 7
    assert store.seen == [
        "write The lamp is green.",
        "event ¿Y la lámpara? 灯呢?\u2028",
        "update The lamp is yellow.",
        "write The lamp stands in the hall.",
        "write A typing mistake.",
    ]
    archived = replace(second, validity=replace(second.validity, archived_at=START))
    assert list(await store.iterate(ANA)) == [corrected, archived]
    assert await spool.pending() == 0
    assert await spool.drain(store) == 0


async def test_nothing_waits_before_something_was_appended(spool: Spool, store: Store) -> None:
    assert await spool.pending() == 0
    assert await spool.drain(store) == 0
    assert await spool.purge(ANA) == 0


async def test_a_store_that_goes_away_again_keeps_the_rest_waiting(
    spool: Spool, store: Store
) -> None:
    for number in range(1, 6):
        await spool.append(event(number))
    store.away_after = 2
    assert await spool.drain(store) == 2
    assert await spool.pending() == 3
    assert await spool.drain(store) == 0
    await spool.append(event(6))
    store.away_after = None
    assert await spool.drain(store) == 4
    assert store.seen == [f"event w{n}" for n in range(1, 7)]


async def test_a_long_spool_is_drained_whole(spool: Spool, store: Store) -> None:
    for number in range(BATCH + 5):
        await spool.append(event(number))
    assert await spool.drain(store) == BATCH + 5
    assert store.seen == [f"event w{n}" for n in range(BATCH + 5)]


async def test_a_crash_before_the_cut_does_things_again_without_harm(
    spool: Spool, store: Store, path: Path
) -> None:
    record = make_record(1)
    await spool.append(WriteRecord(record))
    await spool.append(event(1))
    await spool.append(UpdateRecord(replace(record, text="Changed.")))
    before = path.read_bytes()
    await spool.drain(store)
    once = (await store.iterate(ANA), await store.iterate_events(ANA))
    path.write_bytes(before)
    assert await spool.drain(store) == 3
    assert (await store.iterate(ANA), await store.iterate_events(ANA)) == once


async def test_a_line_cut_by_a_crash_is_dropped_with_a_warning(
    spool: Spool, store: Store, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await spool.append(event(1))
    await spool.append(event(2, text="secret"))
    path.write_bytes(path.read_bytes()[:-20])
    with caplog.at_level(logging.WARNING):
        assert await spool.drain(store) == 1
    assert "cut by a crash" in caplog.text
    assert "secret" not in caplog.text
    assert await spool.pending() == 0
    assert not path.with_name("spool.jsonl.bad").exists()


async def test_what_follows_a_cut_line_is_not_joined_to_it(
    spool: Spool, store: Store, path: Path
) -> None:
    await spool.append(event(1))
    path.write_bytes(path.read_bytes()[:-20])
    await spool.append(event(2))
    assert await spool.drain(store) == 1
    assert store.seen == ["event w2"]


async def test_a_whole_line_without_its_line_feed_counts(
    spool: Spool, store: Store, path: Path
) -> None:
    await spool.append(event(1))
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    assert await spool.drain(store) == 1


@pytest.mark.parametrize(
    "damage", [b"\x00\xff\xfe", b"{}", b"not json", b'{"actor":"x","operation":"sing"}', b"[]"]
)
async def test_a_damaged_line_is_set_aside_and_blocks_nothing(
    spool: Spool, store: Store, path: Path, damage: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    await spool.append(event(1))
    path.write_bytes(path.read_bytes() + damage + b"\n")
    await spool.append(event(2))
    with caplog.at_level(logging.WARNING):
        assert await spool.drain(store) == 2
    assert "set aside" in caplog.text
    assert store.seen == ["event w1", "event w2"]
    assert path.with_name("spool.jsonl.bad").read_bytes() == damage + b"\n"


async def test_what_the_store_refuses_for_good_is_set_aside(
    spool: Spool, store: Store, path: Path
) -> None:
    await spool.append(AddEvent(make_event(1, id="")))
    await spool.append(event(2))
    assert await spool.drain(store) == 1
    assert path.with_name("spool.jsonl.bad").read_bytes().count(b"\n") == 1


async def test_purging_a_person_leaves_none_of_their_words(
    spool: Spool, store: Store, path: Path
) -> None:
    bad = path.with_name("spool.jsonl.bad")
    new = path.with_name("spool.jsonl.new")
    for number in range(3):
        await spool.append(event(number, ANA, f"hers {number}"))
        await spool.append(event(number, LUIS, f'his {number} "actor":"{ANA}"'))
    line = path.read_bytes().splitlines(keepends=True)[0]
    bad.write_bytes(
        b'{"actor":"console_-luis","operation":"sing"}\n'
        + line[: line.index(b"hers") + 5]
        + b"\n\xffwho knows\n"
        + b'{"actor":"console_-luis","operation":"add_ev\n'
    )
    new.write_bytes(line)
    assert await spool.pending(ANA) == 3
    assert await spool.purge(ANA) == 5
    assert await spool.pending(ANA) == 0
    assert await spool.pending(LUIS) == 3
    assert [json.loads(one)["actor"] for one in path.read_bytes().splitlines()] == [LUIS] * 3
    assert bad.read_bytes().count(b"\n") == 2
    assert all(b"hers" not in file.read_bytes() for file in path.parent.iterdir())
    assert await spool.drain(store) == 3
    assert list(await store.iterate_events(ANA)) == []


async def test_a_purge_waits_for_the_drain_that_is_under_way(spool: Spool, store: Store) -> None:
    for number in range(3):
        await spool.append(event(number))
    store.gate = asyncio.Event()
    drain = asyncio.create_task(spool.drain(store))
    await store.reached.wait()
    purge = asyncio.create_task(spool.purge(ANA))
    # Appending does not wait: only the file is locked, and only for a moment.
    await spool.append(event(9, LUIS))
    assert not purge.done()
    store.gate.set()
    # So that whoever forgets after the purge forgets what the drain wrote, too.
    assert await drain == 4
    assert await purge == 0


async def test_two_drains_at_once_do_each_thing_once(
    spool: Spool, path: Path, store: Store
) -> None:
    for number in range(20):
        await spool.append(event(number))
    others = [Spool(path, FakeClock()) for _ in range(3)]
    counts = await asyncio.gather(*(one.drain(store) for one in (spool, *others)))
    assert sum(counts) == 20
    assert store.seen == [f"event w{n}" for n in range(20)]


async def test_a_cancelled_drain_loses_nothing(spool: Spool, store: Store) -> None:
    for number in range(5):
        await spool.append(event(number))
    store.gate = asyncio.Event()
    drain = asyncio.create_task(spool.drain(store))
    await store.reached.wait()
    drain.cancel()
    with pytest.raises(asyncio.CancelledError):
        await drain
    store.gate = None
    assert await spool.drain(store) == 5
    assert len(await store.iterate_events(ANA)) == 5


async def test_a_cut_that_comes_late_takes_nothing_else_off(
    spool: Spool, store: Store, path: Path
) -> None:
    await spool.append(event(1))
    late = await spool._apply(
        spool._head(), lambda document: apply(operation_from_json(document), store)
    )
    assert await spool.drain(store) == 1
    await spool.append(event(2))
    spool._cut(late)
    assert await spool.pending() == 1


async def test_a_spool_that_cannot_be_written_says_why(
    spool: Spool, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(MemoryUnavailableError) as caught:
            await spool.append(event(1))
        assert caught.value.cause == "disk_full"
    blocked = Spool(path / "below-a-file" / "spool.jsonl", FakeClock())
    for work in (blocked.append(event(1)), blocked.purge(ANA)):
        with pytest.raises(MemoryUnavailableError) as caught:
            await work
        assert caught.value.cause == "io"


async def test_nobody_waits_without_an_actor(spool: Spool) -> None:
    for work in (spool.append(event(1, "")), spool.purge(""), spool.pending("")):
        with pytest.raises(ValueError, match="actor"):
            await work


async def test_the_files_are_for_their_owner_only(spool: Spool, path: Path) -> None:
    await spool.append(event(1))
    assert path.stat().st_mode & 0o777 == 0o600
