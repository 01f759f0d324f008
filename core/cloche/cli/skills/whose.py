"""What ``cloche skills`` is about: an installed assistant, a ``skills.json``, or folders."""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from cloche.cli.choosing import choose_assistant
from cloche.errors import RequestError

if TYPE_CHECKING:
    from cloche.plugins import Host

MANIFEST: Final = "skills.json"
What = Annotated[
    str | None,
    typer.Argument(
        help="An assistant, the path of a skills.json, or a folder of skills; may be left out "
        "when one assistant is installed."
    ),
]
Assistant = Annotated[
    str | None,
    typer.Option("--assistant", "-a", help="Which one, or the path of a skills.json."),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


@dataclass(frozen=True, slots=True)
class Subject:
    """What a command is about.

    Attributes:
        assistant: Name of an installed assistant, "" when a path was named.
        manifest: Its ``skills.json``; None for folders, and for a package that has none.
        folder: A folder of skills; None otherwise.
    """

    assistant: str = ""
    manifest: Path | None = None
    folder: Path | None = None


def subject_of(host: Host, what: str | None) -> Subject:
    """What a word on the command line names: a path wherever it is one, else an assistant.

    Raises:
        PluginError: there is no assistant of that name.
        RequestError: there is no such path.
    """
    if what is not None and (os.sep in what or what.endswith(".json") or what in (".", "..")):
        return _path(Path(what))
    if what is not None and what not in host.assistants and Path(what).is_dir():
        return _path(Path(what))
    name = what if what in host.assistants else choose_assistant(host, what)
    return Subject(assistant=name, manifest=_manifest_of(host, name))


def _path(path: Path) -> Subject:
    from cloche.skills.front_matter import SKILL_FILE

    if path.is_file():
        return Subject(manifest=path.absolute())
    if (path / MANIFEST).is_file() and not (path / SKILL_FILE).is_file():
        return Subject(manifest=(path / MANIFEST).absolute())
    if not path.is_dir():
        raise RequestError(f"{path}: there is no such file or folder.")
    return Subject(folder=path.absolute())


def _manifest_of(host: Host, name: str) -> Path | None:
    """The package's ``skills.json``, found without its skills: they may be what is broken."""
    root = files(host.provided(name).found.module)
    path = root / MANIFEST if isinstance(root, Path) else None
    return path if path is not None and path.is_file() else None


def manifest_of(host: Host, what: str | None) -> Path:
    """The ``skills.json`` that a command changes.

    Raises:
        RequestError: there is none.
        ManifestError: it cannot be read.
    """
    from cloche.skills.entries import read_listed

    subject = subject_of(host, what)
    if subject.manifest is None:
        about = subject.assistant or subject.folder
        raise RequestError(f"{about}: there is no {MANIFEST}; write one with a list 'skills'.")
    read_listed(subject.manifest)
    return subject.manifest
