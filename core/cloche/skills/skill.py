"""One skill, and the skills of an assistant in the order a model reads them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Final

from cloche.errors import PluginError
from cloche.skills.front_matter import MAX_DESCRIPTION_CHARS, MAX_NAME_CHARS, SKILL_NAME
from cloche.state.store import Json
from cloche.tools import Tool
from cloche.utterances import Example

READ_SKILL: Final = "read_skill"
HOOK: Final = "provide_skills"


@dataclass(frozen=True)
class Skill:
    """One thing a user would name in a sentence.

    Attributes:
        name: ``[a-z0-9]`` and single ``-``, at most 64 characters.
        description: What it does and when to use it, at most 1,024 characters.
        body: Markdown that ``read_skill`` gives.
        tools: Where it acts.
        examples: How people ask for its tools.
        source: Folder it comes from.
        unavailable: "" when it is ready, else the reason in one clause.
        reasons: That clause in other languages, by language.
        config: Settings from ``skills.json``, for its tools.
        license: As its ``SKILL.md`` says.
        compatibility: What it needs, as its ``SKILL.md`` says.
        metadata: As its ``SKILL.md`` says.
        allowed_tools: Tools that its ``SKILL.md`` names.
        origin: ``package``, ``shared``, a folder or an address as ``skills.json`` has it; "" when
            it was made by code.
        sha256: Hash that ``skills.json`` or the lock holds its folder to, "" when neither does.
        shadows: What else has its name and is not used: each in one clause.

    Raises:
        PluginError: the name or the description is none.
    """

    name: str
    description: str
    body: str = ""
    tools: tuple[Tool, ...] = ()
    examples: tuple[Example, ...] = ()
    source: str = ""
    unavailable: str = ""
    reasons: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    config: Mapping[str, Json] = field(default_factory=lambda: MappingProxyType({}))
    license: str = ""
    compatibility: str = ""
    metadata: Mapping[str, Json] = field(default_factory=lambda: MappingProxyType({}))
    allowed_tools: tuple[str, ...] = ()
    origin: str = ""
    sha256: str = ""
    shadows: tuple[str, ...] = ()

    @property
    def titles(self) -> Mapping[str, str]:
        """What people are told it is called, by language: ``title-xx`` of its metadata."""
        named = ((key.removeprefix("title-"), key, text) for key, text in self.metadata.items())
        return {
            language: text
            for language, key, text in named
            if key != language and isinstance(text, str) and text.strip()
        }

    def __post_init__(self) -> None:
        """Refuse what the index could not show."""
        if len(self.name) > MAX_NAME_CHARS or not SKILL_NAME.fullmatch(self.name):
            raise PluginError(
                "skills", f"{self.name!r} is no skill's name ({SKILL_NAME.pattern}).", hook=HOOK
            )
        if not 1 <= len(self.description.strip()) <= MAX_DESCRIPTION_CHARS:
            raise PluginError(
                "skills",
                f"{self.name} needs a description of 1-{MAX_DESCRIPTION_CHARS} characters.",
                hook=HOOK,
            )


@dataclass(frozen=True)
class SkillsManifest:
    """The skills of an assistant, in the order a model reads them.

    Attributes:
        skills: The skills; names, and names of tools, are unique.
        source: File or module that lists them.
        wins: Which plugin's skill is used where several bring one name: skill's name to plugin's.

    Raises:
        PluginError: two skills or two tools have one name; the reason names both sources.
    """

    skills: tuple[Skill, ...] = ()
    source: str = ""
    wins: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def __post_init__(self) -> None:
        """Refuse names that stand for two things."""
        places: dict[str, str] = {f"tool {READ_SKILL}": "the host"}
        named = [(f"skill {skill.name}", skill.source) for skill in self.skills]
        named += [(f"tool {t.name}", skill.source) for skill in self.skills for t in skill.tools]
        for name, source in named:
            if name in places:
                raise PluginError(
                    "skills",
                    f"the {name} comes from both {places[name]} and {source}.",
                    hook=HOOK,
                    remedy="Rename one, or take one off its list.",
                )
            places[name] = source

    @classmethod
    def from_package(cls, package: str, file: str = "skills.json") -> SkillsManifest:
        """Read a package's ``skills.json`` and the skills it lists.

        Raises:
            ManifestError: a file is missing or wrong: which, where, and how to mend it.
            PluginError: the package is not installed as files, or two names clash.
        """
        from cloche.skills.loading import load_manifest

        root = files(package)
        if not isinstance(root, Path):
            raise PluginError(
                package, "its files are in an archive.", hook=HOOK, remedy="Install it as files."
            )
        return load_manifest(root / file)

    def index(self) -> str:
        """The list for the stable part of the prompt: the same bytes for the same skills.

        What its author wrote is one line, and closes or opens no block of the prompt.
        """
        return "\n".join(_index_line(skill) for skill in self.skills)

    def __getitem__(self, name: str) -> Skill:
        """The skill of that name; KeyError when there is none."""
        return {skill.name: skill for skill in self.skills}[name]


def _index_line(skill: Skill) -> str:
    told = _one_line(skill.description)
    if skill.unavailable:
        why = _one_line(skill.unavailable)
        return (
            f"- {skill.name}: not available: {why} - tell the person so when asked for it. {told}"
        )
    return f"- {skill.name}: {told}"


def _one_line(text: str) -> str:
    return escape(" ".join(text.split()), quote=False)
