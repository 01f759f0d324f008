"""Groups and channels, as those who own them act on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from cloche.testing.telegram.world import Chat, Json, World


@dataclass(frozen=True, slots=True)
class Place:
    """A chat that is nobody's own."""

    world: World
    chat: Chat

    @property
    def id(self) -> int:
        """The chat's id, negative."""
        return self.chat.id


class Group(Place):
    """A group or supergroup."""

    __slots__ = ()

    @classmethod
    def found(cls, world: World, title: str, *, supergroup: bool, forum: bool) -> Self:
        """Make one, with the bot in it."""
        with world.lock:
            number = len(world.chats) + 1
            id_ = -1_003_700_000_000 - number if supergroup else -4_800_000 - number
            kind = "supergroup" if supergroup else "group"
            chat = Chat(id_, kind, title, forum=forum)  # type: ignore[arg-type]
            world.chats[id_] = chat
        return cls(world, chat)

    def topic(self, name: str) -> int:
        """Open a topic in a forum; its thread id, the id of the service message that opens it."""
        with self.world.lock:
            creator = {"id": 1, "is_bot": False, "first_name": "Owner"}
            content: Json = {
                "forum_topic_created": {"name": name, "icon_color": 7322096},
                "is_topic_message": True,
            }
            message = self.world.compose(self.chat, creator, content)
            thread = int(message["message_id"])
            message["message_thread_id"] = thread
            self.chat.topics[thread] = name
            self.world.update("message", message)
        return thread

    def upgrade(self) -> Group:
        """Become a supergroup with a new id: both service messages, and errors for the old id."""
        with self.world.lock:
            new = Group.found(self.world, self.chat.title, supergroup=True, forum=False)
            sender = {"id": 1, "is_bot": False, "first_name": "Owner"}
            leaving = self.world.compose(self.chat, sender, {"migrate_to_chat_id": new.id})
            self.chat.moved_to = new.id
            self.world.update("message", leaving)
            arriving = self.world.compose(new.chat, sender, {"migrate_from_chat_id": self.id})
            self.world.update("message", arriving)
        return new

    def removes_bot(self) -> None:
        """Throw the bot out."""
        set_standing(self.world, self.chat, "kicked", by={"id": 1, "first_name": "Owner"})


class Channel(Place):
    """A channel: posts without a sender."""

    __slots__ = ()

    @classmethod
    def found(cls, world: World, title: str) -> Self:
        """Make one, with the bot in it."""
        with world.lock:
            chat = Chat(-1_002_900_000_000 - len(world.chats), "channel", title)
            world.chats[chat.id] = chat
        return cls(world, chat)

    def posts(self, text: str) -> Json:
        """Publish a post."""
        with self.world.lock:
            message = self.world.compose(self.chat, None, {"text": text})
            message["sender_chat"] = self.chat.shown()
            self.world.update("channel_post", message)
        return message


def set_standing(world: World, chat: Chat, status: str, *, by: Json) -> None:
    """Change what the bot is in a chat, and tell it."""
    with world.lock:
        before = "member" if chat.standing == "member" else "kicked"
        chat.standing = "member" if status == "member" else "kicked"
        user = {key: world.bot[key] for key in ("id", "is_bot", "first_name", "username")}
        value: Json = {
            "chat": chat.shown(),
            "from": {"is_bot": False} | by,
            "date": world.now(),
            "old_chat_member": {"user": user, "status": before},
            "new_chat_member": {"user": user, "status": status},
        }
        world.update("my_chat_member", value)
