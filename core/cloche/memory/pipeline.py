"""Memory as the turn uses it: recall before the answer, persist and extract after it.

Memory is an improvement, never a dependency: ``recall`` answers within its budget with whatever
it has, and a write that fails waits in the spool.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Final
from zoneinfo import ZoneInfo

from cloche.clock import Clock
from cloche.errors import MemoryUnavailableError
from cloche.links import Links
from cloche.llm.ledger import Ledger
from cloche.logs import OncePerCause
from cloche.memory.extraction import Extractor
from cloche.memory.extraction.data import Telling, all_of_it
from cloche.memory.forgetting import Forgetter
from cloche.memory.forgotten import Forgotten
from cloche.memory.groups import GroupWords
from cloche.memory.journal import Journal
from cloche.memory.keeping import Keeper
from cloche.memory.learning import Learner
from cloche.memory.ranking import rank
from cloche.memory.recall import Away, Recall
from cloche.memory.records import Event, MemoryRecord
from cloche.memory.remembered import Remembered
from cloche.memory.retrieval import Retrieval
from cloche.memory.sessions import Sessions
from cloche.memory.showing import fit_events, fit_records
from cloche.memory.store import MemoryStore
from cloche.memory.summaries import Summaries
from cloche.memory.summarising import RulesSummarizer, Summarizer
from cloche.memory.truth.judging import Judge
from cloche.memory.upkeep import Upkeep
from cloche.memory.use_log import note_use
from cloche.memory.writer import Writer
from cloche.messages import Correction, Message
from cloche.namespaces import NamespaceScheme
from cloche.people import Person
from cloche.prompt import GroupLine
from cloche.reminders.local import LocalReminders
from cloche.reminders.store import ReminderStore
from cloche.settings import MemorySettings
from cloche.state.store import StateStore
from cloche.vocabulary import Vocabulary
from cloche.workspace.workspace import Workspace

SCOPE: Final = "long_term"
EARLIER_SHARE: Final = 3
"""Where the words point back in time, a third of the recalled text is for earlier events."""


class Memory:
    """One assistant's memory of everybody it talks to, one person at a time."""

    def __init__(
        self,
        *,
        store: MemoryStore,
        writer: Writer,
        state: StateStore,
        files: Workspace,
        extractor: Extractor,
        fallback: Extractor,
        vocabulary: Vocabulary,
        namespaces: NamespaceScheme,
        settings: MemorySettings,
        clock: Clock,
        notices: OncePerCause,
        judge: Judge | None = None,
        summarizer: Summarizer | None = None,
        ledger: Ledger | None = None,
        reminders: ReminderStore | None = None,
    ) -> None:
        """Take the parts; without a store of their own, reminders lie in ``state``.

        ``fallback`` extracts when ``extractor``'s model gives nothing; ``judge`` is asked how two
        statements stand to each other where the rules cannot tell; ``summarizer`` sums sessions up
        by a model, after rules did it at once. ``ledger`` has what they took beside their results.
        """
        self.ledger = ledger or Ledger()
        self.store, self.writer, self.state, self.files = store, writer, state, files
        self.vocabulary, self.namespaces = vocabulary, namespaces
        self._settings, self.clock, self._notices = settings, clock, notices
        most = settings.recall_records
        self._retrieval = Retrieval(store, vocabulary, namespaces, clock, limit=most)
        stores = (store, writer, state)
        self.summaries = Summaries(
            *stores,
            namespaces,
            notices,
            seconds=settings.recall_seconds,
            rules=RulesSummarizer(vocabulary),
            model=summarizer,
        )
        self.sessions = Sessions(store, state, self.summaries)
        self.upkeep = Upkeep(*stores, clock)
        self.groups = GroupWords(state)
        self.journal = Journal(state, notices)
        self.forgotten = Forgotten(state, clock)
        self.reminders = reminders or LocalReminders(state, clock)
        self.keeper = Keeper(
            *stores,
            self.sessions,
            namespaces,
            vocabulary,
            clock,
            seconds=settings.recall_seconds,
            judge=judge,
        )
        self._learner = Learner(extractor, fallback, self.keeper, vocabulary, notices, self.ledger)
        self.forgetter = Forgetter(
            *stores,
            self.sessions,
            self.groups,
            self.summaries,
            Links(state, clock),
            self.reminders,
            self.forgotten,
            files,
        )

    async def recall(self, person: Person, message: Message) -> Recall:
        """What the turn gets from memory, within the time budget; never fails."""
        try:
            words = await self._retrieval.read(message)  # a busy machine is no slow memory
            async with asyncio.timeout(self._settings.recall_seconds):
                await self._catch_up(person)
                waiting = await self.writer.left(person.actor)
                part, history, records, earlier, group = await asyncio.gather(
                    self.sessions.part(person),
                    self.sessions.history(person, waiting),
                    self._retrieval.records(person, message, words),
                    self._retrieval.earlier(person, message),
                    self._group_words(person),
                )
        except (MemoryUnavailableError, TimeoutError) as error:
            cause: Away = "slow" if isinstance(error, TimeoutError) else error.cause
            self._notices.warn(f"memory {cause}", "answering without memory: %s", cause)
            return self._without_store(person, cause)
        except Exception as error:
            # Memory is an improvement: what is wrong with what is stored costs no answer.
            fault = type(error).__name__  # its text may quote what is stored
            self._notices.warn(f"memory {fault}", "answering without memory: %s", fault)
            return self._without_store(person, "internal")
        found = {one.record.id for one in records if one.why != "other"}
        asked = tuple(one for one in part.records if one in found)
        known, tokens = set(part.records), self._settings.recall_tokens
        shown, not_earlier = fit_events(earlier, tokens=tokens // EARLIER_SHARE)
        fitting, not_recalled = fit_records(
            rank(
                # What stands in the profile stands there again where it is what was asked for.
                (one for one in records if one.record.id not in known or one.why == "meaning"),
                now=self.clock(),
            ),
            "memory",
            limit=self._settings.recall_records,
            tokens=tokens - tokens // EARLIER_SHARE if earlier else tokens,
        )
        return Recall(
            session_part=part.text,
            profile=part.records,
            asked=asked,
            carried=part.carried,
            history=history,
            records=fitting,
            earlier=shown,
            trimmed=(*part.trimmed, *not_recalled, *not_earlier),
            group=group,
            first=not history,
        )

    async def remember(
        self,
        person: Person,
        event: Event,
        recall: Recall,
        message: Message,
        telling: Telling = all_of_it,
    ) -> Remembered:
        """Store the turn and what the person said in it; never fails.

        The event first, then the records taken from it, then what was used. Nothing is kept of
        words from before the person had all forgotten, nor of sentences that a tool keeps as data.
        """
        async with self.forgotten.alone(event.actor):
            arrived = message.arrived or event.at
            if await self.forgotten.latest(event.actor) is None and self.journal.postpone(event):
                self.sessions.note(event)  # whether it is forgotten meanwhile cannot be looked up
                return Remembered(waiting=1, usage=self.ledger.take(event.actor))
            kept = await self.forgotten.without(event, arrived)
            if kept is None or await self.forgotten.covers(event.actor, arrived):
                return await self._dropped(event)
            return await self._remember(person, kept, recall, message, telling)

    async def _remember(
        self, person: Person, event: Event, recall: Recall, message: Message, telling: Telling
    ) -> Remembered:
        self.sessions.note(event)
        records = await self._keep(
            event, message.scope_keys, person.zone, telling, message.corrected
        )
        try:
            await self.journal.strike_out(event)
            await self._log_use(event, recall)
            if person.group:
                await self.groups.add(
                    person.conversation, event.actor, message.sender_name, event.user_text
                )
        except MemoryUnavailableError as error:
            self._notices.warn(f"state {error.cause}", "state store: %s", error)
        await self._look_after(person, event)
        waiting = await self.writer.pending(event.actor)
        return Remembered(records, waiting, self.ledger.take(event.actor), self.writer.held)

    async def keep_unsaid(self, event: Event) -> Remembered:
        """Store a turn in which nobody wrote: nothing is learned of it; never fails."""
        async with self.forgotten.alone(event.actor):
            kept = await self.forgotten.without(event, event.at)
            if kept is None or await self.forgotten.covers(event.actor, event.at):
                return await self._dropped(event)
            return await self._keep_unsaid(kept)

    async def _keep_unsaid(self, event: Event) -> Remembered:
        self.sessions.note(event)
        await self.writer.add_event(event)
        return await self._dropped(event)

    async def _dropped(self, event: Event) -> Remembered:
        """Nothing more is kept of a turn."""
        try:
            await self.journal.strike_out(event)
        except MemoryUnavailableError as error:
            self._notices.warn(f"state {error.cause}", "state store: %s", error)
        waiting = await self.writer.pending(event.actor)
        return Remembered((), waiting, self.ledger.take(event.actor), self.writer.held)

    async def close(self) -> None:
        """Write what can still be written, and release the stores."""
        await self.writer.close()
        await self.files.close()
        await self.store.close()
        await self.reminders.close()
        await self.state.close()

    async def _keep(
        self,
        event: Event,
        keys: Mapping[str, str],
        zone: ZoneInfo,
        telling: Telling = all_of_it,
        corrected: Sequence[Correction] = (),
    ) -> tuple[MemoryRecord, ...]:
        await self.writer.add_event(event)
        return await self._learner.learn(event, keys, zone, telling, corrected)

    async def _catch_up(self, person: Person) -> None:
        """Remember what a process that was killed had answered but not remembered."""
        for event, scope_keys, arrived in await self.journal.left_open(person.actor):
            kept = await self.forgotten.without(event, arrived)
            if kept and not await self.forgotten.covers(event.actor, arrived):
                await self._keep(kept, scope_keys, person.zone)
            await self.journal.strike_out(event)

    def _without_store(self, person: Person, cause: Away) -> Recall:
        at_hand = self.sessions.at_hand(person)
        return Recall(history=at_hand, first=not at_hand, degraded=cause)

    async def _group_words(self, person: Person) -> tuple[GroupLine, ...]:
        return await self.groups.recent(person.conversation, person.actor) if person.group else ()

    async def _look_after(self, person: Person, event: Event) -> None:
        """Sum up sessions and archive what has ended, where it is due; never fails."""
        try:
            usage, remade = await self.summaries.after_turn(person, event)
            self.ledger.add(event.actor, usage)
            if remade:
                await self.sessions.rebuild_without(person.actor, remade)
            async with asyncio.timeout(self._settings.recall_seconds):
                await self.upkeep.daily(person)
        except (MemoryUnavailableError, TimeoutError) as error:
            cause = getattr(error, "cause", "slow")
            self._notices.warn(f"memory {cause}", "upkeep waits: %s", cause)

    async def _log_use(self, event: Event, recall: Recall) -> None:
        asked_for = [one.record.id for one in recall.records if one.why != "other"]
        recent = [one.record.id for one in recall.records if one.why == "other"]
        at_hand = [*recent, *recall.carried]
        asked_for = list(dict.fromkeys((*asked_for, *recall.asked)))
        await note_use(self.state, event.actor, event.id, asked_for, recall.profile, at_hand)
