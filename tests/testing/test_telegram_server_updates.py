from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
from aiohttp import web

from cloche.testing import TelegramServer
from cloche.testing.telegram.updates import SECRET_HEADER


class Bot:
    def __init__(self, server: TelegramServer, http: aiohttp.ClientSession) -> None:
        self.server, self.http = server, http

    async def call(self, method: str, /, **arguments: Any) -> Any:
        url = f"{self.server.url}/bot{self.server.token}/{method}"
        async with self.http.post(url, json=arguments) as response:
            return await response.json()

    async def updates(self, **arguments: Any) -> list[Any]:
        answer = await self.call("getUpdates", **arguments)
        assert answer["ok"], answer
        return list(answer["result"])


class Hook:
    """A webhook that answers as it is told."""

    def __init__(self) -> None:
        self.got: list[tuple[str, Any]] = []
        self.statuses: list[int] = []
        self.url = ""

    async def answer(self, request: web.Request) -> web.Response:
        self.got.append((request.headers.get(SECRET_HEADER, ""), await request.json()))
        return web.Response(status=self.statuses.pop(0) if self.statuses else 200)

    def texts(self) -> list[str]:
        return [update["message"]["text"] for _, update in self.got]


@pytest.fixture
async def server() -> AsyncIterator[TelegramServer]:
    async with TelegramServer(retry_seconds=0.01) as running:
        yield running


@pytest.fixture
async def bot(server: TelegramServer) -> AsyncIterator[Bot]:
    async with aiohttp.ClientSession() as http:
        yield Bot(server, http)


@pytest.fixture
async def hook() -> AsyncIterator[Hook]:
    made = Hook()
    app = web.Application()
    app.router.add_post("/hook", made.answer)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    made.url = f"http://127.0.0.1:{runner.addresses[0][1]}/hook"
    yield made
    await runner.cleanup()


async def test_what_stands_before_the_offset_is_confirmed(server: TelegramServer, bot: Bot) -> None:
    ana = server.person("Ana")
    for text in ("one", "two", "three"):
        ana.writes(text)
    first = await bot.updates(limit=1)
    assert first[0]["message"]["text"] == "one"
    assert [u["message"]["text"] for u in await bot.updates()] == ["one", "two", "three"]
    rest = await bot.updates(offset=first[0]["update_id"] + 1)
    assert [u["message"]["text"] for u in rest] == ["two", "three"]
    assert await bot.updates(offset=rest[-1]["update_id"] + 1) == []
    assert await bot.updates() == []


async def test_an_offset_of_the_future_starts_at_the_beginning(
    server: TelegramServer, bot: Bot
) -> None:
    server.person("Ana").writes("after a quiet week")
    assert len(await bot.updates(offset=2_000_000_000)) == 1


async def test_a_negative_offset_counts_from_the_end(server: TelegramServer, bot: Bot) -> None:
    ana = server.person("Ana")
    for text in ("one", "two", "three"):
        ana.writes(text)
    assert [u["message"]["text"] for u in await bot.updates(offset=-1)] == ["three"]
    assert len(await bot.updates()) == 1


async def test_a_long_poll_waits_until_something_comes(server: TelegramServer, bot: Bot) -> None:
    ana = server.person("Ana")
    waiting = asyncio.create_task(bot.updates(timeout=20))
    await server.until(lambda: bool(server.calls))
    ana.writes("hello")
    assert [u["message"]["text"] for u in await waiting] == ["hello"]


async def test_a_second_poller_ends_the_first(server: TelegramServer, bot: Bot) -> None:
    first = asyncio.create_task(bot.call("getUpdates", timeout=20))
    await server.until(lambda: len(server.calls) == 1)
    second = asyncio.create_task(bot.updates(timeout=20))
    answer = await first
    assert (answer["error_code"], "other getUpdates" in answer["description"]) == (409, True)
    server.person("Ana").writes("hello")
    assert len(await second) == 1


async def test_only_the_kinds_that_were_asked_for_are_delivered(
    server: TelegramServer, bot: Bot
) -> None:
    ana, channel = server.person("Ana"), server.channel("News")
    await bot.updates(allowed_updates=["message"])
    channel.posts("all day")
    ana.blocks()
    ana.writes("hello")
    assert [set(u) - {"update_id"} for u in await bot.updates()] == [{"message"}]
    await bot.updates(offset=-1, allowed_updates=[])
    channel.posts("again")
    assert "channel_post" in (await bot.updates())[-1]


async def test_updates_go_to_the_webhook_with_its_secret_in_each_chats_order(
    server: TelegramServer, bot: Bot, hook: Hook
) -> None:
    ana, ben = server.person("Ana"), server.person("Ben")
    ana.writes("before")
    hook.statuses = [503]
    await bot.call("setWebhook", url=hook.url, secret_token="s3cret_-")
    ana.writes("after")
    ben.writes("beside")
    await server.until(lambda: not server.world.pending)
    assert {secret for secret, _ in hook.got} == {"s3cret_-"}
    assert sorted(hook.texts()) == ["after", "before", "before", "beside"]
    assert [t for t in hook.texts() if t != "beside"] == ["before", "before", "after"]
    info = (await bot.call("getWebhookInfo"))["result"]
    assert (info["url"], info["pending_update_count"]) == (hook.url, 0)
    assert "503" in info["last_error_message"]


async def test_polling_and_webhook_exclude_each_other(
    server: TelegramServer, bot: Bot, hook: Hook
) -> None:
    waiting = asyncio.create_task(bot.call("getUpdates", timeout=20))
    await server.until(lambda: bool(server.calls))
    await bot.call("setWebhook", url=hook.url)
    assert (await waiting)["error_code"] == 409
    answer = await bot.call("getUpdates")
    assert (answer["error_code"], "webhook is active" in answer["description"]) == (409, True)
    await bot.call("deleteWebhook")
    assert await bot.updates() == []


async def test_what_waits_is_dropped_only_when_that_is_asked(
    server: TelegramServer, bot: Bot, hook: Hook
) -> None:
    server.person("Ana").writes("old")
    await bot.call("deleteWebhook")
    assert len(await bot.updates()) == 1
    await bot.call("deleteWebhook", drop_pending_updates=True)
    assert await bot.updates() == []


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"url": "http://example.org/hook"}, "HTTPS"),
        ({"url": "https://example.org", "secret_token": "s" * 257}, "too long"),
        ({"url": "https://example.org", "secret_token": "with space"}, "unallowed characters"),
    ],
)
async def test_a_wrong_webhook_is_refused(bot: Bot, arguments: dict[str, str], reason: str) -> None:
    answer = await bot.call("setWebhook", **arguments)
    assert (answer["error_code"], reason in answer["description"]) == (400, True)


async def test_everything_people_do_arrives_as_it_is_documented(
    server: TelegramServer, bot: Bot
) -> None:
    ana, group = server.person("Ana", username="ana", language="es"), server.group("Garden")
    hello = ana.writes("/help@cloche_test_bot and @ben_1", to=group)
    ana.edits(hello, "never mind")
    ana.sends_album([b"one", b"two"], "look", to=group)
    ana.sends_voice(b"ogg")
    ana.forwards(hello)
    ana.blocks()
    sent = (await bot.call("sendMessage", chat_id=group.id, text="?", reply_markup=KEYBOARD))[
        "result"
    ]
    press = ana.presses(sent, "Yes")
    updates = await bot.updates()
    message = updates[0]["message"]
    assert (message["from"]["language_code"], message["chat"]["type"]) == ("es", "group")
    assert message["text"] == "/help@cloche_test_bot and @ben_1"
    assert message["entities"] == [
        {"type": "bot_command", "offset": 0, "length": 21},
        {"type": "mention", "offset": 26, "length": 6},
    ]
    assert updates[1]["edited_message"]["text"] == "never mind"
    assert updates[1]["edited_message"]["message_id"] == message["message_id"]
    album = [update["message"] for update in updates[2:4]]
    assert len({each["media_group_id"] for each in album}) == 1
    assert [each.get("caption") for each in album] == ["look", None]
    assert updates[4]["message"]["voice"]["mime_type"] == "audio/ogg"
    assert updates[5]["message"]["forward_origin"]["sender_user"]["id"] == ana.id
    assert updates[6]["my_chat_member"]["new_chat_member"]["status"] == "kicked"
    query = updates[7]["callback_query"]
    assert (query["id"], query["data"]) == (press, "yes")
    assert (await bot.call("answerCallbackQuery", callback_query_id=press))["ok"]
    assert not (await bot.call("answerCallbackQuery", callback_query_id=press))["ok"]


KEYBOARD = {"inline_keyboard": [[{"text": "Yes", "callback_data": "yes"}]]}
