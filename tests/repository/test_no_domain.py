"""The host knows no domain: nothing of an installed assistant is named in it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from cloche.plugins import load_host
from cloche.settings import Settings
from cloche.spec import AssistantSpec

ROOT = Path(__file__).parents[2]
HOST = ("core", "channels", "deploy", "manifests")
SUFFIXES = {".py", ".json", ".toml", ".md", ".yaml", ".txt", ".js", ".html", ".css"}
FILES = sorted(
    path for folder in HOST for path in (ROOT / folder).rglob("*") if path.suffix in SUFFIXES
)
INSTALLED = sorted(found.name for found in entry_points(group="cloche.assistants"))
ORDINARY = {"method", "tool", "quince"}
"""Words of a vocabulary that are the host's own too (Spanish counts to quince, fifteen)."""
OWN_LISTS = (
    "core/cloche/language.py",
    "core/cloche/memory/extraction/",
    "core/cloche/memory/truth/screening.py",
    "core/cloche/reminders/",
)
"""Where the host lists words of whole languages: common verbs, days (SUN), what is secret."""


def names(assistant: AssistantSpec) -> set[str]:
    """What an assistant is called."""
    module = next(
        found.value for found in entry_points(group="cloche.assistants", name=assistant.name)
    )
    return {assistant.name, assistant.persona.name, assistant.namespaces.root, module}


def assistants() -> list[AssistantSpec]:
    host = load_host(Settings())
    return [host.assistant(name) for name in INSTALLED]


def any_of(words: set[str]) -> re.Pattern[str]:
    # With none installed there is nothing that could be named: "$." is found nowhere.
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(words))) or '$.'})\b", re.IGNORECASE)


def where(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def literals(path: Path) -> Iterator[tuple[int, str]]:
    """Strings of a module with their lines; what only describes the code is left out."""
    tree = ast.parse(path.read_text("utf-8"))
    said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said:
            yield node.lineno, node.value


def test_something_is_searched() -> None:
    assert len(FILES) > 50
    assert {path.suffix for path in FILES} >= {".py", ".json", ".toml", ".md", ".yaml", ".txt"}
    assert ("deploy", "manifests") == HOST[2:]


def test_the_host_does_not_name_an_installed_assistant() -> None:
    word = any_of({each for assistant in assistants() for each in names(assistant)})
    found = [
        f"{where(path)}: {match[0]}"
        for path in FILES
        if (match := word.search(path.read_text("utf-8")))
    ]
    assert found == []


def test_the_host_uses_no_word_of_an_installed_assistants_vocabulary() -> None:
    keys = [key for assistant in assistants() for key in assistant.vocabulary.keys]
    words = {value.id for key in keys for value in key.values} - ORDINARY
    words |= {key.id for key in keys} - {"type"}  # the host asks for the key of this name
    found = [
        f"{where(path)}:{line}: {text}"
        for path in FILES
        if path.suffix == ".py"
        for line, text in literals(path)
        if text in words
    ]
    assert found == []


def test_no_sentence_of_the_host_holds_a_closed_value_of_an_installed_assistant() -> None:
    keys = [key for assistant in assistants() for key in assistant.vocabulary.keys if key.closed]
    word = any_of({value.id for key in keys for value in key.values} - ORDINARY)
    found = [
        f"{where(path)}:{line}: {match[0]}"
        for path in FILES
        if path.suffix == ".py" and not where(path).startswith(OWN_LISTS)
        for line, text in literals(path)
        if (match := word.search(text))
    ]
    assert found == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('X = "a bed of roses"', True),
        ('"""What a bed is."""', False),
        ('X = 1\n"""A bed."""', False),
        ('def f():\n    """A bed."""\n    return f"the bed {f}"', True),
    ],
)
def test_a_word_is_found_in_strings_and_not_in_descriptions(
    tmp_path: Path, text: str, found: bool
) -> None:
    module = tmp_path / "module.py"
    module.write_text(text)
    assert any(any_of({"bed"}).search(each) for _, each in literals(module)) is found
