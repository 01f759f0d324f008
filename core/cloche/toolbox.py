"""The tools of a turn: those of the assistant's skills, bound to the person it acts for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from cloche.memory.for_tools import PersonMemory, PersonStorage
from cloche.memory.pipeline import Memory
from cloche.people import Person
from cloche.skills import SkillsManifest, read_skill_tool
from cloche.state.store import Json
from cloche.tools import BoundTool, ToolContext


class Toolbox:
    """Binds tools to turns; the order is the manifest's, so a model sees the same bytes."""

    def __init__(self, skills: SkillsManifest, memory: Memory) -> None:
        """Take the skills; those that are not available offer no tools."""
        self._memory = memory
        ready = [skill for skill in skills.skills if not skill.unavailable]
        self._tools = [
            *([("read-skill", read_skill_tool(skills), MappingProxyType({}))] if ready else []),
            *((skill.name, tool, skill.config) for skill in ready for tool in skill.tools),
        ]

    def bind(
        self, person: Person, turn_id: str, scope_keys: Mapping[str, str] = MappingProxyType({})
    ) -> tuple[BoundTool, ...]:
        """The tools, acting for this person in this turn and for nobody else."""
        return tuple(
            BoundTool(
                tool,
                turn_id=turn_id,
                context=self._contexts(person, turn_id, scope_keys, skill, config),
                language=person.language,
            )
            for skill, tool, config in self._tools
        )

    def _contexts(
        self,
        person: Person,
        turn_id: str,
        scope_keys: Mapping[str, str],
        skill: str,
        config: Mapping[str, Json],
    ) -> Callable[[str], ToolContext]:
        def context(call_id: str) -> ToolContext:
            return ToolContext(
                actor=person.actor,
                call_id=call_id,
                memory=PersonMemory(self._memory, person, call_id, turn_id, scope_keys),
                storage=PersonStorage(self._memory.state, person.actor, skill),
                config=config,
                vocabulary=self._memory.vocabulary,
                clock=self._memory.clock,
                language=person.language,
                time_zone=person.zone.key,
            )

        return context
