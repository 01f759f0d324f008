"""The host's own tool of skills: a model reads instructions when it needs them, not every turn."""

from __future__ import annotations

import asyncio
from pathlib import Path, PurePosixPath
from typing import Annotated, Final

from cloche.documents import read_text
from cloche.errors import ManifestError
from cloche.skills.fingerprint import files_of, folder_sha256
from cloche.skills.skill import READ_SKILL, Skill, SkillsManifest
from cloche.texts import say
from cloche.tools import Tool, ToolContext, tool

__all__ = ["MAX_BODY_CHARS", "READ_SKILL", "read_skill_tool"]

MAX_BODY_CHARS: Final = 20_000
"""How much of a body ``read_skill`` gives; the public format advises under 5,000 tokens."""
READABLE: Final = frozenset({".md", ".txt", ".json", ".yaml", ".yml", ".csv", ".toml", ".xml"})
"""Files of a skill that are texts for a reader, not programs."""


def read_skill_tool(manifest: SkillsManifest) -> Tool:
    """The host's tool that gives a skill's instructions, and files they point to, by name."""
    by_name = {skill.name: skill for skill in manifest.skills}

    @tool(max_result_chars=MAX_BODY_CHARS)
    async def read_skill(
        ctx: ToolContext,
        name: Annotated[str, "The skill's name, as the list of skills has it."],
        file: Annotated[str, "A file its instructions point to, such as references/x.md."] = "",
    ) -> str:
        """Read the full instructions of a skill before using it the first time."""
        skill = by_name.get(name.strip())
        if skill is None:
            return say("skill_unknown", ctx.language, name=name, names=", ".join(by_name))
        if skill.unavailable:
            reason = skill.reasons.get(ctx.language, skill.unavailable)
            return say("skill_unavailable", ctx.language, name=skill.name, reason=reason)
        if not file.strip():
            return skill.body or skill.description
        text = await asyncio.to_thread(_file_of, skill, file.strip())
        return text or say("skill_no_file", ctx.language, name=skill.name, file=file.strip())

    return read_skill


def _file_of(skill: Skill, name: str) -> str:
    """A text of the skill's folder; "" when there is none that a model may read.

    What the folder's hash does not count is none of the skill's, whatever its instructions say; and
    a pinned folder that is no longer what was pinned gives nothing.
    """
    wanted = PurePosixPath(name)
    if not skill.source or wanted.is_absolute() or wanted.suffix.lower() not in READABLE:
        return ""
    root = Path(skill.source).resolve()
    try:
        path = (root / wanted).resolve()
        if not path.is_relative_to(root) or path.relative_to(root).as_posix() not in files_of(root):
            return ""
        text = read_text(path, limit=MAX_BODY_CHARS * 4)
        return text if skill.sha256 in ("", folder_sha256(root)) else ""
    except (OSError, ValueError, RuntimeError, ManifestError):
        return ""  # a name too long, a NUL in it, links in a circle, no UTF-8
