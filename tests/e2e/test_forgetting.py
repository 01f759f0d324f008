"""Forgetting one record reaches every telling of it; damage in the notes silences nobody."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from cloche.agents.agent import Answer
from cloche.memory.doctor import examine
from cloche.testing.clock import FakeClock

GROUP = {"group": True, "conversation": "trio", "channel": "chatter"}


class Listens:
    """An agent that keeps the prompts it was asked with."""

    name = "listens"

    def __init__(self) -> None:
        self.turns: list[str] = []

    async def ask(self, prompt: Any, tools: Any, on_delta: Any = None) -> Answer:
        self.turns.append(prompt.turn)
        return Answer("Heard.")

    async def close(self) -> None:
        pass


@pytest.mark.parametrize(
    ("told", "other", "asked", "word"),
    [
        ("I have a cello from Cremona.", "It rains.", "Who has what?", "Cremona"),
        ("Tengo un violín de Cremona.", "Llueve.", "¿Quién tiene qué?", "Cremona"),
        ("我有一把克雷莫纳的大提琴。", "下雨了。", "谁有什么？", "克雷莫纳"),
    ],
)
async def test_forgetting_a_record_takes_its_line_out_of_the_group(
    open_luthier: Callable[..., Any],
    chat: Callable[..., Any],
    told: str,
    other: str,
    asked: str,
    word: str,
) -> None:
    agent = Listens()
    assistant = await open_luthier(agent=agent)
    ana, ben = chat(assistant, "ana", **GROUP), chat(assistant, "ben", **GROUP)
    await ben.say(told)
    await ben.say(other)
    await ana.say(asked)
    assert word in agent.turns[-1]
    (record,) = await assistant.memory.store.iterate("chatter_-ben")
    await assistant.memory.forgetter.record("chatter_-ben", record.id)
    await ana.say(asked)
    assert word not in agent.turns[-1]
    assert other in agent.turns[-1]


@pytest.mark.parametrize(
    ("first", "again", "then", "word"),
    [
        ("I like green tea.", "I love green tea.", "I like green tea.", "green tea"),
        ("Me gusta el té verde.", "Me encanta el té verde.", "Me gusta el té verde.", "té verde"),
        ("我喜欢绿茶。", "我很喜欢绿茶。", "我喜欢绿茶。", "绿茶"),
    ],
)
async def test_forgetting_reaches_the_first_of_many_tellings(
    open_luthier: Callable[..., Any],
    chat: Callable[..., Any],
    clock: FakeClock,
    first: str,
    again: str,
    then: str,
    word: str,
) -> None:
    assistant = await open_luthier(agent=Listens())
    ana = chat(assistant, "ana")
    for text in (again, *[then] * 25, first):
        await ana.say(text)
        clock.pass_(hours=20)
    store, actor = assistant.memory.store, "console_-ana"
    for record in await store.iterate(actor):
        if record.kind not in ("summary", "task_state"):
            await assistant.memory.forgetter.record(actor, record.id)
    events = await store.iterate_events(actor, limit=1000)
    assert [event.user_text for event in events if word in event.user_text] == []
    left = await store.iterate(actor)
    assert [record.text for record in left if word in record.text] == []


DAMAGE: list[Any] = [
    "nothing",
    [],
    {},
    {"event": 7},
    {"event": {"id": "x"}, "keys": {}},
    {"event": {"id": "x", "at": "9999-12-31T23:59:59-05:00"}},
]


@pytest.mark.parametrize("damage", DAMAGE)
async def test_a_damaged_entry_of_an_open_turn_silences_nobody(
    open_luthier: Callable[..., Any], chat: Callable[..., Any], clock: FakeClock, damage: Any
) -> None:
    agent = Listens()
    assistant = await open_luthier(agent=agent)
    ana = chat(assistant, "ana")
    await ana.say("I have a lute from Padua.")
    await assistant.memory.state.put("person/console_-ana/open/turn-x", damage)
    clock.pass_(days=1)
    turn = await ana.say("What instruments do I have?")
    assert "I have a lute from Padua." in agent.turns[-1]
    assert turn.report.degraded == ""
    assert not await assistant.memory.state.list_items("person/console_-ana/open/")
    findings = {one.name: one for one in await examine(assistant.memory, "console_-ana")}
    assert findings["open turns"].status == "warning"
    assert "1" in findings["open turns"].value
