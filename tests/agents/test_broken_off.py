"""What a model took for a question that is broken off is counted all the same."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from cloche.agents.agent import AgentAwayError, Answer, OnDelta
from cloche.agents.embedded import EmbeddedAgent
from cloche.agents.routing import Router
from cloche.llm.ledger import Ledger
from cloche.llm.usage import Usage
from cloche.logs import OncePerCause
from cloche.memory.extraction import ModelExtractor
from cloche.memory.records import Event, MemoryRecord, Source, Validity
from cloche.memory.summarising import ModelSummarizer
from cloche.memory.truth.model import ModelJudge
from cloche.patience import Patience
from cloche.prompt import Image, Prompt
from cloche.reminders.claims import ModelClaimCheck
from cloche.reminders.looking import ModelLook
from cloche.testing.fake_agent import FakeAgent
from cloche.testing.fake_model import FakeModel
from cloche.testing.script import Asked, call, fault, say
from cloche.tools import BoundTool
from cloche.vocabulary import Vocabulary
from cloche.workspace.looking import ModelLooker

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
SPENT = Usage("m", input_tokens=5, output_tokens=1, calls=1, cost_usd=0.5)


class Bill:
    """Adds up what it is told."""

    def __init__(self) -> None:
        self.usage = Usage()

    def __call__(self, usage: Usage) -> None:
        self.usage += usage


async def broken_off(asking: Any, when: Callable[[], object]) -> None:
    """Ask, and break it off at a moment."""
    task = asyncio.ensure_future(asking)
    async with asyncio.timeout(20):
        while not when():
            await asyncio.sleep(0.005)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.parametrize("words", ["What is the sun?", "¿Qué es el sol?", "太阳是什么？"])
@pytest.mark.parametrize(
    "trouble",
    [fault("slow"), say("word " * 200, pause=0.05)],
    ids=["before anything came", "while it grows"],
)
async def test_a_question_that_is_stopped_counts_and_so_do_those_before_it(
    provider: str, streamed: bool, open_agent: Any, prompt_of: Any, tools: Any, listener: Any,
    trouble: Any, words: str,
) -> None:  # fmt: skip
    bill = Bill()
    async with open_agent(provider, [call("look_up", word="sun"), trouble]) as (agent, server):
        asked = prompt_of(words * 100, lost=bill)

        def is_asked() -> bool:
            grows = trouble == fault("slow") or not streamed or len(listener.pieces) > 3
            return len(server.requests) == 2 and grows

        await broken_off(agent.ask(asked, tools, listener if streamed else None), is_asked)
        first = server.requests[0]
    assert bill.usage.calls == 2
    assert first.counted
    assert bill.usage.input_tokens > first.counted.all + len(words) * 100 / 6
    assert bill.usage.output_tokens > 0
    assert bill.usage.cost_usd or provider != "bedrock"


async def test_an_answer_that_the_fallback_s_is_given_instead_of_counts(
    open_agent: Any, prompt_of: Any
) -> None:
    bill = Bill()
    script = [fault(500, midway=True), say("It is a star.")]
    other = "global.anthropic.claude-sonnet-4-5-20250929-v1:0"
    async with open_agent("bedrock", script, fallback_id=other) as (agent, server):
        answer = await agent.ask(prompt_of("What is the sun? " * 100, lost=bill), ())
    assert answer.text == "It is a star."
    assert answer.usage.calls == 1
    assert len(server.requests) == 2
    assert bill.usage.calls == 1
    assert bill.usage.input_tokens > 200


class Unhurried:
    """An agent that does not look how long anybody waits."""

    name = "unhurried"

    def __init__(self, agent: EmbeddedAgent) -> None:
        self._agent = agent

    async def ask(
        self, prompt: Prompt, tools: tuple[BoundTool, ...], on_delta: OnDelta | None = None
    ) -> Answer:
        return await self._agent.ask(replace(prompt, patience=Patience(60)), tools, on_delta)

    async def close(self) -> None:
        await self._agent.close()


async def test_an_agent_that_takes_too_long_counts(open_agent: Any, prompt_of: Any) -> None:
    bill, notices = Bill(), OncePerCause(logging.getLogger("test"))
    async with open_agent("bedrock", [fault("slow")], timeout=60) as (agent, _):
        router = Router(Unhurried(agent), FakeAgent(), notices)
        asked = prompt_of(thread="ann/s1", patience=Patience(1.5), lost=bill)
        routed = await router.ask(asked, (), None)
    assert routed.failure == "timeout"
    assert (routed.answer.usage + bill.usage).calls == 1
    assert bill.usage.input_tokens > 0


async def test_what_an_agent_took_counts_when_the_one_that_stands_by_is_stopped(
    open_agent: Any, prompt_of: Any
) -> None:
    class Away:
        name = "away"

        async def ask(self, *_: object) -> Answer:
            raise AgentAwayError("lost.", cause="stuck", usage=SPENT)

        async def close(self) -> None:
            """Nothing is held."""

    bill, notices = Bill(), OncePerCause(logging.getLogger("test"))
    async with open_agent("bedrock", [fault("slow")]) as (agent, server):
        router = Router(Away(), FakeAgent(), notices, agent)
        asking = router.ask(prompt_of(thread="ann/s1", lost=bill), (), None)
        await broken_off(asking, lambda: server.requests)
    assert bill.usage.calls == 2
    assert bill.usage.input_tokens > 5


def record(text: str) -> MemoryRecord:
    return MemoryRecord(text, "ann", "long_term", "fact", text, Source(), Validity(NOON, NOON))


EVENT = Event("e", "ann", "s", "c", NOON, "I drink oolong at home, every morning.", "Noted.")
PICTURE = Image("image/png", b"x" * 100)
PROMPT = Prompt("You are Ada.", "", (), "", "Remind me of the tea.")
BESIDE: dict[str, Callable[[Any, Ledger], Any]] = {
    "extraction": lambda chosen, ledger: ModelExtractor(chosen, ledger).extract(
        EVENT, Vocabulary(())
    ),
    "judging": lambda chosen, ledger: ModelJudge(chosen, ledger).compare(
        record("I drink oolong."), [record("I drink sencha.")]
    ),
    "summing up": lambda chosen, ledger: ModelSummarizer(chosen, ledger).summarize((), (), [EVENT]),
    "a check of claims": lambda chosen, ledger: ModelClaimCheck(chosen, ledger).claims(
        "Remind me of the tea.", "I will remind you.", "ann", None
    ),
    "a look": lambda chosen, ledger: ModelLook(chosen, ledger).due(PROMPT, "ann"),
    "a look at a picture": lambda chosen, ledger: ModelLooker(
        EmbeddedAgent(chosen), ledger, OncePerCause(logging.getLogger("test"))
    ).look("ann", PICTURE, "What is it?", "en"),
}


@pytest.mark.parametrize("beside", BESIDE)
async def test_what_is_asked_beside_an_answer_counts_when_it_is_broken_off(beside: str) -> None:
    """As when the process ends while a turn is learned from."""
    ledger, asked = Ledger(), []

    def script(one: Asked) -> Any:
        asked.append(one)
        return fault("slow")

    asking = BESIDE[beside](FakeModel(script).chosen(), ledger)
    await broken_off(asking, lambda: asked)
    usage = ledger.take("ann")
    assert usage.calls == 1
    assert usage.input_tokens > 20
