"""Packages that ``cloche new`` writes, as templates: ``$name`` stands for what differs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Final

from cloche.errors import RequestError

_NAME: Final = re.compile(r"[a-z][a-z0-9]{0,31}")
_ASSISTANT_NAME: Final = re.compile(r"(?=.{1,32}$)[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
_CHANNEL: Final = {
    "pyproject.toml": "pyproject.txt",
    "README.md": "readme.txt",
    "{package}/__init__.py": "package.txt",
    "tests/test_conformance.py": "conformance.txt",
}
"""Files of a channel's package, and their templates."""
_ASSISTANT: Final = {
    "pyproject.toml": "every/pyproject.txt",
    "README.md": "every/readme.txt",
    ".ci/run": "every/ci.txt",
    "{package}/__init__.py": "every/package.txt",
    "{package}/vocabulary.py": "{template}/vocabulary.txt",
    "{package}/persona/identity.md": "{template}/identity.txt",
    "{package}/persona/voice.md": "{template}/voice.txt",
    "{package}/persona/what-it-does.md": "{template}/what-it-does.txt",
    "{package}/persona/safety.md": "{template}/safety.txt",
    "{package}/skills.json": "every/skills.txt",
    "{package}/skills/{skill}/SKILL.md": "{template}/skill.txt",
    "{package}/skills/{skill}/tools.py": "{template}/tools.txt",
    "{package}/skills/{skill}/examples.yaml": "{template}/examples.txt",
    "tests/test_conformance.py": "every/conformance.txt",
    "tests/test_skill.py": "{template}/skill_test.txt",
}
"""Files of an assistant's package, and their templates."""


@dataclass(frozen=True, slots=True)
class AssistantTemplate:
    """What an assistant can begin as.

    Attributes:
        skill: The name of its own skill.
        about: One sentence for its README.
        fact: Something that a person may tell it.
        request: Something that its skill does.
    """

    skill: str
    about: str
    fact: str
    request: str


ASSISTANT_TEMPLATES: Final[Mapping[str, AssistantTemplate]] = {
    "blank": AssistantTemplate(
        "lists",
        "It helps with whatever one brings, and keeps lists.",
        "I have two bicycles.",
        "Put tea on my shopping list.",
    ),
    "helpdesk": AssistantTemplate(
        "known-fixes",
        "It helps when something does not work, and remembers what mended it last time.",
        "We have a laser printer in the hall.",
        "Note the fix for the printer jams: turn the paper over",
    ),
    "trainer": AssistantTemplate(
        "practice-log",
        "It helps to practise a language, an instrument or a game, and keeps count.",
        "I play the guitar on Sundays.",
        "I practised guitar for 25 minutes.",
    ),
}
"""By the name that ``cloche new assistant --template`` takes."""


def channel_files(name: str) -> Mapping[str, str]:
    """The files of a new channel's package, by their path in it.

    Raises:
        RequestError: the name cannot be a channel's.
    """
    if not _NAME.fullmatch(name):
        raise RequestError(
            f"{name!r} cannot be a new channel's name: small letters and digits, a letter first, "
            "at most 32 characters. No hyphen: it could not stand in the names of its settings."
        )
    slots = {
        "name": name,
        "package": f"cloche_{name}",
        "title": name.capitalize(),
        "variable": name.upper(),
    }
    written = {
        path.format(package=slots["package"]): _filled(f"channel/{template}", slots)
        for path, template in _CHANNEL.items()
    }
    return written | {f"{slots['package']}/py.typed": ""}


def assistant_files(name: str, template: str = "blank") -> Mapping[str, str]:
    """The files of a new assistant's package, by their path in it.

    Args:
        name: The assistant's name: its entry point, its folder, and where its memories lie.
        template: One of ``ASSISTANT_TEMPLATES``.

    Raises:
        RequestError: the name cannot be an assistant's, or there is no such template.
    """
    if not _ASSISTANT_NAME.fullmatch(name):
        raise RequestError(
            f"{name!r} cannot be a new assistant's name: small letters and digits, a letter first, "
            "single hyphens inside, at most 32 characters."
        )
    if template not in ASSISTANT_TEMPLATES:
        there = ", ".join(ASSISTANT_TEMPLATES)
        raise RequestError(f"There is no template {template!r}; there are: {there}.")
    chosen = ASSISTANT_TEMPLATES[template]
    words = name.split("-")
    slots = {
        "name": name,
        "package": f"cloche_{name.replace('-', '_')}",
        "title": " ".join(word.capitalize() for word in words),
        "class_name": "".join(word.capitalize() for word in words),
        "skill": chosen.skill,
        "about": chosen.about,
        "fact": chosen.fact,
        "request": chosen.request,
    }
    places = {"package": slots["package"], "skill": chosen.skill, "template": template}
    written = {
        path.format(**places): _filled(f"assistant/{source.format(**places)}", slots)
        for path, source in _ASSISTANT.items()
    }
    return written | {f"{slots['package']}/py.typed": ""}


def write_package(folder: Path, written: Mapping[str, str]) -> None:
    """Write a package's files into a folder that is new or empty.

    Raises:
        RequestError: there is something already, or it cannot be written.
    """
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise RequestError(f"{folder} is there already; name another with --into.")
        for path, text in written.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
    except OSError as error:
        raise RequestError(f"{folder} cannot be written: {error.strerror}.") from error


def _filled(template: str, slots: Mapping[str, str]) -> str:
    text = files(__name__).joinpath(*template.split("/")).read_text(encoding="utf-8")
    return Template(text).substitute(slots)
