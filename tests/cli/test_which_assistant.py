"""Commands of a host with several assistants: the one that is meant is named, or asked for."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Commands, Site


@pytest.fixture
def two(site: Site, monkeypatch: pytest.MonkeyPatch, tea: None) -> None:
    site.assistant("coffee")
    monkeypatch.setenv("CLOCHE_PLUGINS", "tea,coffee")


pytestmark = pytest.mark.usefixtures("two")


@pytest.mark.parametrize(
    "command",
    [
        "chat",
        "serve",
        "people list",
        "skills list",
        "memory show",
        "memory forget 1234abcd",
        "reminders list",
    ],
)
def test_without_a_name_the_hint_is_for_the_command_that_was_given(
    cloche: Commands, command: str
) -> None:
    cloche(*command.split(), code=2)
    named = command.removesuffix(" 1234abcd")
    assert f"as in `cloche {named} --assistant " in cloche.error


@pytest.mark.parametrize(
    ("command", "missing"),
    [
        ("memory forget tea --as en3", "ID"),
        ("memory import tea", "FILE"),
        ("memory search tea --as en3", "WORDS"),
        ("memory why tea", "ID or WORDS"),
        ("memory correct tea", "ID"),
        ("memory revive tea", "ID"),
        ("people allow tea", "WHO"),
        ("people remove tea", "WHO"),
        ("people unlink tea", "WHO"),
        ("people link tea telegram:42", "PERSON"),
        ("reminders cancel tea", "ID"),
    ],
)
def test_an_assistant_alone_is_told_what_is_missing_beside_it(
    cloche: Commands, command: str, missing: str
) -> None:
    first, *rest = command.split()
    cloche(first, *rest, code=2)
    assert f"{missing}" in cloche.error
    assert "is missing" in cloche.error
    assert "Several assistants" not in cloche.error


def test_the_assistant_can_stand_before_the_words(cloche: Commands) -> None:
    cloche("chat", "tea", "--once", "I drink oolong.", "--as", "ana")
    found = json.loads(cloche("memory", "search", "tea", "--as", "ana", "oolong", "--json"))
    (record,) = (one["record"] for one in found)
    assert cloche("memory", "why", "tea", "oolong", "--as", "ana")
    cloche("memory", "correct", "tea", record["id"], "I drink", "sencha.", "--as", "ana")
    shown = json.loads(cloche("memory", "show", "tea", "--as", "ana", "--json"))
    assert [one["text"] for one in shown["records"]] == ["I drink sencha."]
    cloche("memory", "revive", "tea", record["id"], "--as", "ana")
    cloche("memory", "forget", "tea", record["id"], "--as", "ana", "--yes")


def test_people_are_let_in_linked_and_shown_out_of_the_one_that_is_named(cloche: Commands) -> None:
    (row,) = json.loads(cloche("people", "allow", "tea", "telegram:42", "--json"))
    assert "." not in row["since"]
    assert json.loads(cloche("people", "list", "coffee", "--json")) == []
    cloche("people", "link", "tea", "slack:U7", "telegram:42")
    cloche("people", "unlink", "tea", "slack:U7")
    (gone,) = json.loads(cloche("people", "remove", "tea", "telegram:42", "--json"))
    assert gone["role"] == "removed"
    cloche("reminders", "cancel", "tea", "1234abcd", code=2)
    assert "0 reminders" in cloche.error
    cloche("people", "allow", "cofee", "telegram:42", code=2)
    assert "coffee" in cloche.error
