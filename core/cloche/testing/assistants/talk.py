"""How the assistant behaves: it answers, remembers, and keeps people apart."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from cloche.assistant import Assistant
from cloche.memory.for_tools import PersonMemory
from cloche.memory.records import MemoryRecord
from cloche.messages import Address
from cloche.namespaces import NamespaceScheme
from cloche.testing.assistants.base import ANA, LUIS, AssistantCases, message, say
from cloche.testing.clock import FakeClock
from cloche.testing.fake_agent import FakeAgent
from cloche.testing.offline import offline
from cloche.trying import run_trials

WORD = "vermilion"
STATEMENT = f"The {WORD} box stands in the hall."
QUESTION = f"Where did I put the {WORD} box?"


class TalkCases(AssistantCases):
    """Everything that shows when people talk to the assistant. No model, no network."""

    def test_its_examples_run(self) -> None:
        """Each example is understood, its tool does it, and answers what the example says."""
        rows = asyncio.run(run_trials(self.spec(), clock=FakeClock(), world=offline))
        failed = [f"{row.said!r} ({row.language}): {row.reason}" for row in rows if row.reason]
        assert not failed, "\n".join(failed)

    def test_a_turn_is_answered_and_kept(self, tmp_path: Path) -> None:
        """The answer arrives; what is stored is the person's own words and the answer."""
        asyncio.run(self._talk_once(tmp_path))

    def test_what_is_written_is_recalled_the_next_day(self, tmp_path: Path) -> None:
        """A statement stored today stands in the prompt when tomorrow's words ask for it."""
        asyncio.run(self._remember(tmp_path))

    def test_what_is_written_stays_inside_its_namespaces(self, tmp_path: Path) -> None:
        """Every record lies in a scope of the scheme, in a place that tells whose it is."""
        asyncio.run(self._stay_inside(tmp_path))

    def test_two_people_never_cross(self, tmp_path: Path) -> None:
        """What one person said is in no prompt, search or listing of another."""
        asyncio.run(self._keep_apart(tmp_path))

    async def _talk_once(self, home: Path) -> None:
        agent = FakeAgent()
        async with self.opened(home, agent=agent) as assistant:
            turn = await say(assistant, QUESTION)
            assert turn.reply.text == f"You said: {QUESTION}"
            person = await assistant.people.of(message(""))
            events = await assistant.memory.store.recent_events(person.actor, limit=10)
        assert len(events) == 1, f"{len(events)} events were stored of one turn"
        event = events[0]
        assert (event.user_text, event.assistant_text) == (QUESTION, turn.reply.text)
        assert self.spec().persona.text in agent.asked[0].stable

    async def _remember(self, home: Path) -> None:
        clock, agent = FakeClock(), FakeAgent()
        async with self.opened(home, clock=clock) as assistant:
            await self._store(assistant, ANA)
        clock.pass_(days=1)
        async with self.opened(home, clock=clock, agent=agent) as assistant:
            await say(assistant, QUESTION)
        prompt = agent.asked[-1]
        assert STATEMENT in prompt.session + prompt.turn
        assert WORD not in prompt.stable, "what a person says must not be part of the persona"

    async def _stay_inside(self, home: Path) -> None:
        async with self.opened(home) as assistant:
            await self._store(assistant, ANA)
            await say(assistant, "I always write short letters.")
            person = await assistant.people.of(message(""))
            records = await assistant.memory.store.iterate(person.actor)
        assert records
        for record in records:
            self._inside(record, person.actor, person.session)

    def _inside(self, record: MemoryRecord, actor: str, session: str) -> None:
        scheme: NamespaceScheme = self.spec().namespaces
        names = [scope.name for scope in scheme.all_scopes]
        assert record.scope in names, f"{record.scope!r} is no scope of the scheme"
        scope = scheme[record.scope]
        values = dict.fromkeys(scope.variables, record.scope_key)
        place = scope.namespace({**values, "actorId": actor, "sessionId": session})
        parsed = scheme.parse(place)
        assert parsed is not None, f"{place} is no namespace of the scheme"
        assert parsed[0] == scope
        assert parsed[1]["actorId"] == actor == record.actor

    async def _keep_apart(self, home: Path) -> None:
        agent = FakeAgent(lambda prompt: "All right.")
        async with self.opened(home, agent=agent) as assistant:
            await say(assistant, STATEMENT, ANA)
            stored = await self._store(assistant, ANA)
            await say(assistant, QUESTION, LUIS)
            luis = await assistant.people.of(message("", LUIS))
            store = assistant.memory.store
            assert await store.get(luis.actor, stored.id) is None
            owners = {record.actor for record in await store.iterate(luis.actor)}
            owners |= {event.actor for event in await store.iterate_events(luis.actor)}
        assert owners == {luis.actor}
        seen = agent.asked[-1]
        told = [seen.session, seen.turn, *(f"{e.user} {e.assistant}" for e in seen.history)]
        if any(STATEMENT in text for text in told):
            pytest.fail("one person's words stand in another's prompt", pytrace=False)

    async def _store(self, assistant: Assistant, address: Address) -> MemoryRecord:
        person = await assistant.people.of(message("", address))
        return await PersonMemory(assistant.memory, person, "conformance", "conformance").remember(
            STATEMENT
        )
