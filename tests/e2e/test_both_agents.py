"""One assistant through gateway and embedded agent, with its own tools, memory and files."""

from __future__ import annotations

import asyncio
import itertools
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from cloche.agents.openclaw.installation import find_installation, installation_folder
from cloche.assistant import Assistant
from cloche.documents import shared_resource
from cloche.settings import OpenClawSettings
from cloche.testing.bedrock import BedrockEndpoint
from cloche.testing.script import Answer, Asked, call, say
from cloche.turn import Turn

FOLDER: Final = str(installation_folder(OpenClawSettings()))
THERE = find_installation(OpenClawSettings(folder=FOLDER)) is not None
HAIKU: Final = "eu.anthropic.claude-haiku-4-5-20251001-v1:0"
SKILLS = tuple(Path(str(shared_resource("skills", name))) for name in ("files", "memory"))
TALK: Final = (
    "Remember that my cello has gut strings.",
    "Remember that mi violín es de 1900.",
    "/new",
    "What strings does my cello have?",
    "Search: violín",
    "What do you know of my cello?",
    "谢谢",
)
PLANS: Final = {"ana": "Two lutes by May: ICARUS", "ben": "五月做一把大提琴: DAEDALUS"}


def script(asked: Asked) -> Answer:
    """Keeps, looks up and reads what it is asked to; learns nothing by itself."""
    if "Luthier" not in asked.system:
        return call(asked.tools[0], statements=[])
    if asked.results:
        return say(f"I read: {asked.results[-1]}")
    words = asked.words.splitlines()[-1]
    for sign, tool, argument in (
        ("Remember that ", "remember", "text"),
        ("Search: ", "search_memory", "about"),
        ("Read ", "read_file", "name"),
    ):
        if words.startswith(sign):
            return call(tool, **{argument: words.removeprefix(sign)})
    return say(f"Answer to: {words}")


async def fetch(channel: str, attachment: Any) -> bytes:
    (who,) = (name for name in PLANS if name in attachment.ref)
    return PLANS[who].encode()


def talks(bedrock: BedrockEndpoint) -> list[Any]:
    return [r for r in bedrock.requests if "Luthier" in str(r.body.get("system"))]


def talk_of(request: Any, *which: int) -> str:
    """The messages, without the cache points, which move on, and the ids of calls."""
    messages = request.body["messages"]
    told = [
        [block for block in message["content"] if "cachePoint" not in block]
        for message in ([messages[at] for at in which] if which else messages)
    ]
    text = json.dumps(told, ensure_ascii=False, sort_keys=True)
    return without_ids(re.sub(r'"toolUseId": "[^"]*"', '"toolUseId": "*"', text))


def without_ids(text: str) -> str:
    """Ids of memories are another store's."""
    return re.sub(r"mem-[0-9a-f]+", "mem-*", text)


def tools_of(request: Any) -> list[Any]:
    tools = request.body["toolConfig"]["tools"]
    return [tool["toolSpec"] for tool in tools if "toolSpec" in tool]


async def until_ready(assistant: Assistant) -> None:
    gateway: Any = assistant._router._text
    async with asyncio.timeout(240):
        while await gateway.supervisor.ensure_ready() is None:
            await asyncio.sleep(0.2)


@pytest.mark.gateway
@pytest.mark.timeout(400)
@pytest.mark.skipif(not THERE, reason="OpenClaw (make openclaw)")
async def test_the_same_talk_and_two_people_with_files_who_alternate(
    luthier: Callable[..., None],
    open_luthier: Callable[..., Any],
    chat: Callable[..., Any],
    clock: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "loopback")
    monkeypatch.delenv("AWS_PROFILE", raising=False)
    # A machine that is busy with other tests is slow, and a slow gateway has lost nothing.
    monkeypatch.setattr("cloche.agents.openclaw.agent.STUCK_SECONDS", 30)
    luthier(chapters=3)  # above the model's minimum for a cached prefix
    began = clock.now
    async with BedrockEndpoint(script, clock=clock) as bedrock:

        async def opened(agent: str) -> Assistant:
            clock.now = began
            return await open_luthier(  # type: ignore[no-any-return]
                home=agent,
                fetch=fetch,
                extra_skills=SKILLS,
                model={"provider": "bedrock", "base_url": bedrock.url, "region": "eu-north-1"},
                model_id=HAIKU,
                **({"openclaw": {"folder": FOLDER}} if agent == "openclaw" else {}),
            )

        turns: dict[str, list[Turn]] = {}
        requests: dict[str, list[Any]] = {}
        for agent in ("embedded", "openclaw"):
            assistant = await opened(agent)
            if agent == "openclaw":
                await until_ready(assistant)
            bedrock.requests.clear()
            ana = chat(assistant, "ana")
            turns[agent] = [await ana.say(words) for words in TALK]
            requests[agent] = talks(bedrock)
        same_talk(turns, requests)
        bedrock.requests.clear()
        await alternate(assistant, chat)
        told = [talk_of(request) for request in talks(bedrock)]
        for plan in PLANS.values():
            assert any(plan in each for each in told)
        assert not any(all(plan in each for plan in PLANS.values()) for each in told)


def same_talk(turns: dict[str, list[Turn]], requests: dict[str, list[Any]]) -> None:
    """Answers, calls, memories and prompts are the same; the gateway's own system text is more."""
    through, direct = turns["openclaw"], turns["embedded"]
    for agent, made in turns.items():
        assert {t.report.agent for t in made if t.report.usage.calls} == {agent}
    said = {agent: [without_ids(t.reply.text) for t in made] for agent, made in turns.items()}
    assert said["openclaw"] == said["embedded"]
    assert [t.report.tool_uses for t in through] == [t.report.tool_uses for t in direct]
    used = [use.tool for t in through for use in t.report.tool_uses]
    assert used == ["remember", "remember", "search_memory"]
    assert "mi violín es de 1900" in through[4].reply.text
    recalled = [[r.record.text for r in t.report.recalled] for t in through]
    assert recalled == [[r.record.text for r in t.report.recalled] for t in direct]
    assert "my cello has gut strings." in recalled[3]
    for one, other in zip(requests["openclaw"], requests["embedded"], strict=True):
        # The gateway's history has what tools answered; what is the host's to say is the same.
        assert talk_of(one, 0, -1) == talk_of(other, 0, -1)
        assert tools_of(one)[:-1] == tools_of(other)  # and `read`
    assert "gut strings" in talk_of(requests["openclaw"][4])
    for made in requests.values():
        # Each session's prefix is the same bytes from call to call, tools' results within it.
        in_session = [made[:4], made[4:]]
        for before, after in itertools.chain(*map(itertools.pairwise, in_session)):
            assert after.rendered.prefixes[-1].startswith(before.rendered.prefixes[-1])
        assert len({each.rendered.prefixes[0] for each in made}) == 1
        assert made[-1].counted.read > 4096


async def alternate(assistant: Assistant, chat: Callable[..., Any]) -> None:
    """Fast, on one process and one gateway: each reads the own file, and nobody another's."""

    async def talk_on(who: str, other: str) -> None:
        mine = chat(assistant, who)
        await mine.say("Here is my plan", f"plan-of-{who}.txt")
        for number in range(3):
            turn = await mine.say("Read plan")
            assert turn.report.agent == "openclaw"
            assert PLANS[who] in turn.reply.text
            turn = await mine.say(f"Read plan-of-{other}.txt")
            assert [use.tool for use in turn.report.tool_uses] == ["read_file"]
            assert PLANS[other] not in turn.reply.text, number

    await asyncio.gather(talk_on("ana", "ben"), talk_on("ben", "ana"))
