"""Turns that a gateway loses, or must not get, its first one, and what it was told of skills.

Another program, ready at once, is in its place.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cloche.agents.agent import AgentAwayError
from cloche.agents.openclaw.agent import OpenClawAgent
from cloche.agents.openclaw.installation import Installation
from cloche.skills import SkillsManifest
from cloche.testing.script import Answer, Asked, fault, say
from cloche.tools import ToolContext, tool

from .conftest import SKILLS, TOOLS, Chat, opened, until_ready

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
    async with asyncio.timeout(60):
        with pytest.raises(AgentAwayError) as raised:
            await Chat(agent, "ann/x").say("give up")
    assert raised.value.cause == "stuck"


async def test_a_gateway_that_loses_a_turn_twice_is_started_anew(agent: OpenClawAgent) -> None:
    ann = Chat(agent, "ann/x")
    with pytest.raises(AgentAwayError) as raised:
        await ann.say("lose")
    assert raised.value.cause == "reply"
    await until_ready(agent, starts=2)
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
    async with asyncio.timeout(60):
        while agent._renewals.are_under_way:
            await asyncio.sleep(0.01)
    await until_ready(agent)
    assert (await ben.say("Hello again")).text == "All right."
    assert agent.supervisor.starts == 2


async def test_it_takes_turns_after_a_first_one_of_nobodys_which_asks_no_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(tmp_path, STAND_IN, script) as (agent, server, _):
        begun, go_on, converse = asyncio.Event(), asyncio.Event(), agent._client.converse
        said: list[str] = []

        async def held_up(*where: str, key: str, model_id: str, text: str) -> None:
            said.append(text)
            begun.set()
            await go_on.wait()
            await converse(*where, key=key, model_id=model_id, text=text)

        monkeypatch.setattr(agent._client, "converse", held_up)
        agent.start()
        async with asyncio.timeout(60):
            await begun.wait()
        for _ in range(3):  # it answers already, and gets no person's turn
            assert await agent.supervisor.ensure_ready() is None
        assert agent.supervisor.away.cause == "starting"
        go_on.set()
        await until_ready(agent)
        assert said == ["Are you ready?"]
        assert server.requests == []
        assert (await Chat(agent, "ann/x").say("Hello")).text == "All right."
        assert len(server.requests) == 1


async def test_it_never_takes_the_processor_from_the_host(agent: OpenClawAgent) -> None:
    group = agent.supervisor.process_group
    assert group
    assert os.getpriority(os.PRIO_PROCESS, group) == min(19, os.nice(0) + 5)


class Changing:
    """Skills that their author is writing."""

    def __init__(self) -> None:
        self.manifest = SKILLS

    def change(self, **parts: Any) -> None:
        (skill,) = self.manifest.skills
        self.manifest = SkillsManifest((replace(skill, **parts),))


@tool
async def look_up(ctx: ToolContext, word: str) -> str:
    """Look a word up."""
    return "In another way."


@pytest.mark.parametrize(
    ("changed", "starts"),
    [
        ({"description": "Explains numbers."}, 2),
        ({"name": "numbers"}, 2),
        ({"body": "Ask first."}, 2),
        ({"unavailable": "no key"}, 2),
        ({"tools": TOOLS[:2]}, 2),
        ({"tools": (replace(TOOLS[0], description="Look a number up."), *TOOLS[1:])}, 2),
        # What a tool does is the host's; so are skills that are written anew as they were.
        ({"tools": (replace(look_up, description=TOOLS[0].description), *TOOLS[1:])}, 1),
        ({}, 1),
    ],
)
async def test_it_begins_anew_when_what_it_was_told_of_skills_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changed: dict[str, Any], starts: int
) -> None:
    monkeypatch.setattr("cloche.agents.openclaw.supervisor.FIRST_WAIT", 0.01)
    skills = Changing()
    async with opened(tmp_path, STAND_IN, script, skills=lambda: skills.manifest) as (agent, _, _):
        agent.start()
        await until_ready(agent)
        ann = Chat(agent, "ann/x")
        await ann.say("Hello")
        skills.change(**changed)
        if starts > 1:
            for _ in range(2):
                with pytest.raises(AgentAwayError) as raised:
                    await ann.say("And now?")
                assert raised.value.cause in ("skills", "starting")
            async with asyncio.timeout(60):
                while agent._renewals.are_under_way:
                    await asyncio.sleep(0.01)
            await until_ready(agent)
        assert (await ann.say("There?")).text == "All right."
        assert (await ann.say("Still?")).text == "All right."
        assert agent.supervisor.starts == starts
