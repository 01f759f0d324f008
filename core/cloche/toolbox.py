"""The tools of a turn: those of the assistant's skills, bound to the person it acts for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from cloche.attachments.brought import Sent
from cloche.memory.extraction import extract_drafts
from cloche.memory.for_tools import PersonMemory, PersonStorage
from cloche.memory.pipeline import Memory
from cloche.people import People, Person
from cloche.reminders.for_tools import PersonReminders, TurnReminders
from cloche.reminders.reminder import Place
from cloche.skills import SkillsManifest, read_skill_tool
from cloche.state.store import Json
from cloche.tools import BoundTool, Tool, ToolContext
from cloche.tools.files import ToolFiles
from cloche.tools.lanes import Lanes
from cloche.tools.session import ToolSessions
from cloche.tools.settings import PersonToolSettings, ToolSettings
from cloche.utterances.several import Request, requests_in
from cloche.workspace.looking import Looker
from cloche.workspace.outgoing import Outgoing
from cloche.workspace.person_files import PersonFiles

if TYPE_CHECKING:
    from aiohttp import ClientSession


class Toolbox:
    """Binds tools to turns; the order is the manifest's, so a model sees the same bytes."""

    def __init__(
        self,
        skills: SkillsManifest,
        memory: Memory,
        people: People,
        looker: Looker,
        http: Callable[[], ClientSession] | None = None,
    ) -> None:
        """Take the skills; those that are not available offer no tools.

        Args:
            skills: The assistant's.
            memory: Where what tools remember is kept.
            people: Who keeps what a person chose.
            looker: Who looks at kept pictures.
            http: Opens a session to ask servers with, on the loop that tools run on, where it
                is closed, too; None = the host's.
        """
        self._memory, self._people, self._sessions = memory, people, ToolSessions(http)
        self._looker = looker
        self._lanes = Lanes(self._sessions.close)
        self.use(skills)

    def use(self, skills: SkillsManifest) -> None:
        """Offer the tools of other skills from the next turn on."""
        ready = [skill for skill in skills.skills if not skill.unavailable]
        self._examples = [example for skill in ready for example in skill.examples]
        self._tools = [
            *([("read-skill", read_skill_tool(skills), MappingProxyType({}))] if ready else []),
            *((skill.name, tool, skill.config) for skill in ready for tool in skill.tools),
        ]

    def bind(
        self,
        person: Person,
        turn_id: str,
        scope_keys: Mapping[str, str] = MappingProxyType({}),
        reminders: TurnReminders | None = None,
        outgoing: Outgoing | None = None,
        only: Collection[str] = (),
        when_due: bool = False,
        sent: Sequence[Sent] = (),
    ) -> tuple[BoundTool, ...]:
        """The tools, acting for this person in this turn and for nobody else.

        Args:
            person: Whom the turn acts for.
            turn_id: The same when the turn is run again.
            scope_keys: The turn's.
            reminders: The turn's part in their reminders; None = told them in private.
            outgoing: Takes the files that go out with the reply; None = there is none for them.
            only: Names of the skills whose tools are offered; () = all.
            when_due: True = those that are run before a reminder is told, which no model sees.
            sent: The files that came with the message.
        """
        settings = PersonToolSettings(self._people, person)
        reminders = reminders or self.reminders(person, _private(person))
        memory, outgoing = self._memory, outgoing or Outgoing()
        files = PersonFiles(
            memory.files, person, memory.forgotten, self._looker, outgoing, turn_id, sent
        )
        return tuple(
            BoundTool(
                tool,
                turn_id=turn_id,
                context=self._contexts(
                    person, turn_id, scope_keys, skill, config, settings, reminders, files
                ),
                language=person.language,
                lanes=self._lanes,
            )
            for skill, tool, config in self._tools
            if tool.when_due == when_due and (not only or skill in only)
        )

    def telling(self, tools: Collection[str], words: str) -> tuple[str, ...]:
        """What words tell that memory may keep beside these tools, which were used.

        It is all of it where none was used for them; else those clauses that are for no tool
        whose words memory need not keep, and that say something memory would keep.
        """
        used = {tool.name: tool for _, tool, _ in self._tools if tool.name in tools}
        asked = requests_in(self._examples, words)
        told = tuple(
            request.words
            for request in asked
            if not self._is_data(request, used, alone=len(asked) == 1)
            and extract_drafts(request.words, self._memory.vocabulary)
        )
        return told if len(told) < len(asked) else (words,)

    def _is_data(self, request: Request, used: Mapping[str, Tool], *, alone: bool) -> bool:
        """True for what a tool keeps, and what is plainly asked of one beside something else."""
        ways = [way for way in request.ways if way.tool in used]
        if not ways:
            return False
        return ways[0].only_asks or used[ways[0].tool].keeps or (ways[0].firm and not alone)

    def reminders(self, person: Person, place: Place) -> TurnReminders:
        """A turn's part in a person's reminders, to be told in a place."""
        return TurnReminders(self._memory.reminders, person, place, self._memory.clock)

    async def close(self) -> None:
        """End the threads that tools run on, and close their connections."""
        await self._lanes.close()

    def _contexts(
        self,
        person: Person,
        turn_id: str,
        scope_keys: Mapping[str, str],
        skill: str,
        config: Mapping[str, Json],
        settings: ToolSettings,
        reminders: TurnReminders,
        files: ToolFiles,
    ) -> Callable[[str], ToolContext]:
        def context(call_id: str) -> ToolContext:
            return ToolContext(
                actor=person.actor,
                call_id=call_id,
                memory=PersonMemory(self._memory, person, call_id, turn_id, scope_keys),
                storage=PersonStorage(
                    self._memory.state,
                    person.actor,
                    skill,
                    group="" if person.may_recall_anywhere else person.conversation,
                ),
                files=files,
                reminders=PersonReminders(reminders, call_id, settings),
                http=self._sessions,
                settings=settings,
                config=config,
                vocabulary=self._memory.vocabulary,
                clock=self._memory.clock,
                language=person.language,
                time_zone=settings.time_zone,
            )

        return context


def _private(person: Person) -> Place:
    """A person's own conversation: where one has their name, as on platforms and at the console."""
    return Place(person.address.channel, person.address.sender, person.address.sender)
