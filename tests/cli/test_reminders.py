"""``cloche reminders``: listed, cancelled and tried by the operator."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Commands, Site


@pytest.fixture(autouse=True)
def one_assistant(site: Site, monkeypatch: pytest.MonkeyPatch, no_log_left: None) -> None:
    """Only the test's own assistant is there, with the shared skill."""
    listed = json.dumps({"version": 1, "skills": ["scheduler"]})
    site.assistant("tea", {"skills.json": listed})
    monkeypatch.setenv("CLOCHE_PLUGINS", "tea")
    monkeypatch.setenv("CLOCHE_TIME_ZONE", "Europe/Oslo")


def rows(cloche: Commands, *command: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(cloche("reminders", *command, "--json"))
    return found


def test_what_was_asked_for_in_a_chat_is_listed_and_cancelled(cloche: Commands) -> None:
    assert rows(cloche, "list") == []
    cloche("chat", "--once", "remind me to post the letters every Sunday at 9")
    (row,) = rows(cloche, "list")
    assert (row["text"], row["zone"], row["channel"]) == (
        "post the letters",
        "Europe/Oslo",
        "console",
    )
    assert str(row["next"]).endswith(" 09:00")
    assert row["again"] > row["next"]  # type: ignore[operator]
    assert rows(cloche, "list", "--as", "bo") == []
    assert rows(cloche, "cancel", str(row["id"])) == [row]
    assert rows(cloche, "list") == []


def test_what_would_be_told_is_shown_and_told_nobody(cloche: Commands) -> None:
    cloche("chat", "--once", "remind me to post the letters every day at 9")
    told = rows(cloche, "run", "--at", "2199-01-01T00:00")
    assert len(told) == 200
    assert told[0]["told"] == "⏰ post the letters"
    assert str(told[0]["at"]).endswith(" 09:00")
    assert rows(cloche, "run", "--at", "2199-01-01T00:00Z") == told  # by a zone of its own
    assert len(rows(cloche, "list")) == 1


def test_a_daily_look_is_listed_as_what_it_is(cloche: Commands) -> None:
    cloche("chat", "--once", "check every day at 8 am if anything is due")
    (row,) = rows(cloche, "list")
    assert (row["kind"], row["text"]) == ("check", "a look whether anything is due")
    assert str(row["next"]).endswith(" 08:00")
    assert str(row["again"]).endswith(" 08:00")
    assert rows(cloche, "run", "--at", "2199-01-01T00:00")[0]["told"] == ""


def test_an_archive_of_another_person_is_told_where_its_new_person_is(
    cloche: Commands, tmp_path: Path
) -> None:
    file = str(tmp_path / "ann.jsonl")
    cloche("chat", "--as", "ann", "--once", "remind me to post the letters every Sunday at 9")
    (hers,) = rows(cloche, "list", "--as", "ann")
    cloche("memory", "export", "--as", "ann", "-o", file)
    for again in (1, 0):
        said = cloche("memory", "import", file, "--as", "bo")
        assert ("somebody else: 1." in said) == bool(again)
        (his,) = rows(cloche, "list", "--as", "bo")
        assert his["id"] != hers["id"]  # one id names one person's
        assert {**his, "id": ""} == {**hers, "id": ""}
    assert rows(cloche, "list", "--as", "ann") == [hers]
    cloche("memory", "import", file, "--as", "ann")  # theirs: it stays as it is
    assert rows(cloche, "list", "--as", "ann") == [hers]


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (("cancel", "ffffffff"), "0 reminders of this person begin with"),
        (("cancel", "abc"), "is no id of a reminder"),
        (("cancel", ""), "is no id of a reminder"),
        (("cancel", "*****"), "is no id of a reminder"),
        (("run", "--at", "tomorrow"), "is no time such as"),
        (("run", "--at", "2199-02-30T09:00"), "is no time such as"),
        (("run", "--at", "0001-01-01T00:00+23:00"), "is no time such as"),
        (("run", "--at", "2020-01-01T00:00"), "is over"),
        (("list", "--as", "bo", "--person", "telegram:1"), "give one of them"),
        (("list", "--person", "nobody"), "0 people are called"),
    ],
)
def test_what_is_not_there_is_said(cloche: Commands, command: tuple[str, ...], told: str) -> None:
    cloche("reminders", *command, code=2)
    assert told in cloche.error
