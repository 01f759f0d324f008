"""The host knows no domain: nothing of an installed assistant is named in it."""

from __future__ import annotations

import ast
import re
from importlib.metadata import entry_points
from pathlib import Path

from cloche.plugins import load_host
from cloche.settings import Settings
from cloche.spec import AssistantSpec

ROOT = Path(__file__).parents[2]
HOST = ("core", "channels", "deploy", "manifests")
FILES = sorted(
    path
    for folder in HOST
    for path in (ROOT / folder).rglob("*")
    if path.suffix in {".py", ".json", ".toml", ".md", ".yaml"}
)
INSTALLED = sorted(found.name for found in entry_points(group="cloche.assistants"))
ORDINARY = {"method", "tool", "quince"}
"""Words of a vocabulary that are the host's own too (Spanish counts to quince, fifteen)."""


def names(assistant: AssistantSpec) -> set[str]:
    """What an assistant is called."""
    module = next(
        found.value for found in entry_points(group="cloche.assistants", name=assistant.name)
    )
    return {assistant.name, assistant.persona.name, assistant.namespaces.root, module}


def test_something_is_searched() -> None:
    assert len(FILES) > 50


def test_the_host_does_not_name_an_installed_assistant() -> None:
    host = load_host(Settings())
    named = {each for name in INSTALLED for each in names(host.assistant(name))}
    # With none installed there is nothing that could be named: "$." is found nowhere.
    words = "|".join(map(re.escape, named)) or "$."
    word = re.compile(rf"\b(?:{words})\b", re.IGNORECASE)
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in FILES
        if (match := word.search(path.read_text("utf-8")))
    ]
    assert found == []


def test_the_host_uses_no_word_of_an_installed_assistants_vocabulary() -> None:
    host = load_host(Settings())
    keys = [key for name in INSTALLED for key in host.assistant(name).vocabulary.keys]
    words = {value.id for key in keys for value in key.values} - ORDINARY
    words |= {key.id for key in keys} - {"type"}  # the host asks for the key of this name
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {node.value}"
        for path in FILES
        if path.suffix == ".py"
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and node.value in words
    ]
    assert found == []
