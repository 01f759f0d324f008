"""The menu of commands: every command, in every language, one clause each."""

from __future__ import annotations

import pytest

from cloche.slash import NAMES
from cloche.slash_menu import slash_menu
from cloche.texts import languages


@pytest.mark.parametrize("language", ["en", "es", "zh"])
def test_each_command_has_one_clause_without_signs(language: str) -> None:
    menu = slash_menu()
    assert tuple(menu) == languages()
    assert [name for name, _ in menu[language]] == list(NAMES)
    for name, clause in menu[language]:
        assert 2 <= len(clause) <= 100, (name, clause)
        assert not set("`/\n") & set(clause), (name, clause)


def test_what_follows_a_second_way_to_write_it_is_left_out() -> None:
    english = dict(slash_menu()["en"])
    assert english["forget"] == "removes one memory"
    assert english["why"] == "says where I have something from"
    assert english["timezone"] == "sets your time zone"
    assert dict(slash_menu()["zh"])["forget"] == "删除一条记忆"
