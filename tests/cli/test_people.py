"""``cloche people``: who may talk to an assistant, seen and changed by the operator."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Commands


pytestmark = pytest.mark.usefixtures("tea")


def people(cloche: Commands, *command: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(cloche("people", *command, "--json"))
    return found


def test_without_anybody_the_list_is_empty(cloche: Commands) -> None:
    assert people(cloche, "list") == []
    assert cloche("people", "list").splitlines() == [
        "handle\trole\tname\tchannel\tsender\tperson\tsince\tspent_today"
    ]


def test_somebody_is_let_in_shown_out_and_let_in_again(cloche: Commands) -> None:
    (row,) = people(cloche, "allow", "telegram:42", "--owner")
    assert (row["role"], row["channel"], row["sender"]) == ("owner", "telegram", "42")
    people(cloche, "allow", "slack:U7")
    assert [one["role"] for one in people(cloche, "list")] == ["owner", "guest"]
    (gone,) = people(cloche, "remove", str(row["handle"]))
    assert gone["role"] == "removed"
    (back,) = people(cloche, "allow", "telegram:42")
    assert back["role"] == "guest"


def test_letting_the_owner_in_as_a_guest_takes_nothing_from_them(cloche: Commands) -> None:
    people(cloche, "allow", "telegram:42", "--owner")
    (row,) = people(cloche, "allow", "telegram:42")
    assert row["role"] == "owner"


def test_a_stranger_can_be_shown_out_before_they_write(cloche: Commands) -> None:
    (row,) = people(cloche, "remove", "telegram:666")
    assert row["role"] == "removed"


def test_two_doors_are_linked_and_parted(cloche: Commands) -> None:
    cloche("chat", "--once", "I drink oolong.", "--as", "ana")
    people(cloche, "allow", "telegram:42")
    (row,) = people(cloche, "link", "console:ana", "telegram:42")
    assert (row["linked"], row["person"]) == (True, "telegram_-42")
    shown = json.loads(cloche("memory", "show", "--as", "ana", "--json"))
    assert shown["actor"] == "telegram_-42"
    assert [one["text"] for one in shown["records"]] == ["I drink oolong."]
    cloche("people", "link", "telegram:42", "console:ana", code=2)
    assert "one person's already" in cloche.error
    assert people(cloche, "unlink", "console:ana") == []
    assert json.loads(cloche("memory", "show", "--as", "ana", "--json"))["records"] == []
    cloche("people", "unlink", "console:ana", code=2)
    assert "not linked" in cloche.error


def test_a_code_is_printed_alone(cloche: Commands) -> None:
    assert len(cloche("people", "pair").strip().replace("-", "")) == 12
    assert set(json.loads(cloche("people", "pair", "--json"))) == {"code"}


@pytest.mark.parametrize("who", ["nobody", ":", "telegram:", "Tele Gram:1", ""])
def test_who_cannot_be_told_is_one_sentence(cloche: Commands, who: str) -> None:
    cloche("people", "remove", who, code=2)
    assert "0 people are called" in cloche.error
    assert people(cloche, "list") == []


@pytest.mark.parametrize(
    ("group", "usual"),
    [("people", "list"), ("memory", "show"), ("reminders", "list"), ("skills", "list")],
)
def test_an_assistants_name_alone_lists_what_there_is_of_it(
    cloche: Commands, group: str, usual: str
) -> None:
    assert cloche(group, "tea") == cloche(group, usual, "tea")


def test_what_is_no_command_and_no_assistant_is_told_so(cloche: Commands) -> None:
    cloche("people", "coffee", code=2)
    assert "No such command 'coffee'" in cloche.error
