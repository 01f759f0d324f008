"""Skills: what a user would name in a sentence, and the list of them that an assistant has.

``skills.json`` lists names. A name is a folder ``skills/<name>/`` of the assistant's own package,
else a shared skill of the data package; some shared skills are known but planned: those are told
to the model as not available.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Final

from pydantic import BaseModel, JsonValue

from cloche.documents import (
    Document,
    did_you_mean,
    parse_json,
    read_text,
    shared_resource,
    validate,
)
from cloche.errors import ManifestError, PluginError
from cloche.skill_files import (
    MAX_DESCRIPTION_CHARS,
    MAX_NAME_CHARS,
    SKILL_NAME,
    load_examples,
    load_tools,
    read_skill_text,
)
from cloche.state.store import Json
from cloche.texts import say
from cloche.tools import Tool, ToolContext, tool
from cloche.utterances import Example

MAX_BODY_CHARS: Final = 20_000
"""How much of a body ``read_skill`` gives; the public format advises under 5,000 tokens."""
READ_SKILL: Final = "read_skill"

_HOOK: Final = "provide_skills"


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

    def __post_init__(self) -> None:
        """Refuse what the index could not show."""
        if len(self.name) > MAX_NAME_CHARS or not SKILL_NAME.fullmatch(self.name):
            raise PluginError(
                "skills", f"{self.name!r} is no skill's name ({SKILL_NAME.pattern}).", hook=_HOOK
            )
        if not 1 <= len(self.description.strip()) <= MAX_DESCRIPTION_CHARS:
            raise PluginError(
                "skills",
                f"{self.name} needs a description of 1-{MAX_DESCRIPTION_CHARS} characters.",
                hook=_HOOK,
            )


@dataclass(frozen=True)
class SkillsManifest:
    """The skills of an assistant, in the order a model reads them.

    Attributes:
        skills: The skills; names, and names of tools, are unique.
        source: File or module that lists them.

    Raises:
        PluginError: two skills or two tools have one name; the reason names both sources.
    """

    skills: tuple[Skill, ...] = ()
    source: str = ""

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
                    hook=_HOOK,
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
        root = files(package)
        if not isinstance(root, Path):
            raise PluginError(
                package, "its files are in an archive.", hook=_HOOK, remedy="Install it as files."
            )
        path = root / file
        document = parse_json(read_text(path), str(path))
        validate(document, "skills")
        skills: dict[str, Skill] = {}
        for at, entry in enumerate(_Listed.model_validate(document.value).entries()):
            if not entry.enabled:
                continue
            skill = _resolve(entry.name, root / "skills", document, f"/skills/{at}")
            if skill.name in skills:
                raise document.error(f"/skills/{at}", f"{skill.name!r} is listed twice: keep one.")
            skills[skill.name] = replace(skill, config=MappingProxyType(entry.config))
        return cls(skills=tuple(skills.values()), source=str(path))

    def index(self) -> str:
        """The list for the stable part of the prompt: the same bytes for the same skills."""
        return "\n".join(_index_line(skill) for skill in self.skills)

    def __getitem__(self, name: str) -> Skill:
        """The skill of that name; KeyError when there is none."""
        return {skill.name: skill for skill in self.skills}[name]


def load_folder(path: Path) -> Skill:
    """One skill from its folder; its ``tools.py``, where it has one, is run.

    Raises:
        ManifestError: a file is missing or wrong: which, where, and how to mend it.
    """
    folder = Path(os.path.abspath(path))
    if not folder.is_dir():
        raise ManifestError(path, "there is no such folder: name the one with SKILL.md in it.")
    text = read_skill_text(folder)
    tools = load_tools(folder / "tools.py") if (folder / "tools.py").exists() else ()
    examples = folder / "examples.yaml"
    return Skill(
        name=text.name,
        description=text.description,
        body=text.body,
        tools=tools,
        examples=load_examples(examples, tools) if examples.exists() else (),
        source=str(folder),
        license=text.license,
        compatibility=text.compatibility,
        metadata=text.metadata,
        allowed_tools=text.allowed_tools,
    )


def read_skill_tool(manifest: SkillsManifest) -> Tool:
    """The host's tool that gives a skill's instructions by name."""
    by_name = {skill.name: skill for skill in manifest.skills}

    @tool(max_result_chars=MAX_BODY_CHARS)
    async def read_skill(
        ctx: ToolContext, name: Annotated[str, "The skill's name, as the list of skills has it."]
    ) -> str:
        """Read the full instructions of a skill before using it the first time."""
        skill = by_name.get(name.strip())
        if skill is None:
            return say("skill_unknown", ctx.language, name=name, names=", ".join(by_name))
        if skill.unavailable:
            reason = skill.reasons.get(ctx.language, skill.unavailable)
            return say("skill_unavailable", ctx.language, name=skill.name, reason=reason)
        return skill.body or skill.description

    return read_skill


class _Entry(BaseModel):
    name: str
    enabled: bool = True
    config: dict[str, JsonValue] = {}


class _Listed(BaseModel):
    """``skills.json`` after its schema has been checked."""

    skills: list[str | _Entry]

    def entries(self) -> list[_Entry]:
        """The list in its long form."""
        return [_Entry(name=one) if isinstance(one, str) else one for one in self.skills]


class _Planned(BaseModel):
    description: str
    reason: dict[str, str]
    """By language; English is always there."""


class _Catalogue(BaseModel):
    """What is known of shared skills beside their folders."""

    aliases: dict[str, str]
    planned: dict[str, _Planned]


@cache
def _catalogue() -> _Catalogue:
    path = shared_resource("skills", "catalogue.json")
    document = parse_json(read_text(path), str(path))
    validate(document, "catalogue")
    return _Catalogue.model_validate(document.value)


def _resolve(name: str, own: Path, listed: Document, pointer: str) -> Skill:
    """The skill a name in ``skills.json`` stands for."""
    if (own / name).is_dir():
        return load_folder(own / name)
    catalogue = _catalogue()
    shared = catalogue.aliases.get(name, name)
    folder = shared_resource("skills", shared)
    if isinstance(folder, Path) and folder.is_dir():
        return load_folder(folder)
    if (planned := catalogue.planned.get(shared)) is not None:
        return Skill(
            shared,
            planned.description,
            source=listed.file,
            unavailable=planned.reason["en"],
            reasons=MappingProxyType(planned.reason),
        )
    folders = [own, shared_resource("skills")]
    known = {f.name for root in folders if root.is_dir() for f in root.iterdir() if f.is_dir()}
    known |= {*catalogue.aliases, *catalogue.planned}
    otherwise = f"; add the folder skills/{name}, or take it off the list."
    told = did_you_mean(name, known, otherwise)
    raise listed.error(pointer, f"there is no skill {name!r}{told}")


def _index_line(skill: Skill) -> str:
    if skill.unavailable:
        return (
            f"- {skill.name}: not available: {skill.unavailable} "
            f"- tell the person so when asked for it. {' '.join(skill.description.split())}"
        )
    return f"- {skill.name}: {' '.join(skill.description.split())}"
