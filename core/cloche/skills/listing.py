"""What an assistant's skills are, where they come from, and why one is not there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from cloche.errors import ClocheError, ManifestError
from cloche.skills.entries import read_listed
from cloche.skills.linting import skill_folders
from cloche.skills.loading import Loader, load_text
from cloche.skills.skill import Skill

Status = Literal["ready", "not available", "off", "refused"]


@dataclass(frozen=True, slots=True)
class SkillRow:
    """One line of ``cloche skills list``.

    Attributes:
        name: The skill.
        status: ``off``: ``skills.json`` leaves it out; ``refused``: something is wrong with it.
        origin: Whose it is.
        tools: Names of its tools.
        sha256: What its folder is held to, "" = nothing pins it.
        shadows: What else has its name and is not used.
        reason: Why it is not ready.
        source: Its folder.
    """

    name: str
    status: Status
    origin: str
    tools: tuple[str, ...] = ()
    sha256: str = ""
    shadows: tuple[str, ...] = ()
    reason: str = ""
    source: str = ""

    @classmethod
    def of(cls, skill: Skill) -> SkillRow:
        """A skill that could be loaded."""
        return cls(
            name=skill.name,
            status="not available" if skill.unavailable else "ready",
            origin=skill.origin,
            tools=tuple(tool.name for tool in skill.tools),
            sha256=skill.sha256,
            shadows=skill.shadows,
            reason=skill.unavailable,
            source=skill.source,
        )


def list_manifest(path: Path) -> Iterator[SkillRow]:
    """The skills that a ``skills.json`` lists; one that is refused does not hide the others.

    Raises:
        ManifestError: the file itself, or the lock, cannot be read.
    """
    loader = Loader(read_listed(path))
    for at, entry in enumerate(loader.listed.entries):
        if not entry.enabled:
            yield SkillRow(entry.name, "off", entry.source, reason="skills.json leaves it out")
            continue
        try:
            yield SkillRow.of(loader.load(at, entry))
        except ClocheError as error:
            yield SkillRow(entry.name, "refused", entry.source, reason=str(error))


def list_folders(root: Path) -> Iterator[SkillRow]:
    """The skills below a folder, as an assistant would take them; no ``tools.py`` is run.

    Raises:
        ManifestError: there is none.
    """
    folders = skill_folders(root)
    if not folders:
        raise ManifestError(root, "there is no skill in it: name a folder with SKILL.md files.")
    for folder in folders:
        try:
            yield SkillRow.of(load_text(folder))
        except ManifestError as error:
            yield SkillRow(folder.name, "refused", "folder", reason=str(error), source=str(folder))
