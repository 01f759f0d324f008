from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from cloche.channels import Channel, ChannelRequest
from cloche.testing import ChannelConformance, PlatformAnswer, PlatformRequest
from cloche.testing.telegram.server import TOKEN
from cloche_channels.telegram import TelegramChannel

ANA = {"id": 42, "is_bot": False, "first_name": "Ana", "language_code": "es"}
CHAT = {"id": 42, "type": "private", "first_name": "Ana"}
FORUM = {"id": -1003724596514, "type": "supergroup", "title": "Garden", "is_forum": True}


def update(number: int, kind: str, **value: Any) -> ChannelRequest:
    body = json.dumps({"update_id": number, kind: value}, ensure_ascii=False)
    return ChannelRequest(body.encode(), {"content-type": "application/json"})


def message(number: int, **value: Any) -> ChannelRequest:
    about = {"message_id": number, "date": 1796000000, "from": ANA, "chat": CHAT}
    return update(number, "message", **(about | value))


FORMS = [{"file_id": "a", "file_unique_id": "a", "width": 90, "height": 60, "file_size": 900}]
TOPIC = {"message_thread_id": 345, "is_topic_message": True, "chat": FORUM}


class TestTelegram(ChannelConformance):
    channel: ClassVar[type[Channel]] = TelegramChannel
    settings: ClassVar[Mapping[str, str]] = {"token": TOKEN, "secret": "made-up_secret"}
    samples: ClassVar[Sequence[ChannelRequest]] = (
        message(1, text="hola 🌱", entities=[{"type": "bold", "offset": 5, "length": 2}]),
        message(2, photo=FORMS, caption="figs", media_group_id="1367"),
        message(3, voice={"file_id": "v", "mime_type": "audio/ogg", "duration": 2}, **TOPIC),
        message(4, text="@cloche_bot hi", **TOPIC, reply_to_message={"message_id": 3, "text": "x"}),
        message(5, sticker={"file_id": "s", "emoji": "🌵"}),
        message(6, text="y", forward_origin={"type": "user", "sender_user": {"first_name": "B"}}),
        message(7, text="as the group", chat=FORUM, sender_chat=FORUM),
        update(8, "edited_message", message_id=1, chat=CHAT, text="hola", **{"from": ANA}),
        update(
            9,
            "callback_query",
            id="77",
            data="yes",
            message={"message_id": 1, "date": 0, "chat": CHAT},
            **{"from": ANA},
        ),
    )
    ignored: ClassVar[Sequence[ChannelRequest]] = (
        message(20, new_chat_members=[ANA], chat=FORUM),
        message(21, text="beep", **{"from": {"id": 9, "is_bot": True, "first_name": "B"}}),
        update(22, "channel_post", message_id=1, chat={"id": -1, "type": "channel"}, text="x"),
        update(23, "message_reaction", chat=CHAT, message_id=1),
        update(24, "my_chat_member", chat=CHAT, new_chat_member={"status": "member"}),
    )

    def accepted(self, request: PlatformRequest) -> PlatformAnswer:
        return PlatformAnswer({"ok": True, "result": {"message_id": 5, "username": "cloche_bot"}})
