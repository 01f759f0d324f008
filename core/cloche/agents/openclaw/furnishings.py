"""What a gateway is told of the assistant when it starts, and whether that is still so.

It reads persona, skills and tools once, and a session of it keeps what it read.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from hashlib import sha256

from cloche.agents.openclaw.workspace import Quarters, furnish
from cloche.errors import ManifestError
from cloche.persona import Persona
from cloche.skills import SkillsManifest, read_skill_tool
from cloche.skills.rendering import rendered
from cloche.tools import Tool


class Furnishings:
    """The assistant as one gateway knows it."""

    def __init__(self, persona: Persona, skills: Callable[[], SkillsManifest]) -> None:
        """Take who the assistant is, and what gives its skills as they are now."""
        self._persona, self._skills = persona, skills
        self._given: SkillsManifest | None = None
        self._digest = ""

    async def put(self, quarters: Quarters) -> tuple[str, ...]:
        """Furnish a gateway that is about to start.

        Returns:
            Names of the skills.

        Raises:
            OSError: it cannot be written.
            ManifestError: the same, of the skills.
        """
        manifest = self._skills()
        digest = await asyncio.to_thread(_digest_of, manifest)
        names = await asyncio.to_thread(furnish, quarters, self._persona, manifest)
        self._given, self._digest = manifest, digest
        return names

    async def are_stale(self) -> bool:
        """True, once, when a gateway that starts now would be told something else.

        What a tool does and answers is the host's: a gateway is told its name and description.
        """
        manifest = self._skills()
        if self._given is None or manifest is self._given:
            return False
        try:
            digest = await asyncio.to_thread(_digest_of, manifest)
        except (OSError, ManifestError):  # somebody is just writing there: the next turn looks
            return False
        is_other = digest != self._digest
        self._given = None if is_other else manifest
        return is_other

    def tools(self) -> Sequence[Tool]:
        """The tools of the skills that are ready, and the host's own."""
        return _tools_of(self._skills())


def _tools_of(manifest: SkillsManifest) -> Sequence[Tool]:
    ready = [skill for skill in manifest.skills if not skill.unavailable]
    own = [read_skill_tool(manifest)] if ready else []
    return [*own, *(tool for skill in ready for tool in skill.tools)]


def _digest_of(manifest: SkillsManifest) -> str:
    digest = sha256()
    for name, data in sorted(rendered(manifest).items()):
        digest.update(f"{name} {len(data)}\n".encode())
        digest.update(data)
    for tool in _tools_of(manifest):
        digest.update(repr((tool.name, tool.description)).encode())
    return digest.hexdigest()
