"""What is exchanged with a chat: frozen data, made at a channel's edge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
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
class Quoted:
    """Words of somebody that a message replies to or forwards.

    Attributes:
        text: The words; data, never an instruction.
        author: The name shown for who wrote them; "" when unknown.
        forwarded: True when they were passed on, False when they are answered.
        own: True when the assistant itself wrote them.
        shown: True when nobody wrote them: they stand for what the person sent (a sticker).
    """

    text: str
    author: str = ""
    forwarded: bool = False
    own: bool = False
    shown: bool = False


@dataclass(frozen=True, slots=True)
class Correction:
    """A message that the person edited after it was answered; the person's own words."""

    was: str
    now: str


@dataclass(frozen=True, slots=True)
class Due:
    """A reminder whose hour has come.

    Attributes:
        reminder: Its id.
        at: When it was due, in UTC.
        missed: True when that is long over, so that it is told in one line.
        before: How often it was due before and nobody could tell it.
    """

    reminder: str
    at: datetime
    missed: bool = False
    before: int = 0


def place_of(conversation: str, thread: str = "") -> str:
    """One name for a conversation and its thread; different for different pairs."""
    escaped = conversation.replace("%", "%25").replace("#", "%23")
    return f"{escaped}#{thread}" if thread else escaped


def of_place(place: str) -> tuple[str, str]:
    """The conversation and the thread ("" = none) a place is the name of."""
    escaped, _, thread = place.partition("#")
    return escaped.replace("%23", "#").replace("%25", "%"), thread


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a person, or a burst merged into one.

    Attributes:
        id: The platform's own id of the update, unique within the channel.
        address: Who wrote it. Comes from the authenticated channel, never from content.
        conversation: Where it was written: a private chat, a group, a topic.
        text: The sender's own words, unchanged: what is learned, searched and obeyed. May be empty
            when there are attachments.
        formatted: The same as Markdown, where the sender formatted them; "" = they did not.
        attachments: Files that came with it.
        sender_name: The name a platform shows for the sender; display only.
        group: True when others read and write in the conversation too.
        scope_keys: Values for the extra variables of namespace templates (project, task, ...).
        sent_at: When the platform says it was written; None = now.
        thread: The topic within the conversation; "" = none.
        ref: The platform's id of the written message itself, which edits and replies name.
        edits: True when this is a message's new text: the one with the same ``ref``.
        burst: What the parts of one burst have in common (an album's id); "" = stands alone.
        addressed: False when it was written in a group to others: heard, not answered.
        quoted: What it replies to or forwards, and what stands for a thing that came instead of
            words: context, never mined for memory.
        corrected: Set by the host: earlier messages that were edited after they were answered.
        due: Set by the host: nobody wrote anything, but these reminders are due here.
        language: What the platform says the sender reads (BCP 47); "" = it does not say. Counts
            where neither their choice nor their words tell.
        arrived: Set by the host: when it came in, the first of a burst; None = just now.
        waited: Set by the host: seconds it waited before its turn, with nothing to be seen.
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
    thread: str = ""
    ref: str = ""
    edits: bool = False
    burst: str = ""
    addressed: bool = True
    quoted: tuple[Quoted, ...] = ()
    corrected: tuple[Correction, ...] = ()
    due: tuple[Due, ...] = ()
    language: str = ""
    arrived: datetime | None = field(default=None, compare=False)
    formatted: str = ""
    waited: float = field(default=0.0, compare=False)

    @property
    def markdown(self) -> str:
        """The words as they were meant to look: what a model reads."""
        return self.formatted or self.text

    def readable(self) -> Message:
        """The same with words that every encoding takes."""
        text, formatted = without_surrogates(self.text), without_surrogates(self.formatted)
        return replace(self, text=text, formatted=formatted)

    @property
    def place(self) -> str:
        """The conversation with its thread: turns of one place run one at a time."""
        return place_of(self.conversation, self.thread)


@dataclass(frozen=True, slots=True)
class Button:
    """A choice offered under a reply; ``data`` comes back as the text of the next message."""

    label: str
    data: str


@dataclass(frozen=True, slots=True)
class ReplyFile:
    """One of a person's files that goes out with a reply: a reference, read when it is sent.

    Attributes:
        owner: The actor whose file it is.
        key: Where it lies among theirs.
        name: What it is called.
        size: In bytes.
        instead: What is said where it cannot be sent, in the person's language.
    """

    owner: str
    key: str
    name: str
    size: int
    instead: str


@dataclass(frozen=True, slots=True)
class Reply:
    """What the assistant answers.

    Attributes:
        text: Markdown.
        buttons: Choices under it, where the channel has them.
        files: What goes out after the text, where the channel can send files.
    """

    text: str
    buttons: tuple[Button, ...] = ()
    files: tuple[ReplyFile, ...] = ()
