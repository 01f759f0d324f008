from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche.state.sqlite import SqliteStateStore, _range
from cloche.testing.clock import FakeClock

HOUR = timedelta(hours=1)

COUNTS = """
import asyncio, sys
from datetime import timedelta
from pathlib import Path
from cloche.clock import utc_now
from cloche.state.sqlite import SqliteStateStore

async def main():
    path, name, last = sys.argv[1:]
    store = SqliteStateStore(Path(path), utc_now)
    for number in range(int(last)):
        if await store.claim(f"claims/{number}", ttl=timedelta(days=1)):
            await store.put(f"won/{name}/{number}", name)
        await store.increment("total")
        print(number, flush=True)
    await store.close()

asyncio.run(main())
"""


def counter(path: Path, name: str, last: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", COUNTS, path, name, str(last)], stdout=subprocess.PIPE
    )


def rows(path: Path) -> list[str]:
    connection = sqlite3.connect(path)
    found = connection.execute("SELECT key FROM items ORDER BY key").fetchall()
    connection.close()
    return [key for (key,) in found]


async def test_expired_items_leave_the_disk_by_and_by(tmp_path: Path) -> None:
    clock = FakeClock()
    store = SqliteStateStore(tmp_path / "state.db", clock)
    for number in range(3):
        await store.put(f"short/{number}", number, ttl=HOUR)
    await store.put("long", 1, ttl=3 * HOUR)
    await store.put("kept", 1)
    clock.pass_(minutes=59)
    await store.put("kept", 2)
    assert len(rows(tmp_path / "state.db")) == 5
    clock.pass_(minutes=2)
    # Reading removes nothing, the next write does.
    assert await store.get("short/1") is None
    assert len(rows(tmp_path / "state.db")) == 5
    await store.increment("kept")
    assert rows(tmp_path / "state.db") == ["kept", "long"]
    await store.close()


async def test_each_write_removes_some_where_many_have_expired(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cloche.state.sqlite.SWEEP_ITEMS", 2)
    clock = FakeClock()
    store = SqliteStateStore(tmp_path / "state.db", clock)
    for number in range(5):
        await store.put(f"short/{number}", number, ttl=HOUR)
    clock.pass_(hours=2)
    left = []
    for _ in range(3):
        await store.increment("kept")
        left.append(len(rows(tmp_path / "state.db")) - 1)
    assert left == [3, 1, 0]
    await store.close()


async def test_what_is_removed_is_gone_from_disk(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    store = SqliteStateStore(path, FakeClock())

    def raw() -> bytes:
        return b"".join(file.read_bytes() for file in tmp_path.iterdir())

    await store.put("people/ana/place", "Quetzaltenango 蝴蝶结")
    await store.put("people/ana/place", "Wintermantel")
    await store.put("people/luis/place", "Zwieback")
    for word in ("Quetzaltenango", "蝴蝶结", "Wintermantel", "Zwieback", "people/ana"):
        assert word.encode() in raw()
    assert await store.delete("people/luis/place")
    assert b"Zwieback" not in raw()
    assert await store.delete_prefix("people/ana/") == 1
    for word in ("Quetzaltenango", "蝴蝶结", "Wintermantel", "people/ana"):
        assert word.encode() not in raw()
    await store.close()


async def test_processes_claim_and_count_together(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    processes = [counter(path, name, 40) for name in ("one", "two", "three")]
    for process in processes:
        process.communicate(timeout=120)
        assert process.returncode == 0
    store = SqliteStateStore(path, FakeClock())
    won = await store.list_items("won/", limit=1000)
    assert sorted(int(item.key.rsplit("/", 1)[1]) for item in won) == list(range(40))
    total = await store.get("total")
    assert total is not None
    assert total.value == 120
    await store.close()


async def test_a_process_that_is_killed_has_lost_nothing_it_acknowledged(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    acknowledged = 0
    for round_ in range(3):
        with counter(path, f"p{round_}", 100_000) as process:
            assert process.stdout is not None
            lines = [process.stdout.readline() for _ in range(5 + 9 * round_)]
            os.kill(process.pid, signal.SIGKILL)
            lines += [line for line in process.stdout if line.endswith(b"\n")]
        acknowledged += len(lines)
        store = SqliteStateStore(path, FakeClock())
        total = await store.get("total")
        assert total is not None
        assert isinstance(total.value, int)
        # One more may have been counted by each that could not say so any more.
        assert acknowledged <= total.value <= acknowledged + round_ + 1
        await store.close()


@pytest.mark.parametrize("value", ["'{'", "x'00'", "CAST(x'ff' AS TEXT)"])
async def test_a_damaged_item_is_passed_over_until_it_is_written_or_deleted(
    tmp_path: Path, value: str
) -> None:
    store = SqliteStateStore(tmp_path / "state.db", FakeClock())
    for key in ("k/1", "k/2", "k/3"):
        await store.put(key, {"a": 1})
    connection = sqlite3.connect(tmp_path / "state.db")
    connection.execute(f"UPDATE items SET value = {value} WHERE key <> 'k/3'")
    connection.execute("INSERT INTO items VALUES (NULL, 'k/0', '1', 1, 9000000000000000000)")
    connection.commit()
    connection.close()
    assert await store.get("k/1") is None
    assert [item.key for item in await store.list_items("k/", limit=1)] == ["k/3"]
    assert await store.damaged() == 3
    assert await store.delete("k/1")
    assert (await store.put("k/2", "new")).version == 1
    assert await store.damaged() == 1
    assert await store.delete_prefix("k/") == 3
    await store.close()


async def test_a_negative_limit_is_not_everything(tmp_path: Path) -> None:
    store = SqliteStateStore(tmp_path / "state.db", FakeClock())
    with pytest.raises(ValueError, match="limit"):
        await store.list_items("a", limit=-1)
    await store.close()


@given(
    st.text(max_size=3),
    st.text(st.sampled_from(["a", "\ud7ff", "\ue000", "\U0010ffff"]), max_size=4),
)
def test_bounds_hold_exactly_the_keys_with_the_prefix(prefix: str, more: str) -> None:
    first, last = _range(prefix)["first"], _range(prefix)["last"]
    assert first is not None
    for key in (prefix + more, more, more + prefix, prefix[:-1] + more):
        inside = first <= key and (last is None or key < last)
        assert inside == key.startswith(prefix)
