"""Archives that are damaged, or hold something else: one sentence, and nothing is replaced."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cloche.backup import make_backup, restore_backup
from cloche.errors import RequestError
from cloche.memory.local import LocalMemoryStore
from cloche.memory.local.schema import MIGRATIONS as MEMORY
from cloche.memory.records import MemoryRecord, Source, Validity
from cloche.state.sqlite import MIGRATIONS as STATE
from cloche.state.sqlite import SqliteStateStore

NOW = datetime(2026, 3, 3, 12, 0, tzinfo=UTC)
BOTH = {"memory.db": MEMORY, "state.db": STATE}


def clock() -> datetime:
    return NOW


@pytest.fixture
async def source(tmp_path: Path) -> Path:
    """A backup of one record and one item; the same lies in the folder."""
    folder = tmp_path / "tea"
    store, state = (
        LocalMemoryStore(folder / "memory.db", clock),
        SqliteStateStore(folder / "state.db", clock),
    )
    valid = Validity(NOW, NOW)
    await store.write(
        MemoryRecord("mem-1", "ana", "long_term", "fact", "The lamp is blue.", Source(), valid)
    )
    await state.put("number", 1)
    await store.close()
    await state.close()
    target = tmp_path / "one.zip"
    make_backup(folder, "tea", target, NOW)
    return target


def tree(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not path.name.endswith(".lock")
    }


def refused(source: Path) -> str:
    """What is said; nothing was changed by it."""
    folder = source.parent / "tea"
    before = tree(folder)
    with pytest.raises(RequestError) as caught:
        restore_backup(folder, "tea", source, NOW, migrations=BOTH)
    assert tree(folder) == before
    assert "\n" not in str(caught.value)
    return str(caught.value)


def _flipped(at: float) -> Callable[[bytes], bytes]:
    def change(whole: bytes) -> bytes:
        start = int(len(whole) * at)
        return whole[:start] + b"\xff" * 40 + whole[start + 40 :]

    return change


def _flagged(whole: bytes) -> bytes:
    """Every member said to be encrypted."""
    content = bytearray(whole)
    for mark, where in ((b"PK\x01\x02", 8), (b"PK\x03\x04", 6)):
        at = content.find(mark)
        while at >= 0:
            content[at + where] |= 1
            at = content.find(mark, at + 4)
    return bytes(content)


@pytest.mark.parametrize("at", [0.0, 0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99])
async def test_flipped_bytes_are_told_in_one_sentence(source: Path, at: float) -> None:
    source.write_bytes(_flipped(at)(source.read_bytes()))
    assert "is no backup, or is damaged" in refused(source)


async def test_an_encrypted_archive_is_refused(source: Path) -> None:
    source.write_bytes(_flagged(source.read_bytes()))
    assert "is no backup, or is damaged" in refused(source)


def packed_anew(
    source: Path,
    change: Callable[[dict[str, bytes]], None] = lambda files: None,
    manifest: Callable[[dict[str, object]], object] = lambda document: document,
    method: int = zipfile.ZIP_DEFLATED,
) -> Path:
    """An archive with other files in it, whose sums are right."""
    with zipfile.ZipFile(source) as old:
        files = {name: old.read(name) for name in old.namelist()}
    document = json.loads(files.pop("manifest.json"))
    change(files)
    document["files"] = [
        {
            "name": name,
            "bytes": len(content),
            "sha256": hashlib.sha256(content).hexdigest(),
            "schema": 1,
        }
        for name, content in files.items()
    ]
    written = manifest(document)
    with zipfile.ZipFile(source, "w", method) as new:
        new.writestr("manifest.json", written if isinstance(written, str) else json.dumps(written))
        for name, content in files.items():
            new.writestr(name, content)
    return source


@pytest.mark.parametrize("method", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
async def test_an_archive_packed_in_another_way_is_refused(source: Path, method: int) -> None:
    assert "packed in a way" in refused(packed_anew(source, method=method))


@pytest.mark.parametrize(
    "written", ["[" * 50_000, "[]", "nothing", "{}", '{"format": "1"}', '{"format": 0}', "\x00"]
)
async def test_a_manifest_that_is_none_is_refused(source: Path, written: str) -> None:
    assert "is no backup, or is damaged" in refused(
        packed_anew(source, manifest=lambda document: written)
    )


@pytest.mark.parametrize(
    "at", ["0001-01-01T00:00:00+00:00", "9999-12-31T23:59:59-12:00", "9999-12-31T00:00:00+00:00"]
)
async def test_a_date_at_the_ends_of_the_calendar_is_refused(source: Path, at: str) -> None:
    assert "is no backup, or is damaged" in refused(
        packed_anew(source, manifest=lambda document: {**document, "at": at})
    )


async def test_a_later_format_is_said_to_be_of_a_newer_release(source: Path) -> None:
    newer = packed_anew(source, manifest=lambda document: {**document, "format": 2})
    assert "a newer release made this backup (format 2" in refused(newer)


def _within(name: str, *statements: str) -> Callable[[dict[str, bytes]], None]:
    """Run statements in a database of the archive."""

    def change(files: dict[str, bytes]) -> None:
        with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
            connection.deserialize(files[name])
            for statement in statements:
                connection.execute(statement)
            files[name] = connection.serialize()

    return change


def _no_tables(files: dict[str, bytes]) -> None:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.execute("PRAGMA user_version = 1")
        files["state.db"] = connection.serialize()


def _no_database(files: dict[str, bytes]) -> None:
    files["memory.db"] = b"hello"


STRANGE = {
    "no actors": _within("memory.db", "DROP TABLE actors"),
    "no vectors": _within(
        "memory.db", "DROP TRIGGER vector_given_up", "DROP TRIGGER vector_replaced"
    ),
    "a column less": _within("state.db", "ALTER TABLE items DROP COLUMN version"),
    "nothing unique": _within(
        "state.db",
        "DROP TABLE items",
        "CREATE TABLE items (number, key, value, version, expires_at)",
    ),
    "version 0": _within("memory.db", "PRAGMA user_version = 0"),
    "version -3": _within("state.db", "PRAGMA user_version = -3"),
    "version 99": _within("memory.db", "PRAGMA user_version = 99"),
    "a trigger": _within(
        "memory.db",
        "CREATE TRIGGER evil AFTER INSERT ON events BEGIN DELETE FROM records; END",
    ),
    "a trigger of ours, changed": _within(
        "memory.db",
        "DROP TRIGGER vector_given_up",
        "CREATE TRIGGER vector_given_up AFTER DELETE ON passages BEGIN DELETE FROM events; END",
    ),
    "a view": _within("state.db", "CREATE VIEW one AS SELECT 1"),
    "no tables": _no_tables,
    "no database": _no_database,
}


@pytest.mark.parametrize("what", STRANGE)
async def test_databases_that_are_not_ours_are_refused(source: Path, what: str) -> None:
    said = refused(packed_anew(source, STRANGE[what]))
    assert "in it" in said or "newer release" in said or "is damaged" in said


async def test_damaged_rows_are_restored_with_the_rest_and_counted(source: Path) -> None:
    damage = _within("memory.db", "UPDATE records SET document = '{'")
    folder = source.parent / "tea"
    done = restore_backup(folder, "tea", packed_anew(source, damage), NOW, migrations=BOTH)
    assert done.unreadable == {"memory.db": 1}
    store = LocalMemoryStore(folder / "memory.db", clock)
    assert await store.damaged() == 1
    await store.close()


async def test_what_is_not_in_a_backup_is_not_kept(source: Path) -> None:
    def without(files: dict[str, bytes]) -> None:
        del files["memory.db"]

    folder = source.parent / "tea"
    running = LocalMemoryStore(folder / "memory.db", clock)
    assert len(await running.iterate("ana")) == 1
    done = restore_backup(folder, "tea", packed_anew(source, without), NOW, migrations=BOTH)
    assert await running.iterate("ana") == ()
    await running.close()
    assert done.aside is not None
    assert (done.aside / "memory.db").exists()
