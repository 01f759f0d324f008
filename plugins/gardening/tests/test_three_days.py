"""Sprout from one day to the next: told one thing at a time, asked on the fourth day."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PIL import Image

from cloche.assembly import open_assistant
from cloche.assistant import Assistant
from cloche.messages import Address, Attachment, Message
from cloche.plugins import Host
from cloche.prompt import recalled_lines
from cloche.settings import Settings
from cloche.testing.bedrock import BedrockEndpoint
from cloche.testing.script import say
from cloche.turn import Turn

if TYPE_CHECKING:
    from conftest import Story

NEIGHBOURS = {
    "en": ["I have a wisteria over the porch.", "My clematis climbs the drainpipe."],
    "es": ["Tengo una glicinia sobre el porche.", "Mi clemátide trepa por la tubería."],
    "zh": ["我家门廊上有紫藤。", "我种了一棵铁线莲。"],
}


class Garden:
    """A home folder whose assistant is opened anew each day, as by a new process."""

    def __init__(self, home: Path, installed: Host) -> None:
        self.installed = installed
        self.home, self.now = home, datetime(2026, 5, 4, 8, 0, tzinfo=UTC)
        self.updates = itertools.count(1)
        self.assistant: Assistant | None = None

    async def wake(self, **settings: object) -> None:
        """The next day, in a new process."""
        await self.rest()
        chosen = Settings(home=self.home, time_zone="UTC", **settings)  # type: ignore[arg-type]
        self.now = (self.now + timedelta(days=1)).replace(hour=8)
        self.assistant = await open_assistant(
            self.installed, "gardening", chosen, clock=lambda: self.now, fetch=_photo
        )

    async def rest(self) -> None:
        if self.assistant:
            await self.assistant.close()

    async def say(self, who: str, text: str, *photos: str) -> Turn:
        assert self.assistant
        self.now += timedelta(minutes=1)
        attachments = tuple(Attachment(ref=name, name=name) for name in photos)
        message = Message(f"{next(self.updates)}", Address("console", who), who, text, attachments)
        turn = await self.assistant.handle(message)
        await turn.afterwards()
        return turn


async def _photo(channel: str, attachment: Attachment) -> bytes:
    content = BytesIO()
    Image.new("RGB", (40, 30), "purple").save(content, "JPEG")
    return content.getvalue()


@pytest.fixture
async def garden(tmp_path: Path, installed: Host) -> AsyncIterator[Garden]:
    garden = Garden(tmp_path, installed)
    yield garden
    await garden.rest()


Tell = Callable[[Garden, "Story"], Awaitable[None]]


@pytest.fixture
def tell() -> Tell:
    """Three days of the story, while a neighbour tells of a garden too."""

    async def told(garden: Garden, story: Story) -> None:
        for day in story.days:
            await garden.wake()
            for line in day:
                await garden.say("ana", line.text)
            for line in NEIGHBOURS[story.language]:
                await garden.say("ben", line)

    return told


async def test_on_day_four_all_plants_are_remembered_and_nothing_of_the_neighbours(
    garden: Garden, tell: Tell, story: Story
) -> None:
    await tell(garden, story)
    await garden.wake()
    answer = (await garden.say("ana", story.question)).reply.text
    kept = [line.text for line in story.lines if line.keep]
    small = [line.text for line in story.lines if not line.keep]
    for plant in story.plants:
        assert plant in answer.casefold()
    corrections = ("No, ", "不对，")  # they are kept as what holds now, without the "no"
    missing = [line for line in kept if line not in answer and not line.startswith(corrections)]
    # Where they live is kept, and no answer to what grows there.
    assert garden.assistant
    vocabulary = garden.assistant.memory.vocabulary
    assert not [line for line in missing if vocabulary.mentions(line)]
    assert not [line for line in NEIGHBOURS[story.language] if line in answer]
    assert not [line for line in small if line in answer]
    neighbours = (await garden.say("ben", story.question)).reply.text
    assert all(line in neighbours for line in NEIGHBOURS[story.language])
    assert not [line for line in kept if line in neighbours]


async def test_the_ways_of_a_gardener_are_in_the_profile_of_every_later_day(
    garden: Garden, tell: Tell, story: Story
) -> None:
    await tell(garden, story)
    await garden.wake()
    assert garden.assistant
    person = await garden.assistant.people.of(Message("x", Address("console", "ana"), "ana", "?"))
    part = await garden.assistant.memory.sessions.part(person)
    profile = " ".join(line.text for line in recalled_lines(part.text))
    only_organic = {"en": "organic", "es": "orgánico", "zh": "有机"}[story.language]
    assert only_organic in profile


@pytest.mark.parametrize("words", ["", "What is this seedling?"])
async def test_the_inventory_is_in_the_prompt_of_a_picture(
    garden: Garden, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The seedling case: a purple trumpet flower that a model, asked cold, calls morning glory."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "loopback")
    await garden.wake()
    await garden.say("ana", "I planted Mexican petunias in the Corten steel bed.")
    for number in range(40):
        await garden.say("ana", f"I moved stone number {number} in my front yard today.")
    async with BedrockEndpoint(lambda _: say("A Mexican petunia, I would bet.")) as bedrock:
        await garden.wake(
            model={"provider": "bedrock", "base_url": bedrock.url, "region": "eu-north-1"}
        )
        turn = await garden.say("ana", words, "seedling.jpg")
    looked = next(request for request in bedrock.requests if request.images)
    assert "sonnet" in looked.model
    assert turn.reply.text == "A Mexican petunia, I would bet."
    live = str(looked.body["messages"][-1]["content"])
    assert "I planted Mexican petunias in the Corten steel bed." in live
    system = str(looked.body["system"])
    assert "Never guess a plant from a photo" in system
