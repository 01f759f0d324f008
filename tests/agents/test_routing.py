"""Who answers a turn, and what happens when they cannot."""

from __future__ import annotations

import logging

import pytest

from cloche.agents.agent import AgentAwayError, Answer, OnDelta
from cloche.agents.routing import Router
from cloche.errors import ModelError
from cloche.llm.usage import Usage
from cloche.logs import OncePerCause
from cloche.prompt import Image, Prompt
from cloche.testing.fake_agent import FakeAgent
from cloche.tools import BoundTool

SPENT = Usage("m", input_tokens=5, output_tokens=1, calls=1, cost_usd=0.5)


class AwayAgent:
    """Calls its tools, and gives up."""

    name = "away"

    def __init__(self) -> None:
        self.forgotten: list[str] = []
        self.closed = 0

    async def ask(
        self, prompt: Prompt, tools: tuple[BoundTool, ...], on_delta: OnDelta | None = None
    ) -> Answer:
        for tool in tools:
            await tool.call({"word": "sun"})
        raise AgentAwayError("It is booting.", cause="starting", usage=SPENT)

    async def forget(self, actor: str) -> None:
        self.forgotten.append(actor)

    async def close(self) -> None:
        self.closed += 1


class CallingAgent(FakeAgent):
    """Says what its tools gave, and what it used."""

    async def ask(
        self, prompt: Prompt, tools: tuple[BoundTool, ...], on_delta: OnDelta | None = None
    ) -> Answer:
        answer = await super().ask(prompt, tools, on_delta)
        for tool in tools:
            await tool.call({"word": "sun"})
        return Answer(answer.text, SPENT)


def notices() -> OncePerCause:
    return OncePerCause(logging.getLogger("test"))


def prompt(thread: str = "ann/s1", images: tuple[Image, ...] = ()) -> Prompt:
    return Prompt("", "", (), "", "Hello", images, thread=thread)


async def test_while_an_agent_is_away_the_stand_by_answers_and_the_log_says_so(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO, logger="cloche")
    router = Router(AwayAgent(), FakeAgent(), notices(), CallingAgent())
    routed = await router.ask(prompt(), (), None)
    assert routed.answer.text == "You said: Hello"
    assert not routed.failure
    assert (routed.agent, routed.away) == (FakeAgent.name, "starting")
    assert routed.answer.usage == SPENT + SPENT
    assert "cause=starting" in caplog.text


async def test_what_tools_did_before_is_done_under_the_same_id_again(tools) -> None:
    ids: list[str] = []
    (look_up, _) = tools
    make = look_up._context

    def context(call_id: str):
        ids.append(call_id)
        return make(call_id)

    look_up._context = context
    router = Router(AwayAgent(), FakeAgent(), notices(), CallingAgent())
    await router.ask(prompt(), (look_up,), None)
    assert len(ids) == 2
    assert len(set(ids)) == 1


async def test_a_turn_of_no_talk_goes_to_the_stand_by() -> None:
    text, vision, standby = FakeAgent(), FakeAgent(), FakeAgent()
    router = Router(text, vision, notices(), standby)
    await router.ask(prompt(""), (), None)
    await router.ask(prompt(), (), None)
    await router.ask(prompt("", (Image("image/png", b""),)), (), None)
    assert [len(agent.asked) for agent in (text, vision, standby)] == [1, 1, 1]


async def test_a_stand_by_that_fails_too_is_one_polite_sentence() -> None:
    class Failing(FakeAgent):
        async def ask(self, *_: object, **__: object) -> Answer:
            raise ModelError("no", cause="throttled")

    routed = await Router(AwayAgent(), FakeAgent(), notices(), Failing()).ask(prompt(), (), None)
    assert routed.failure == "throttled"
    assert routed.answer.text
    assert routed.answer.usage == SPENT


async def test_who_keeps_something_of_people_is_made_to_forget() -> None:
    away = AwayAgent()
    await Router(away, FakeAgent(), notices(), FakeAgent()).forget("ann")
    assert away.forgotten == ["ann"]


async def test_each_agent_is_closed_once() -> None:
    away = AwayAgent()
    await Router(away, away, notices(), away).close()
    assert away.closed == 1
