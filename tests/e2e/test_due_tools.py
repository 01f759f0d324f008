"""Tools that are run before a reminder is told see to what it says, and no model sees them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cloche import PluginError, ToolContext, tool
from cloche.assembly import open_assistant
from cloche.assistant import Assistant
from cloche.memory.for_tools import PersonStorage
from cloche.messages import Address, Due, Message
from cloche.plugins import load_host
from cloche.reminders.reminder import Place, Reminder, reminder_id
from cloche.reminders.schedule import Once
from cloche.settings import Settings
from cloche.testing import FakeAgent

if TYPE_CHECKING:
    from conftest import FakeClock

ACTOR = "telegram_-ana"
SKILL = """\
---
name: strings
description: "Sees to strings."
---

# Strings
"""
TOOLS = '''\
from cloche import ToolContext, tool


@tool
async def count_strings(ctx: ToolContext) -> str:
    """Count the strings."""
    return "six"


@tool(when_due=True)
async def look_at_strings(ctx: ToolContext, reminder: str) -> str:
    """See whether they are still out of tune."""
    there = await ctx.storage.get("set")
    if there == "broken":
        raise RuntimeError("the tuner is broken")
    if there == reminder:
        await ctx.reminders.change(reminder, text="no tuning today: they are in tune")
    return "never told"
'''


@pytest.fixture
async def agent() -> FakeAgent:
    return FakeAgent(lambda prompt: "It is time.")


@pytest.fixture
async def assistant(
    luthier: Callable[..., None], tmp_path: Path, clock: FakeClock, agent: FakeAgent
) -> AsyncIterator[Assistant]:
    folder = tmp_path / "strings"
    folder.mkdir()
    (folder / "SKILL.md").write_text(SKILL, encoding="utf-8")
    (folder / "tools.py").write_text(TOOLS, encoding="utf-8")
    chosen = Settings(home=tmp_path / "home", time_zone="UTC")
    one = await open_assistant(
        load_host(chosen), "luthier", chosen, clock=clock, extra_skills=(folder,), agent=agent
    )
    yield one
    await one.close()


async def told(assistant: Assistant, agent: FakeAgent, clock: FakeClock, kept: str) -> str:
    """What the model is given to tell when the reminder is due."""
    reminder = Reminder(
        reminder_id(ACTOR, "tune"),
        ACTOR,
        Place("telegram", "ana", "ana"),
        "tune the strings",
        "en",
        Once(clock() + timedelta(hours=1), "UTC"),
        clock(),
    )
    memory = assistant.memory
    await memory.reminders.put(reminder)
    value = reminder.id if kept == "mine" else kept
    await PersonStorage(memory.state, ACTOR, "strings").put("set", value)
    clock.pass_(hours=1)
    at = clock()
    await memory.reminders.claim(ACTOR, reminder.id, at)
    message = Message("due-1", Address("telegram", "ana"), "ana", "", due=(Due(reminder.id, at),))
    turn = await assistant.handle(message)
    await turn.afterwards()
    assert turn.reply.text == "It is time."
    assert len(turn.reply.buttons) == 3
    (prompt,) = agent.asked
    return prompt.turn


async def test_it_may_change_what_is_told(
    assistant: Assistant, agent: FakeAgent, clock: FakeClock
) -> None:
    turn = await told(assistant, agent, clock, "mine")
    assert "no tuning today: they are in tune (due" in turn
    assert "tune the strings" not in turn
    assert "never told" not in turn


@pytest.mark.parametrize("kept", ["another's", "broken"])
async def test_what_it_does_not_know_or_cannot_see_to_is_told_as_it_was(
    assistant: Assistant, agent: FakeAgent, clock: FakeClock, kept: str
) -> None:
    assert "tune the strings (due" in await told(assistant, agent, clock, kept)


async def test_no_model_is_offered_it(assistant: Assistant) -> None:
    person = await assistant.people.of(Message("1", Address("telegram", "ana"), "ana", "hello"))
    offered = [one.name for one in assistant.tools(person, "t")]
    assert "count_strings" in offered
    assert "look_at_strings" not in offered
    assert [one.name for one in assistant.tools(person, "t", when_due=True)] == ["look_at_strings"]


def test_it_takes_the_reminder_and_nothing_else() -> None:
    with pytest.raises(PluginError, match="takes `reminder` and nothing else"):

        @tool(when_due=True)
        async def look(ctx: ToolContext, reminder: str, more: str) -> str:
            """Look."""
            return ""
