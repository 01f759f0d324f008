"""``cloche memory doctor``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Commands


pytestmark = pytest.mark.usefixtures("tea")


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
