"""What the loopback Bot API knows: people, chats, their messages, and files."""

from __future__ import annotations

import copy
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from cloche.clock import Clock
from cloche.testing.telegram.checks import utf16_length
from cloche.testing.telegram.refusal import RefusedError, bad_request, forbidden

Json: TypeAlias = dict[str, Any]
"""An object of the Bot API as it is on the wire."""

ChatType: TypeAlias = Literal["private", "group", "supergroup", "channel"]
Standing: TypeAlias = Literal["member", "left", "kicked", "never"]

_FIRST_UPDATE: Final = 700_000_001


@dataclass
class Chat:
    """One chat.

    Attributes:
        id: Positive for people, negative for the rest.
        type: What it is.
        title: A group's or channel's; a person's name.
        standing: The bot's; in a private chat ``kicked`` means blocked, ``never`` not started.
        topics: A forum's, by thread id; ``closed`` ones take no messages.
        moved_to: The supergroup it became.
        messages: By message id.
    """

    id: int
    type: ChatType
    title: str
    standing: Standing = "member"
    forum: bool = False
    topics: dict[int, str] = field(default_factory=dict)
    closed: set[int] = field(default_factory=set)
    moved_to: int = 0
    messages: dict[int, Json] = field(default_factory=dict)

    @property
    def group(self) -> bool:
        """Whether several people write there."""
        return self.type in ("group", "supergroup")

    def shown(self) -> Json:
        """As it stands in messages."""
        if self.type == "private":
            return {"id": self.id, "type": self.type, "first_name": self.title}
        shown: Json = {"id": self.id, "type": self.type, "title": self.title}
        return shown | ({"is_forum": True} if self.forum else {})


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file: its bytes, and what its sender's client says of the size."""

    id: str
    data: bytes
    size: int
    path: str


class World:
    """The state both sides act on; every change holds ``lock`` and ends in ``changed``."""

    def __init__(self, bot: Json, clock: Clock) -> None:
        """Begin empty."""
        self.bot, self.clock = bot, clock
        self.lock = threading.RLock()
        self.users: dict[int, Json] = {}
        self.chats: dict[int, Chat] = {}
        self.files: dict[str, StoredFile] = {}
        self.presses: dict[str, bool] = {}
        self.commands: dict[tuple[str, str], list[dict[str, str]]] = {}
        self.sent: list[Json] = []
        self.actions: list[tuple[int, int, str]] = []
        self.pending: list[Json] = []
        self.history: list[Json] = []
        self.allowed: frozenset[str] | None = None
        self.next_message = 100
        self.watchers: list[Callable[[], None]] = []

    def now(self) -> int:
        """Seconds since 1970, as messages carry them."""
        return int(self.clock().timestamp())

    def changed(self) -> None:
        """Tell whoever waits."""
        for watcher in tuple(self.watchers):
            watcher()

    def store(self, data: bytes, *, folder: str, size: int | None = None) -> StoredFile:
        """Keep a file; ``size`` is what is claimed, where it differs from the bytes."""
        number = len(self.files) + 1
        id_ = f"AgACAgIAAx{number:06d}"
        stored = StoredFile(
            id_, data, len(data) if size is None else size, f"{folder}/file_{number}"
        )
        self.files[id_] = stored
        return stored

    def compose(self, chat: Chat, sender: Mapping[str, Any] | None, content: Json) -> Json:
        """A message of a chat, numbered and dated; ``sender`` None = a channel's post."""
        self.next_message += 1
        message: Json = {"message_id": self.next_message, "date": self.now()}
        message |= {"chat": chat.shown()} | content
        if sender is not None:
            message = {"from": dict(sender)} | message
        chat.messages[self.next_message] = message
        return message

    def update(self, kind: str, value: Json) -> Json:
        """Queue an update as things are now, where the bot takes its kind."""
        number = _FIRST_UPDATE + len(self.history)
        update: Json = {"update_id": number, kind: copy.deepcopy(value)}
        self.history.append(update)
        if self.allowed is None or kind in self.allowed:
            self.pending.append(update)
        self.changed()
        return update

    def writable(self, chat_id: str) -> Chat:
        """The chat a bot may write to.

        Raises:
            RefusedError: there is none, it moved, or the bot may not.
        """
        if not chat_id:
            raise bad_request("chat_id is empty")
        chat = self.chats.get(int(chat_id)) if chat_id.lstrip("-").isdigit() else None
        if chat is None:
            raise bad_request("chat not found")
        if chat.moved_to:
            raise RefusedError(
                400,
                "Bad Request: group chat was upgraded to a supergroup chat",
                {"migrate_to_chat_id": chat.moved_to},
            )
        if chat.standing == "never":
            raise forbidden("bot can't initiate conversation with a user")
        if chat.standing != "member" and chat.type == "private":
            raise forbidden("bot was blocked by the user")
        if chat.standing == "kicked":
            raise forbidden(f"bot was kicked from the {chat.type} chat")
        if chat.standing == "left":
            raise forbidden(f"bot is not a member of the {chat.type} chat")
        return chat


_FOUND: Final = re.compile(
    r"(?<![\w@/.])(?:/[A-Za-z0-9_]{1,64}(?:@[A-Za-z0-9_]{3,32})?|@[A-Za-z0-9_]{3,32})(?![\w@/])"
)


def found_entities(text: str) -> list[Json]:
    """The entities the service itself finds in what people write: commands and mentions."""
    return [
        {
            "type": "bot_command" if found[0].startswith("/") else "mention",
            "offset": utf16_length(text[: found.start()]),
            "length": utf16_length(found[0]),
        }
        for found in _FOUND.finditer(text)
    ]
