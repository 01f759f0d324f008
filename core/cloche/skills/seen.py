"""What a model made of the skills in one turn, for ``--verbose`` and logs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from cloche.skills.skill import READ_SKILL, SkillsManifest


@dataclass(frozen=True, slots=True)
class SkillsSeen:
    """The skills of one turn, by name.

    Attributes:
        listed: Those the model saw as ready.
        opened: Those whose instructions it read.
        called: Those whose tools it called.
        unavailable: Why the others are not ready.
    """

    listed: tuple[str, ...] = ()
    opened: tuple[str, ...] = ()
    called: tuple[str, ...] = ()
    unavailable: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


def skills_seen(manifest: SkillsManifest, calls: Iterable[tuple[str, str]]) -> SkillsSeen:
    """The skills of a turn.

    Args:
        manifest: The skills the model was told of.
        calls: Name and JSON arguments of each tool call.
    """
    owners = {tool.name: skill.name for skill in manifest.skills for tool in skill.tools}
    names = {skill.name for skill in manifest.skills}
    opened, called = [], []
    for tool, arguments in calls:
        if tool == READ_SKILL and (name := _named(arguments)) in names:
            opened.append(name)
        elif tool in owners:
            called.append(owners[tool])
    return SkillsSeen(
        listed=tuple(skill.name for skill in manifest.skills if not skill.unavailable),
        opened=tuple(dict.fromkeys(opened)),
        called=tuple(dict.fromkeys(called)),
        unavailable=MappingProxyType(
            {skill.name: skill.unavailable for skill in manifest.skills if skill.unavailable}
        ),
    )


def _named(arguments: str) -> str:
    try:
        read = json.loads(arguments)
    except ValueError:
        return ""
    name = read.get("name") if isinstance(read, dict) else None
    return name.strip() if isinstance(name, str) else ""
