"""One assistant, loaded: from a person's message to its reply, and what follows."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from cloche.access.doors import Doors
from cloche.agents.agent import Answer, OnDelta
from cloche.agents.routing import Routed, Router
from cloche.attachments.brought import NOTHING_BROUGHT, Brought, Sent
from cloche.attachments.reading import Attachments
from cloche.backup import finish_if_cut_off
from cloche.chat_commands import Command, parse_command, run_command
from cloche.errors import MemoryUnavailableError, TurnError
from cloche.ids import turn_id
from cloche.llm.usage import Usage
from cloche.memory.clauses import told_below
from cloche.memory.extraction.data import all_of_it
from cloche.memory.pipeline import Memory
from cloche.memory.recall import Recall
from cloche.memory.records import Event
from cloche.memory.remembered import Remembered
from cloche.memory.showing import event_lines, line_of
from cloche.memory.truth.screening import cleared
from cloche.messages import Message, Reply, without_surrogates
from cloche.patience import Patience
from cloche.people import People, Person
from cloche.prompt import Prompt, stable_part, turn_part
from cloche.reminders.reminder import Place
from cloche.reminders.reminding import Reminding
from cloche.skills import SkillsManifest
from cloche.slash import own_words
from cloche.spec import AssistantSpec
from cloche.texts import say
from cloche.toolbox import Toolbox
from cloche.tools import BoundTool
from cloche.turn import BrokenOff, Steps, Turn
from cloche.turn_event import event_of
from cloche.turn_report import report_of
from cloche.workspace.outgoing import Outgoing
from cloche.workspace.receiving import keep_files

logger = logging.getLogger(__name__)


class Assistant:
    """An assistant package with its memory, people, tools and agents.

    Built by ``cloche.assembly.open_assistant``, which chooses the adapters.
    """

    def __init__(
        self,
        spec: AssistantSpec,
        *,
        folder: Path,
        people: People,
        memory: Memory,
        toolbox: Toolbox,
        router: Router,
        attachments: Attachments,
        doors: Doors,
        reminding: Reminding,
        patience: Callable[[], Patience] = Patience,
    ) -> None:
        """Take the parts; the stable part of the prompt is made here, once."""
        self._reminding, self._patience = reminding, patience
        self.spec, self.folder = spec, folder
        self.people, self.memory, self.doors = people, memory, doors
        self._toolbox, self._router, self._attachments = toolbox, router, attachments
        self.stable = stable_part(spec.persona.text, spec.skills.index())

    @property
    def name(self) -> str:
        """Its entry point's name."""
        return self.spec.name

    async def handle(self, message: Message, on_delta: OnDelta | None = None) -> Turn:
        """Answer one message for the person who sent it.

        Failure of a part never fails the turn: the person gets an answer or one polite sentence in
        time, however the parts' times add up.

        Raises:
            ValueError: the message has no channel or sender; nobody is acted for without.
        """
        if message.due:
            return await self._reminding.turn(message, self)
        patience = self._patience().waited(message.waited)
        message, on_delta = message.readable(), patience.showing(on_delta)
        await finish_if_cut_off(self.folder, self.memory.clock())
        person, steps = await self.people.of(message), Steps()
        id_ = turn_id(message.address, message.place, message.id)
        if command := parse_command(message.text):
            return await self._obey(id_, command, person, message)
        brought, spent = NOTHING_BROUGHT, Usage()
        try:
            brought = await self._attachments.of(message, person.language, person.actor, patience)
            brought.refuse_unread(message)
            if brought.spoken:
                message = brought.heard_with(message)
                person = await self.people.of(message)
            with steps.time("recall"):
                recall = await self.memory.recall(person, message)
            with steps.time("prompt"):
                prompt = self.build_prompt(person, message, recall, brought)
                prompt = replace(prompt, patience=patience)
                reminders = self._toolbox.reminders(person, Place.of(message))
                files = Outgoing()
                tools = self._toolbox.bind(
                    person, id_, message.scope_keys, reminders, files, sent=brought.sent
                )
            with steps.time("model"):
                routed = await self._router.ask(prompt, tools, on_delta)
                spent = routed.answer.usage
                routed = await self._reminding.told(routed, prompt, reminders, on_delta)
                routed = await brought.told_below(routed, on_delta)
            reply = await self._reply(routed, recall, person, on_delta, message)
            reply = reply if routed.failure else replace(reply, files=files.files)
        except asyncio.CancelledError:  # who broke the turn off has it counted
            self.memory.ledger.add(person.actor, spent)
            raise
        except TurnError as error:
            logger.info("turn %s: %s", id_, error)
            recall, routed = Recall(), Routed(Answer(error.user_message), failure="attachment")
            reply = Reply(error.user_message)
        except Exception:
            # The last wall: whatever is broken, the message is kept and the chat sees no exception.
            logger.exception("turn %s failed", id_)
            sentence = say("model_failed", person.language)
            recall, routed = Recall(), Routed(Answer(sentence, spent), failure="internal")
            reply = Reply(sentence)
        try:
            event = await event_of(id_, person, message, routed)
            event = replace(event, given=tuple(file.key for file in reply.files))
            await self.memory.journal.enter(event, message.scope_keys, message.arrived)
        except BaseException:
            self.memory.ledger.add(person.actor, routed.answer.usage)
            raise
        return Turn(
            id_,
            reply,
            person.language,
            lambda: self._afterwards(person, message, event, recall, routed, brought.sent),
            report_of(recall, routed, steps, brought, self.spec.skills),
        )

    async def overhear(self, message: Message) -> None:
        """Keep a group's words that were said to others among its recent ones, for a while.

        Nothing is answered, learned or kept of them otherwise. Never fails for want of the store.
        """
        person = await self.people.of(message)
        text = await cleared(without_surrogates(message.text))
        if text.strip():
            try:
                await self.memory.groups.add(
                    person.conversation, person.actor, message.sender_name, text, overheard=True
                )
            except MemoryUnavailableError as error:
                logger.info("a group's words are not kept: %s", error.cause)

    def use_skills(self, skills: SkillsManifest) -> None:
        """Go on with other skills from the next turn; the prompt's stable part is made anew."""
        self.spec = replace(self.spec, skills=skills)
        self._toolbox.use(skills)
        self.stable = stable_part(self.spec.persona.text, skills.index())

    def tools(
        self, person: Person, turn_id: str, only: Collection[str] = (), *, when_due: bool = False
    ) -> tuple[BoundTool, ...]:
        """The tools of its skills, acting for this person in this turn and for nobody else.

        Args:
            person: Whom they act for.
            turn_id: The turn.
            only: Names of the skills meant; () = all.
            when_due: True = those run before a reminder is told.
        """
        return self._toolbox.bind(person, turn_id, only=only, when_due=when_due)

    async def may_spend(self, person: Person) -> bool:
        """Whether something is left of what models may cost for a person today; never fails."""
        try:
            return await self.doors.limits.may_spend(person.actor)
        except MemoryUnavailableError:
            return False

    async def broken_off(self, message: Message, why: BrokenOff) -> Usage:
        """What models took for whoever wrote a message whose turn did not come to its end."""
        return self.memory.ledger.take((await self.people.of(message)).actor)

    async def language_of(self, message: Message) -> str:
        """The language of the host's own sentences to whoever wrote a message."""
        return (await self.people.of(message)).language

    def build_prompt(
        self, person: Person, message: Message, recall: Recall, brought: Brought = NOTHING_BROUGHT
    ) -> Prompt:
        """The prompt of a turn; pure given what was recalled, but for the patience it begins."""
        return Prompt(
            stable=self.stable,
            session=recall.session_part,
            history=recall.history,
            turn=turn_part(
                person.now,
                person.zone.key,
                [line_of(recalled, person.zone) for recalled in recall.records],
                earlier=[line for e in recall.earlier for line in event_lines(e, person.zone)],
                group=recall.group,
                quoted=message.quoted,
                corrected=message.corrected,
                files=brought.files,
                unread=brought.unread,
                language=person.settings.language,
                memory_away=bool(recall.degraded),
                spoken=bool(brought.spoken),
            ),
            words=message.markdown,
            images=brought.images,
            language=person.language,
            first=recall.first,
            thread=f"{person.actor}/{person.session}",
            begun=person.now,
            patience=self._patience(),
            lost=partial(self.memory.ledger.add, person.actor),
        )

    async def close(self) -> None:
        """Release the stores, and the connections of agents, tools and transcribers."""
        await self._router.close()
        await self._attachments.close()
        await self._toolbox.close()
        await self.memory.close()

    async def _obey(self, id_: str, command: Command, person: Person, message: Message) -> Turn:
        """A command's turn: no model answers, and of its words nothing is learned.

        Edits that come with it are learned first, so that a forget reaches them, too.
        """
        remembered = Remembered()
        edits = replace(message, text="")
        if own_words(edits):
            event = await event_of(id_, person, edits, Routed(Answer("")))
            event = replace(event, assistant_text=None)
            remembered = await self.memory.remember(person, event, Recall(), edits)

        async def done() -> Remembered:
            return remembered

        return Turn(id_, await run_command(command, person, self), person.language, done)

    async def _reply(
        self, routed: Routed, recall: Recall, person: Person, on_delta: OnDelta | None, at: Message
    ) -> Reply:
        """The answer's text; below it what there is to say of memory itself."""
        told = "" if routed.failure else await told_below(self.memory, person, at, recall)
        told = f"\n\n{told}" if told else ""
        if told and on_delta:
            await on_delta(told)
        return Reply(routed.answer.text + told)

    async def _afterwards(
        self,
        person: Person,
        message: Message,
        event: Event,
        recall: Recall,
        routed: Routed,
        sent: Sequence[Sent],
    ) -> Remembered:
        """Persist the turn, then what can be learned from it, then its files."""
        if not await self.memory.forgotten.covers(person.actor, message.arrived or event.at):
            await self.people.heard(person, message)
        used = {use.tool for use in routed.answer.tool_uses if use.ok}
        telling = partial(self._toolbox.telling, used) if used else all_of_it
        remembered = await self.memory.remember(person, event, recall, message, telling)
        await keep_files(self.memory, person, message, sent, event.id)
        return remembered
