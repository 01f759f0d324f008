"""The menu of commands: every command, in every language, one clause each."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from importlib.resources import files

import pytest

from cloche.documents import shared_resource
from cloche.slash import NAMES, SPELLINGS, own_name, parse_command
from cloche.slash.menu import slash_menu
from cloche.texts import languages, say


@pytest.mark.parametrize("language", ["en", "es", "zh"])
def test_each_command_has_one_clause_without_signs(language: str) -> None:
    menu = slash_menu()
    assert tuple(menu) == languages()
    assert [name for name, _ in menu[language]] == [own_name(name, language) for name in NAMES]
    for name, clause in menu[language]:
        assert 2 <= len(clause) <= 100, (name, clause)
        assert not set("`/\n") & set(clause), (name, clause)


def test_what_follows_a_second_way_to_write_it_is_left_out() -> None:
    english = dict(slash_menu()["en"])
    assert english["forget"] == "removes one memory"
    assert english["why"] == "says where I have something from"
    assert english["timezone"] == "sets your time zone"
    assert dict(slash_menu()["zh"])["忘记"] == "删除一条记忆"


NAMED = re.compile(r"(?<![\w/.:>{])/([^\W_]+)")


@pytest.mark.parametrize("language", ["en", "es", "zh"])
def test_every_sentence_names_commands_as_its_language_does(language: str) -> None:
    text = files("cloche.texts").joinpath(f"{language}.toml").read_text("utf-8")
    found = set()
    for key, sentence in tomllib.loads(text).items():
        for written in NAMED.findall(sentence):
            if name := SPELLINGS.get(written):
                assert written == own_name(name, language), (key, sentence)
                found.add(name)
    assert found == set(NAMES)


@pytest.mark.parametrize("language", ["en", "es", "zh"])
def test_every_sentence_of_a_shared_skill_names_commands_as_its_language_does(
    language: str,
) -> None:
    folders = [one for one in shared_resource("skills").iterdir() if one.is_dir()]
    written = [
        (folder.name, name)
        for folder in folders
        for sentence in _sentences(
            tomllib.loads(folder.joinpath("sentences.toml").read_text("utf-8"))[language]
        )
        for name in NAMED.findall(sentence)
        if name in SPELLINGS
    ]
    assert ("reminders", own_name("timezone", language)) in written
    assert all(name == own_name(SPELLINGS[name], language) for _, name in written)


def _sentences(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _sentences(one)


@pytest.mark.parametrize("language", ["en", "es", "zh"])
def test_all_lines_of_help_are_sentences_that_begin_with_the_command(language: str) -> None:
    for name in (*NAMES, "image", "quit"):
        line = say(f"command_help_{name}", language)
        assert line.startswith("`/"), line
        assert line.endswith("。" if language == "zh" else "."), line
        if name in NAMES:
            command = parse_command(line[1:].split("`")[0])
            assert command is not None
            assert command.name == name
