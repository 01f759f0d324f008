"""A backup is one whole file, a restore is all or nothing, both while the assistant runs."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import zipfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cloche.backup import (
    copying,
    finish_restore,
    make_backup,
    making,
    restore_backup,
    restoring,
    unfinished,
)
from cloche.errors import RequestError
from cloche.memory.local import LocalMemoryStore
from cloche.memory.local.schema import MIGRATIONS as MEMORY
from cloche.memory.operations import WriteRecord
from cloche.memory.records import MemoryRecord, Source, Validity
from cloche.memory.spool import Spool
from cloche.memory.store import SearchQuery
from cloche.state.sqlite import MIGRATIONS as STATE
from cloche.state.sqlite import SqliteStateStore

NOW = datetime(2026, 3, 3, 12, 0, tzinfo=UTC)
BOTH = {"memory.db": MEMORY, "state.db": STATE}
ANA = "actor-ana"


def clock() -> datetime:
    return NOW


def record(number: int) -> MemoryRecord:
    text = f"Lamp number {number} is blue."
    return MemoryRecord(
        f"mem-{number:08x}", ANA, "long_term", "fact", text, Source(), Validity(NOW, NOW)
    )


class Kept:
    """What an assistant keeps, opened as a running process has it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store = LocalMemoryStore(folder / "memory.db", clock)
        self.state = SqliteStateStore(folder / "state.db", clock)
        self.spool = Spool(folder / "spool.jsonl", clock)

    async def write(self, number: int) -> None:
        await self.store.write(record(number))
        await self.state.put("number", number)

    async def numbers(self) -> tuple[list[int], object, int]:
        """Records, the state item, and what waits."""
        found = await self.store.iterate(ANA)
        item = await self.state.get("number")
        return (
            [int(one.id.removeprefix("mem-"), 16) for one in found],
            item.value if item else None,
            await self.spool.pending(),
        )

    async def close(self) -> None:
        await self.store.close()
        await self.state.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tea").mkdir()
    return tmp_path / "tea"


async def test_what_was_backed_up_is_there_again_in_a_process_that_runs(folder: Path) -> None:
    kept = Kept(folder)
    await kept.write(1)
    await kept.spool.append(WriteRecord(record(7)))
    target = folder.parent / "one.zip"
    manifest = make_backup(folder, "tea", target, NOW)
    assert [part.name for part in manifest.parts] == ["memory.db", "state.db", "spool.jsonl"]
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    await kept.write(2)
    await kept.spool.drain(kept.store)
    assert await kept.numbers() == ([1, 2, 7], 2, 0)

    done = restore_backup(folder, "tea", target, NOW, migrations=BOTH)

    assert await kept.numbers() == ([1], 1, 1), "the process that had the files open sees it"
    hits = await kept.store.search(ANA, SearchQuery("lamp", NOW))
    assert [hit.record.id for hit in hits] == ["mem-00000001"]
    await kept.write(3)
    await kept.spool.drain(kept.store)
    assert await kept.numbers() == ([1, 3, 7], 3, 0)
    await kept.close()
    again = Kept(folder)
    assert await again.numbers() == ([1, 3, 7], 3, 0)
    await again.close()
    assert done.aside is not None
    before = Kept(done.aside)
    assert await before.numbers() == ([1, 2, 7], 2, 0), "what was replaced is kept"
    await before.close()


async def test_writers_go_on_during_a_backup_and_it_is_of_one_instant(folder: Path) -> None:
    """A process writes record N, then state N, all the time: no backup has them further apart."""
    writer = subprocess.Popen(
        [sys.executable, __file__, "write", str(folder)], stdout=subprocess.PIPE, text=True
    )
    assert writer.stdout is not None
    try:
        assert writer.stdout.readline() == "ready\n"
        for index in range(4):
            target = folder.parent / f"{index}.zip"
            make_backup(folder, "tea", target, NOW)
            other = folder.parent / f"other-{index}"
            restore_backup(other, "tea", target, NOW, migrations=BOTH)
            kept = Kept(other)
            numbers = sorted(
                [int(one.id[4:], 16) for one in await kept.store.iterate(ANA, limit=10_000)]
            )
            item = await kept.state.get("number")
            assert numbers == list(range(1, len(numbers) + 1))
            assert item is not None
            assert item.value in (len(numbers), len(numbers) - 1)
            await kept.close()
        assert writer.poll() is None
    finally:
        writer.kill()
        writer.wait()
        writer.stdout.close()


def test_nothing_is_overwritten_and_nothing_is_no_backup(folder: Path) -> None:
    target = folder.parent / "one.zip"
    with pytest.raises(RequestError, match="nothing to back up"):
        make_backup(folder, "tea", target, NOW)
    (folder / "spool.jsonl").write_text("{}\n")
    make_backup(folder, "tea", target, NOW)
    before = target.read_bytes()
    with pytest.raises(RequestError, match="is there already"):
        make_backup(folder, "tea", target, NOW)
    assert target.read_bytes() == before
    assert [path.name for path in folder.parent.iterdir() if path.name.startswith(".")] == []


async def made(folder: Path) -> Path:
    """A backup of number 1, with number 2 written after it."""
    kept = Kept(folder)
    await kept.write(1)
    target = folder.parent / "one.zip"
    make_backup(folder, "tea", target, NOW)
    await kept.write(2)
    await kept.close()
    return target


async def unchanged(folder: Path) -> None:
    kept = Kept(folder)
    assert await kept.numbers() == ([1, 2], 2, 0)
    await kept.close()
    assert not (folder / "restore-ready").exists()


def _rewritten(source: Path, name: str, change: Callable[[bytes], bytes]) -> Path:
    """The archive with one member changed."""
    target = source.with_name("changed.zip")
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for member in old.namelist():
            content = old.read(member)
            if member == name:
                content = change(content)
            new.writestr(member, content)
    return target


async def test_another_assistants_or_a_damaged_or_newer_backup_is_refused(folder: Path) -> None:
    target = await made(folder)
    other = folder.parent / "coffee"
    with pytest.raises(RequestError, match="a backup of tea, not of coffee"):
        restore_backup(other, "coffee", target, NOW, migrations=BOTH)
    flipped = _rewritten(target, "state.db", lambda c: c[:-1] + bytes([c[-1] ^ 1]))
    with pytest.raises(RequestError, match=r"state\.db is not what the manifest says"):
        restore_backup(folder, "tea", flipped, NOW, migrations=BOTH)
    with pytest.raises(RequestError, match="a newer release made"):
        restore_backup(folder, "tea", target, NOW, migrations={**BOTH, "memory.db": MEMORY[:-1]})
    strange = _rewritten(
        target, "manifest.json", lambda c: c.replace(b'"memory.db"', b'"../../evil"')
    )
    with pytest.raises(RequestError, match="is no backup, or is damaged"):
        restore_backup(folder, "tea", strange, NOW, migrations=BOTH)
    whole = target.read_bytes()
    for size in (0, 10, len(whole) // 2, len(whole) - 1):
        cut = folder.parent / "cut.zip"
        cut.write_bytes(whole[:size])
        with pytest.raises(RequestError, match="is no backup, or is damaged"):
            restore_backup(folder, "tea", cut, NOW, migrations=BOTH)
    with pytest.raises(RequestError, match="there is no file"):
        restore_backup(folder, "tea", folder / "no.zip", NOW, migrations=BOTH)
    await unchanged(folder)


async def test_an_older_schema_is_brought_up_to_date_before_it_is_put_in_place(
    folder: Path,
) -> None:
    with closing(sqlite3.connect(folder / "memory.db", isolation_level=None)) as connection:
        MEMORY[0](connection)
        connection.execute("PRAGMA user_version = 1")
    target = folder.parent / "old.zip"
    make_backup(folder, "tea", target, NOW)
    kept = Kept(folder)
    await kept.write(1)
    restore_backup(folder, "tea", target, NOW, migrations=BOTH)
    assert await kept.store.iterate(ANA) == ()
    await kept.store.write(record(2))
    assert len(await kept.store.search(ANA, SearchQuery("lamp", NOW))) == 1
    await kept.close()


async def test_a_damaged_file_is_replaced_and_kept_as_it_is(folder: Path) -> None:
    target = await made(folder)
    for path in folder.glob("memory.db*"):
        path.unlink()
    (folder / "memory.db").write_bytes(b"no database at all " * 500)
    done = restore_backup(folder, "tea", target, NOW, migrations=BOTH)
    kept = Kept(folder)
    assert await kept.numbers() == ([1], 1, 0)
    await kept.close()
    assert done.aside is not None
    assert (done.aside / "memory.db").read_bytes().startswith(b"no database")


@pytest.mark.parametrize(
    "point", ["copied", "packed", "unpacked", "ready", "memory.db", "state.db", "swapped"]
)
async def test_kill_9_at_any_point_leaves_a_whole_state(folder: Path, point: str) -> None:
    target = await made(folder)
    second = folder.parent / "two.zip"
    killed = subprocess.run(
        [sys.executable, __file__, "kill", str(folder), str(target), str(second), point],
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL
    finish_restore(folder, NOW)
    kept = Kept(folder)
    old, new = ([1, 2], 2, 0), ([1], 1, 0)
    expected = old if point in ("copied", "packed", "unpacked") else new
    assert await kept.numbers() == expected
    await kept.close()
    if point in ("copied", "packed"):
        assert not second.exists(), "half a backup looks like none"
    # And the next backup removes what was left, and works.
    second.unlink(missing_ok=True)
    make_backup(folder, "tea", second, NOW)
    left = [p.name for place in (folder, folder.parent) for p in place.glob(".*backup-*")]
    assert left == []
    with zipfile.ZipFile(second) as archive:
        assert json.loads(archive.read("manifest.json"))["assistant"] == "tea"


async def test_a_restore_cut_off_loses_nothing_said_since(folder: Path) -> None:
    """Killed once laid ready; somebody goes on; whoever completes it keeps what was said aside."""
    target = await made(folder)
    command = [sys.executable, __file__, "kill", str(folder), str(target)]
    subprocess.run([*command, str(folder.parent / "two.zip"), "ready"], check=False)
    assert unfinished(folder)
    running = Kept(folder)
    await running.write(3)
    done = finish_restore(folder, NOW)
    assert done is not None
    assert done.aside is not None
    assert await running.numbers() == ([1], 1, 0), "the process that went on sees it"
    await running.close()
    before = Kept(done.aside)
    assert await before.numbers() == ([1, 2, 3], 3, 0)
    await before.close()
    assert finish_restore(folder, NOW) is None
    assert len(list((folder / "replaced").iterdir())) == 2, "what the first one kept stays, too"


async def test_nothing_is_kept_twice_when_nothing_was_said_since(folder: Path) -> None:
    target = await made(folder)
    command = [sys.executable, __file__, "kill", str(folder), str(target)]
    subprocess.run([*command, str(folder.parent / "two.zip"), "ready"], check=False)
    done = finish_restore(folder, NOW)
    assert done is not None
    assert [done.aside] == list((folder / "replaced").iterdir())


async def test_a_restore_waits_for_a_writer_no_longer_than_it_says(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = await made(folder)
    monkeypatch.setattr(copying, "SECONDS", 0.3)
    for name in ("memory.db", "state.db"):
        with closing(sqlite3.connect(folder / name, isolation_level=None)) as writer:
            writer.execute("BEGIN IMMEDIATE")
            with pytest.raises(RequestError, match="another process has been writing"):
                restore_backup(folder, "tea", target, NOW, migrations=BOTH)
            writer.execute("ROLLBACK")
        await unchanged(folder)
        assert not (folder / "replaced").exists(), "what is in use is not damaged"


@pytest.mark.parametrize("name", ["memory.db", "state.db"])
async def test_a_writer_who_comes_late_is_waited_for_no_longer(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """The lock is taken after everything was laid ready: all of it is put in place, or nothing."""
    target = await made(folder)
    monkeypatch.setattr(copying, "SECONDS", 0.3)
    with closing(sqlite3.connect(folder / name, isolation_level=None)) as writer:

        def late(place: Path) -> None:
            writer.execute("BEGIN IMMEDIATE")

        monkeypatch.setattr(restoring, "wait_for_writers", late)
        with pytest.raises(RequestError, match=r"another process|in use"):
            restore_backup(folder, "tea", target, NOW, migrations=BOTH)
        writer.execute("ROLLBACK")
    if name == "memory.db":
        await unchanged(folder)
    finish_restore(folder, NOW)
    kept = Kept(folder)
    assert await kept.numbers() == (([1, 2], 2, 0) if name == "memory.db" else ([1], 1, 0))
    await kept.close()


async def test_nobody_new_is_shown_what_the_process_knew_of_somebody_else(folder: Path) -> None:
    """Numbers of people are not given anew, though the restored file knows of fewer people."""
    target = await made(folder)
    kept = Kept(folder)
    other = [replace(record(n), actor="bob", id=f"mem-{n:08x}") for n in range(50, 53)]
    for one in other:
        await kept.store.write(one)
    assert len(await kept.store.search("bob", SearchQuery("lamp", NOW))) == 3
    restore_backup(folder, "tea", target, NOW, migrations=BOTH)
    for number in range(5):
        await kept.store.write(replace(record(number), actor="eve", text="Blue is nice."))
    assert await kept.store.search("eve", SearchQuery("lamp", NOW)) == ()
    await kept.close()


async def test_two_backups_into_one_place_leave_each_other_alone(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two assistants of one name, in two homes."""
    await made(folder)
    twin = folder.parent / "twin"
    shutil.copytree(folder, twin)
    place, link = folder.parent / "place", os.link
    place.mkdir()

    def second_meanwhile(source: str, target: str) -> None:
        monkeypatch.setattr(os, "link", link)
        make_backup(twin, "tea", place / "second.zip", NOW)
        link(source, target)

    monkeypatch.setattr(os, "link", second_meanwhile)
    make_backup(folder, "tea", place / "first.zip", NOW)
    assert sorted(one.name for one in place.iterdir()) == ["first.zip", "second.zip"]


def _dying(call: Callable[..., object], *, turn: int, after: bool) -> Callable[..., object]:
    """The function, which kills its own process before or after it was called so many times."""
    calls = []

    def dying(*arguments: object, **named: object) -> object:
        calls.append(arguments)
        if len(calls) == turn and not after:
            os.kill(os.getpid(), signal.SIGKILL)
        result = call(*arguments, **named)
        if len(calls) == turn:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    return dying


POINTS = {
    "copied": (making, "pack", 1, False),
    "packed": (os, "link", 1, False),
    "unpacked": (restoring, "_keep_aside", 1, False),
    "ready": (restoring, "_complete", 1, False),
    "memory.db": (restoring, "_overwrite", 1, True),
    "state.db": (restoring, "_overwrite", 2, True),
    "swapped": (restoring, "sync_folder", 3, False),
}


def _killed(folder: Path, source: Path, target: Path, point: str) -> None:
    """Back up, then restore, and be killed on the way."""
    module, name, turn, after = POINTS[point]
    setattr(module, name, _dying(getattr(module, name), turn=turn, after=after))
    make_backup(folder, "tea", target, NOW)
    restore_backup(folder, "tea", source, NOW, migrations=BOTH)


async def _write_on(folder: Path) -> None:
    kept = Kept(folder)
    await kept.write(1)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    for number in range(2, 10_000):
        await kept.write(number)


if __name__ == "__main__":
    if sys.argv[1] == "write":
        import asyncio

        asyncio.run(_write_on(Path(sys.argv[2])))
    else:
        paths = [Path(one) for one in sys.argv[2:5]]
        _killed(paths[0], paths[1], paths[2], sys.argv[5])
