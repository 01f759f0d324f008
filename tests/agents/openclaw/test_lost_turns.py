"""Turns that a gateway loses, or must not get; another program, ready at once, in its place."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from cloche.agents.agent import AgentAwayError
from cloche.agents.openclaw.agent import OpenClawAgent
from cloche.agents.openclaw.installation import Installation
from cloche.testing.script import Answer, Asked, fault, say

from .conftest import Chat, opened, until_ready

STAND_IN = Installation(Path(sys.executable), Path(__file__).with_name("stand_in.py"), "0")


def script(asked: Asked) -> Answer:
    return fault("slow") if "give up" in asked.words else say("All right.")


@pytest.fixture
async def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[OpenClawAgent]:
    monkeypatch.setattr("cloche.agents.openclaw.agent.STUCK_SECONDS", 0.2)
    monkeypatch.setattr("cloche.agents.openclaw.agent._WATCH_SECONDS", 0.05)
    monkeypatch.setattr("cloche.agents.openclaw.supervisor.FIRST_WAIT", 0.01)
    async with opened(tmp_path, STAND_IN, script, timeout=60) as (agent, _, _):
        agent.start()
        await until_ready(agent)
        yield agent


async def test_a_gateway_that_gives_up_its_question_and_does_nothing_has_lost_the_turn(
    agent: OpenClawAgent,
) -> None:
    async with asyncio.timeout(30):
        with pytest.raises(AgentAwayError) as raised:
            await Chat(agent, "ann/x").say("give up")
    assert raised.value.cause == "stuck"


async def test_a_gateway_that_loses_a_turn_twice_is_started_anew(agent: OpenClawAgent) -> None:
    ann = Chat(agent, "ann/x")
    with pytest.raises(AgentAwayError) as raised:
        await ann.say("lose")
    assert raised.value.cause == "reply"
    async with asyncio.timeout(30):
        while agent.supervisor.starts < 2:
            await asyncio.sleep(0.01)
    await until_ready(agent)
    assert (await ann.say("Hello")).text == "All right."
    assert agent.supervisor.starts == 2


async def test_a_turn_that_comes_as_the_gateway_is_made_to_forget_does_not_get_it(
    agent: OpenClawAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, ben = Chat(agent, "ann/x"), Chat(agent, "ben/x")
    await ann.say("I have two lutes.")
    is_ready = agent._client.is_ready

    async def told_meanwhile(url: str) -> Any:
        ready = await is_ready(url)
        await agent.forget("ann")
        return ready

    with monkeypatch.context() as now:
        now.setattr(agent._client, "is_ready", told_meanwhile)
        with pytest.raises(AgentAwayError) as raised:
            await ben.say("Hello")
    assert raised.value.cause == "forgetting"
    async with asyncio.timeout(30):
        while agent._renewals.are_under_way:
            await asyncio.sleep(0.01)
    await until_ready(agent)
    assert (await ben.say("Hello again")).text == "All right."
    assert agent.supervisor.starts == 2
