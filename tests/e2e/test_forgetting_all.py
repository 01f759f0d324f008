"""Forgetting reaches what waits: edits, replies that are not sent, turns that run elsewhere."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, ClassVar

import pytest

from cloche.agents.agent import Answer
from cloche.assistant import Assistant
from cloche.channels import Channel, ChannelContext, ChannelRequest, Incoming, Part, SendLaterError
from cloche.delivery import Delivery, OpenDoor
from cloche.delivery.rendering import render
from cloche.errors import ToolError
from cloche.memory.for_tools import PersonMemory
from cloche.messages import Address, Message
from cloche.settings import DeliverySettings

TOLD = [
    ("I have a cello.", "I have a lute.", "all"),
    ("Tengo un chelo.", "Tengo un laúd.", "todo"),
    ("我有一把大提琴。", "我有一把鲁特琴。", "全部"),
]


class Held:
    """Answers with the person's words; a conversation may be held back."""

    name = "held"

    def __init__(self) -> None:
        self.hold: dict[str, asyncio.Event] = {}
        self.asked: list[str] = []

    async def ask(self, prompt: Any, tools: Any, on_delta: Any = None) -> Answer:
        self.asked.append(prompt.words)
        if gate := self.hold.get(prompt.words):
            await gate.wait()
        return Answer(f"You said: {prompt.words}")

    async def close(self) -> None:
        pass


class Hall(Channel):
    """A platform that keeps what it is sent; some conversations have to wait."""

    name: ClassVar[str] = "hall"

    def __init__(self, clock: Any) -> None:
        super().__init__(ChannelContext({}, lambda: None, clock, None, {}))  # type: ignore[arg-type, return-value]
        self.sent: list[Part] = []
        self.waits: set[str] = set()

    def parse(self, request: ChannelRequest) -> Sequence[Incoming]:
        return ()

    async def send(self, part: Part) -> None:
        if part.conversation in self.waits:
            raise SendLaterError("flood", seconds=3000)
        self.sent.append(part)


class Platform:
    def __init__(self, assistant: Assistant, clock: Any, *, reached: bool = True) -> None:
        self.assistant, self.clock, self.channel = assistant, clock, Hall(clock)
        self.delivery = Delivery(
            self.channel,
            assistant,
            OpenDoor(),
            assistant.memory.state,
            clock=clock,
            settings=DeliverySettings(burst_seconds=0, pacing=False),
            render=render,
        )
        if reached:
            assistant.memory.forgetter.reach(self.delivery)
        self.count = 0

    async def tell(self, text: str, conversation: str = "ana", **about: Any) -> Message:
        self.clock.pass_(seconds=20)
        self.count += 1
        about = {"ref": f"m{self.count}", "group": conversation != "ana", **about}
        message = Message(f"u{self.count}", Address("hall", "ana"), conversation, text, **about)
        await self.delivery.accept(message)
        return message

    async def say(self, text: str, conversation: str = "ana", **about: Any) -> Message:
        message = await self.tell(text, conversation, **about)
        await self.delivery.finished(conversation)
        return message

    async def forget_all(self, word: str = "all") -> None:
        await self.say(f"/forget {word}")
        code = re.search(rf"/forget {word} (\w+)|`?/\S+ \S+ ([a-z2-9]{{6}})", self.said[-1])
        assert code
        await self.say(f"/forget {word} {code[1] or code[2]}")

    @property
    def said(self) -> list[str]:
        return [part.text for part in self.channel.sent]

    async def kept(self) -> list[str]:
        memory = self.assistant.memory
        events = await memory.store.iterate_events("hall_-ana", after="", limit=100)
        records = await memory.store.iterate("hall_-ana")
        return [e.user_text for e in events] + [r.text for r in records]

    async def in_state(self, text: str) -> list[str]:
        state, found = self.assistant.memory.state, []
        for prefix in ("inbox/", "outbox/", "person/", "group/"):
            items = await state.list_items(prefix)
            found += [item.key for item in items if text in repr(item.value)]
        return found


@pytest.fixture
async def agent() -> Held:
    return Held()


@pytest.fixture
async def platform(
    open_luthier: Callable[..., Any], agent: Held, clock: Any
) -> AsyncIterator[Platform]:
    platform = Platform(await open_luthier(agent=agent), clock)
    await platform.delivery.start()
    yield platform
    await platform.delivery.close(seconds=0)


@pytest.mark.parametrize(("was", "now", "word"), TOLD)
@pytest.mark.parametrize("where", ["ana", "group"])
async def test_an_edit_that_waits_is_forgotten_with_everything(
    platform: Platform, agent: Held, was: str, now: str, word: str, where: str
) -> None:
    said = await platform.say(was, where)
    await platform.say(now, where, ref=said.ref, edits=True)
    assert await platform.in_state(now)
    await platform.forget_all(word)
    assert await platform.in_state(now) == []
    await platform.say("Hello.", where)
    await platform.say(was + " ", where, ref=said.ref, edits=True)
    assert now not in await platform.kept()
    assert all(now not in words for words in agent.asked)


@pytest.mark.parametrize(("was", "now", "word"), TOLD)
async def test_an_edit_that_waits_is_forgotten_with_the_memory_it_changes(
    platform: Platform, was: str, now: str, word: str
) -> None:
    said = await platform.say(was)
    await platform.say(now, ref=said.ref, edits=True)
    (record,) = await platform.assistant.memory.store.iterate("hall_-ana")
    await platform.say(f"/forget {record.id}")
    await platform.say("Hello.")
    told = await platform.kept()
    assert was not in told
    assert now not in told


async def test_an_edit_of_something_else_stays(platform: Platform) -> None:
    await platform.say("I have a cello.")
    said = await platform.say("My room is dry.")
    await platform.say("My room is damp.", ref=said.ref, edits=True)
    records = await platform.assistant.memory.store.iterate("hall_-ana")
    (record,) = (one for one in records if "cello" in one.text)
    await platform.say(f"/forget {record.id}")
    await platform.say("Hello.")
    assert any("damp" in text for text in await platform.kept())


@pytest.mark.parametrize(("was", "now", "word"), TOLD)
async def test_a_turn_that_runs_elsewhere_writes_nothing_after_it(
    platform: Platform, agent: Held, was: str, now: str, word: str
) -> None:
    agent.hold[was] = asyncio.Event()
    await platform.tell(was, "group")
    await platform.tell("Said behind it.", "group")
    await platform.forget_all(word)
    agent.hold[was].set()
    await platform.delivery.idle()
    assert f"You said: {was}" in platform.said, "it is answered all the same"
    assert await platform.kept() == []
    assert await platform.in_state(was) == []
    await platform.say(now)
    assert now in await platform.kept(), "what is said from then on is kept"


@pytest.mark.parametrize("reached", [True, False])
@pytest.mark.parametrize(("was", "now", "word"), TOLD)
async def test_a_reply_that_waits_for_the_platform_goes_too(
    open_luthier: Callable[..., Any],
    agent: Held,
    clock: Any,
    reached: bool,
    was: str,
    now: str,
    word: str,
) -> None:
    platform = Platform(await open_luthier(agent=agent), clock, reached=reached)
    await platform.delivery.start()
    platform.channel.waits.add("group")
    await platform.tell(was, "group")
    for _ in range(500):
        await asyncio.sleep(0.001)
        if await platform.in_state(f"You said: {was}"):
            break
    await platform.forget_all(word)
    assert await platform.in_state(was) == []
    if reached:
        platform.channel.waits.clear()
        await platform.say("Hello.", "group")
        assert all(was not in text for text in platform.said)
        assert "You said: Hello." in platform.said
    await platform.delivery.close(seconds=0)


async def test_two_who_forget_at_once_wait_for_nobody(platform: Platform, agent: Held) -> None:
    await platform.say("I have a cello.")
    forgetter = platform.assistant.memory.forgetter
    await asyncio.wait_for(
        asyncio.gather(*(forgetter.everything("hall_-ana") for _ in range(5))), 10
    )
    assert await platform.kept() == []


async def test_a_tool_of_a_turn_that_began_before_keeps_nothing(platform: Platform) -> None:
    assistant = platform.assistant
    message = Message("t1", Address("hall", "ana"), "group", "I have a cello.", group=True)
    before = await assistant.people.of(message)
    platform.clock.pass_(seconds=1)
    await assistant.memory.forgetter.everything(before.actor)
    platform.clock.pass_(seconds=1)
    after = await assistant.people.of(message)
    with pytest.raises(ToolError, match="forgotten"):
        await PersonMemory(assistant.memory, before, "call1", "turn1").remember("Has a cello.")
    await PersonMemory(assistant.memory, after, "call2", "turn2").remember("Has a lute.")
    assert await platform.kept() == ["Has a lute."]
