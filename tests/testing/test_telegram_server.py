from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from cloche.testing import FakeClock, TelegramServer, fault


class Bot:
    """A client that knows nothing but the wire."""

    def __init__(self, server: TelegramServer, http: aiohttp.ClientSession) -> None:
        self.server, self.http = server, http

    async def call(self, method: str, /, *, token: str = "", **arguments: Any) -> Any:
        url = f"{self.server.url}/bot{token or self.server.token}/{method}"
        async with self.http.post(url, json=arguments) as response:
            return await response.json()

    async def result(self, method: str, /, **arguments: Any) -> Any:
        answer = await self.call(method, **arguments)
        assert answer["ok"], answer
        return answer["result"]

    async def refusal(self, method: str, /, **arguments: Any) -> tuple[int, str]:
        answer = await self.call(method, **arguments)
        assert not answer["ok"]
        return answer["error_code"], answer["description"]


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def server(clock: FakeClock) -> AsyncIterator[TelegramServer]:
    async with TelegramServer(clock=clock) as running:
        yield running


@pytest.fixture
async def bot(server: TelegramServer) -> AsyncIterator[Bot]:
    async with aiohttp.ClientSession() as http:
        yield Bot(server, http)


async def test_a_bot_is_told_who_it_is(server: TelegramServer, bot: Bot) -> None:
    me = await bot.result("getMe")
    assert (me["id"], me["is_bot"], me["username"]) == (7_000_000_001, True, "cloche_test_bot")


async def test_a_wrong_token_or_method_is_refused(bot: Bot) -> None:
    assert await bot.refusal("getMe", token="1:no") == (401, "Unauthorized")
    assert await bot.refusal("makeTea") == (404, "Not Found: method not found")


@pytest.mark.parametrize("encoding", ["query", "form", "json", "multipart"])
async def test_arguments_may_come_in_any_of_the_four_ways(
    server: TelegramServer, bot: Bot, encoding: str
) -> None:
    ana = server.person("Ana")
    values = {"chat_id": str(ana.id), "text": "bold", "entities": BOLD_JSON}
    url = f"{server.url}/bot{server.token}/SENDmessage"
    if encoding == "query":
        request = bot.http.get(url, params=values)
    elif encoding == "json":
        request = bot.http.post(url, json=values)
    elif encoding == "form":
        request = bot.http.post(url, data=values)
    else:
        form = aiohttp.FormData(values)
        form.add_field("unused", b"bytes", filename="unused.bin")
        request = bot.http.post(url, data=form)
    async with request as response:
        assert (await response.json())["result"]["entities"] == BOLD
    assert server.texts(ana.id) == ["bold"]


BOLD = [{"type": "bold", "offset": 0, "length": 4}]
BOLD_JSON = '[{"type": "bold", "offset": 0, "length": 4}]'


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("a" * 4096, True),
        ("a" * 4097, False),
        ("🌱" * 2048, True),  # 4,096 code units
        ("🌱" * 2049, False),
        (" \n", False),
        ("", False),
    ],
)
async def test_a_text_has_1_to_4096_utf16_units(
    server: TelegramServer, bot: Bot, text: str, fits: bool
) -> None:
    answer = await bot.call("sendMessage", chat_id=server.person("Ana").id, text=text)
    assert answer["ok"] is fits


@pytest.mark.parametrize(
    ("entity", "reason"),
    [
        ({"offset": 0, "length": 3}, ""),
        ({"offset": 2, "length": 1}, ""),
        ({"offset": 0, "length": 4}, "ends after the end"),
        ({"offset": 1, "length": 2}, "begins in a middle"),
        ({"offset": 0, "length": 1}, "ends in a middle"),
        ({"offset": -1, "length": 2}, "incorrect range"),
        ({"offset": 0, "length": 0}, "incorrect range"),
        ({"offset": 0, "length": 2, "type": "glitter"}, "unsupported type"),
        ({"offset": 0, "length": 2, "type": "text_link"}, "url"),
    ],
)
async def test_entities_stand_on_whole_characters_within_the_text(
    server: TelegramServer, bot: Bot, entity: dict[str, Any], reason: str
) -> None:
    answer = await bot.call(
        "sendMessage",
        chat_id=server.person("Ana").id,
        text="🌱x",
        entities=[{"type": "bold"} | entity],
    )
    assert answer["ok"] is not bool(reason)
    assert reason in answer.get("description", "")


async def test_entities_are_at_most_100_and_lie_in_one_another_or_apart(
    server: TelegramServer, bot: Bot
) -> None:
    ana = server.person("Ana")

    async def taken(*spans: tuple[int, int]) -> bool:
        entities = [{"type": "bold", "offset": at, "length": n} for at, n in spans]
        answer = await bot.call("sendMessage", chat_id=ana.id, text="x" * 202, entities=entities)
        return bool(answer["ok"])

    assert await taken(*((2 * at, 1) for at in range(100)))
    assert not await taken(*((2 * at, 1) for at in range(101)))
    assert await taken((0, 10), (0, 10), (2, 3), (5, 5), (10, 1))
    assert not await taken((0, 10), (5, 6))


async def test_a_button_carries_1_to_64_bytes(server: TelegramServer, bot: Bot) -> None:
    ana = server.person("Ana")

    async def send(data: str) -> Any:
        keyboard = {"inline_keyboard": [[{"text": "Yes", "callback_data": data}]]}
        return await bot.call("sendMessage", chat_id=ana.id, text="?", reply_markup=keyboard)

    assert (await send("é" * 32))["ok"]
    assert (await send("é" * 33))["description"] == "Bad Request: BUTTON_DATA_INVALID"
    assert not (await send(""))["ok"]


async def test_captions_albums_and_files_have_their_limits(
    server: TelegramServer, bot: Bot
) -> None:
    ana = server.person("Ana")
    photo = ana.sends_photo(b"pixels")["photo"][-1]["file_id"]
    item = {"type": "photo", "media": photo}
    assert await bot.result("sendPhoto", chat_id=ana.id, photo=photo, caption="c" * 1024)
    assert await bot.refusal("sendPhoto", chat_id=ana.id, photo=photo, caption="c" * 1025) == (
        400,
        "Bad Request: message caption is too long",
    )
    assert await bot.refusal("sendPhoto", chat_id=ana.id) == (
        400,
        "Bad Request: there is no photo in the request",
    )
    for count in (1, 11):
        assert not (await bot.call("sendMediaGroup", chat_id=ana.id, media=[item] * count))["ok"]
    other = server.person("Ben")
    sent = await bot.result("sendMediaGroup", chat_id=other.id, media=[item] * 5)
    assert len({each["media_group_id"] for each in sent}) == 1

    other = server.person("Eva")
    form = aiohttp.FormData({"chat_id": str(other.id)})
    form.add_field("document", b"a,b\n", filename="table.csv")
    async with bot.http.post(f"{server.url}/bot{server.token}/sendDocument", data=form) as response:
        assert (await response.json())["result"]["document"]["file_size"] == 4


async def test_files_up_to_20_mb_can_be_fetched(server: TelegramServer, bot: Bot) -> None:
    ana = server.person("Ana")
    fits = ana.sends_document(b"hello", "a.txt", "text/plain", size=20 * 1024 * 1024)
    large = ana.sends_document(b"", "b.txt", "text/plain", size=20 * 1024 * 1024 + 1)
    found = await bot.result("getFile", file_id=fits["document"]["file_id"])
    async with bot.http.get(
        f"{server.url}/file/bot{server.token}/{found['file_path']}"
    ) as response:
        assert await response.read() == b"hello"
    async with bot.http.get(f"{server.url}/file/bot1:x/{found['file_path']}") as response:
        assert response.status == 404
    assert await bot.refusal("getFile", file_id=large["document"]["file_id"]) == (
        400,
        "Bad Request: file is too big",
    )
    assert (await bot.refusal("getFile", file_id="unknown"))[0] == 400


async def test_too_many_messages_are_told_to_wait(
    server: TelegramServer, bot: Bot, clock: FakeClock
) -> None:
    group = server.group("Garden")
    for _ in range(20):
        await bot.result("sendMessage", chat_id=group.id, text="x")
        clock.pass_(seconds=1)
    answer = await bot.call("sendMessage", chat_id=group.id, text="x")
    assert answer["error_code"] == 429
    assert answer["parameters"] == {"retry_after": 40}
    clock.pass_(seconds=40)
    assert await bot.result("sendMessage", chat_id=group.id, text="x")

    ana = server.person("Ana")
    for _ in range(5):
        await bot.result("sendMessage", chat_id=ana.id, text="x")
    assert (await bot.refusal("sendMessage", chat_id=ana.id, text="x"))[0] == 429


async def test_whom_a_bot_may_write_to(server: TelegramServer, bot: Bot) -> None:
    ana, stranger = server.person("Ana"), server.person("Ben", new=True)
    group = server.group("Garden")

    async def why(chat: int, **more: Any) -> tuple[int, str]:
        return await bot.refusal("sendMessage", chat_id=chat, text="x", **more)

    assert await why(99) == (400, "Bad Request: chat not found")
    assert await why(stranger.id) == (403, "Forbidden: bot can't initiate conversation with a user")
    ana.blocks()
    assert await why(ana.id) == (403, "Forbidden: bot was blocked by the user")
    ana.writes("back again")
    assert await bot.result("sendMessage", chat_id=ana.id, text="welcome")
    group.removes_bot()
    assert await why(group.id) == (403, "Forbidden: bot was kicked from the group chat")


async def test_a_group_that_became_a_supergroup_says_its_new_id(
    server: TelegramServer, bot: Bot
) -> None:
    group = server.group("Garden")
    new = group.upgrade()
    answer = await bot.call("sendMessage", chat_id=group.id, text="x")
    assert answer == {
        "ok": False,
        "error_code": 400,
        "description": "Bad Request: group chat was upgraded to a supergroup chat",
        "parameters": {"migrate_to_chat_id": new.id},
    }
    leaving, arriving = await bot.result("getUpdates")
    assert leaving["message"]["migrate_to_chat_id"] == new.id
    assert arriving["message"]["migrate_from_chat_id"] == group.id
    assert arriving["message"]["chat"]["type"] == "supergroup"


async def test_topics_and_replies_must_be_there(server: TelegramServer, bot: Bot) -> None:
    forum = server.group("Forum", forum=True)
    thread = forum.topic("Roses")
    sent = await bot.result("sendMessage", chat_id=forum.id, text="x", message_thread_id=thread)
    assert (sent["message_thread_id"], sent["is_topic_message"]) == (thread, True)
    assert await bot.refusal(
        "sendMessage", chat_id=forum.id, text="x", message_thread_id=thread + 999
    ) == (400, "Bad Request: message thread not found")
    assert await bot.refusal(
        "sendMessage", chat_id=forum.id, text="x", reply_parameters={"message_id": 5}
    ) == (400, "Bad Request: message to be replied not found")
    lenient = {"message_id": 5, "allow_sending_without_reply": True}
    assert await bot.result("sendMessage", chat_id=forum.id, text="x", reply_parameters=lenient)
    assert await bot.result("sendChatAction", chat_id=forum.id, action="typing")
    assert (await bot.refusal("sendChatAction", chat_id=forum.id, action="singing"))[0] == 400


async def test_a_message_is_edited_to_something_else(server: TelegramServer, bot: Bot) -> None:
    ana = server.person("Ana")
    sent = await bot.result("sendMessage", chat_id=ana.id, text="one")
    where = {"chat_id": ana.id, "message_id": sent["message_id"]}
    assert (await bot.result("editMessageText", **where, text="two"))["text"] == "two"
    assert "not modified" in (await bot.refusal("editMessageText", **where, text="two"))[1]
    theirs = ana.writes("mine")["message_id"]
    assert not (await bot.call("editMessageText", chat_id=ana.id, message_id=theirs, text="no"))[
        "ok"
    ]


async def test_the_menu_is_kept_per_language(server: TelegramServer, bot: Bot) -> None:
    menu = [{"command": "help", "description": "what I can do"}]
    await bot.result("setMyCommands", commands=menu, language_code="es")
    assert await bot.result("getMyCommands", language_code="es") == menu
    assert await bot.result("getMyCommands") == []
    for name in ("Help", "记忆", "a" * 33, "", "with space"):
        wrong = [{"command": name, "description": "x"}]
        assert not (await bot.call("setMyCommands", commands=wrong))["ok"], name
    assert not (await bot.call("setMyCommands", commands=[{"command": "x", "description": ""}]))[
        "ok"
    ]


async def test_faults_come_in_order_and_the_call_may_have_been_carried_out(
    server: TelegramServer, bot: Bot
) -> None:
    ana = server.person("Ana")
    server.fails(
        "sendMessage", fault(429, "Too Many Requests: retry after 7", retry_after=7), fault(502)
    )
    answer = await bot.call("sendMessage", chat_id=ana.id, text="x")
    assert answer["parameters"] == {"retry_after": 7}
    with pytest.raises(aiohttp.ContentTypeError):
        await bot.call("sendMessage", chat_id=ana.id, text="x")
    assert server.sent == []
    server.fails("sendMessage", fault("cut"), after=True)
    with pytest.raises(aiohttp.ClientError):
        await bot.call("sendMessage", chat_id=ana.id, text="in flight")
    assert server.texts() == ["in flight"]
    server.fails("sendMessage", fault("slow"))
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await bot.call("sendMessage", chat_id=ana.id, text="x")
