"""The Bot API's methods, as https://core.telegram.org/bots/api documents them."""

from __future__ import annotations

import copy
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from cloche.testing.telegram.arguments import Arguments
from cloche.testing.telegram.checks import (
    MAX_ALBUM,
    MAX_DOWNLOAD_BYTES,
    MAX_UPLOAD_BYTES,
    check_caption,
    check_commands,
    check_entities,
    check_markup,
    check_text,
)
from cloche.testing.telegram.flood import FloodControl
from cloche.testing.telegram.refusal import RefusedError, bad_request
from cloche.testing.telegram.updates import Updates
from cloche.testing.telegram.world import Chat, Json, World

_NOT_MODIFIED: Final = (
    "message is not modified: specified new message content and reply markup are exactly the same "
    "as a current content and reply markup of the message"
)
_ACTIONS: Final = frozenset(
    {
        "typing", "upload_photo", "record_video", "upload_video", "record_voice", "upload_voice",
        "upload_document", "choose_sticker", "find_location", "record_video_note",
        "upload_video_note",
    }
)  # fmt: skip


class Methods:
    """What a bot may call; names are matched in any case."""

    def __init__(self, world: World, updates: Updates, flood: FloodControl) -> None:
        """Act on a world."""
        self._world, self._updates, self._flood = world, updates, flood
        plain: Mapping[str, Callable[[Arguments], Any]] = {
            "getMe": self._get_me,
            "setWebhook": self._set_webhook,
            "deleteWebhook": self._delete_webhook,
            "getWebhookInfo": lambda _: updates.info(),
            "sendMessage": self._send_message,
            "sendPhoto": self._send_photo,
            "sendDocument": self._send_document,
            "sendMediaGroup": self._send_album,
            "sendChatAction": self._send_action,
            "editMessageText": self._edit_text,
            "answerCallbackQuery": self._answer_press,
            "getFile": self._get_file,
            "setMyCommands": self._set_commands,
            "getMyCommands": self._get_commands,
        }
        self._plain = {name.lower(): method for name, method in plain.items()}
        self._waiting: Mapping[str, Callable[[Arguments], Awaitable[Any]]] = {
            "getupdates": updates.get
        }

    async def call(self, name: str, arguments: Arguments) -> Any:
        """The result of a method.

        Raises:
            RefusedError: the call is refused, or there is no such method.
        """
        if waiting := self._waiting.get(name.lower()):
            return await waiting(arguments)
        method = self._plain.get(name.lower())
        if method is None:
            raise RefusedError(404, "Not Found: method not found")
        with self._world.lock:
            # A copy: the answer is written outside the lock, and people may edit meanwhile.
            result = copy.deepcopy(method(arguments))
        self._world.changed()
        return result

    def _get_me(self, _: Arguments) -> Json:
        return self._world.bot

    def _set_webhook(self, arguments: Arguments) -> bool:
        self._updates.set_webhook(arguments)
        return True

    def _delete_webhook(self, arguments: Arguments) -> bool:
        self._updates.delete_webhook(arguments)
        return True

    def _send_message(self, arguments: Arguments) -> Json:
        chat = self._world.writable(arguments.text("chat_id"))
        text = arguments.text("text")
        check_text(text)
        content: Json = {"text": text}
        if entities := self._entities(arguments, text, "entities"):
            content["entities"] = entities
        return self._send(chat, arguments, content)

    def _send_photo(self, arguments: Arguments) -> Json:
        chat = self._world.writable(arguments.text("chat_id"))
        return self._send(chat, arguments, self._media("photo", arguments))

    def _send_document(self, arguments: Arguments) -> Json:
        chat = self._world.writable(arguments.text("chat_id"))
        return self._send(chat, arguments, self._media("document", arguments))

    def _send_album(self, arguments: Arguments) -> list[Json]:
        chat = self._world.writable(arguments.text("chat_id"))
        media = arguments.json("media")
        if not isinstance(media, list) or not 2 <= len(media) <= MAX_ALBUM:
            raise bad_request(f"an album has 2 to {MAX_ALBUM} items")
        contents = []
        for item in media:
            kind, named = str(item.get("type", "")), str(item.get("media", ""))
            if kind not in ("photo", "document"):
                raise bad_request("Can't use the media of the specified type in the album")
            files = {kind: arguments.files.get(named.removeprefix("attach://"), b"")}
            contents.append(self._media(kind, Arguments({**item, kind: named}, files)))
        self._admit(chat, len(contents))
        group = f"135{self._world.next_message:011d}"
        return [
            self._post(chat, arguments, content | {"media_group_id": group}) for content in contents
        ]

    def _media(self, kind: str, arguments: Arguments) -> Json:
        """A file's message: uploaded, or one that is known by its id."""
        data, known = arguments.files.get(kind), self._world.files.get(arguments.text(kind))
        if not data and known is None:
            raise bad_request(f"there is no {kind} in the request")
        if data and len(data) > MAX_UPLOAD_BYTES:
            raise RefusedError(413, "Request Entity Too Large")
        stored = known or self._world.store(data or b"", folder=f"{kind}s")
        shown: Json = {"file_id": stored.id, "file_unique_id": stored.id[-8:]}
        shown["file_size"] = stored.size
        if kind == "document" and kind in arguments.names:
            shown["file_name"], shown["mime_type"] = arguments.names[kind]
        caption = arguments.text("caption")
        check_caption(caption)
        content: Json = {
            kind: [shown | {"width": 800, "height": 600}] if kind == "photo" else shown
        }
        if caption:
            content["caption"] = caption
            if entities := self._entities(arguments, caption, "caption_entities"):
                content["caption_entities"] = entities
        return content

    def _entities(self, arguments: Arguments, text: str, name: str) -> list[Json]:
        if arguments.given("parse_mode"):
            raise bad_request("this server plays entities only, no parse mode")
        return check_entities(text, arguments.json(name))

    def _send(self, chat: Chat, arguments: Arguments, content: Json) -> Json:
        self._check_target(chat, arguments)
        markup = check_markup(arguments.json("reply_markup"))
        self._admit(chat)
        return self._post(chat, arguments, content | ({"reply_markup": markup} if markup else {}))

    def _admit(self, chat: Chat, messages: int = 1) -> None:
        self._flood.admit(chat.id, group=chat.group, messages=messages)

    def _check_target(self, chat: Chat, arguments: Arguments) -> None:
        thread = arguments.integer("message_thread_id")
        if thread and thread not in chat.topics:
            raise bad_request("message thread not found")
        if thread in chat.closed:
            raise bad_request("TOPIC_CLOSED")
        reply = arguments.json("reply_parameters") or {}
        answered, lenient = reply.get("message_id"), reply.get("allow_sending_without_reply")
        if answered and answered not in chat.messages and not lenient:
            raise bad_request("message to be replied not found")

    def _post(self, chat: Chat, arguments: Arguments, content: Json) -> Json:
        thread = arguments.integer("message_thread_id")
        if thread:
            content = {"message_thread_id": thread, "is_topic_message": True} | content
        answered = (arguments.json("reply_parameters") or {}).get("message_id")
        if answered in chat.messages:
            plain = {k: v for k, v in chat.messages[answered].items() if k != "reply_to_message"}
            content = {"reply_to_message": plain} | content
        sender = None if chat.type == "channel" else _short(self._world.bot)
        message = self._world.compose(chat, sender, content)
        self._world.sent.append(message)
        return message

    def _send_action(self, arguments: Arguments) -> bool:
        chat = self._world.writable(arguments.text("chat_id"))
        action = arguments.text("action")
        if action not in _ACTIONS:
            raise bad_request("wrong parameter action in request")
        self._check_target(chat, arguments)
        self._world.actions.append((chat.id, arguments.integer("message_thread_id"), action))
        return True

    def _edit_text(self, arguments: Arguments) -> Json:
        chat = self._world.writable(arguments.text("chat_id"))
        message = chat.messages.get(arguments.integer("message_id"))
        if message is None:
            raise bad_request("message to edit not found")
        if message.get("from", {}).get("id") != self._world.bot["id"]:
            raise bad_request("message can't be edited")
        text = arguments.text("text")
        check_text(text)
        entities = self._entities(arguments, text, "entities")
        markup = check_markup(arguments.json("reply_markup"))
        now = (text, entities, markup)
        if now == (message.get("text"), message.get("entities", []), message.get("reply_markup")):
            raise bad_request(_NOT_MODIFIED)
        message |= {"text": text, "edit_date": self._world.now()}
        for key, value in (("entities", entities), ("reply_markup", markup)):
            message.pop(key, None)
            if value:
                message[key] = value
        return message

    def _answer_press(self, arguments: Arguments) -> bool:
        id_ = arguments.text("callback_query_id")
        if self._world.presses.get(id_) is not False:
            raise bad_request(
                "query is too old and response timeout expired or query ID is invalid"
            )
        self._world.presses[id_] = True
        return True

    def _get_file(self, arguments: Arguments) -> Json:
        if not arguments.given("file_id"):
            raise bad_request("file_id not specified")
        stored = self._world.files.get(arguments.text("file_id"))
        if stored is None:
            raise bad_request("wrong file_id or the file is temporarily unavailable")
        if stored.size > MAX_DOWNLOAD_BYTES:
            raise bad_request("file is too big")
        shown = {"file_id": stored.id, "file_unique_id": stored.id[-8:], "file_size": stored.size}
        return shown | {"file_path": stored.path}

    def _set_commands(self, arguments: Arguments) -> bool:
        commands = check_commands(arguments.json("commands") or [])
        self._world.commands[_menu(arguments)] = commands
        return True

    def _get_commands(self, arguments: Arguments) -> list[dict[str, str]]:
        return self._world.commands.get(_menu(arguments), [])


def _menu(arguments: Arguments) -> tuple[str, str]:
    scope = arguments.json("scope") or {"type": "default"}
    return str(scope.get("type")), arguments.text("language_code")


def _short(bot: Mapping[str, Any]) -> Json:
    return {key: bot[key] for key in ("id", "is_bot", "first_name", "username")}
