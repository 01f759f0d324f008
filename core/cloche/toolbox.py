"""The tools of a turn: those of the assistant's skills, bound to the person it acts for."""

from __future__ import annotations

from cloche.clock import Clock
from cloche.memory.for_tools import PersonMemory, PersonStorage
from cloche.memory.pipeline import Memory
from cloche.people import Person
from cloche.skills import SkillsManifest, read_skill_tool
from cloche.tools import BoundTool, Tool, ToolContext


class Toolbox:
    """Binds tools to turns; the order is the manifest's, so a model sees the same bytes."""

    def __init__(self, skills: SkillsManifest, memory: Memory, clock: Clock) -> None:
        """Take the skills; those that are not available offer no tools."""
        self._memory, self._clock = memory, clock
        ready = [skill for skill in skills.skills if not skill.unavailable]
        self._tools = [("", {}, read_skill_tool(skills))] if ready else []
        self._tools += [(skill.name, dict(skill.config), t) for skill in ready for t in skill.tools]

    def bind(self, person: Person, turn_id: str) -> tuple[BoundTool, ...]:
        """The tools, acting for this person in this turn and for nobody else."""
        return tuple(
            BoundTool(tool, turn_id, self._contexts(person, skill, config))
            for skill, config, tool in self._tools
        )
