"""A real gateway's life: its disk full, told to forget, standing still, killed."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cloche.agents.agent import AgentAwayError
from cloche.agents.openclaw.child import environment
from cloche.agents.routing import Router
from cloche.logs import OncePerCause
from cloche.prompt import Exchange
from cloche.skills import SkillsManifest
from cloche.testing.script import Asked, call, say
from cloche.tools import ToolContext, tool

from .conftest import World, processes_of, prompt, system_of, talk, there, tools_for, until_ready

pytestmark = [
    pytest.mark.gateway,
    pytest.mark.timeout(400),
    pytest.mark.asyncio(loop_scope="module"),
]


def router(world: World) -> Router:
    import logging

    notices = OncePerCause(logging.getLogger("test"))
    return Router(world.agent, world.embedded, notices, world.embedded)


async def ask(router: Router, words: str, history: list[Exchange], called: list[str]) -> str:
    tools = tools_for("ann", words, called)
    async with asyncio.timeout(30):
        routed = await router.ask(prompt(words, "ann/life", history), tools, None)
    assert not routed.failure
    history.append(Exchange(words, routed.answer.text))
    return routed.answer.text


async def test_the_gateway_sees_no_credential(world: World) -> None:
    group = world.agent.supervisor.process_group
    assert group
    seen = Path(f"/proc/{group}/environ").read_bytes().decode().split("\0")
    names = {entry.partition("=")[0] for entry in seen if entry}
    assert not any(name.startswith(("AWS_", "CLOCHE_", "ANTHROPIC", "OPENAI")) for name in names)
    quarters = world.agent.supervisor._quarters
    assert quarters is not None
    assert names <= set(environment(there(), quarters)) | {"OPENCLAW_GATEWAY_PORT", "NODE_OPTIONS"}
    assert quarters.root.stat().st_mode & 0o077 == 0
    assert quarters.config.stat().st_mode & 0o077 == 0


async def test_a_disk_that_fills_up_costs_no_answer_and_the_next_turn_works(world: World) -> None:
    asking, history = router(world), []
    assert await ask(asking, "Before", history, []) == "All right."
    with full_disk_of(world.agent.supervisor.process_group or 0):
        assert await ask(asking, "While it is full", history, []) == "All right."
        assert await ask(asking, "Still full", history, []) == "All right."
    world.model.server.requests.clear()
    await until_ready(world.agent)
    assert await ask(asking, "There is room again", history, []) == "All right."
    last = world.model.bodies[-1]
    assert "OpenClaw" in system_of(last)
    for words in ("Before", "While it is full", "Still full"):
        assert json.dumps(talk(last)).count(words) == 1


@contextmanager
def full_disk_of(group: int) -> Iterator[None]:
    """Every write to a file by a process of the group fails, as on a full disk."""
    limits = {pid: resource.prlimit(pid, resource.RLIMIT_FSIZE) for pid in processes_of(group)}
    for pid, (_, hard) in limits.items():
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        for pid, before in limits.items():
            with suppress(ProcessLookupError):
                resource.prlimit(pid, resource.RLIMIT_FSIZE, before)


def holds(world: World, words: bytes) -> bool:
    """Whether any of the gateway's files has some words."""
    quarters = world.agent.supervisor._quarters
    assert quarters is not None
    with suppress(FileNotFoundError):  # something went just now
        kept = (quarters.state, quarters.workspace, quarters.home)
        files = [path for each in kept for path in each.rglob("*") if path.is_file()]
        files += [path for path in (quarters.log,) if path.exists()]
        return any(words in path.read_bytes() for path in files)
    return True


async def until_gone(world: World, words: bytes) -> None:
    async with asyncio.timeout(20):
        while holds(world, words):
            await asyncio.sleep(0.05)


async def test_what_is_forgotten_is_in_none_of_its_files(world: World) -> None:
    chat = world.chat("ann/to-forget")
    await chat.say("My secret is QUINCE-9")
    assert holds(world, b"QUINCE-9")
    await world.agent.forget("nobody-it-knows")
    assert holds(world, b"QUINCE-9")
    await world.agent.forget("ann")
    with pytest.raises(AgentAwayError):
        await chat.say("Are you there?")
    await until_gone(world, b"QUINCE-9")


async def test_what_another_process_forgot_is_in_none_of_them_either(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    forgotten = {"ann": 0}

    async def forgotten_at(actor: str) -> int:
        return forgotten.get(actor, 0)

    monkeypatch.setattr(world.agent._renewals, "_forgotten_at", forgotten_at)
    chat = world.chat("ann/elsewhere")
    await chat.say("My secret is MEDLAR-4")
    assert holds(world, b"MEDLAR-4")
    forgotten["ann"] = 1
    chat.history.clear()
    with pytest.raises(AgentAwayError):
        await chat.say("Are you there?")
    await until_gone(world, b"MEDLAR-4")
    await until_ready(world.agent)
    world.model.server.requests.clear()
    await chat.say("And now?")
    assert "MEDLAR-4" not in json.dumps(world.model.bodies)


async def test_a_gateway_that_stands_still_costs_a_turn_some_seconds(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cloche.agents.openclaw.agent.STUCK_SECONDS", 1.0)
    group = world.agent.supervisor.process_group
    assert group
    stopped: list[int] = []

    def script(_: Asked) -> Any:
        if not stopped:
            stopped.append(group)
            os.killpg(group, signal.SIGSTOP)
        return call("look_up", word="x") if len(stopped) == 1 and not world_asked() else say("Ok.")

    def world_asked() -> bool:
        return len(world.model.bodies) > 1

    world.model.script = script
    history: list[Exchange] = []
    assert await ask(router(world), "Hello?", history, []) == "Ok."
    async with asyncio.timeout(60):
        while processes_of(group):
            await asyncio.sleep(0.05)


async def test_a_gateway_killed_while_the_model_speaks_costs_what_the_model_was_asked(
    world: World,
) -> None:
    asking, group = router(world), world.agent.supervisor.process_group
    assert group

    def script(_: Asked) -> Any:
        return say("word " * 300, pause=0.02) if len(world.model.bodies) == 1 else say("Here.")

    async def kill() -> None:
        while not world.model.bodies:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.2)  # it speaks
        os.killpg(group, signal.SIGKILL)

    world.model.script = script
    words = "Go on " * 200
    async with asyncio.timeout(60):
        asked = asking.ask(prompt(words, "ann/mid"), tools_for("ann"), None)
        routed, _ = await asyncio.gather(asked, kill())
    assert routed.answer.text == "Here."
    counted = [request.counted for request in world.model.server.requests]
    assert len(counted) == 2
    assert routed.answer.usage.calls == 2
    assert routed.answer.usage.input_tokens > sum(each.all for each in counted if each) * 2 / 3
    await until_ready(world.agent)


async def test_one_that_stands_still_between_turns_is_started_anew(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cloche.agents.openclaw.doubts.PAUSE_SECONDS", 0.1)
    asking, history = router(world), []
    group = world.agent.supervisor.process_group
    assert group
    # As after a machine was frozen: it answers late once, and goes on.
    os.killpg(group, signal.SIGSTOP)
    assert await ask(asking, "One", history, []) == "All right."
    os.killpg(group, signal.SIGCONT)
    await until_ready(world.agent)
    assert world.agent.supervisor.process_group == group
    world.model.server.requests.clear()
    assert await ask(asking, "Two", history, []) == "All right."
    assert "OpenClaw" in system_of(world.model.bodies[-1])
    # And one that hangs for good.
    os.killpg(group, signal.SIGSTOP)
    assert await ask(asking, "Three", history, []) == "All right."
    async with asyncio.timeout(60):
        while processes_of(group):
            await asyncio.sleep(0.05)
    await until_ready(world.agent)
    assert world.agent.supervisor.process_group != group


@tool
async def count_letters(ctx: ToolContext, word: str) -> str:
    """Count the letters of a word."""
    return f"{len(word)} letters"


async def test_skills_that_are_edited_count_from_the_next_sentence(world: World) -> None:
    """In a talk that is under way, with the embedded agent until the gateway is back."""

    def script(asked: Asked) -> Any:
        if "letters" not in asked.words:
            return say("All right.")
        return say(asked.results[-1]) if asked.results else call("count_letters", word="luz")

    world.model.script = script
    (skill,) = world.skills.skills
    asking, history = router(world), []
    tools = tools_for("ann", "x", tools=(*skill.tools, count_letters))
    assert await ask(asking, "Before", history, []) == "All right."
    edited = replace(skill, description="Counts letters.", tools=(*skill.tools, count_letters))
    world.skills = SkillsManifest((edited,))
    for number in range(2):
        routed = await asking.ask(
            prompt(f"How many letters, {number}?", "ann/life", history), tools, None
        )
        assert routed.answer.text == "3 letters"
        assert routed.agent == ("embedded", "openclaw")[number]
        assert routed.away == ("skills", "")[number]
        await until_ready(world.agent)
    system = system_of(world.model.bodies[-1])
    assert "<description>Counts letters.</description>" in system
    assert "Explains words" not in system


async def test_killed_before_during_and_after_a_turn(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    asking, history, called = router(world), [], []
    group = world.agent.supervisor.process_group
    assert group

    # Before: a person who writes just then is answered by the stand-by, at once.
    os.kill(group, signal.SIGKILL)
    assert await ask(asking, "One", history, called) == "All right."
    await until_ready(world.agent)
    assert processes_of(group) == []

    # During: while a tool's result is on its way back. What the tool did has the same id again.
    group = world.agent.supervisor.process_group
    assert group

    def script(asked: Asked) -> Any:
        if not asked.results:
            return call("look_up", word="sun")
        if len(called) == 1:
            os.killpg(group, signal.SIGKILL)
        return say(f"I read: {asked.results[-1]}")

    world.model.script = script
    assert "sun means light" in await ask(asking, "Two", history, called)
    assert len(set(called)) == 1
    world.model.script = lambda _: say("All right.")
    await until_ready(world.agent)

    # The next turn is answered, and the gateway is told what it missed.
    world.model.server.requests.clear()
    assert await ask(asking, "Three", history, called) == "All right."
    told = json.dumps(world.model.bodies[0])
    assert "They: One" in told
    assert "They: Two" in told

    # After, and not the gateway itself but who watches over it: all of it goes, also should the
    # host be killed at the same time, and so can do no more for it.
    monkeypatch.setattr("cloche.agents.openclaw.child.Child._kill", lambda _: None)
    group = world.agent.supervisor.process_group
    assert group
    os.kill(guard_of(group), signal.SIGKILL)
    assert await ask(asking, "Four", history, called) == "All right."
    async with asyncio.timeout(60):
        while processes_of(group):
            await asyncio.sleep(0.05)


def guard_of(group: int) -> int:
    """The process that holds a gateway's process group."""
    status = Path(f"/proc/{group}/status").read_text()
    return int(status.partition("PPid:")[2].split()[0])
