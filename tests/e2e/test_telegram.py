"""A real assistant behind the loopback Bot API: what people at Telegram see."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import aiohttp
import pytest
from aiohttp import web
from PIL import Image
from pydantic import SecretStr

from cloche.assistant import Assistant
from cloche.channels import ChannelContext, ChannelRequest, Document
from cloche.delivery import Delivery, OpenDoor
from cloche.delivery.polling import Poller
from cloche.delivery.rendering import render
from cloche.delivery.webhooks import webhook_app
from cloche.messages import Attachment
from cloche.prompt import Prompt
from cloche.settings import DeliverySettings
from cloche.state.store import StateStore
from cloche.testing import FakeAgent, TelegramServer, fault
from cloche.testing.telegram import NO_FLOOD_CONTROL
from cloche.testing.telegram.chats import Group
from cloche.testing.telegram.world import Json
from cloche.texts import say
from cloche_channels.telegram import TelegramChannel

Open = Callable[..., Awaitable[Assistant]]
Way = AsyncIterator[None]


class Kept:
    def __init__(self) -> None:
        self.values: dict[str, Document] = {}

    async def get(self, key: str) -> Document:
        return self.values.get(key)

    async def put(self, key: str, value: Document) -> None:
        self.values[key] = json.loads(json.dumps(value))


@dataclass
class Served:
    """An assistant, its bot, and the server it is reached by."""

    server: TelegramServer
    channel: TelegramChannel
    delivery: Delivery
    agent: FakeAgent

    async def answer(self) -> None:
        """See what people did taken, answered and sent."""
        await self.server.until(lambda: not self.server.world.pending)
        await self.delivery.idle()

    async def again(self, update: Json) -> None:
        """The same update once more."""
        request = ChannelRequest(json.dumps(update).encode())
        await self.delivery.accept(*self.channel.parse(request))
        await self.delivery.idle()


@pytest.fixture
async def server(clock: Callable[[], object]) -> AsyncIterator[TelegramServer]:
    async with TelegramServer(flood=NO_FLOOD_CONTROL, clock=clock) as running:  # type: ignore[arg-type]
        yield running


@asynccontextmanager
async def polled(channel: TelegramChannel, delivery: Delivery, state: StateStore) -> Way:
    poller = asyncio.create_task(Poller(delivery, state).run())
    try:
        yield
    finally:
        poller.cancel()
        await asyncio.gather(poller, return_exceptions=True)


@asynccontextmanager
async def called(channel: TelegramChannel, delivery: Delivery, state: StateStore) -> Way:
    runner = web.AppRunner(webhook_app({"telegram": delivery}), access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        port = runner.addresses[0][1]
        await channel.register(f"http://127.0.0.1:{port}/channels/telegram")
        yield
        await channel.unregister()
    finally:
        await runner.cleanup()


def told(prompt: Prompt) -> str:
    """What the agent was given: words, pictures, and what was quoted."""
    return f"words={prompt.words!r} pictures={len(prompt.images)}"


@asynccontextmanager
async def serving(
    server: TelegramServer, open_luthier: Open, way: str, *, demo: bool = False
) -> AsyncIterator[Served]:
    doors: list[TelegramChannel] = []

    async def fetch(_: str, attachment: Attachment) -> bytes:
        return await doors[0].fetch(attachment)

    agent = FakeAgent(told)
    assistant = await open_luthier(fetch=fetch, agent=None if demo else agent)
    async with aiohttp.ClientSession() as http:
        secrets = {
            "token": SecretStr(server.token),
            "api_url": SecretStr(server.url),
            "secret": SecretStr("s3cret"),
        }
        context = ChannelContext(secrets, lambda: http, server.world.clock, Kept(), {})
        channel = TelegramChannel(context)
        doors.append(channel)
        delivery = Delivery(
            channel,
            assistant,
            OpenDoor(),
            assistant.memory.state,
            clock=server.world.clock,
            settings=DeliverySettings(pacing=False, burst_seconds=0.05),
            render=render,
        )
        await delivery.start()
        taken = {"polling": polled, "webhook": called}[way]
        try:
            async with taken(channel, delivery, assistant.memory.state):
                yield Served(server, channel, delivery, agent)
        finally:
            await delivery.close()


@pytest.fixture(params=["polling", "webhook"])
def way(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
async def served(server: TelegramServer, open_luthier: Open, way: str) -> AsyncIterator[Served]:
    async with serving(server, open_luthier, way) as made:
        yield made


async def test_what_a_person_tells_is_remembered_from_one_start_to_the_next(
    server: TelegramServer, open_luthier: Open, way: str
) -> None:
    ana = server.person("Ana")
    async with serving(server, open_luthier, way, demo=True) as served:
        ana.writes("I have a violin")
        await served.answer()
    async with serving(server, open_luthier, way, demo=True) as served:
        ana.writes("What instruments do I have?")
        await served.answer()
    first, second = server.texts(ana.id)
    assert first
    assert "violin" in second


async def test_an_album_is_one_turn_with_every_picture(served: Served) -> None:
    """B-21, B-23."""
    ana = served.server.person("Ana")
    ana.sends_album([picture(), picture(), picture()], "three")
    await served.answer()
    assert served.server.texts() == ["words='three' pictures=3"]


async def test_an_album_in_a_group_counts_as_a_whole_when_any_part_names_the_bot(
    served: Served,
) -> None:
    ana, group = served.server.person("Ana"), served.server.group("Garden")
    for caption in ("", "@cloche_test_bot look"):
        stored = served.server.world.store(picture(), folder="photos")
        mark = {"type": "mention", "offset": 0, "length": 16}
        marks = {"caption": caption, "caption_entities": [mark]} if caption else {}
        photo = [{"file_id": stored.id, "width": 40, "height": 30}]
        ana.sends({"photo": photo, "media_group_id": "77"} | marks, to=group)
    await served.answer()
    assert served.server.texts() == ["words='look' pictures=2"]


@pytest.mark.parametrize("kind", ["video", "video_note", "animation"])
@pytest.mark.parametrize("data", [b"0000ftyp", b"\0\0\0\x18ftypmp42\0\0\0\0"])
@pytest.mark.parametrize("reads", ["en", "es", "zh"])
async def test_a_film_gets_the_sentence_of_files_that_cannot_be_read(
    served: Served, kind: str, data: bytes, reads: str
) -> None:
    ana = served.server.person("Ana")
    ana.user["language_code"] = reads
    ana.sends_file(kind, data)
    await served.answer()
    (said,) = served.server.texts()
    assert said == say("file_unknown", reads, name=say("file_unnamed", reads))


async def test_a_file_that_is_too_large_or_of_an_unknown_kind_gets_a_sentence(
    served: Served,
) -> None:
    """B-18: the one after it is answered, too."""
    ana = served.server.person("Ana")
    ana.sends_document(b"", "film.mkv", "video/x-matroska", size=2_000_000_000)
    await served.answer()
    ana.sends_document(bytes(range(256)) * 40, "data.bin", "application/octet-stream")
    await served.answer()
    ana.writes("still there?")
    await served.answer()
    large, unknown, after = served.server.texts()
    assert "20 MB" in large
    assert "data.bin" in unknown
    assert "still there?" in after


async def test_a_voice_note_in_a_topic_is_answered_there(served: Served) -> None:
    """B-24, B-25."""
    ana, forum = served.server.person("Ana"), served.server.group("Forum", forum=True)
    thread = forum.topic("Roses")
    ours = served.server.world.compose(
        forum.chat, served.server.world.bot, {"text": "hm", "message_thread_id": thread}
    )
    ana.sends_voice(b"OggS" + bytes(60), to=forum, thread=thread, answers=ours)
    await served.answer()
    (sent,) = served.server.sent
    assert (sent["chat"]["id"], sent["message_thread_id"]) == (forum.id, thread)
    assert sent["text"]  # nobody transcribes here: a sentence that says so


async def test_a_photo_that_is_passed_on_and_words_that_are(served: Served) -> None:
    ana, ben = served.server.person("Ana"), served.server.person("Ben")
    theirs = served.server.world.compose(ben.chat, ben.user, {"text": "/forget all"})
    ana.forwards(theirs)
    await served.answer()
    (prompt,) = served.agent.asked
    assert prompt.words == ""
    assert "/forget all" in prompt.turn
    assert "Ben" in prompt.turn
    assert len(served.server.sent) == 1


async def test_an_edit_before_the_answer_replaces_and_after_it_is_a_note(served: Served) -> None:
    """B-20."""
    ana = served.server.person("Ana")
    written = ana.writes("I love tulips")
    await served.answer()
    ana.edits(written, "I love roses")
    await served.answer()
    assert len(served.server.sent) == 1
    ana.writes("and you?")
    await served.answer()
    assert "I love roses" in served.agent.asked[-1].turn
    assert len(served.server.sent) == 2


async def test_the_same_update_is_answered_once(served: Served) -> None:
    """B-16, B-17."""
    ana = served.server.person("Ana")
    ana.writes("hello")
    await served.answer()
    await served.again(served.server.world.history[-1])
    ana.writes("and?")
    await served.answer()
    await served.again(served.server.world.history[0])
    assert len(served.server.sent) == 2


async def test_a_group_that_became_a_supergroup_is_answered_in_it(served: Served) -> None:
    """B-26: one by the service message, one by the error of a send."""
    ana, told_group = served.server.person("Ana"), served.server.group("Garden")
    ana.writes("/help", to=told_group)
    await served.answer()
    new = told_group.upgrade()
    ana.writes("@cloche_test_bot hello", to=new)
    await served.answer()
    assert [each["chat"]["id"] for each in served.server.sent] == [told_group.id, new.id]

    quiet = served.server.group("Quiet")
    ana.writes("/help", to=quiet)
    await served.answer()
    moved = Group.found(served.server.world, "Quiet", supergroup=True, forum=False)

    def while_it_answers(_: Prompt) -> str:
        quiet.chat.moved_to = moved.id
        return "here I am"

    served.agent._answer = while_it_answers
    ana.writes("@cloche_test_bot hello", to=quiet)
    await served.answer()
    assert served.server.sent[-1]["chat"]["id"] == moved.id


async def test_who_blocks_the_bot_gets_the_rest_when_they_are_back(served: Served) -> None:
    """B-32."""
    ana = served.server.person("Ana")

    def while_it_answers(_: Prompt) -> str:
        ana.blocks()
        return "hello"

    served.agent._answer = while_it_answers
    ana.writes("hello")
    await served.answer()
    assert served.server.sent == []
    served.agent._answer = told
    ana.writes("I am back")
    await served.answer()
    assert len(served.server.sent) == 2


async def test_flood_control_and_refused_formatting_lose_nothing(served: Served) -> None:
    """B-2, B-29."""
    ana = served.server.person("Ana")
    served.agent._answer = lambda _: "**Chad Smith <chad@example.com>** & _x"
    served.server.fails(
        "sendMessage",
        fault(429, "Too Many Requests: retry after 1", retry_after=1),
        fault(400, "Bad Request: ENTITY_BOUNDS_INVALID"),
    )
    ana.writes("hello")
    await served.answer()
    (sent,) = served.server.sent
    assert "entities" not in sent
    assert sent["text"] == "Chad Smith chad@example.com & _x"


@pytest.mark.parametrize(
    "unit", ["🌱 **word** `x` ", "[a](https://example.org) ", "中文 *字* ", "a"]
)
async def test_a_long_answer_arrives_whole_within_all_limits(served: Served, unit: str) -> None:
    """B-6, B-8, B-11: the server refuses whatever is beyond them."""
    ana = served.server.person("Ana")
    served.agent._answer = lambda _: unit * (20_000 // len(unit))
    ana.writes("tell me everything")
    await served.answer()
    assert len(served.server.sent) > 1
    shown = "".join("".join(served.server.texts()).split())
    for word, count in (("word", 1), ("字", 1), ("a", 1)):
        if word in unit:
            assert shown.count(word) == count * (20_000 // len(unit)), unit
    sends = [c for c in served.server.calls if c.method == "sendMessage"]
    assert len(sends) == len(served.server.sent)


async def test_a_forged_update_is_not_answered(server: TelegramServer, open_luthier: Open) -> None:
    """B-34."""
    async with serving(server, open_luthier, "webhook") as served:
        ana = server.person("Ana")
        update = {"update_id": 1, "message": {"text": "hi", "message_id": 1, "from": ana.user}}
        update["message"]["chat"] = {"id": ana.id, "type": "private"}
        async with aiohttp.ClientSession() as http:
            for headers in ({}, {"X-Telegram-Bot-Api-Secret-Token": "guess"}):
                async with http.post(server.webhook.url, json=update, headers=headers) as answer:
                    assert answer.status == 401
        await served.delivery.idle()
        assert server.sent == []
        assert served.agent.asked == []


def picture() -> bytes:
    data = io.BytesIO()
    Image.new("RGB", (40, 30), "green").save(data, "JPEG")
    return data.getvalue()
