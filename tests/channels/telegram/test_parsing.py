from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche.channels import ChannelRequest, Entity, Incoming, Left, Moved
from cloche.errors import RequestError
from cloche.messages import Address, Attachment, Message, Quoted
from cloche.testing import TelegramServer
from cloche_channels.telegram import TelegramChannel
from cloche_channels.telegram.formatting import without_calls
from cloche_channels.telegram.parsing import Bot, parse_update

Parsed = Callable[[], list[Incoming]]


def only(found: list[Incoming]) -> Message:
    (message,) = found
    assert isinstance(message, Message)
    return message


async def test_a_private_message_is_the_persons_own(server: TelegramServer, parsed: Parsed) -> None:
    ana = server.person("Ana")
    written = ana.writes("hello *there* 2*3 _x_ #tag https://example.org")
    message = only(parsed())
    assert message == Message(
        id=str(server.world.history[0]["update_id"]),
        address=Address("telegram", str(ana.id)),
        conversation=str(ana.id),
        text="hello *there* 2*3 _x_ #tag https://example.org",
        sender_name="Ana",
        sent_at=datetime(2026, 11, 30, 9, 0, tzinfo=UTC),
        ref=str(written["message_id"]),
    )


async def test_formatting_that_a_person_chose_becomes_markdown(
    server: TelegramServer, parsed: Parsed
) -> None:
    """B-13, B-14: offsets are UTF-16 code units."""
    ana = server.person("Ana")
    ana.writes("🌱 word and code", entities=[BOLD, {"type": "code", "offset": 12, "length": 4}])
    message = only(parsed())
    assert message.formatted == message.markdown == "🌱 **word** and `code`"
    assert message.text == "🌱 word and code"
    ana.sends({"photo": [{"file_id": "f", "width": 1, "height": 1}]} | CAPTION)
    assert only(parsed()).formatted == "🌱 **word**"
    link = {"type": "text_link", "offset": 0, "length": 4, "url": "https://example.org/a"}
    ana.writes("look", entities=[link])
    message = only(parsed())
    assert message.formatted == "[look](<https://example.org/a>)"
    assert message.text == "look (https://example.org/a)"
    ana.writes("example.org/a", entities=[link | {"length": 13}])
    assert only(parsed()).text == "example.org/a"
    ana.writes("no signs *of* formatting & none")
    message = only(parsed())
    assert message.text == message.markdown == "no signs *of* formatting & none"
    assert message.formatted == ""


BOLD = {"type": "bold", "offset": 3, "length": 4}
CAPTION = {"caption": "🌱 word", "caption_entities": [BOLD]}


async def test_a_command_keeps_its_payload(server: TelegramServer, parsed: Parsed) -> None:
    server.person("Ana").writes("/start Pair_CODE-1")
    assert only(parsed()).text == "/start Pair_CODE-1"


BOT = "@cloche_test_bot"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"{BOT} what is this?", "what is this?"),
        (f"{BOT} My shed is blue.", "My shed is blue."),
        (f"{BOT}, mi cobertizo es azul.", "mi cobertizo es azul."),
        (f"{BOT}，我的棚子是蓝色的。", "我的棚子是蓝色的。"),
        (f"{BOT}: /help", "/help"),
        ("what is this, @CLOCHE_test_Bot?", "what is this?"),
        (f"mi cobertizo es azul {BOT}", "mi cobertizo es azul"),
        (f"我的棚子是蓝色的，{BOT}。", "我的棚子是蓝色的。"),
        (f"hola {BOT}, mi cobertizo es azul", "hola, mi cobertizo es azul"),
        (f"{BOT} {BOT} hello {BOT}!", "hello!"),
        (f"🌱🌱 {BOT}", "🌱🌱"),
        (f"what can {BOT} do?", f"what can {BOT} do?"),
        (f"¿qué sabe {BOT} de mí?", f"¿qué sabe {BOT} de mí?"),
        (BOT, ""),
        ("/help", "/help"),
        (f"/help{BOT} now", f"/help{BOT} now"),
        ("/帮助", "/帮助"),
    ],
)
async def test_in_a_group_it_answers_when_named_or_commanded_and_its_name_is_no_word(
    server: TelegramServer, parsed: Parsed, text: str, words: str
) -> None:
    ana, group = server.person("Ana"), server.group("Garden")
    ana.writes(text, to=group)
    ana.sends_photo(b"rose", text, to=group)
    for message in parsed():
        assert isinstance(message, Message)
        assert (message.group, message.addressed, message.text) == (True, True, words)
        where = message.conversation, message.address.sender
        assert where == (str(group.id), str(ana.id))


@pytest.mark.parametrize(
    "text",
    [
        "what is this?",
        f"{BOT}2 hello",
        f"mail ana{BOT}",
        "/help@other_bot",
        f"/help@other_bot {BOT}",
        "/etc/hosts is wrong",
    ],
)
async def test_in_a_group_what_is_for_others_is_heard_as_it_is(
    server: TelegramServer, parsed: Parsed, text: str
) -> None:
    ana, group = server.person("Ana"), server.group("Garden")
    ana.writes(text, to=group)
    message = only(parsed())
    assert (message.group, message.addressed, message.text) == (True, False, text)


async def test_formatting_stays_where_it_was_when_the_name_goes(
    server: TelegramServer, parsed: Parsed
) -> None:
    ana, group = server.person("Ana"), server.group("Garden")
    bold = {"type": "bold", "offset": len(BOT) + 7, "length": 4}
    ana.writes(f"{BOT} 🌱 my shed", entities=[bold], to=group)
    message = only(parsed())
    assert (message.text, message.formatted) == ("🌱 my shed", "🌱 my **shed**")
    name = {"type": "bold", "offset": 0, "length": 16}
    ana.writes(f"{BOT} my shed", entities=[name], to=group)
    assert only(parsed()).text == "my shed"
    ana.writes(f"{BOT} my shed", to=None)
    assert only(parsed()).text == f"{BOT} my shed"


@given(
    st.lists(st.sampled_from([BOT, " ", ", ", "🌱", "rose", "?", "\n", "你好"]), max_size=9),
    st.integers(0, 40),
    st.integers(1, 40),
)
def test_no_place_of_the_name_breaks_words_or_formatting(
    pieces: list[str], start: int, length: int
) -> None:
    text = "".join(pieces)
    calls = [(found.start(), found.end()) for found in re.finditer(BOT, text)]
    end = min(len(text), start + length)
    marks = [Entity("bold", start, end)] if start < end else []
    left, kept = without_calls(text, marks, calls)
    assert calls or left == text
    assert len(left) <= len(text)
    assert all(0 <= one.start < one.end <= len(left) for one in kept)


async def test_in_a_group_a_reply_or_a_mention_without_a_user_name_counts(
    server: TelegramServer, channel: TelegramChannel, parsed: Parsed
) -> None:
    from cloche.channels import Part

    ana, ben, group = server.person("Ana"), server.person("Ben"), server.group("Garden")
    await channel.send(Part(str(group.id), "a rose"))
    ours = server.sent[-1]
    ana.writes("which one?", to=group, answers=ours)
    reply = only(parsed())
    assert reply.addressed
    assert reply.quoted == (Quoted("a rose", "Cloche", own=True),)
    theirs = ana.writes("the red one", to=group)
    ben.writes("no", to=group, answers=theirs)
    assert [each.addressed for each in parsed() if isinstance(each, Message)] == [False, False]
    mark = {"type": "text_mention", "offset": 0, "length": 6, "user": server.world.bot}
    ana.writes("Cloche, hello", to=group, entities=[mark])
    assert only(parsed()).addressed
    ana.sends({"photo": [{"file_id": "f", "width": 1, "height": 1}]} | MENTIONED, to=group)
    assert only(parsed()).addressed


MENTIONED = {
    "caption": "@cloche_test_bot",
    "caption_entities": [{"type": "mention", "offset": 0, "length": 16}],
}


async def test_a_topic_is_a_thread_and_its_opening_is_no_reply(
    server: TelegramServer, parsed: Parsed
) -> None:
    """B-25, B-27: the same path for files; negative ids and topics stay what they are."""
    ana, forum = server.person("Ana"), server.group("Forum", forum=True)
    thread = forum.topic("Roses")
    ana.writes("hello", to=forum, thread=thread)
    ana.sends_voice(b"ogg", to=forum, thread=thread)
    text, voice = (each for each in parsed() if isinstance(each, Message))
    assert (text.thread, text.quoted, text.addressed) == (str(thread), (), False)
    assert text.conversation == str(forum.id)
    assert text.conversation.startswith("-100")
    assert text.place == f"{forum.id}#{thread}"
    assert (voice.thread, voice.attachments[0].media_type) == (str(thread), "audio/ogg")


async def test_a_chain_of_replies_is_no_topic(server: TelegramServer, parsed: Parsed) -> None:
    ana, group = server.person("Ana"), server.group("Garden", supergroup=True)
    ana.sends({"text": "yes", "message_thread_id": 7}, to=group)
    assert only(parsed()).thread == ""


async def test_an_edit_names_the_message_it_changes(server: TelegramServer, parsed: Parsed) -> None:
    """B-20."""
    ana = server.person("Ana")
    written = ana.writes("I love tulips")
    ana.edits(written, "I love roses")
    first, second = (each for each in parsed() if isinstance(each, Message))
    assert (first.edits, second.edits) == (False, True)
    assert first.ref == second.ref == str(written["message_id"])
    assert second.text == "I love roses"
    assert first.id != second.id


async def test_the_largest_form_of_a_photo_within_the_limit_is_taken(
    server: TelegramServer, parsed: Parsed
) -> None:
    ana = server.person("Ana")
    small = ana.sends_photo(b"pixels", "my fig", size=900_000)
    message = only(parsed())
    assert message.text == "my fig"
    largest = Attachment(small["photo"][-1]["file_id"], media_type="image/jpeg", size=900_000)
    assert message.attachments == (largest,)
    large = ana.sends_photo(b"pixels", size=30_000_000)
    assert only(parsed()).attachments[0].ref == large["photo"][1]["file_id"]


async def test_the_parts_of_an_album_belong_together(
    server: TelegramServer, parsed: Parsed
) -> None:
    """B-21, B-23."""
    server.person("Ana").sends_album([b"1", b"2", b"3"], "three figs")
    album = [each for each in parsed() if isinstance(each, Message)]
    assert len({each.burst for each in album}) == 1
    assert album[0].burst
    assert [each.text for each in album] == ["three figs", "", ""]
    assert len({each.attachments[0].ref for each in album}) == 3


async def test_a_new_caption_is_no_part_of_an_album_that_is_still_coming(
    server: TelegramServer, parsed: Parsed
) -> None:
    ana = server.person("Ana")
    first, _ = ana.sends_album([b"1", b"2"], "figs")
    parsed()
    ana.edits(first, "dates")
    message = only(parsed())
    assert (message.text, message.edits, message.burst) == ("dates", True, "")


@pytest.mark.parametrize(
    ("kind", "about", "expected"),
    [
        ("voice", {"mime_type": "audio/ogg"}, ("", "audio/ogg")),
        ("audio", {"file_name": "a.mp3"}, ("a.mp3", "audio/mpeg")),
        ("document", {"file_name": "a.txt", "mime_type": "text/plain"}, ("a.txt", "text/plain")),
        ("document", {}, ("", "")),
        ("video", {"mime_type": "video/quicktime"}, ("", "video/quicktime")),
        ("video_note", {}, ("", "video/mp4")),
        ("animation", {"mime_type": "video/mp4"}, ("", "video/mp4")),
    ],
)
async def test_every_kind_of_file_comes_with_what_is_said_of_it(
    server: TelegramServer, parsed: Parsed, kind: str, about: Any, expected: tuple[str, str]
) -> None:
    """B-18, B-24: also one that is too large starts a turn, which tells."""
    server.person("Ana").sends_file(kind, b"bytes", size=21_000_000, about=about, caption="see")
    message = only(parsed())
    (file,) = message.attachments
    assert (file.name, file.media_type, file.size) == (*expected, 21_000_000)
    assert message.text == "see"


@pytest.mark.parametrize(
    ("language", "content", "text"),
    [
        ("en", {"sticker": {"file_id": "s", "emoji": "🌵"}}, "(sticker 🌵)"),
        ("es", {"sticker": {"file_id": "s", "emoji": "🌵"}}, "(sticker 🌵)"),
        ("zh-hans", {"sticker": {"file_id": "s", "emoji": "🌵"}}, "（贴纸 🌵）"),
        ("en", {"location": {"latitude": 59.9, "longitude": -10}}, "59.90000, -10.00000"),
        ("es", {"location": {"latitude": 1, "longitude": 2}}, "lugar en el mapa"),
        ("en", {"location": {"latitude": 10**400, "longitude": 2}}, "0.00000, 2.00000"),
        ("zh", {"location": {"latitude": 1, "longitude": float("inf")}}, "1.00000, 0.00000"),
        (
            "en",
            {
                "location": {"latitude": 1, "longitude": 2},
                "venue": {
                    "location": {"latitude": 1, "longitude": 2},
                    "title": "Botanic garden",
                    "address": "Main street",
                },
            },
            "Botanic garden, Main street, 1.00000, 2.00000",
        ),
        ("en", {"contact": {"first_name": "Ben", "phone_number": "+47 1"}}, "Ben, +47 1"),
        ("en", {"poll": {"question": "Tea?", "options": [{"text": "yes"}]}}, "Tea? yes"),
        ("en", {"dice": {"emoji": "🎲", "value": 5}}, "🎲 thrown: 5"),
        ("en", {"checklist": {"title": "Buy", "tasks": [{"text": "soil"}]}}, "Buy: soil"),
        ("zh", {"story": {"id": 1}}, "无法读取"),
        ("en", {"something_new": {}}, "cannot read"),
        ("en", {}, "cannot read"),
    ],
)
async def test_what_has_no_words_is_said_in_a_few_and_nothing_is_met_with_silence(
    server: TelegramServer, parsed: Parsed, language: str, content: Any, text: str
) -> None:
    server.person("Ana", language=language).sends(content)
    message = only(parsed())
    assert (message.text, message.attachments) == ("", ()), "nobody wrote these words"
    assert text in message.quoted[0].text
    assert message.quoted[0].shown


async def test_what_is_passed_on_is_quoted_and_never_the_persons_words(
    server: TelegramServer, parsed: Parsed
) -> None:
    ana, ben = server.person("Ana"), server.person("Ben")
    theirs = ben.writes("/forget all")
    parsed()
    ana.forwards(theirs)
    message = only(parsed())
    assert (message.text, message.quoted) == ("", (Quoted("/forget all", "Ben", forwarded=True),))
    post = server.channel("News").posts("frost tonight")
    parsed()
    ana.forwards(post)
    assert only(parsed()).quoted == (Quoted("frost tonight", "News", forwarded=True),)
    ana.sends({"text": "hi", "forward_origin": {"type": "hidden_user", "sender_user_name": "X"}})
    assert only(parsed()).quoted == (Quoted("hi", "X", forwarded=True),)
    ana.forwards(theirs, to=server.group("Garden"))
    assert not only(parsed()).addressed
    ana.forwards(ben.sends_photo(b"pixels"))
    photo = parsed()[-1]
    assert isinstance(photo, Message)
    assert (photo.quoted[0].text, len(photo.attachments)) == ("(photo)", 1)


async def test_a_reply_quotes_what_it_answers_or_the_part_that_was_chosen(
    server: TelegramServer, parsed: Parsed
) -> None:
    ana, ben = server.person("Ana", language="es"), server.person("Ben")
    theirs = ben.writes("the fig and the rose")
    parsed()
    ana.writes("both?", answers=theirs)
    assert only(parsed()).quoted == (Quoted("the fig and the rose", "Ben"),)
    ana.writes("this one", answers=theirs, quote="the rose")
    assert only(parsed()).quoted == (Quoted("the rose", "Ben"),)
    picture = ben.sends_photo(b"pixels", "my fig")
    parsed()
    ana.writes("nice", answers=picture)
    assert only(parsed()).quoted == (Quoted("(foto) my fig", "Ben"),)


async def test_a_group_that_moved_and_a_person_who_left_are_told(
    server: TelegramServer, parsed: Parsed
) -> None:
    """B-26, B-32."""
    group, ana = server.group("Garden"), server.person("Ana")
    new = group.upgrade()
    ana.blocks()
    ana.unblocks()
    new.removes_bot()
    ids = [str(update["update_id"]) for update in server.world.history]
    assert parsed() == [
        Moved(ids[0], str(group.id), str(new.id)),
        Moved(ids[1], str(group.id), str(new.id)),
        Left(ids[2], str(ana.id)),
        Left(ids[4], str(new.id)),
    ]


async def test_a_pressed_button_says_its_data(
    server: TelegramServer, channel: TelegramChannel, parsed: Parsed
) -> None:
    from cloche.channels import Part
    from cloche.messages import Button

    ana, forum = server.person("Ana"), server.group("Forum", forum=True)
    thread = forum.topic("Roses")
    buttons = (Button("Yes, do", "/forget all abc"), Button("No", "no"))
    await channel.send(Part(str(forum.id), "Sure?", thread=str(thread), buttons=buttons))
    ana.presses(server.sent[-1], "Yes, do")
    message = parsed()[-1]
    assert isinstance(message, Message)
    assert (message.text, message.thread, message.addressed) == (
        "/forget all abc",
        str(thread),
        True,
    )
    assert message.address.sender == str(ana.id)


async def test_what_nobody_says_to_the_assistant_is_passed_over(
    server: TelegramServer, parsed: Parsed
) -> None:
    ana, group = server.person("Ana"), server.group("Garden")
    server.channel("News").posts("hello")
    other = {"id": 9, "is_bot": True, "first_name": "Other"}
    ana.sends({"new_chat_members": [ana.user]}, to=group)
    ana.sends({"pinned_message": {"message_id": 1}}, to=group)
    ana.sends({"text": "beep", "from": other}, to=group)
    ana.sends({"text": "post", "is_automatic_forward": True}, to=group)
    walk = ana.sends_location(1, 2)
    assert len(parsed()) == 1
    walk["location"] = {"latitude": 3, "longitude": 4}
    server.world.update("edited_message", walk)
    server.world.update("message_reaction", {"chat": {"id": 1}})
    assert parsed() == []


async def test_who_writes_as_a_group_is_nobody_in_particular(
    server: TelegramServer, parsed: Parsed
) -> None:
    group = server.group("Garden", supergroup=True)
    anonymous = {"id": 1087968824, "is_bot": True, "first_name": "Group"}
    ana = server.person("Ana")
    ana.sends({"text": "/memory", "from": anonymous, "sender_chat": group.chat.shown()}, to=group)
    message = only(parsed())
    assert (message.address.sender, message.sender_name) == (str(group.id), "Garden")
    assert not message.addressed, "any of the group's admins may have written it"


@pytest.mark.parametrize(
    ("update", "where"),
    [
        ([], "body"),
        ({}, "/update_id"),
        ({"update_id": True}, "/update_id"),
        ({"update_id": 1, "message": 5}, "/message"),
        ({"update_id": 1, "message": {}}, "/message/chat"),
        ({"update_id": 1, "message": {"chat": {}, "from": {"id": 1}, "text": "x"}}, "/chat/id"),
        ({"update_id": 1, "message": {"chat": {"id": 1}, "from": {}, "text": "x"}}, "/from/id"),
        ({"update_id": 1, "callback_query": {"message": {}, "data": "x"}}, "/chat"),
        ({"update_id": 1, "my_chat_member": {}}, "/my_chat_member/chat"),
    ],
)
def test_what_is_no_update_is_refused_by_its_field(update: Any, where: str) -> None:
    with pytest.raises(RequestError, match=where):
        parse_update(update, Bot(1))


NAMES = st.sampled_from(
    "update_id message edited_message callback_query my_chat_member chat id from text entities "
    "type offset length photo file_id document caption reply_to_message forward_origin quote date "
    "message_id sender_chat data new_chat_member status migrate_to_chat_id location venue poll "
    "is_topic_message message_thread_id user url edit_date media_group_id".split()
)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
DOCUMENTS = st.recursive(
    LEAVES, lambda inner: st.lists(inner) | st.dictionaries(NAMES, inner), max_leaves=40
)


@given(st.dictionaries(NAMES, DOCUMENTS), DOCUMENTS)
def test_whatever_comes_is_parsed_or_refused(fields: dict[str, Any], content: Any) -> None:
    shapes = [fields, {"update_id": 1, "message": content}]
    known = {"message_id": 1, "chat": {"id": -5, "type": "group"}, "from": {"id": 7}}
    shapes.append({"update_id": 1, "message": fields | known})
    for update in shapes:
        try:
            found = parse_update(update, Bot(7, "bot"))
        except RequestError:
            continue
        assert all(isinstance(each, Message | Moved | Left) for each in found)


def test_the_ids_a_request_is_read_by_are_those_of_the_message(
    channel: TelegramChannel,
) -> None:
    body = (
        b'{"update_id": 12, "message": {"message_id": 3, "media_group_id": "77", "text": "x",'
        b' "from": {"id": 5}, "chat": {"id": -100123, "type": "supergroup"}}}'
    )
    (message,) = channel.parse(ChannelRequest(body))
    assert isinstance(message, Message)
    assert (message.id, message.conversation, message.address.sender, message.burst) == (
        "12",
        "-100123",
        "5",
        "77",
    )
