"""When sessions are summed up, what carries over, and what forgetting leaves of it."""

from __future__ import annotations

import itertools
import logging
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from cloche.errors import MemoryUnavailableError, ModelError
from cloche.links import Links
from cloche.llm.usage import Usage
from cloche.logs import OncePerCause
from cloche.memory.forgetting import Forgetter
from cloche.memory.forgotten import Forgotten
from cloche.memory.groups import GroupWords
from cloche.memory.local import LocalMemoryStore
from cloche.memory.records import Event, MemoryRecord
from cloche.memory.sessions import Sessions
from cloche.memory.spool import Spool
from cloche.memory.summaries import STEP, Summaries
from cloche.memory.summarising import Line, RulesSummarizer, Summarized, Summarizer, Task
from cloche.memory.writer import Writer
from cloche.messages import Address
from cloche.namespaces import NamespaceScheme
from cloche.people import Person, PersonSettings
from cloche.reminders.local import LocalReminders
from cloche.state.sqlite import SqliteStateStore
from cloche.testing.clock import FakeClock
from cloche.vocabulary import Vocabulary
from cloche.workspace.folder import FolderFiles
from cloche.workspace.workspace import Workspace

ANA = "console_-ana"
UTC_ZONE = ZoneInfo("UTC")


class Model:
    """Sums up in one line per step, and says what it was given."""

    def __init__(self, *, fails: bool = False) -> None:
        self.given: list[tuple[list[str], list[str]]] = []
        self.fails = fails

    async def summarize(
        self, before: Sequence[Line], open_tasks: Sequence[MemoryRecord], events: Sequence[Event]
    ) -> Summarized:
        if self.fails:
            raise ModelError("down", cause="server")
        self.given.append(([one.text for one in before], [event.user_text for event in events]))
        first = events[0]
        return Summarized(
            (*before, Line("told", f"step {len(self.given)}: {len(events)} turns")),
            (Task("Fix it.", first, 0, len(first.user_text)),),
            usage=Usage("m", 10, 5, calls=1, cost_usd=0.5),
        )


class Talk:
    """One person's sessions in one conversation."""

    def __init__(self, folder: Path, model: Summarizer | None = None) -> None:
        self.clock = FakeClock(datetime(2026, 3, 2, 9, tzinfo=UTC))
        self.store = LocalMemoryStore(folder / "memory.db", self.clock)
        self.state = SqliteStateStore(folder / "state.db", self.clock)
        notices = OncePerCause(logging.getLogger("test"))
        self.writer = Writer(self.store, Spool(folder / "spool.jsonl", self.clock), notices)
        self.summaries = Summaries(
            self.store,
            self.writer,
            self.state,
            NamespaceScheme("test"),
            notices,
            seconds=3,
            rules=RulesSummarizer(Vocabulary()),
            model=model,
        )
        self.sessions = Sessions(self.store, self.state, self.summaries)
        groups = GroupWords(self.state)
        self.forgetter = Forgetter(
            self.store,
            self.writer,
            self.state,
            self.sessions,
            groups,
            self.summaries,
            Links(self.state, self.clock),
            LocalReminders(self.state, self.clock),
            Forgotten(self.state, self.clock),
            Workspace(FolderFiles(folder / "files"), notices, self.clock),
        )
        self.numbers = itertools.count(1)
        self.events: list[Event] = []
        self.usage = Usage()

    def person(self, session: str, *, group: bool = False) -> Person:
        return Person(
            actor=ANA,
            address=Address("console", "ana"),
            conversation="g-1" if group else "c-1",
            group=group,
            session=session,
            settings=PersonSettings(),
            language="en",
            zone=UTC_ZONE,
            now=self.clock(),
        )

    async def say(self, session: str, *texts: str, group: bool = False, lang: str = "en") -> str:
        """Turns of a session; the session part that the last of them had."""
        part = ""
        for text in texts:
            self.clock.pass_(minutes=1)
            person = self.person(session, group=group)
            part = (await self.sessions.part(person)).text
            event = Event(
                f"turn-{next(self.numbers)}",
                ANA,
                session,
                person.conversation,
                self.clock(),
                text,
                "You decided to fly to the moon.",
                group=group,
                language=lang,
            )
            self.events.append(event)
            await self.store.add_event(event)
            usage, remade = await self.summaries.after_turn(person, event)
            self.usage += usage
            if remade:
                await self.sessions.rebuild_without(ANA, remade)
        return part

    async def summary(self) -> list[MemoryRecord]:
        return [r for r in await self.store.iterate(ANA) if r.kind == "summary"]

    async def tasks(self) -> list[MemoryRecord]:
        return [r for r in await self.store.iterate(ANA) if r.kind == "task_state"]


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[Talk]:
    talk = Talk(tmp_path)
    yield talk
    await talk.store.close()
    await talk.state.close()


@pytest.mark.parametrize(
    ("texts", "lang", "summary", "task"),
    [
        (
            ("I decided to wait with the move.", "I still have to call the movers."),
            "en",
            "Decided: \u201cI decided to wait with the move.\u201d",
            "I still have to call the movers.",
        ),
        (
            ("Decidí esperar con la mudanza.", "Tengo que llamar a la empresa de mudanzas."),
            "es",
            "Decidido: \u201cDecidí esperar con la mudanza.\u201d",
            "Tengo que llamar a la empresa de mudanzas.",
        ),
        (
            ("我决定先不搬家。", "我还得联系搬家公司。"),
            "zh",
            "决定： \u201c我决定先不搬家。\u201d",
            "我还得联系搬家公司。",
        ),
    ],
)
async def test_the_next_session_begins_with_what_the_last_came_to_and_what_is_left_to_do(
    talk: Talk, texts: tuple[str, ...], lang: str, summary: str, task: str
) -> None:
    assert await talk.say("s-1", *texts, lang=lang) == ""
    assert await talk.summary() == []  # nothing has ended yet
    part = await talk.say("s-2", "Hello")
    assert f"Summary: {summary}" in part
    assert f"Open since 2 March 2026: {task}" in part
    assert "They:" in part
    (record,) = await talk.summary()
    assert record.source.ref == "s-1"
    assert record.source.derived_from == ("turn-1", "turn-2")
    assert "moon" not in record.text  # only the assistant said so
    assert record.validity.created_at == talk.events[1].at
    assert record.validity.expires_at is not None
    assert await talk.say("s-2", "Hello again") == part  # the same all session


async def test_a_session_that_grows_is_summed_up_step_by_step(tmp_path: Path) -> None:
    model = Model()
    talk = Talk(tmp_path, model)
    await talk.say("s-1", *(f"Number {n} of many turns." for n in range(2 * STEP)))
    assert [len(texts) for _, texts in model.given] == [STEP, STEP]
    assert model.given[1][0] == [f"step 1: {STEP} turns"]
    (record,) = await talk.summary()
    assert len(record.source.derived_from) == 2 * STEP
    assert talk.usage.calls == 2
    assert talk.usage.cost_usd == 1.0
    await talk.store.close()
    await talk.state.close()


async def test_nobody_waits_for_a_model_and_its_summary_replaces_the_rules(tmp_path: Path) -> None:
    model = Model()
    talk = Talk(tmp_path, model)
    await talk.say("s-1", "I decided to wait with the move until the flat is painted.")
    await talk.say("s-1", "I still have to call the movers.")
    assert model.given == []
    part = await talk.say("s-2", "Hello")
    assert "Summary: Decided: " in part  # by rules, at once
    assert len(model.given) == 1  # afterwards
    part = await talk.say("s-2", "Hello again")
    assert "Summary: Told: \u201cstep 1: 2 turns\u201d" in part
    assert "Fix it." in part
    assert "call the movers" not in part.split("They:")[0]
    assert await talk.say("s-2", "Still here") == part
    assert len(model.given) == 1
    assert [task.text for task in await talk.tasks()] == ["Fix it."]
    await talk.store.close()
    await talk.state.close()


async def test_when_the_model_fails_the_rules_summary_stays(tmp_path: Path) -> None:
    talk = Talk(tmp_path, Model(fails=True))
    await talk.say("s-1", "I decided to wait with the move until the flat is painted.")
    await talk.say("s-2", *("Hello, this is one of many turns." for _ in range(STEP)))
    assert "I decided to wait" in (await talk.summary())[0].text
    assert talk.usage == Usage()
    await talk.store.close()
    await talk.state.close()


async def test_small_talk_alone_leaves_no_summary(talk: Talk) -> None:
    await talk.say("s-1", "Hello!", "How are you?", "Thanks!")
    part = await talk.say("s-2", "Hello")
    assert "Summary:" not in part
    assert "They: Thanks!" in part
    assert await talk.summary() == []


async def test_a_task_that_is_done_is_no_longer_carried(talk: Talk) -> None:
    await talk.say("s-1", "I still have to call the movers.")
    assert "Open since" in await talk.say("s-2", "I called the movers.")
    assert "Open since" not in await talk.say("s-3", "Hello")
    (task,) = await talk.tasks()
    assert task.validity.archived_at is not None


async def test_a_task_lapses_with_the_day_it_names_or_after_a_month(talk: Talk) -> None:
    await talk.say("s-1", "I have to pay the rent by Friday.", "I must call the movers.")
    assert (await talk.say("s-2", "Hello")).count("Open since") == 2
    talk.clock.pass_(days=6)
    assert "call the movers" in (part := await talk.say("s-3", "Hello"))
    assert "rent" not in part.split("They:")[0]
    talk.clock.pass_(days=30)
    assert "Open since" not in await talk.say("s-4", "Hello")


async def test_forgetting_a_turn_takes_it_out_of_summary_and_tasks(talk: Talk) -> None:
    await talk.say("s-1", "I decided to sell the boat.", "I still have to call the movers.")
    await talk.say("s-2", "Hello")
    (task,) = await talk.tasks()
    erased = await talk.forgetter.record(ANA, task.id)
    assert (erased.events, erased.records) == (1, 2)
    part = await talk.say("s-2", "Hello again")
    assert "movers" not in part
    assert "I decided to sell the boat." in part  # summed up anew, of what is left
    (record,) = await talk.summary()
    assert record.source.derived_from == ("turn-1",)


async def test_a_summary_that_was_forgotten_is_not_made_again(talk: Talk) -> None:
    await talk.say("s-1", "I decided to sell the boat.")
    await talk.say("s-2", "Hello")
    (record,) = await talk.summary()
    erased = await talk.forgetter.record(ANA, record.id)
    assert (erased.events, erased.records) == (0, 1)
    assert "Summary:" not in await talk.say("s-2", "Hello again")
    assert await talk.summary() == []


async def test_a_groups_sessions_and_private_ones_are_summed_up_apart(talk: Talk) -> None:
    await talk.say("s-1", "I decided to sell the boat. I must call my doctor.")
    await talk.say("g-1", "I decided to buy a tent. I must book the ferry.", group=True)
    part = await talk.say("g-2", "Hello", group=True)
    assert "buy a tent" in part
    assert "book the ferry" in part
    assert "boat" not in part
    assert "doctor" not in part
    private = await talk.say("s-2", "Hello")
    assert "Summary: Decided: \u201cI decided to sell the boat.\u201d" in private
    groups = {r.source.ref: r.source.group for r in await talk.summary()}
    assert groups == {"g-1": True, "s-1": False}


async def test_a_store_that_is_away_is_said_and_nothing_is_lost(talk: Talk) -> None:
    await talk.say("s-1", "I decided to sell the boat.")
    await talk.store.close()
    with pytest.raises(MemoryUnavailableError):
        await talk.summaries.after_turn(talk.person("s-1"), talk.events[0])
    with pytest.raises(MemoryUnavailableError):
        await talk.summaries.before_session(talk.person("s-2"), talk.events[0])
