"""What people do in the loopback Bot API: write, edit, press, send, forward, block."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cloche.testing.telegram.chats import Place, set_standing
from cloche.testing.telegram.world import Chat, Json, World, found_entities


class Person:
    """Somebody who uses Telegram.

    Whatever is sent goes to their private chat with the bot unless ``to`` names a group; ``thread``
    is a topic's id there, ``answers`` the message it replies to, ``quote`` the part of that which
    is quoted. The message is returned as the bot sees it.
    """

    def __init__(self, world: World, user: Json) -> None:
        """Act as a user of a world."""
        self.world, self.user = world, user

    @property
    def id(self) -> int:
        """Of the user and of their private chat."""
        return int(self.user["id"])

    @property
    def chat(self) -> Chat:
        """Their private chat."""
        return self.world.chats[self.id]

    def writes(self, text: str, *, entities: Sequence[Json] = (), **where: Any) -> Json:
        """Write a text; commands and mentions in it are marked as the service marks them."""
        marks = sorted([*entities, *found_entities(text)], key=lambda each: int(each["offset"]))
        return self.sends({"text": text} | ({"entities": marks} if marks else {}), **where)

    def sends(
        self,
        content: Json,
        *,
        to: Place | None = None,
        thread: int = 0,
        answers: Json | None = None,
        quote: str = "",
    ) -> Json:
        """Send any content, as the fields a message has for it."""
        with self.world.lock:
            chat = to.chat if to else self.chat
            if chat.type == "private":
                chat.standing = "member"  # who writes has started the bot, and unblocked it
            about: Json = {}
            if thread:
                about |= {"message_thread_id": thread, "is_topic_message": True}
                about["reply_to_message"] = _alone(chat.messages[thread])
            if answers is not None:
                about["reply_to_message"] = _alone(answers)
            if quote:
                about["quote"] = {"text": quote, "position": 0, "is_manual": True}
            message = self.world.compose(chat, self.user, about | content)
            self.world.update("message", message)
        return message

    def edits(self, message: Json, text: str) -> Json:
        """Give a message a new text, or a new caption where it has one."""
        with self.world.lock:
            field = "caption" if "caption" in message else "text"
            marks = "caption_entities" if field == "caption" else "entities"
            message.pop(marks, None)
            message |= {field: text, "edit_date": self.world.now()}
            if found := found_entities(text):
                message[marks] = found
            self.world.update("edited_message", message)
        return message

    def presses(self, message: Json, label: str) -> str:
        """Press a button under a message of the bot; the id of the callback query.

        Raises:
            LookupError: the message has no such button.
        """
        with self.world.lock:
            rows = message.get("reply_markup", {}).get("inline_keyboard", [])
            found = [button for row in rows for button in row if button["text"] == label]
            if not found:
                raise LookupError(f"no button {label!r}")
            id_ = f"49{len(self.world.presses) + 1:016d}"
            self.world.presses[id_] = False
            query: Json = {
                "id": id_,
                "from": self.user,
                "message": message,
                "chat_instance": "1",
                "data": found[0]["callback_data"],
            }
            self.world.update("callback_query", query)
        return id_

    def sends_photo(
        self, data: bytes, caption: str = "", *, size: int | None = None, **where: Any
    ) -> Json:
        """Send a picture; ``size`` is what the service says of its largest form."""
        return self.sends(self._photo(data, caption, size), **where)

    def sends_album(self, pictures: Sequence[bytes], caption: str = "", **where: Any) -> list[Json]:
        """Send pictures together: one message each, with a common ``media_group_id``."""
        group = {"media_group_id": f"136{self.world.next_message:011d}"}
        return [
            self.sends(self._photo(data, caption if at == 0 else "", None) | group, **where)
            for at, data in enumerate(pictures)
        ]

    def sends_file(
        self,
        kind: str,
        data: bytes,
        *,
        caption: str = "",
        size: int | None = None,
        about: Json | None = None,
        **where: Any,
    ) -> Json:
        """Send a voice, audio, video, video_note, animation or document; ``about`` = its fields."""
        stored = self.world.store(data, folder=kind, size=size)
        shown: Json = {"file_id": stored.id, "file_unique_id": stored.id[-8:]}
        shown |= {"file_size": stored.size} | (about or {})
        content: Json = {kind: shown}
        if kind == "animation":
            content["document"] = shown  # as the service does, for old bots
        return self.sends(content | _captioned(caption), **where)

    def sends_voice(self, data: bytes, **where: Any) -> Json:
        """Record a voice note."""
        about = {"duration": 3, "mime_type": "audio/ogg"}
        return self.sends_file("voice", data, about=about, **where)

    def sends_document(
        self, data: bytes, name: str, media_type: str, *, size: int | None = None, **where: Any
    ) -> Json:
        """Send a file; ``size`` is what is said of it."""
        about = {"file_name": name, "mime_type": media_type}
        return self.sends_file("document", data, size=size, about=about, **where)

    def sends_sticker(self, emoji: str, **where: Any) -> Json:
        """Send a sticker that stands for an emoji."""
        stored = self.world.store(b"sticker", folder="stickers")
        sticker = {"file_id": stored.id, "file_unique_id": stored.id[-8:], "type": "regular"}
        return self.sends({"sticker": sticker | {"emoji": emoji, "set_name": "plain"}}, **where)

    def sends_location(self, latitude: float, longitude: float, **where: Any) -> Json:
        """Share a place on the map."""
        return self.sends({"location": {"latitude": latitude, "longitude": longitude}}, **where)

    def sends_contact(self, name: str, phone: str, **where: Any) -> Json:
        """Share a contact."""
        return self.sends({"contact": {"phone_number": phone, "first_name": name}}, **where)

    def forwards(self, message: Json, **where: Any) -> Json:
        """Pass a message on."""
        kept = ("message_id", "date", "chat", "from", "reply_to_message", "reply_markup")
        content = {key: value for key, value in message.items() if key not in kept}
        origin: Json = {"date": message["date"]}
        if "from" in message:
            origin |= {"type": "user", "sender_user": message["from"]}
        else:
            about = {"chat": message["chat"], "message_id": message["message_id"]}
            origin |= {"type": "channel"} | about
        return self.sends({"forward_origin": origin} | content, **where)

    def blocks(self) -> None:
        """Block the bot."""
        set_standing(self.world, self.chat, "kicked", by=self.user)

    def unblocks(self) -> None:
        """Start the bot again."""
        set_standing(self.world, self.chat, "member", by=self.user)

    def _photo(self, data: bytes, caption: str, size: int | None) -> Json:
        forms = []
        for width, height, claimed in ((90, 67, 1_200), (320, 240, 20_000), (1280, 960, size)):
            stored = self.world.store(data, folder="photos", size=claimed)
            form: Json = {"file_id": stored.id, "file_unique_id": stored.id[-8:]}
            forms.append(form | {"width": width, "height": height, "file_size": stored.size})
        return {"photo": forms} | _captioned(caption)


def _captioned(caption: str) -> Json:
    """A caption as a message has it, with what the service marks in it."""
    marks = found_entities(caption)
    about: Json = {"caption": caption} if caption else {}
    return about | ({"caption_entities": marks} if marks else {})


def _alone(message: Json) -> Json:
    """A message as it stands in another: without the one it replies to itself."""
    return {key: value for key, value in message.items() if key != "reply_to_message"}
