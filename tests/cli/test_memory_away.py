"""Forgetting from the command line while the state store is away: nothing is half forgotten."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Commands

pytestmark = pytest.mark.usefixtures("tea")
SAID = ("I drink oolong.", "Mi perro se llama Trufa.", "我喜欢绿茶。")


@contextmanager
def away(home: Path, how: str) -> Iterator[None]:
    """The state store of the assistant cannot be used."""
    files = sorted((home / "tea").glob("state.db*"))
    if how == "locked":
        with sqlite3.connect(files[0], isolation_level=None) as other:
            other.execute("BEGIN EXCLUSIVE")
            yield
            other.execute("ROLLBACK")
        return
    kept = [(path, path.read_bytes()) for path in files]
    for path in files:
        path.unlink()
    files[0].write_bytes(b"this is no database" * 1000)
    yield
    for path in (home / "tea").glob("state.db*"):
        path.unlink()
    for path, data in kept:
        path.write_bytes(data)


def shown(cloche: Commands) -> list[str]:
    document = json.loads(cloche("memory", "show", "--as", "ana", "--json"))
    return sorted(record["text"] for record in document["records"])


@pytest.mark.parametrize("how", ["locked", "damaged"])
def test_it_is_said_and_nothing_is_gone_until_it_is_back(
    cloche: Commands, cloche_home: Path, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cloche.sqlite.database.BUSY_SECONDS", 0.1)
    for words in SAID:
        cloche("chat", "--once", words, "--as", "ana")
    document = json.loads(cloche("memory", "show", "--as", "ana", "--json"))
    oolong = next(one["id"] for one in document["records"] if "oolong" in one["text"])
    with away(cloche_home, how):
        for what in (["--all"], [oolong]):
            printed = cloche("memory", "forget", *what, "--yes", "--as", "ana", code=2)
            assert "Removed" not in printed
            lines = cloche.error.splitlines()
            (told,) = [line for line in lines if line.startswith("cloche: ")]
            assert "state.db: " in told
    assert shown(cloche) == sorted(SAID)
    cloche("memory", "forget", oolong, "--yes", "--as", "ana")
    assert shown(cloche) == sorted(SAID[1:])
    cloche("memory", "forget", "--all", "--yes", "--as", "ana")
    assert shown(cloche) == []
