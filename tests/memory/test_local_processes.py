from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

from cloche.memory.local import LocalMemoryStore
from cloche.memory.store import SearchQuery
from cloche.testing.clock import FakeClock
from cloche.testing.samples import START, make_event, make_record

WRITES = """
import asyncio, sys
from pathlib import Path
from cloche.memory.local import LocalMemoryStore
from cloche.testing.clock import FakeClock
from cloche.testing.samples import make_event, make_record

async def main():
    path, first, last, *actors = sys.argv[1:]
    store = LocalMemoryStore(Path(path), FakeClock())
    for number in range(int(first), int(last)):
        for actor in actors:
            await store.add_event(make_event(number, actor))
            await store.write(make_record(number, f"The lamp number {number}.", actor=actor))
            await store.archive(actor, make_record(number - 5).id, make_event(1).at)
        print(number, flush=True)
    await store.close()

asyncio.run(main())
"""


def writer(path: Path, *arguments: object) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITES, path, *map(str, arguments)], stdout=subprocess.PIPE
    )


def sound(path: Path) -> bool:
    connection = sqlite3.connect(path)
    found = connection.execute("PRAGMA integrity_check").fetchall()
    connection.close()
    return found == [("ok",)]


async def test_processes_write_to_one_store_at_once(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    writers = [
        writer(path, 0, 30, "shared", "one"),
        writer(path, 30, 60, "shared", "two"),
        writer(path, 60, 90, "shared", "three"),
    ]
    for one in writers:
        one.communicate(timeout=120)
        assert one.returncode == 0
    store = LocalMemoryStore(path, FakeClock())
    for actor, numbers in (("shared", range(90)), ("one", range(30)), ("three", range(60, 90))):
        events = await store.iterate_events(actor, limit=1000)
        assert [e.id for e in events] == [make_event(n).id for n in numbers]
        records = await store.iterate(actor, limit=1000)
        assert [r.id for r in records] == [make_record(n).id for n in numbers]
        current = sum(record.validity.archived_at is None for record in records)
        hits = await store.search(actor, SearchQuery("lamp", START, limit=100))
        assert len(hits) == current < len(records)
    await store.close()
    assert sound(path)


async def test_a_process_that_is_killed_has_lost_nothing_it_acknowledged(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    store = LocalMemoryStore(path, FakeClock())
    for round_ in range(5):
        actor = f"actor-{round_}"
        with writer(path, 0, 100_000, actor) as process:
            assert process.stdout is not None
            told = [int(process.stdout.readline()) for _ in range(3 + 11 * round_)]
            # At whatever point it is now; the store here stays open meanwhile.
            os.kill(process.pid, signal.SIGKILL)
            told += [int(line) for line in process.stdout if line.endswith(b"\n")]
        events = {event.id for event in await store.iterate_events(actor, limit=100_000)}
        records = {record.id for record in await store.iterate(actor, limit=100_000)}
        assert events >= {make_event(number).id for number in told}
        assert records >= {make_record(number).id for number in told}
        await store.write(make_record(1, actor=f"after-{round_}"))
        assert sound(path)
    await store.close()
    reopened = LocalMemoryStore(path, FakeClock())
    assert len(await reopened.search("actor-4", SearchQuery("lamp", START, limit=9))) >= 5
    await reopened.close()
