"""A kept file goes back to whoever sent it: through Telegram's own upload, and to nobody else."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from pydantic import SecretStr

from cloche.channels import ChannelContext, Document
from cloche.delivery import Delivery, OpenDoor
from cloche.delivery.rendering import render
from cloche.documents import shared_resource
from cloche.messages import Attachment
from cloche.settings import DeliverySettings
from cloche.testing.script import fault
from cloche.testing.telegram import TelegramServer
from cloche.workspace.outgoing import to_send
from cloche_channels.telegram import TelegramChannel

SKILL = Path(str(shared_resource("skills", "files")))
PLAN = "Two lutes by May. 五月做两把鲁特琴。".encode()


class Kept:
    """What a channel keeps."""

    async def get(self, key: str) -> Document:
        return None

    async def put(self, key: str, value: Document) -> None:
        pass


class Served:
    """A bot with its assistant, on the loopback server."""

    def __init__(self, server: TelegramServer, channel: TelegramChannel, door: Delivery) -> None:
        self.server, self.channel, self.door, self.cursor = server, channel, door, ""

    async def answer(self) -> None:
        """Take what people wrote, and answer it."""
        polled = await self.channel.poll(self.cursor)
        self.cursor = polled.cursor
        for request in polled.requests:
            await self.door.accept(*self.channel.parse(request))
        await self.door.idle()

    def documents(self, chat: int) -> list[tuple[str, bytes]]:
        """Names and bytes of what the bot sent as files, to one chat."""
        files = self.server.world.files
        return [
            (each["document"]["file_name"], files[each["document"]["file_id"]].data)
            for each in self.server.sent
            if "document" in each and each["chat"]["id"] == chat
        ]


@pytest.fixture
async def served(open_luthier: Callable[..., Any]) -> AsyncIterator[Served]:
    doors: list[TelegramChannel] = []

    async def fetch(_: str, attachment: Attachment) -> bytes:
        return await doors[0].fetch(attachment)

    assistant = await open_luthier(fetch=fetch, extra_skills=(SKILL,))
    async with TelegramServer() as server, aiohttp.ClientSession() as http:
        secrets = {"token": SecretStr(server.token), "api_url": SecretStr(server.url)}
        channel = TelegramChannel(
            ChannelContext(secrets, lambda: http, server.world.clock, Kept(), {})
        )
        doors.append(channel)
        delivery = Delivery(
            channel,
            assistant,
            OpenDoor(),
            assistant.memory.state,
            clock=server.world.clock,
            settings=DeliverySettings(pacing=False, burst_seconds=0.05),
            render=render,
            files=partial(to_send, assistant.memory.files),
        )
        await delivery.start()
        yield Served(server, channel, delivery)
        await delivery.close()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("plan.txt", "Send me plan.txt"),
        ("año 2.txt", "Mándame `año 2.txt`"),
        ("计划.txt", "把计划.txt发给我"),
        ("it's; a=b.txt", 'send me "it\'s; a=b.txt"'),
    ],
)
async def test_a_file_comes_back_as_it_was_sent_and_to_nobody_else(
    served: Served, name: str, words: str
) -> None:
    ana, ben = served.server.person("Ana"), served.server.person("Ben")
    ana.sends_document(PLAN, name, "text/plain", caption="Keep this.")
    await served.answer()
    ana.writes(words)
    await served.answer()
    assert served.documents(ana.id) == [(name, PLAN)]
    assert "document" in served.server.sent[-1], "the file comes after the words"
    ben.writes(words)
    await served.answer()
    assert served.documents(ben.id) == []


async def test_a_file_is_sent_once_through_failures(served: Served) -> None:
    ana = served.server.person("Ana")
    ana.sends_document(PLAN, "plan.txt", "text/plain", caption="Keep this.")
    await served.answer()
    served.server.fails("sendDocument", fault(502), fault(429, retry_after=1))
    ana.writes("Send me plan.txt")
    await served.answer()
    assert served.documents(ana.id) == [("plan.txt", PLAN)]


@pytest.mark.parametrize("status", [400, 413])
async def test_a_file_that_is_refused_is_told_in_a_sentence(served: Served, status: int) -> None:
    ana = served.server.person("Ana")
    ana.sends_document(PLAN, "plan.txt", "text/plain", caption="Keep this.")
    await served.answer()
    served.server.fails("sendDocument", fault(status, "Request Entity Too Large"))
    ana.writes("Send me plan.txt")
    await served.answer()
    assert served.documents(ana.id) == []
    assert served.server.texts(ana.id)[-1].startswith('I cannot send "plan.txt" as a file here')
