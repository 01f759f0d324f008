from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
from datetime import timedelta
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from cloche.memory.local import LocalMemoryStore
from cloche.memory.operations import AddEvent
from cloche.memory.spool import Spool
from cloche.testing.clock import FakeClock
from cloche.testing.samples import START, make_event

WRITES = """
import asyncio, sys
from datetime import timedelta
from pathlib import Path
from cloche.memory.operations import AddEvent
from cloche.memory.spool import Spool
from cloche.testing.clock import FakeClock
from cloche.testing.samples import make_event

async def main():
    spool = Spool(Path(sys.argv[1]), FakeClock())
    for number in range(int(sys.argv[3])):
        await spool.append(AddEvent(make_event(number, sys.argv[2])))
        print(number, flush=True)

asyncio.run(main())
"""


async def test_processes_append_while_another_drains(
    tmp_path: Path,
) -> None:
    path = tmp_path / "spool.jsonl"
    spool = Spool(path, FakeClock())
    store = LocalMemoryStore(tmp_path / "memory.db", FakeClock())
    actors = ("p1", "p2", "p3")
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITES, path, actor, "40"], stdout=subprocess.PIPE)
        for actor in actors
    ]
    drained = 0
    while any(writer.poll() is None for writer in writers):
        drained += await spool.drain(store)
        await asyncio.sleep(0.005)
    for writer in writers:
        writer.communicate()
        assert writer.returncode == 0
    drained += await spool.drain(store)
    assert drained == 120
    for actor in actors:
        events = await store.iterate_events(actor)
        assert [e.id for e in events] == [make_event(n).id for n in range(40)]
        ordered = await store.recent_events(actor, limit=100)
        assert [e.at for e in ordered] == [START + timedelta(minutes=n) for n in range(40)]
    await store.close()


async def test_a_killed_process_has_lost_nothing_it_was_told_is_safe(
    tmp_path: Path,
) -> None:
    path = tmp_path / "spool.jsonl"
    spool = Spool(path, FakeClock())
    store = LocalMemoryStore(tmp_path / "memory.db", FakeClock())
    for round_ in range(3):
        with subprocess.Popen(
            [sys.executable, "-c", WRITES, path, f"p{round_}", "100000"], stdout=subprocess.PIPE
        ) as writer:
            assert writer.stdout is not None
            told = [int(writer.stdout.readline()) for _ in range(10 + 7 * round_)]
            os.kill(writer.pid, signal.SIGKILL)
            told += [int(line) for line in writer.stdout if line.endswith(b"\n")]
        await spool.drain(store)
        kept = {e.id for e in await store.iterate_events(f"p{round_}", limit=100_000)}
        assert kept >= {make_event(n).id for n in told}
    await store.close()


@settings(max_examples=40, deadline=None)
@given(at=st.integers(0, 2_000), noise=st.binary(max_size=6))
def test_whatever_is_cut_off_the_rest_is_done(at: int, noise: bytes) -> None:
    async def course(folder: Path) -> None:
        spool = Spool(folder / "spool.jsonl", FakeClock())
        for number in range(6):
            await spool.append(AddEvent(make_event(number)))
        content = (folder / "spool.jsonl").read_bytes()
        left = content[:at]
        (folder / "spool.jsonl").write_bytes(left + noise)
        store = LocalMemoryStore(folder / "memory.db", FakeClock())
        await spool.drain(store)
        assert await spool.pending() == 0
        kept = [event.id for event in await store.iterate_events(make_event(0).actor)]
        await store.close()
        whole = left.count(b"\n")
        assert kept[:whole] == [make_event(number).id for number in range(whole)]
        # The line that was cut counts only where nothing but its line feed was.
        assert len(kept) <= whole + 1

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(course(Path(folder)))
