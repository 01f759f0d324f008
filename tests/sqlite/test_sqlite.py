from __future__ import annotations

import asyncio
import os
import shutil
import sqlite3
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche.errors import MemoryUnavailableError
from cloche.memory.local import LocalMemoryStore
from cloche.sqlite import Database, from_micros, to_micros
from cloche.sqlite import database as sqlite
from cloche.state.sqlite import SqliteStateStore
from cloche.testing.clock import FakeClock
from cloche.testing.samples import make_record


@dataclass
class Kept:
    """Either of the two stores: one write, one read, on one file."""

    path: Path
    clock: FakeClock
    write: Callable[[str], Awaitable[object]]
    count: Callable[[], Awaitable[int]]
    close: Callable[[], Awaitable[None]]


def memory(path: Path) -> Kept:
    clock = FakeClock()
    store = LocalMemoryStore(path, clock)

    async def write(text: str) -> None:
        await store.write(make_record(crc32(text.encode()) % 10**8, text))

    async def count() -> int:
        return len(await store.iterate("console_-ana", limit=10_000))

    return Kept(path, clock, write, count, store.close)


def state(path: Path) -> Kept:
    clock = FakeClock()
    store = SqliteStateStore(path, clock)

    async def write(text: str) -> None:
        await store.put(f"k/{crc32(text.encode())}", text)

    async def count() -> int:
        return len(await store.list_items("k/", limit=10_000))

    return Kept(path, clock, write, count, store.close)


@pytest.fixture(params=[memory, state])
def make(request: pytest.FixtureRequest) -> Callable[[Path], Kept]:
    chosen: Callable[[Path], Kept] = request.param
    return chosen


@pytest.fixture
async def kept(make: Callable[[Path], Kept], tmp_path: Path):
    kept = make(tmp_path / "data" / "store.db")
    yield kept
    await kept.close()


async def cause(work: Awaitable[object]) -> str:
    with pytest.raises(MemoryUnavailableError) as caught:
        await work
    return caught.value.cause


async def test_making_a_store_touches_nothing(kept: Kept) -> None:
    assert not kept.path.parent.exists()
    await kept.write("a")
    assert kept.path.stat().st_mode & 0o777 == 0o600
    assert kept.path.parent.stat().st_mode & 0o777 == 0o700


async def test_a_file_that_is_no_database_is_corrupt_until_it_is_replaced(kept: Kept) -> None:
    kept.path.parent.mkdir()
    kept.path.write_bytes(b"not a database at all " * 500)
    assert await cause(kept.count()) == "corrupt"
    assert kept.path.read_bytes() == b"not a database at all " * 500
    kept.path.unlink()
    # Not tried again at once: opening may wait for a lock, and every turn would.
    assert await cause(kept.write("a")) == "corrupt"
    kept.clock.pass_(seconds=5)
    await kept.write("a")
    assert await kept.count() == 1


async def test_damage_inside_the_file_is_corrupt_until_it_is_mended(
    make: Callable[[Path], Kept], tmp_path: Path
) -> None:
    path = tmp_path / "store.db"
    first = make(path)
    for number in range(300):
        await first.write(f"{number} " + "words and more words " * 20)
    await first.close()
    whole = path.read_bytes()
    path.write_bytes(whole[:8192] + b"\xa5" * (len(whole) - 8192))
    second = make(path)
    assert await cause(second.count()) == "corrupt"
    path.write_bytes(whole)
    second.clock.pass_(seconds=5)  # where opening failed already, it is not tried again at once
    assert await second.count() == 300
    await second.close()


async def test_a_full_disk_keeps_what_was_acknowledged_and_takes_more_later(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    connections: list[sqlite3.Connection] = []
    connect = sqlite3.connect

    def small_disk(path: Path, **options: object) -> sqlite3.Connection:
        made = connect(path, check_same_thread=False, **options)  # type: ignore[call-overload]
        made.execute("PRAGMA max_page_count = 60")
        connections.append(made)
        return made

    monkeypatch.setattr(sqlite3, "connect", small_disk)
    acknowledged = 0

    async def fill() -> None:
        nonlocal acknowledged
        for acknowledged in range(1000):
            await kept.write(f"{acknowledged} " + "x" * 2000)

    assert await cause(fill()) == "disk_full"
    assert acknowledged > 5
    assert await kept.count() == acknowledged
    assert await cause(kept.write("one more " + "x" * 9000)) == "disk_full"
    connections[0].execute("PRAGMA max_page_count = 100000")
    await kept.write("one more")
    assert await kept.count() == acknowledged + 1
    assert connections[0].execute("PRAGMA integrity_check").fetchone() == ("ok",)


async def test_a_schema_from_the_future_is_left_alone(kept: Kept) -> None:
    kept.path.parent.mkdir()
    with sqlite3.connect(kept.path) as connection:
        connection.execute("CREATE TABLE things (a)")
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    before = kept.path.read_bytes()
    with pytest.raises(MemoryUnavailableError, match="newer") as caught:
        await kept.write("a")
    assert caught.value.cause == "future_schema"
    assert kept.path.read_bytes() == before
    assert [one.name for one in kept.path.parent.iterdir()] == ["store.db"]


async def test_a_file_that_another_holds_for_long_is_locked(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.05)
    await kept.write("a")
    other = sqlite3.connect(kept.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert await cause(kept.write("b")) == "locked"
    # Who only reads does not wait.
    assert await kept.count() == 1
    other.execute("ROLLBACK")
    other.close()
    await kept.write("b")
    assert await kept.count() == 2


async def test_a_file_locked_while_it_is_opened_is_locked_for_a_while(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.05)
    kept.path.parent.mkdir()
    other = sqlite3.connect(kept.path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    assert await cause(kept.write("a")) == "locked"
    other.close()
    kept.clock.pass_(seconds=6)
    await kept.write("a")


async def test_a_folder_that_cannot_be_is_an_io_error(
    make: Callable[[Path], Kept], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("in the way")
    (tmp_path / "folder").mkdir()
    for path in (tmp_path / "file" / "store.db", tmp_path / "folder"):
        kept = make(path)
        assert await cause(kept.count()) == "io"
        assert await cause(kept.write("a")) == "io"
        await kept.close()


async def test_a_database_of_something_else_is_not_taken_for_ours(kept: Kept) -> None:
    kept.path.parent.mkdir()
    with sqlite3.connect(kept.path) as connection:
        connection.execute("CREATE TABLE things (a)")
        connection.execute("PRAGMA user_version = 1")
    connection.close()
    assert await cause(kept.count()) == "wrong_schema"


def _remove_all(path: Path) -> None:
    for one in path.parent.glob(f"{path.name}*"):
        one.unlink()


def _remove_the_database(path: Path) -> None:
    path.unlink()


def _remove_the_folder(path: Path) -> None:
    shutil.rmtree(path.parent)


@pytest.mark.parametrize("remove", [_remove_all, _remove_the_database, _remove_the_folder])
async def test_what_is_written_after_the_file_was_deleted_is_kept(
    make: Callable[[Path], Kept], tmp_path: Path, remove: Callable[[Path], None]
) -> None:
    first, second = make(tmp_path / "data" / "store.db"), make(tmp_path / "data" / "store.db")
    for kept in (first, second):  # both have it open, as two chats have
        await kept.write("before")
    remove(first.path)
    await first.write("a")
    await second.write("b")
    await first.write("c")
    for kept in (first, second):
        assert await kept.count() == 3
        await kept.close()
    third = make(first.path)
    assert await third.count() == 3
    await third.close()


async def test_a_file_put_in_the_place_of_the_open_one_is_used(
    make: Callable[[Path], Kept], tmp_path: Path
) -> None:
    other = make(tmp_path / "other" / "store.db")
    for number in range(5):
        await other.write(f"{number}")
    await other.close()
    kept = make(tmp_path / "data" / "store.db")
    await kept.write("before")
    # The log of the first file stays behind; it must not be applied to the second.
    other.path.replace(kept.path)
    assert await kept.count() == 5
    await kept.write("after")
    await kept.close()
    again = make(kept.path)
    assert await again.count() == 6
    connection = sqlite3.connect(kept.path)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()
    await again.close()


async def test_a_file_that_may_only_be_read_can_be_read(
    make: Callable[[Path], Kept], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = make(tmp_path / "data" / "store.db")
    await kept.write("a")
    await kept.close()
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)  # who tests may be root
    reader = make(kept.path)
    assert await reader.count() == 1
    assert await cause(reader.write("b")) == "io"
    assert await reader.count() == 1
    await reader.close()
    assert [one.name for one in kept.path.parent.iterdir()] == ["store.db"]


async def test_what_fails_halfway_changes_nothing(tmp_path: Path) -> None:
    database = Database(
        tmp_path / "a.db", FakeClock(), [lambda c: c.execute("CREATE TABLE t (a)") and None]
    )

    def halfway(connection: sqlite3.Connection) -> None:
        connection.execute("INSERT INTO t VALUES (1)")
        raise ValueError("a fault")

    with pytest.raises(ValueError, match="a fault"):
        await database.write(halfway)
    count = await database.read(lambda c: c.execute("SELECT count(*) FROM t").fetchone()[0])
    assert count == 0
    # A fault of ours is no state of the store's: it is not passed off as one.
    with pytest.raises(sqlite3.ProgrammingError):
        await database.read(lambda c: c.execute("SELECT ?", ()).fetchone())
    await database.close()


async def test_a_failed_migration_leaves_the_version_before(tmp_path: Path) -> None:
    def first(connection: sqlite3.Connection) -> None:
        connection.execute("CREATE TABLE t (a)")
        connection.execute("INSERT INTO t VALUES (7)")

    def second(connection: sqlite3.Connection) -> None:
        connection.execute("DELETE FROM t")
        raise sqlite3.OperationalError("a fault")

    old = Database(tmp_path / "a.db", FakeClock(), [first])
    await old.read(lambda c: None)
    await old.close()
    new = Database(tmp_path / "a.db", FakeClock(), [first, second])
    with pytest.raises(sqlite3.OperationalError):
        await new.read(lambda c: None)
    await new.close()
    old = Database(tmp_path / "a.db", FakeClock(), [first])
    assert await old.read(lambda c: c.execute("SELECT a FROM t").fetchall()) == [(7,)]
    await old.close()


async def test_stores_that_open_a_new_file_at_once_all_succeed(
    make: Callable[[Path], Kept], tmp_path: Path
) -> None:
    stores = [make(tmp_path / "new.db") for _ in range(6)]
    await asyncio.gather(*(store.write(f"{n}") for n, store in enumerate(stores)))
    assert await stores[0].count() == 6
    for store in stores:
        await store.close()


async def test_erasing_tells_when_somebody_still_reads_what_was_erased(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.05)
    path, log = tmp_path / "a.db", tmp_path / "a.db-wal"
    database = Database(path, FakeClock(), [lambda c: c.execute("CREATE TABLE t (a)") and None])
    await database.write(lambda c: c.execute("INSERT INTO t VALUES ('zwieback')").rowcount)
    reader = sqlite3.connect(path, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM t").fetchall()
    erase = lambda c: c.execute("DELETE FROM t").rowcount  # noqa: E731 (short and used twice)
    assert await cause(database.erase(erase)) == "locked"
    assert b"zwieback" in log.read_bytes()
    reader.execute("COMMIT")
    reader.close()
    assert await database.erase(erase) == 0
    assert b"zwieback" not in log.read_bytes() + path.read_bytes()
    await database.close()


@given(st.datetimes(timezones=st.just(UTC)))
def test_instants_are_kept_to_the_microsecond(at: datetime) -> None:
    assert from_micros(to_micros(at)) == at


def test_an_instant_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="time zone"):
        to_micros(datetime(2026, 3, 1))
