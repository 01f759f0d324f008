from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from sqlite3 import Connection
from typing import Any

import pytest

from cloche.errors import MemoryUnavailableError
from cloche.sqlite import Database
from cloche.state.sqlite import SqliteStateStore
from cloche.testing.clock import FakeClock


@pytest.fixture
def commits(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A line for each transaction that writes."""
    seen: list[str] = []
    write = Database.write

    async def counted(self: Database, work: Callable[[Connection], Any]) -> Any:
        seen.append("commit")
        return await write(self, work)

    monkeypatch.setattr(Database, "write", counted)
    return seen


async def test_writes_that_wait_share_a_commit(tmp_path: Path, commits: list[str]) -> None:
    store = SqliteStateStore(tmp_path / "state.db", FakeClock())
    items = await asyncio.gather(*(store.put(f"k/{number}", number) for number in range(50)))
    assert [item.value for item in items] == list(range(50))
    assert len(commits) <= 2
    assert len(await store.list_items("k/")) == 50
    await store.close()


async def test_a_write_alone_waits_for_nobody(tmp_path: Path, commits: list[str]) -> None:
    store = SqliteStateStore(tmp_path / "state.db", FakeClock())
    await store.put("one", 1)
    await store.put("two", 2)
    assert len(commits) == 2
    await store.close()


async def test_one_claim_wins_within_a_commit(tmp_path: Path) -> None:
    store = SqliteStateStore(tmp_path / "state.db", FakeClock())
    won = await asyncio.gather(
        *(store.compare_and_set("claim", number, version=0) for number in range(20))
    )
    assert [item.value for item in won if item] == [0]
    assert await asyncio.gather(*(store.increment("sum") for _ in range(20))) == [*range(1, 21)]
    await store.close()


async def test_what_is_wrong_with_one_write_is_told_to_it_alone(tmp_path: Path) -> None:
    store = SqliteStateStore(tmp_path / "state.db", FakeClock())
    await store.put("word", "no counter")
    told = await asyncio.gather(
        store.put("one", 1), store.increment("word"), store.put("two", 2), return_exceptions=True
    )
    assert isinstance(told[1], ValueError)
    assert [item.key for item in await store.list_items("")] == ["one", "two", "word"]
    await store.close()


async def test_a_commit_that_fails_is_told_to_everybody_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = SqliteStateStore(tmp_path / "state.db", FakeClock())
    write = Database.write

    async def full(self: Database, work: Callable[[Connection], Any]) -> Any:
        raise MemoryUnavailableError("the disk is full", cause="disk_full")

    monkeypatch.setattr(Database, "write", full)
    told = await asyncio.gather(*(store.put(f"k/{n}", n) for n in range(5)), return_exceptions=True)
    assert all(isinstance(one, MemoryUnavailableError) for one in told)
    monkeypatch.setattr(Database, "write", write)
    await store.put("k/0", 0)
    assert len(await store.list_items("k/")) == 1
    await store.close()


async def test_who_stops_waiting_takes_nobody_along(tmp_path: Path) -> None:
    store = SqliteStateStore(tmp_path / "state.db", FakeClock())
    tasks = [asyncio.create_task(store.put(f"k/{number}", number)) for number in range(3)]
    await asyncio.sleep(0)
    tasks[1].cancel()
    told = await asyncio.gather(*tasks, return_exceptions=True)
    assert isinstance(told[1], asyncio.CancelledError)
    assert len(await store.list_items("k/")) == 3
    await store.close()


async def test_what_was_to_be_written_is_before_the_store_closes(tmp_path: Path) -> None:
    store = SqliteStateStore(tmp_path / "state.db", FakeClock())
    tasks = [asyncio.create_task(store.put(f"k/{number}", number)) for number in range(9)]
    await asyncio.sleep(0)
    await store.close()
    assert [item.value for item in await asyncio.gather(*tasks)] == list(range(9))
    with pytest.raises(MemoryUnavailableError, match="closed"):
        await store.put("late", 1)
