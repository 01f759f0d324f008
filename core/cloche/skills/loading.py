"""From entries and folders to skills: what is pinned is checked before anything is run."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

from cloche.documents import did_you_mean
from cloche.errors import ManifestError
from cloche.skills.entries import Entry, Listed, read_listed
from cloche.skills.fingerprint import files_of, folder_sha256
from cloche.skills.front_matter import read_skill_text
from cloche.skills.git import fetch
from cloche.skills.lock import Lock, check_pin, pin_of, read_lock
from cloche.skills.needs import missing, runs_programs
from cloche.skills.skill import Skill, SkillsManifest
from cloche.skills.sources import Place, find
from cloche.skills.tool_files import (
    EXAMPLES_FILE,
    TOOLS_FILE,
    brings_tools,
    load_examples,
    load_tools,
)
from cloche.state.store import Json
from cloche.tools import Tool


def load_folder(path: Path, *, outside: bool = False) -> Skill:
    """One skill from its folder; its ``tools.py``, where it has one, is run.

    Args:
        path: The folder.
        outside: True for a folder whose author knows nothing of this host: a ``tools.py`` that
            does not import ``cloche`` is a program of its own, and stays unread.

    Raises:
        ManifestError: a file is missing or wrong: which, where, and how to mend it.
    """
    folder = Path(os.path.abspath(path))
    acts = brings_tools(folder) if outside else (folder / TOOLS_FILE).exists()
    skill = load_text(folder, acts=acts)
    tools = load_tools(folder / TOOLS_FILE) if acts else ()
    examples = folder / EXAMPLES_FILE
    told = examples.exists() and (acts or not outside)
    return replace(skill, tools=tools, examples=load_examples(examples, tools) if told else ())


def load_text(folder: Path, *, acts: bool | None = None) -> Skill:
    """What a folder says of itself: a skill without its tools, of which nothing is run.

    Args:
        folder: The folder.
        acts: Whether it has tools of this host; None = look.

    Raises:
        ManifestError: a file is missing or wrong: which, where, and how to mend it.
    """
    if not folder.is_dir():
        raise ManifestError(folder, "there is no such folder: name the one with SKILL.md in it.")
    text = read_skill_text(folder)
    acts = brings_tools(folder) if acts is None else acts
    stopped = runs_programs(text, files_of(folder), acts=acts)
    reasons = stopped.reasons if stopped else MappingProxyType({})
    return Skill(
        name=text.name,
        description=text.description,
        body=text.body,
        source=str(folder),
        unavailable=reasons.get("en", ""),
        reasons=reasons,
        license=text.license,
        compatibility=text.compatibility,
        metadata=text.metadata,
        allowed_tools=text.allowed_tools,
        origin="folder",
    )


def load_manifest(path: Path) -> SkillsManifest:
    """The skills that a ``skills.json`` lists.

    Raises:
        ManifestError: a file is missing or wrong: which, where, and how to mend it.
        PluginError: two names clash.
    """
    loader = Loader(read_listed(path))
    skills: dict[str, Skill] = {}
    for at, entry in enumerate(loader.listed.entries):
        if not entry.enabled:
            continue
        skill = loader.load(at, entry)
        if skill.name in skills:
            raise loader.listed.error(at, f"{skill.name!r} is listed twice: keep one.")
        skills[skill.name] = skill
    return SkillsManifest(tuple(skills.values()), str(path), loader.listed.wins)


@dataclass
class Loader:
    """Loads the entries of one ``skills.json``."""

    listed: Listed
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)
    lock: Lock = field(init=False)

    def __post_init__(self) -> None:
        """Read the lock beside it.

        Raises:
            ManifestError: the lock is there and cannot be used.
        """
        self.lock = read_lock(self.listed.path)

    def place(self, at: int, entry: Entry) -> Place:
        """Where an entry's folder is; nothing is fetched or run."""
        return find(entry, self.listed, at, cache_folder)

    def load(self, at: int, entry: Entry) -> Skill:
        """The skill an entry stands for.

        Raises:
            ManifestError: it cannot be used; see ``load_manifest``.
        """
        place = self.place(at, entry)
        if place.planned is not None:
            planned = place.planned
            skill = Skill(
                place.name,
                planned.description,
                source=self.listed.document.file,
                unavailable=planned.reason["en"],
                reasons=MappingProxyType(planned.reason),
            )
            return self._entered(skill, entry, place, "", at)
        pin, who = pin_of(entry, place, self.lock)
        folder = self._fetched(at, entry, place, pin)
        if pin or place.is_outside:
            check_pin(entry, folder, folder_sha256(folder), pin, who)
        if place.is_outside and not pin and brings_tools(folder):
            raise self.listed.error(
                at,
                f"{folder / TOOLS_FILE} is code from outside the package, and nothing pins it: "
                "read it, then run `cloche skills lock`.",
                "source",
            )
        return self._entered(load_folder(folder, outside=place.is_outside), entry, place, pin, at)

    def _fetched(self, at: int, entry: Entry, place: Place, pin: str) -> Path:
        """The skill's folder, from git when it is not in the cache."""
        if place.folder is None:
            raise ValueError(f"{entry.name} has no folder")
        if place.git is None:
            return place.folder
        if not pin:
            raise self.listed.error(
                at,
                f"nothing pins what {place.written} holds: run `cloche skills lock`, "
                "which fetches it and writes its sha256 down.",
                "source",
            )
        if not place.folder.is_dir():
            fetch(place.git, place.folder)
        return place.folder

    def _entered(self, skill: Skill, entry: Entry, place: Place, pin: str, at: int) -> Skill:
        """The skill as its entry wants it."""
        renamed = bool(entry.source or entry.skill)
        lacking = missing(entry.needs, self.environ)
        reasons = lacking.reasons if lacking else skill.reasons
        settings: dict[str, Json] = {
            name: self.environ[name] for name in entry.needs.settings if name in self.environ
        }
        tools = skill.tools if entry.tools is None else self._allowed(skill, entry.tools, at)
        names = {tool.name for tool in tools}
        return replace(
            skill,
            name=entry.name if renamed else skill.name,
            description=entry.description or skill.description,
            tools=tools,
            examples=tuple(one for one in skill.examples if one.tool in names),
            unavailable=reasons.get("en", ""),
            reasons=reasons,
            config=MappingProxyType({**settings, **entry.config}),
            origin=place.written if place.is_outside else place.origin,
            sha256=pin,
            shadows=place.shadows,
        )

    def _allowed(self, skill: Skill, names: tuple[str, ...], at: int) -> tuple[Tool, ...]:
        there = [tool.name for tool in skill.tools]
        for number, name in enumerate(names):
            if name not in there:
                otherwise = f"; there are: {', '.join(there) or 'none'}."
                told = did_you_mean(name, there, otherwise)
                raise self.listed.error(
                    at, f"{skill.name} has no tool {name!r}{told}", f"tools/{number}"
                )
        return tuple(tool for tool in skill.tools if tool.name in names)


def cache_folder() -> Path:
    """``CLOCHE_HOME/cache``, where what comes from git is kept."""
    from cloche.settings import load_settings

    return load_settings().home / "cache"
