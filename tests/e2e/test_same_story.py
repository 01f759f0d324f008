"""One story with two assistants of different fields: what is told stays, and stays apart.

The story knows no field; what people say in it is ``stories.toml``, a data set per assistant and
language. A data set whose assistant is not installed is skipped.
"""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.metadata import entry_points
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from cloche.assembly import open_assistant
from cloche.assistant import Assistant
from cloche.messages import Address, Attachment, Message
from cloche.plugins import Host
from cloche.settings import EmbeddingSettings, Settings
from cloche.testing.bedrock import BedrockEndpoint
from cloche.testing.script import say
from cloche.turn import Turn

INSTALLED = {found.name for found in entry_points(group="cloche.assistants")}


@dataclass(frozen=True, slots=True)
class Story:
    """What one person says over some weeks; the fields are told of in ``stories.toml``."""

    assistant: str
    language: str
    facts: tuple[str, ...]
    things: tuple[str, ...]
    before: str
    after: str
    which: str
    old: str
    new: str
    decision: str
    looked_back: str
    question: str
    picture: str
    asked: str
    answered: str
    kept: str
    forget: str
    forgotten: str
    neighbour: str


def stories() -> list[Story]:
    tables = tomllib.loads(Path(__file__).with_name("stories.toml").read_text(encoding="utf-8"))
    return [
        Story(
            assistant, language, **{k: tuple(v) if isinstance(v, list) else v for k, v in s.items()}
        )
        for assistant, by_language in tables.items()
        for language, s in by_language.items()
    ]


STORIES = stories()


@pytest.fixture(params=STORIES, ids=lambda story: f"{story.assistant}-{story.language}")
def story(request: pytest.FixtureRequest) -> Story:
    found = request.param
    assert isinstance(found, Story)
    if found.assistant not in INSTALLED:
        pytest.skip(f"the assistant {found.assistant} is not installed")
    return found


class Life:
    """A home whose assistant is opened anew each day, as by a new process."""

    def __init__(self, home: Path, story: Story, installed: Host) -> None:
        self.installed = installed
        self.home, self.story = home, story
        self.now = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
        self.assistant: Assistant | None = None
        self._updates = itertools.count(1)

    async def wake(self, days: float = 1, **settings: object) -> None:
        """Some days later, in a new process."""
        await self.rest()
        chosen = Settings(
            home=self.home,
            time_zone="UTC",
            embeddings=EmbeddingSettings(provider="none"),
            **settings,  # type: ignore[arg-type]
        )
        self.now += timedelta(days=days)
        self.assistant = await open_assistant(
            self.installed,
            self.story.assistant,
            chosen,
            clock=lambda: self.now,
            fetch=_photo,
        )

    async def rest(self) -> None:
        if self.assistant:
            await self.assistant.close()
            self.assistant = None

    async def say(self, text: str, *photos: str, who: str = "ana") -> Turn:
        assert self.assistant
        self.now += timedelta(minutes=1)
        files = tuple(Attachment(ref=name, name=name) for name in photos)
        message = Message(f"{next(self._updates)}", Address("console", who), who, text, files)
        turn = await self.assistant.handle(message)
        await turn.afterwards()
        return turn

    async def answer(self, text: str, who: str = "ana") -> str:
        return (await self.say(text, who=who)).reply.text

    async def kept(self, who: str = "ana") -> str:
        """Everything that is kept of a person, as one text."""
        assert self.assistant
        records = await self.assistant.memory.store.iterate(f"console_-{who}")
        events = await self.assistant.memory.store.iterate_events(f"console_-{who}")
        items = await self.assistant.memory.state.list_items(f"person/console_-{who}/storage/")
        return "\n".join(
            [
                *(record.text for record in records),
                *(f"{event.user_text}\n{event.assistant_text}" for event in events),
                *(str(item.value) for item in items),
            ]
        )


async def _photo(channel: str, attachment: Attachment) -> bytes:
    content = BytesIO()
    Image.new("RGB", (40, 30), "purple").save(content, "JPEG")
    return content.getvalue()


@pytest.fixture
async def life(tmp_path: Path, story: Story, installed: Host) -> AsyncIterator[Life]:
    life = Life(tmp_path, story, installed)
    for fact in story.facts:  # one a day
        await life.wake()
        await life.say(fact)
    await life.say(story.neighbour, who="ben")
    await life.wake()
    yield life
    await life.rest()


async def test_what_was_told_over_days_is_answered_and_nothing_of_anybody_else(
    life: Life, story: Story
) -> None:
    answer = await life.answer(story.question)
    assert [thing for thing in story.things if thing.casefold() not in answer.casefold()] == []
    assert story.neighbour not in answer
    others = await life.answer(story.question, who="ben")
    assert story.neighbour in others
    assert [fact for fact in story.facts if fact in others] == []


async def test_a_change_of_mind_holds_from_then_on(life: Life, story: Story) -> None:
    await life.say(story.before)
    await life.wake()
    await life.say(story.after)
    await life.wake()
    answer = await life.answer(story.which)
    assert story.new in answer
    assert story.old not in answer


async def test_weeks_later_a_decision_is_found_with_its_day(life: Life, story: Story) -> None:
    await life.say(story.decision)
    await life.wake(days=24)
    answer = await life.answer(story.looked_back)
    assert story.decision in answer
    assert {"en": "6 March 2026", "es": "6 de marzo de 2026", "zh": "2026年3月6日"}[
        story.language
    ] in answer


async def test_a_skill_of_its_own_answers_and_what_it_keeps_is_there_the_next_day(
    life: Life, story: Story
) -> None:
    assert story.answered in await life.answer(story.asked)
    await life.wake()
    assert story.kept in await life.kept()


async def test_a_picture_without_words_is_seen_with_what_is_remembered(
    life: Life, story: Story, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "loopback")
    async with BedrockEndpoint(lambda _: say("I see it.")) as bedrock:
        model = {"provider": "bedrock", "base_url": bedrock.url, "region": "eu-north-1"}
        await life.wake(model=model)
        turn = await life.say("", "photo.jpg")
        await life.rest()
    looked = next(request for request in bedrock.requests if request.images)
    assert story.picture in str(looked.body["messages"][-1]["content"])
    assert story.neighbour not in str(looked.body)
    assert turn.reply.text == "I see it."


async def test_one_memory_is_forgotten_and_the_others_stay(life: Life, story: Story) -> None:
    await life.say(story.forget)
    await life.wake()
    answer = await life.answer(story.question)
    assert story.forgotten not in answer
    kept = await life.kept()
    assert story.forgotten not in kept.replace(story.forget, "")
    assert [fact for fact in story.facts if story.forgotten not in fact and fact not in kept] == []


async def test_when_all_is_forgotten_nothing_is_left_but_what_others_told(
    life: Life, story: Story
) -> None:
    await life.say(story.asked)
    code = (await life.answer("/forget all")).rsplit("`", 2)[1].split()[-1]
    await life.say(f"/forget all {code}")
    await life.wake()
    assert [fact for fact in story.facts if fact in await life.kept()] == []
    assert story.kept not in await life.kept()
    assert story.neighbour in await life.kept("ben")


def test_both_fields_tell_the_whole_story_in_all_languages() -> None:
    told = {(story.assistant, story.language) for story in STORIES}
    assistants = {assistant for assistant, _ in told}
    assert len(assistants) == 2
    assert told == {(one, language) for one in assistants for language in ("en", "es", "zh")}
