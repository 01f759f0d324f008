"""Packages that ``cloche new`` writes, as templates: ``$name`` stands for what differs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Final

from cloche.errors import RequestError

_NAME: Final = re.compile(r"[a-z][a-z0-9]{0,31}")
_CHANNEL: Final = {
    "pyproject.toml": "pyproject.txt",
    "README.md": "readme.txt",
    "{package}/__init__.py": "package.txt",
    "tests/test_conformance.py": "conformance.txt",
}
"""Files of a channel's package, and their templates."""


def channel_files(name: str) -> Mapping[str, str]:
    """The files of a new channel's package, by their path in it.

    Raises:
        RequestError: the name cannot be a channel's.
    """
    if not _NAME.fullmatch(name):
        # A hyphen could not stand in the variables of its settings.
        raise RequestError(
            f"{name!r} cannot be a new channel's name: small letters and digits, a letter first, "
            "at most 32 characters."
        )
    slots = {
        "name": name,
        "package": f"cloche_{name}",
        "title": name.capitalize(),
        "variable": name.upper(),
    }
    written = {
        path.format(package=slots["package"]): _filled(template, slots)
        for path, template in _CHANNEL.items()
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
    text = files(__name__).joinpath("channel", template).read_text(encoding="utf-8")
    return Template(text).substitute(slots)
