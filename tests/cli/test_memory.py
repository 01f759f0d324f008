"""``cloche memory``: see, forget, carry away and bring back what is kept about a person."""

from __future__ import annotations

import io
import json
import os
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cloche import assembly
from cloche.ids import actor_id
from cloche.messages import Address
from cloche.testing import FakeEmbedder

if TYPE_CHECKING:
    from conftest import Commands


pytestmark = pytest.mark.usefixtures("tea")


@pytest.fixture
def told(cloche: Commands) -> Commands:
    """Ana and Ben have told something."""
    for words in ("I drink oolong.", "Mi perro se llama Trufa.", "我喜欢绿茶。"):
        cloche("chat", "--once", words, "--as", "ana")
    cloche("chat", "--once", "I drink espresso.", "--as", "ben")
    return cloche


def shown(cloche: Commands, name: str) -> list[str]:
    """What is remembered about somebody."""
    document = json.loads(cloche("memory", "show", "--as", name, "--json"))
    return [record["text"] for record in document["records"]]


def test_show_lists_records_with_short_id_kind_day_and_source(told: Commands) -> None:
    lines = told("memory", "show", "--as", "ana").splitlines()
    assert lines[0].split("\t") == ["id", "kind", "text", "metadata", "date", "source"]
    row = next(line.split("\t") for line in lines if "oolong" in line)
    assert len(row[0]) == 8
    assert row[1:3] == ["fact", "I drink oolong."]
    assert row[5] == "said, session"
    assert "espresso" not in "".join(lines)
    assert "ana: shown: 3, records: 3, conversation turns: 3, settings" in told.error


def test_show_as_json_is_complete(told: Commands) -> None:
    document = json.loads(told("memory", "show", "tea", "--as", "ana", "--json"))
    assert document["actor"] == actor_id(Address("console", "ana"))
    assert (document["assistant"], document["person"], document["events"]) == ("tea", "ana", 3)
    record = next(r for r in document["records"] if "Trufa" in r["text"])
    assert record["source"]["ref"]
    assert record["validity"]["created_at"]


def test_a_memory_that_may_only_be_read_is_shown_and_exported(
    told: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.access", lambda path, mode: mode != os.W_OK)  # who tests may be root
    assert "oolong" in told("memory", "show", "--as", "ana")
    assert "Trufa" in told("memory", "export", "--as", "ana")
    told("memory", "forget", "--all", "--yes", "--as", "ana", code=2)
    assert "readonly" in told.error


def test_show_of_nobody_known_is_empty(cloche: Commands) -> None:
    assert cloche("memory", "show", "--as", "nobody") == ""
    assert "records: 0" in cloche.error


def test_archived_records_are_shown_only_when_asked(told: Commands) -> None:
    text = told("memory", "export", "--as", "ana")
    lines = [json.loads(line) for line in text.splitlines()]
    record = next(line["record"] for line in lines if line["type"] == "record")
    record["validity"]["archived_at"] = record["validity"]["created_at"]
    Path("changed.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    told("memory", "forget", "--all", "--yes", "--as", "ana")
    told("memory", "import", "changed.jsonl", "--as", "ana")
    assert record["text"] not in told("memory", "show", "--as", "ana")
    assert record["text"] in told("memory", "show", "--as", "ana", "--archived")


def test_forget_removes_one_record_for_good(told: Commands) -> None:
    document = json.loads(told("memory", "show", "--as", "ana", "--json"))
    gone = document["records"][0]
    short = gone["id"].removeprefix("mem-")[:8]
    assert "Removed 1 record." in told("memory", "forget", short, "--as", "ana", "--yes")
    assert gone["text"] not in shown(told, "ana")
    assert len(shown(told, "ana")) == 2
    told("memory", "forget", "tea", short, "--as", "ana", "--yes", code=2)
    assert "no record has an id that begins with" in told.error


def test_a_slip_of_the_id_removes_nothing(told: Commands) -> None:
    for wrong in ("", "m", "mem", "mem-", "zzzz"):
        told("memory", "forget", wrong, "--as", "ana", "--yes", code=2)
    assert len(shown(told, "ana")) == 3
    told("memory", "forget", "--as", "ana", code=2)
    assert "ID or --all" in told.error
    told("memory", "forget", "a", "b", "c", "--as", "ana", code=2)


def test_another_persons_record_cannot_be_forgotten(told: Commands) -> None:
    record = json.loads(told("memory", "show", "--as", "ben", "--json"))["records"][0]
    told("memory", "forget", record["id"], "--as", "ana", "--yes", code=2)
    assert shown(told, "ben") == ["I drink espresso."]


def test_forget_all_counts_removes_and_leaves_others_alone(told: Commands) -> None:
    said = told("memory", "forget", "--all", "--as", "ana", "--yes")
    assert "records: 3, conversation turns: 3" in said.splitlines()[0]
    assert "Removed: records: 3, conversation turns: 3" in said
    assert shown(told, "ana") == []
    assert shown(told, "ben") == ["I drink espresso."]
    assert "records: 0, conversation turns: 0, settings and other items: 0" in told(
        "memory", "forget", "--all", "--as", "ana", "--yes"
    )
    home = Path.cwd() / "home"
    for file in home.rglob("*"):
        if file.is_file():
            assert b"Trufa" not in file.read_bytes(), f"{file} still holds what was forgotten"


def test_without_a_terminal_nothing_is_forgotten_unasked(told: Commands) -> None:
    told("memory", "forget", "--all", "--as", "ana", code=2)
    assert "--yes" in told.error
    assert len(shown(told, "ana")) == 3


class Typed(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("typed", "left", "code"), [("n\n", 3, 1), ("y\n", 0, 0)])
def test_at_a_terminal_forget_asks_first(
    told: Commands, monkeypatch: pytest.MonkeyPatch, typed: str, left: int, code: int
) -> None:
    monkeypatch.setattr(sys, "stdin", Typed(typed))
    said = told("memory", "forget", "--all", "--as", "ana", code=code)
    assert "Everything kept about ana" in said
    assert len(shown(told, "ana")) == left


def test_export_forget_import_brings_everything_back(told: Commands, tmp_path: Path) -> None:
    told("chat", "--once", "/language es", "--as", "ana")
    file = tmp_path / "año.jsonl"
    assert told("memory", "export", "--as", "ana", "-o", str(file)) == ""
    assert (
        "Exported: records: 3, conversation turns: 3, settings and other items: 1, files: 0."
        in told.error
    )
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    told("memory", "forget", "--all", "--as", "ana", "--yes")
    said = told("memory", "import", "tea", str(file), "--as", "ana")
    assert "added: records: 3, conversation turns: 3, settings and other items: 1" in said
    again = told("memory", "export", "--as", "ana")
    assert again.splitlines()[1:] == file.read_text(encoding="utf-8").splitlines()[1:]
    assert "added: records: 0" in told("memory", "import", str(file), "--as", "ana")


def test_import_into_another_person_gives_them_a_copy(told: Commands, tmp_path: Path) -> None:
    file = str(tmp_path / "ana.jsonl")
    told("memory", "export", "--as", "ana", "-o", file)
    told("memory", "import", file, "--as", "李雷")
    assert sorted(shown(told, "李雷")) == sorted(shown(told, "ana"))
    told("memory", "forget", "--all", "--as", "李雷", "--yes")
    assert len(shown(told, "ana")) == 3


def test_a_broken_file_is_named_by_line_and_nothing_is_written(
    told: Commands, tmp_path: Path
) -> None:
    text = told("memory", "export", "--as", "ana")
    file = tmp_path / "cut.jsonl"
    file.write_text(text[: len(text) // 2], encoding="utf-8")
    told("memory", "import", str(file), "--as", "cara", code=2)
    assert f"cloche: {file}:" in told.error
    assert shown(told, "cara") == []


def test_files_that_cannot_be_read_or_written_are_one_sentence(
    told: Commands, tmp_path: Path
) -> None:
    told("memory", "import", str(tmp_path / "none"), "--as", "ana", code=2)
    assert "cannot be read" in told.error
    told("memory", "import", str(tmp_path), "--as", "ana", code=2)
    assert "cannot be read" in told.error
    told("memory", "export", "--as", "ana", "-o", str(tmp_path / "none" / "x"), code=2)
    assert "cannot be written" in told.error
    told("memory", "export", "--as", "ana", "-o", str(tmp_path), code=2)
    assert "cannot be written" in told.error


def test_nothing_is_imported_into_nobody(told: Commands, tmp_path: Path) -> None:
    file = str(tmp_path / "ana.jsonl")
    told("memory", "export", "--as", "ana", "-o", file)
    told("memory", "import", file, "--as", " ", code=2)
    assert "--as needs a name" in told.error


def test_a_mistake_in_the_models_settings_keeps_nobody_from_their_memory(
    told: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLOCHE_MODEL__PROVIDER", "openai")
    assert len(shown(told, "ana")) == 3


def test_forget_all_names_the_copies_and_removes_them_when_told(told: Commands) -> None:
    file = Path(told("memory", "backup").strip())
    told("memory", "restore", str(file), "--yes")
    (aside,) = (file.parent.parent / "replaced").iterdir()
    said = told("memory", "forget", "--all", "--yes", "--as", "ana")
    for one in (file, aside):
        assert f"{one.parent.name}/{one.name}" in said
        assert one.exists()
    assert "--copies removes them" in said
    told("memory", "forget", "--all", "--yes", "--copies", "--as", "ana")
    assert not file.exists()
    assert not aside.exists()
    assert "Copies" not in told("memory", "forget", "--all", "--yes", "--as", "ana")
    told("memory", "forget", "zzzz", "--copies", "--as", "ana", code=2)
    assert "--copies goes with --all" in told.error


def test_embed_without_an_embedder_says_so(told: Commands) -> None:
    told("memory", "embed", code=2)
    assert "there is no embedder" in told.error


def test_embed_makes_what_waits_and_tells_how_far_it_is(
    told: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("numpy")
    monkeypatch.setattr(assembly, "choose_embedder", lambda host, context: FakeEmbedder())
    made = told("memory", "embed")
    assert "Nothing waits." in made
    assert "vectors: " in told.error
    assert "Made: 0." in told("memory", "embed")
