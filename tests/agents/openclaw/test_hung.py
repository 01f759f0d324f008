"""A gateway that was ready and answers no more is started anew; one that was slow once is not."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from cloche.agents.agent import AgentAwayError
from cloche.agents.openclaw.agent import OpenClawAgent
from cloche.agents.openclaw.installation import Installation
from cloche.agents.routing import Router
from cloche.logs import OncePerCause
from cloche.testing.fake_agent import FakeAgent
from cloche.testing.script import say

from .conftest import Chat, opened, processes_of, prompt, until_ready

STAND_IN = Installation(Path(sys.executable), Path(__file__).with_name("stand_in.py"), "0")


@pytest.fixture
async def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[OpenClawAgent]:
    monkeypatch.setattr("cloche.agents.openclaw.doubts.PROBE_SECONDS", 0.2)
    monkeypatch.setattr("cloche.agents.openclaw.doubts.PAUSE_SECONDS", 0.05)
    monkeypatch.setattr("cloche.agents.openclaw.supervisor.FIRST_WAIT", 0.01)
    async with opened(tmp_path, STAND_IN, lambda _: say("All right.")) as (agent, _, _):
        agent.start()
        await until_ready(agent)
        yield agent


def group_of(agent: OpenClawAgent) -> int:
    group = agent.supervisor.process_group
    assert group
    return group


async def test_one_that_stands_still_between_turns_is_started_anew(
    agent: OpenClawAgent, log: io.StringIO
) -> None:
    ann, before = Chat(agent, "ann/x"), group_of(agent)
    await ann.say("Hello")
    os.killpg(before, signal.SIGSTOP)
    with pytest.raises(AgentAwayError) as raised:
        await ann.say("Are you there?")
    assert raised.value.cause == "hung"
    await until_ready(agent, starts=2)
    assert (await ann.say("You are back")).text == "All right."
    assert group_of(agent) != before
    assert not processes_of(before)
    told = [json.loads(line) for line in log.getvalue().splitlines()]
    (why,) = [each for each in told if "gateway_hung" in each["message"]]
    assert why["level"].lower() == "warning"


async def test_one_turn_waits_for_it_and_no_other(
    agent: OpenClawAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cloche.agents.openclaw.doubts.PAUSE_SECONDS", 3600)
    os.killpg(group_of(agent), signal.SIGSTOP)
    ann = Chat(agent, "ann/x")
    with pytest.raises(AgentAwayError):
        await ann.say("Are you there?")
    monkeypatch.setattr(agent._client, "is_ready", lambda *_: pytest.fail("a turn waits for it"))
    with pytest.raises(AgentAwayError) as raised:
        await ann.say("And now?")
    assert raised.value.cause == "hung"


async def test_one_that_was_slow_once_goes_on_and_nobody_asks_it_while_nobody_writes(
    agent: OpenClawAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a machine was frozen: turns return to it, and it is not started anew."""
    ann, before = Chat(agent, "ann/x"), group_of(agent)
    os.killpg(before, signal.SIGSTOP)
    with pytest.raises(AgentAwayError):
        await ann.say("Are you there?")
    os.killpg(before, signal.SIGCONT)
    await until_ready(agent)
    assert (await ann.say("You are back")).text == "All right."
    assert (group_of(agent), agent.supervisor.starts) == (before, 1)
    asked: list[str] = []

    async def is_ready(url: str, seconds: float = 0) -> bool:
        asked.append(url)
        return True

    monkeypatch.setattr(agent._client, "is_ready", is_ready)
    await asyncio.sleep(0.3)
    assert asked == []


async def test_the_log_says_why_another_agent_answers(
    agent: OpenClawAgent, log: io.StringIO
) -> None:
    standby = FakeAgent()
    router = Router(agent, standby, OncePerCause(logging.getLogger("cloche.test")), standby)
    os.killpg(group_of(agent), signal.SIGSTOP)
    routed = await router.ask(prompt("Hello"), (), None)
    assert (routed.agent, routed.away) == (standby.name, "hung")
    told = [json.loads(line)["message"] for line in log.getvalue().splitlines()]
    assert f"cause=hung | {standby.name} answers: the gateway: it does not answer." in told
