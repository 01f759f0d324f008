"""``cloche memory doctor``."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cloche.logs import LogHandler

if TYPE_CHECKING:
    from conftest import Commands, Site


@pytest.fixture(autouse=True)
def one_assistant(site: Site, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Only the test's own assistant is there, and no vectors."""
    site.assistant("tea")
    monkeypatch.setenv("CLOCHE_PLUGINS", "tea")
    monkeypatch.setenv("CLOCHE_TIME_ZONE", "UTC")
    monkeypatch.setenv("CLOCHE_EMBEDDINGS__PROVIDER", "none")
    yield
    root = logging.getLogger()
    for handler in [each for each in root.handlers if isinstance(each, LogHandler)]:
        root.removeHandler(handler)


def test_a_sound_memory_has_no_finding_and_its_sizes_are_told(cloche: Commands) -> None:
    for words in ("I love oolong.", "I hate oolong.", "My dog is called Trufa."):
        cloche("chat", "--once", words, "--as", "ana")
    rows = {
        row["name"]: row for row in json.loads(cloche("memory", "doctor", "--as", "ana", "--json"))
    }
    assert {row["status"] for row in rows.values()} == {"ok"}
    assert "events: 3, " in rows["memory.db"]["value"]
    assert rows["vectors"]["value"] == "0 items wait for one"
    lines = cloche("memory", "doctor", "--as", "ana").splitlines()
    assert lines[0].split("\t") == ["name", "status", "value", "remedy"]
    assert [line.split("\t")[0] for line in lines[1:]] == list(rows)
    assert cloche("memory", "doctor", "--as", "nobody")


def test_a_contradiction_ends_with_1_and_says_what_to_do(cloche: Commands) -> None:
    cloche("chat", "--once", "I love oolong.", "--as", "ana")
    cloche("chat", "--once", "I hate oolong.", "--as", "ana")
    lines = [json.loads(one) for one in cloche("memory", "export", "--as", "ana").splitlines()]
    for line in lines:
        if line["type"] == "record":
            line["record"]["validity"]["archived_at"] = None
    Path("both.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    cloche("memory", "forget", "--all", "--yes", "--as", "ana")
    cloche("memory", "import", "both.jsonl", "--as", "ana")
    rows = json.loads(cloche("memory", "doctor", "--as", "ana", "--json", code=1))
    (found,) = [row for row in rows if row["status"] == "warning"]
    assert found["name"] == "contradictions"
    assert "“I hate oolong.” (" in found["value"]
    for number, held in ((3, "I love oolong."), (1, "I hate oolong.")):
        command = found["remedy"].split("`")[number].removeprefix("cloche ").split()
        cloche(*command, "--as", "ana")
        shown = json.loads(cloche("memory", "show", "--as", "ana", "--json"))
        assert [one["text"] for one in shown["records"]] == [held]
        cloche("memory", "doctor", "--as", "ana")
