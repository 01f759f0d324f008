"""Session summaries and open tasks: when they are made, and where they are kept.

A session is summed up when the next one in its conversation begins, and whenever it has grown by
``STEP`` turns, each time from where the last summary left off. At a session's beginning nobody
waits for a model: rules sum up at once, and where a model is configured it does it again after the
first answer; its summary then replaces theirs. A summary's source names its session and the events
it was made of, so that forgetting one of them reaches it.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeVar

from cloche.errors import ModelError
from cloche.llm.usage import Usage
from cloche.logs import OncePerCause
from cloche.memory.extraction.timebound import tells_what_there_is
from cloche.memory.lifecycle import LIFETIMES
from cloche.memory.records import Event, MemoryRecord
from cloche.memory.store import MemoryStore, SearchQuery
from cloche.memory.summarising import Summarizer, parse, render
from cloche.memory.summarising.as_records import summary_id, summary_record, task_record
from cloche.memory.writer import Writer
from cloche.namespaces import NamespaceScheme
from cloche.people import Person, person_prefix
from cloche.state.store import StateStore

STEP: Final = 20
"""A session that has grown by so many turns is summed up again."""
MAX_EVENTS: Final = 100
"""Turns looked at at once; in a longer session earlier steps have summed up those before."""
OPEN_TASKS: Final = 10
PAGE: Final = 500
FACTS_OF_A_TURN: Final = 10
WORTH_ASKING_CHARS: Final = 60
"""A session of fewer characters is not worth a model's call."""
SCOPE: Final = "episodic"

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class CarriedOver:
    """What a new session starts with: the last one's summary, and what is still to do."""

    summary: MemoryRecord | None = None
    tasks: tuple[MemoryRecord, ...] = ()


@dataclass(frozen=True, slots=True)
class _ForModel:
    """A session that rules summed up and a model may sum up better."""

    session: str
    before: MemoryRecord | None
    tasks: tuple[str, ...]


class Summaries:
    """Sums up one assistant's sessions."""

    def __init__(
        self,
        store: MemoryStore,
        writer: Writer,
        state: StateStore,
        namespaces: NamespaceScheme,
        notices: OncePerCause,
        *,
        seconds: float,
        rules: Summarizer,
        model: Summarizer | None = None,
    ) -> None:
        """Take where events and records lie, and who sums up: rules always, a model if any.

        ``seconds`` is how long one look at the store may take.
        """
        self._seconds = seconds
        self._store, self._writer, self._state = store, writer, state
        self._namespaces, self._notices = namespaces, notices
        self._rules, self._model = rules, model
        self._for_model: dict[tuple[str, str], _ForModel] = {}

    async def before_session(self, person: Person, last: Event | None) -> CarriedOver:
        """What carries over into a person's new session, summed up now if it was not yet.

        Args:
            person: Whose session begins.
            last: The last event of the session before it in this conversation, None = there is
                none.
        """
        summary = None
        if last is not None and not await self._state.get(forgotten_key(last.actor, last.session)):
            summary = await self._store.get(last.actor, summary_id(last.actor, last.session))
            if summary is None or last.id not in summary.source.derived_from:
                before, tasks = summary, await self._open_tasks(person)
                summary, new = await self._sum_up(
                    person, last.session, before, tasks, self._rules, None
                )
                if self._model:
                    key = (person.actor, person.conversation)
                    self._for_model[key] = _ForModel(last.session, before, new)
        return CarriedOver(summary, tuple(await self._open_tasks(person)))

    async def after_turn(self, person: Person, event: Event) -> tuple[Usage, str]:
        """Sum up what is due after a turn; never fails for want of a model.

        Returns:
            What a model used for it, and the id of the last session's summary when a model made
            it anew ("" = it did not).

        Raises:
            MemoryUnavailableError: the store is away; it is done at the next session's beginning.
            TimeoutError: the same, when the store is slow.
        """
        used = _Used()
        if waiting := self._for_model.pop((person.actor, person.conversation), None):
            await self._again(person, waiting, used)
            return used.usage, summary_id(person.actor, waiting.session)
        total = await self._in_time(self._store.count_events(person.actor, session=event.session))
        if total and total % STEP == 0:
            id_ = summary_id(person.actor, event.session)
            before = await self._in_time(self._store.get(person.actor, id_))
            tasks = await self._open_tasks(person)
            try:
                await self._sum_up(
                    person, event.session, before, tasks, self._model or self._rules, used
                )
            except ModelError as error:
                self._notices.warn(f"summary {error.cause}", "summary: %s", error)
                await self._sum_up(person, event.session, before, tasks, self._rules, used)
        return used.usage, ""

    async def without_events(self, actor: str, events: Collection[str]) -> int:
        """Remove summaries and tasks that were made of events which are forgotten; how many.

        The last session's summary is made anew, of what is left, when the next one begins.

        Raises:
            MemoryUnavailableError: the store is away; run it again.
        """
        removed, after, gone = 0, "", set(events)
        while gone and (page := await self._store.iterate(actor, after=after, limit=PAGE)):
            after = page[-1].id
            for record in page:
                of = record.source.derived_from if record.kind == "summary" else ()
                task = record.kind == "task_state" and record.source.ref in gone
                if task or gone.intersection(of):
                    removed += await self._writer.delete(actor, record.id)
        return removed

    async def never_again(self, summary: MemoryRecord) -> None:
        """Note that a session's summary was forgotten, so that it is not made again.

        Raises:
            MemoryUnavailableError: the state store is away.
        """
        key = forgotten_key(summary.actor, summary.source.ref)
        await self._state.put(key, True, ttl=LIFETIMES["summary"])

    async def _again(self, person: Person, waiting: _ForModel, used: _Used) -> None:
        """Have the model sum up what rules did; tasks that only the rules saw go."""
        if self._model is None:
            return
        tasks = [t for t in await self._open_tasks(person) if t.id not in waiting.tasks]
        try:
            _, kept = await self._sum_up(
                person, waiting.session, waiting.before, tasks, self._model, used
            )
        except ModelError as error:
            self._notices.warn(f"summary {error.cause}", "summary: %s", error)
            return
        for task_id in set(waiting.tasks) - set(kept):
            await self._writer.delete(person.actor, task_id)

    async def _sum_up(
        self,
        person: Person,
        session: str,
        before: MemoryRecord | None,
        open_tasks: Sequence[MemoryRecord],
        summarizer: Summarizer,
        used: _Used | None,
    ) -> tuple[MemoryRecord | None, tuple[str, ...]]:
        """The session's summary with its new events, and the ids of tasks found in them."""
        known = before.source.derived_from if before else ()
        events = await self._in_time(
            self._store.recent_events(person.actor, session=session, limit=MAX_EVENTS)
        )
        new = [event for event in events if event.id not in known]
        if not new or (
            summarizer is self._model
            and sum(len(event.user_text) for event in new) < WORTH_ASKING_CHARS
        ):
            return before, ()
        made = await summarizer.summarize(parse(before.text) if before else (), open_tasks, new)
        if used:
            used.usage += made.usage
        open_texts = {task.text for task in open_tasks}
        tasks = [
            task_record(task, self._namespaces[SCOPE], person.zone)
            for task in made.tasks
            if task.text not in open_texts
        ]
        for task in tasks:
            await self._write_task(task)
        for done in made.done:
            await self._writer.archive(person.actor, done, new[-1].at)
        text = render(made.lines, _language(new) or person.language)
        if not text:
            return before, tuple(task.id for task in tasks)
        summary = summary_record(
            session, new, text, (*known, *(event.id for event in new)), self._namespaces[SCOPE]
        )
        if not await self._in_time(self._store.get(person.actor, summary.id)):
            await self._writer.write(summary)
        else:
            await self._writer.update(summary)
        return summary, tuple(task.id for task in tasks)

    async def _write_task(self, task: MemoryRecord) -> None:
        """Write a task; it takes the place of the fact that says the same and would never end."""
        at = task.validity.created_at
        query = SearchQuery(task.text, at, limit=FACTS_OF_A_TURN, kinds=("fact",))
        hits = await self._in_time(self._store.search(task.actor, query))
        same = tuple(
            hit.record.id
            for hit in hits
            if hit.record.source.ref == task.source.ref
            and hit.record.text == task.text
            and not tells_what_there_is(task.text)
        )
        await self._writer.write(
            replace(task, validity=replace(task.validity, supersedes=same)) if same else task
        )
        for fact_id in same:
            await self._writer.archive(task.actor, fact_id, at)

    async def _in_time(self, look: Awaitable[_T]) -> _T:
        async with asyncio.timeout(self._seconds):
            return await look

    async def _open_tasks(self, person: Person) -> list[MemoryRecord]:
        """What the person still has to do, newest first; in a group what was said there."""
        query = SearchQuery(
            text="",
            at=person.now,
            limit=OPEN_TASKS,
            kinds=("task_state",),
            conversation=None if person.may_recall_anywhere else person.conversation,
        )
        return [hit.record for hit in await self._in_time(self._store.search(person.actor, query))]


@dataclass(slots=True)
class _Used:
    """What model calls of one step used together."""

    usage: Usage = field(default_factory=Usage)


def forgotten_key(actor: str, session: str) -> str:
    """Where it is noted that a session's summary was forgotten and must not be made again."""
    return f"{person_prefix(actor)}unsummarised/{session}"


def _language(events: Sequence[Event]) -> str:
    """What most of the events are in, "" when none tells."""
    counted = Counter(event.language for event in events if event.language)
    return max(counted, key=lambda language: (counted[language], language), default="")
