from __future__ import annotations

import logging
import traceback
from typing import Any

import pytest

from cloche.channels import (
    Entity,
    MovedError,
    Part,
    SendError,
    SendLaterError,
    SendRefusedError,
    UnreachableError,
)
from cloche.errors import FileTooLargeError, RequestError, SettingsError
from cloche.messages import Attachment, Button, Message
from cloche.testing import FakeClock, Fault, TelegramServer, fault
from cloche_channels.telegram import TelegramChannel

MOST = 20_000_000


async def test_text_goes_with_its_formatting_beside_it_and_never_a_parse_mode(
    server: TelegramServer, channel: TelegramChannel
) -> None:
    """B-1, B-2, B-3, B-4, B-11, B-14: nothing in the text is formatting."""
    ana = server.person("Ana")
    text = "🌱 **Head** <b>Chad Smith <chad@example.com> - . ! _x\nprint(1)"
    start = text.index("Chad")
    entities = (
        Entity("bold", start, start + 10),
        Entity("link", start, start + 4, url="https://example.org/?a=1&b=2"),
        Entity("pre", text.index("print"), len(text), language="python"),
        Entity("blockquote", 0, 1),
    )
    await channel.send(Part(str(ana.id), text, entities=entities))
    (sent,) = server.sent
    assert sent["text"] == text
    assert sent["entities"] == [
        {"type": "bold", "offset": start + 1, "length": 10},
        {
            "type": "text_link",
            "offset": start + 1,
            "length": 4,
            "url": "https://example.org/?a=1&b=2",
        },
        {
            "type": "pre",
            "offset": text.index("print") + 1,
            "length": 8,
            "language": "python",
        },
        {"type": "blockquote", "offset": 0, "length": 2},
    ]
    call = server.calls[-1].arguments.values
    assert "parse_mode" not in call
    assert call["link_preview_options"] == {"is_disabled": True}


async def test_plain_text_is_sent_plainly(server: TelegramServer, channel: TelegramChannel) -> None:
    """B-5."""
    ana = server.person("Ana")
    await channel.send(Part(str(ana.id), "hello"))
    call = server.calls[-1]
    assert call.method == "sendMessage"
    assert set(call.arguments.values) == {"chat_id", "text", "link_preview_options"}


async def test_a_reply_goes_to_its_topic_and_message_with_its_buttons(
    server: TelegramServer, channel: TelegramChannel
) -> None:
    ana, forum = server.person("Ana"), server.group("Forum", forum=True)
    thread = forum.topic("Roses")
    asked = ana.writes("hello", to=forum, thread=thread)
    buttons = (Button("Yes", "yes"), Button("No", "no"))
    place = {"conversation": str(forum.id), "thread": str(thread)}
    await channel.send(Part(**place, text="hi", answers=str(asked["message_id"]), buttons=buttons))
    (sent,) = server.sent
    assert (sent["message_thread_id"], sent["is_topic_message"]) == (thread, True)
    assert sent["reply_to_message"]["message_id"] == asked["message_id"]
    assert sent["reply_markup"]["inline_keyboard"] == [
        [{"text": "Yes", "callback_data": "yes"}],
        [{"text": "No", "callback_data": "no"}],
    ]
    await channel.typing(**place)
    assert server.world.actions == [(forum.id, thread, "typing")]
    # What was answered is gone meanwhile; the answer still comes.
    await channel.send(Part(**place, text="again", answers="5"))
    await channel.send(Part(str(forum.id), "general", thread="1"))
    assert server.texts() == ["hi", "again", "general"]


async def test_a_pressed_button_is_answered_once_when_something_is_done(
    server: TelegramServer, channel: TelegramChannel, request_of: Any
) -> None:
    ana = server.person("Ana")
    await channel.send(Part(str(ana.id), "?", buttons=(Button("Yes", "yes"),)))
    query = ana.presses(server.sent[-1], "Yes")
    channel.parse(request_of(server.world.history[-1]))
    await channel.typing(str(server.person("Ben").id), "")
    assert server.world.presses == {query: False}
    await channel.typing(str(ana.id), "")
    assert server.world.presses == {query: True}
    await channel.send(Part(str(ana.id), "done"))
    assert [each.method for each in server.calls].count("answerCallbackQuery") == 1


@pytest.mark.parametrize(
    "refusal", ["", "Bad Request: TOPIC_DELETED", "Bad Request: message thread not found"]
)
async def test_what_was_said_in_a_topic_that_is_deleted_goes_to_the_forum(
    server: TelegramServer, channel: TelegramChannel, refusal: str
) -> None:
    ana, forum = server.person("Ana"), server.group("Forum", forum=True)
    roses, figs = forum.topic("Roses"), forum.topic("Figs")
    asked = ana.writes("hello", to=forum, thread=roses)
    if refusal:
        server.fails("sendMessage", fault(400, refusal))
    else:
        del forum.chat.topics[roses]
        del forum.chat.messages[asked["message_id"]]
    place = {"conversation": str(forum.id), "thread": str(roses)}
    buttons = (Button("Yes", "yes"),)
    part = Part(**place, text="浇水了", answers=str(asked["message_id"]), buttons=buttons)
    await channel.send(part)
    await channel.send(Part(str(forum.id), "figs", thread=str(figs)))
    assert server.texts() == ["浇水了", "figs"]
    sent, other = server.sent
    assert "message_thread_id" not in sent
    assert sent["reply_markup"]["inline_keyboard"] == [[{"text": "Yes", "callback_data": "yes"}]]
    assert other["message_thread_id"] == figs


async def test_a_refusal_of_a_topic_is_told_where_there_is_no_topic(
    server: TelegramServer, channel: TelegramChannel
) -> None:
    """Never sent again for ever: one more try is all."""
    ana = server.person("Ana")
    gone = fault(400, "Bad Request: message thread not found")
    server.fails("sendMessage", gone, gone, gone)
    for thread, tries in (("", 1), ("77", 3)):
        with pytest.raises(SendRefusedError):
            await channel.send(Part(str(ana.id), "x", thread=thread))
        assert [each.method for each in server.calls].count("sendMessage") == tries


async def test_no_typing_in_a_chat_that_was_told_to_wait(
    server: TelegramServer, channel: TelegramChannel, clock: FakeClock
) -> None:
    ana, ben = str(server.person("Ana").id), str(server.person("Ben").id)
    flood = fault(429, "Too Many Requests: retry after 7", retry_after=7)
    for method, failing in (
        ("sendMessage", lambda: channel.send(Part(ana, "x"))),
        ("sendChatAction", lambda: channel.typing(ana, "")),
    ):
        server.fails(method, flood)
        with pytest.raises(SendLaterError):
            await failing()
        shown = len(server.world.actions)
        calls = len(server.calls)
        clock.pass_(seconds=6)
        await channel.typing(ana, "")
        assert len(server.calls) == calls
        await channel.typing(ben, "")
        clock.pass_(seconds=1)
        await channel.typing(ana, "")
        assert [str(chat) for chat, *_ in server.world.actions[shown:]] == [ben, ana]


@pytest.mark.parametrize(
    ("failure", "error"),
    [
        (fault(429, "Too Many Requests: retry after 7", retry_after=7), SendLaterError),
        (fault(400, "Bad Request: can't parse entities"), SendRefusedError),
        (fault(403, "Forbidden: bot was blocked by the user"), UnreachableError),
        (fault(403, "Forbidden: user is deactivated"), UnreachableError),
        (fault(400, "Bad Request: CHAT_WRITE_FORBIDDEN"), UnreachableError),
        (fault(502), SendError),
        (fault(500), SendError),
        (fault("cut"), SendError),
        (fault("empty"), SendError),
    ],
)
async def test_a_failed_send_says_what_it_means_and_never_the_token(
    server: TelegramServer,
    channel: TelegramChannel,
    failure: Fault,
    error: type[SendError],
    caplog: pytest.LogCaptureFixture,
) -> None:
    """B-29, B-32, B-33."""
    caplog.set_level(logging.DEBUG)
    ana = server.person("Ana")
    server.fails("sendMessage", failure)
    with pytest.raises(SendError) as caught:
        await channel.send(Part(str(ana.id), "x"))
    assert type(caught.value) is error
    if isinstance(caught.value, SendLaterError):
        assert caught.value.seconds == 7
    assert caught.value.__context__ is None
    shown = "".join(traceback.format_exception(caught.value)) + caplog.text
    assert server.token not in shown
    assert "7000000001:" not in shown


@pytest.mark.parametrize(
    ("failure", "told"),
    [
        (
            fault(400, "Bad Request: can't parse entities: unsupported start tag oolong"),
            "sendMessage: Telegram answered 400 unreadable",
        ),
        (fault(400, "Bad Request: oolong is odd"), "sendMessage: Telegram answered 400"),
        (fault(403, "Forbidden: oolong left"), "sendMessage: Telegram answered 403"),
        (
            fault(429, "Too Many Requests: oolong", retry_after=7),
            "sendMessage: Telegram answered 429",
        ),
        (fault("cut"), "Telegram cannot be reached (it broke off)"),
    ],
)
async def test_what_the_log_says_of_a_failure_is_in_none_of_telegrams_words(
    server: TelegramServer, channel: TelegramChannel, failure: Fault, told: str
) -> None:
    ana = server.person("Ana")
    server.fails("sendMessage", failure)
    with pytest.raises(SendError) as caught:
        await channel.send(Part(str(ana.id), "x"))
    assert caught.value.told == told


async def test_whoever_cannot_be_reached_at_all_gets_no_token_either(
    make: Any, server: TelegramServer
) -> None:
    for url in ("http://127.0.0.1:9", "https://127.0.0.1:9"):
        channel = make(api_url=url)
        with pytest.raises(SendError) as caught:
            await channel.send(Part("1", "x"))
        assert caught.value.__context__ is None
        assert server.token not in repr(caught.value)
        ((well, told),) = await channel.check()
        assert not well
        assert server.token not in told


async def test_a_timeout_is_told_without_the_address(
    server: TelegramServer, make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cloche_channels.telegram.channel.OPEN_SECONDS", 0.05)
    server.fails("getMe", fault("slow"))
    channel = make()
    await channel.open()  # a slow start is a warning, not an end
    assert [each.method for each in server.calls] == ["getMe"]


async def test_who_left_a_group_that_moved_or_never_began(
    server: TelegramServer, channel: TelegramChannel
) -> None:
    """B-26, B-27, B-32, on the wire."""
    group, stranger, ana = server.group("G"), server.person("X", new=True), server.person("Ana")
    new = group.upgrade()
    with pytest.raises(MovedError) as moved:
        await channel.send(Part(str(group.id), "x"))
    assert moved.value.conversation == str(new.id)
    await channel.send(Part(moved.value.conversation, "x"))
    ana.blocks()
    for chat in (stranger.id, ana.id, 99):
        with pytest.raises(UnreachableError):
            await channel.send(Part(str(chat), "x"))
    ana.writes("back")
    await channel.send(Part(str(ana.id), "welcome"))
    with pytest.raises(SendRefusedError):
        await channel.send(Part("not a chat", "x"))
    with pytest.raises(SendRefusedError):
        await channel.send(Part(str(ana.id), "x" * 4097))


async def test_files_are_fetched_up_to_20_mb(
    server: TelegramServer, channel: TelegramChannel
) -> None:
    """B-18, B-24: an error says which, and nothing waits for ever."""
    ana = server.person("Ana")
    voice = ana.sends_voice(b"OggS")["voice"]["file_id"]
    assert await channel.fetch(Attachment(voice)) == b"OggS"
    large = ana.sends_document(b"", "a.bin", "x/y", size=21_000_000)["document"]["file_id"]
    for size in (None, MOST + 1):
        with pytest.raises(FileTooLargeError) as caught:
            await channel.fetch(Attachment(large, size=size))
        assert caught.value.most == MOST
    liar = ana.sends_document(b"x" * (MOST + 1), "a", "x/y", size=9)["document"]["file_id"]
    with pytest.raises(FileTooLargeError):
        await channel.fetch(Attachment(liar, size=9))
    with pytest.raises(RequestError, match="no such file"):
        await channel.fetch(Attachment("unknown"))
    server.fails("getFile", fault(502))
    with pytest.raises(SendError):
        await channel.fetch(Attachment(voice))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("token", ""),
        ("token", "not-a-token"),
        ("token", "123:abc/../x"),
        ("token", "123:abc\n"),
        ("api_url", "http://example.org"),
        ("api_url", "ftp://127.0.0.1"),
        ("api_url", "nonsense"),
    ],
)
def test_a_setting_that_cannot_be_is_named_and_not_shown(make: Any, key: str, value: str) -> None:
    with pytest.raises(SettingsError, match=f"TELEGRAM__{key.upper()}") as caught:
        make(**{key: value})
    assert value == "" or value not in str(caught.value)


async def test_a_token_that_telegram_does_not_know_ends_the_start(make: Any) -> None:
    channel = make(token="123456:unknown-token-of-nobody-here")
    with pytest.raises(SettingsError, match="TELEGRAM__TOKEN") as caught:
        await channel.open()
    assert "nobody" not in str(caught.value)


def test_what_was_parsed_before_the_name_was_known_still_knows_replies(
    make: Any, request_of: Any
) -> None:
    update = {
        "update_id": 1,
        "message": {
            "message_id": 2,
            "text": "yes",
            "from": {"id": 5},
            "chat": {"id": -5, "type": "group"},
            "reply_to_message": {"message_id": 1, "from": {"id": 7000000001}, "text": "?"},
        },
    }
    (message,) = make().parse(request_of(update))
    assert isinstance(message, Message)
    assert message.addressed
    assert message.quoted[0].own
