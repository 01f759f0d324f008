"""What is exchanged with a chat: frozen data, made at a channel's edge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType


def without_surrogates(text: str) -> str:
    """Text that every encoding takes: lone surrogates, which are no characters, become U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that came with a message: a reference, resolved by the channel's ``fetch``.

    Attributes:
        ref: What the channel needs to fetch the bytes (a file id, a path).
        name: The file's name as the sender gave it, "" when unknown; never trusted as a path.
        media_type: What the platform claims; the content decides.
        size: Bytes, or None when unknown.
    """

    ref: str
    name: str = ""
    media_type: str = ""
    size: int | None = None


@dataclass(frozen=True, slots=True)
class Address:
    """Channel and sender, as the platform gives them: who a message is from."""

    channel: str
    sender: str


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a person, or a burst merged into one.

    Attributes:
        id: The platform's own id of the update, unique within the channel.
        address: Who wrote it. Comes from the authenticated channel, never from content.
        conversation: Where it was written: a private chat, a group, a topic.
        text: The sender's own words, unchanged. May be empty when there are attachments.
        attachments: Files that came with it.
        sender_name: The name a platform shows for the sender; display only.
        group: True when others read and write in the conversation too.
        scope_keys: Values for the extra variables of namespace templates (project, task, ...).
        sent_at: When the platform says it was written; None = now.
    """

    id: str
    address: Address
    conversation: str
    text: str
    attachments: tuple[Attachment, ...] = ()
    sender_name: str = ""
    group: bool = False
    scope_keys: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    sent_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Button:
    """A choice offered under a reply; ``data`` comes back as the text of the next message."""

    label: str
    data: str


@dataclass(frozen=True, slots=True)
class Reply:
    """What the assistant answers: Markdown text and, where the channel has them, buttons."""

    text: str
    buttons: tuple[Button, ...] = ()
