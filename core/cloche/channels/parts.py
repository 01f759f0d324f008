"""What a channel sends: one part of a reply, within all its limits at once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from cloche.messages import Button

EntityKind: TypeAlias = Literal[
    "bold", "italic", "underline", "strikethrough", "spoiler", "code", "pre", "link", "blockquote"
]


@dataclass(frozen=True, slots=True)
class Entity:
    """Formatting of a piece of text.

    Attributes:
        kind: How it is shown.
        start: Where it starts in the text, in code points.
        end: Where it ends, not included; greater than ``start``.
        url: A link's address.
        language: Of a ``pre`` block, "" when unknown.
    """

    kind: EntityKind
    start: int
    end: int
    url: str = ""
    language: str = ""


@dataclass(frozen=True, slots=True)
class PartFile:
    """A file that is sent as a part: a reference, since what was forgotten must not be sent.

    Attributes:
        owner: The actor whose file it is.
        key: Where it lies among theirs.
        name: What it is called: safe in every folder, no path.
    """

    owner: str
    key: str
    name: str


@dataclass(frozen=True, slots=True)
class FileToSend:
    """A file on its way to a person.

    Attributes:
        name: What it is called: safe in every folder, no path, in any language.
        media_type: What its bytes are, whatever it is called.
        content: Its bytes.
        path: Where it lies on this machine; None = nowhere.
    """

    name: str
    media_type: str
    content: bytes
    path: Path | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """One message to send.

    Attributes:
        conversation: Where to, as ``parse`` gave it.
        thread: The topic there; "" = none.
        text: In the formatting the channel declares.
        entities: Formatting of the text, where the channel declares ``entities``.
        buttons: Choices under it.
        answers: Platform's id of the message it answers, where a reply should point at it.
        key: The same when the part is sent again: a platform with idempotency keys may use it.
        plain: The text without formatting, for platforms that refused it formatted.
        file: What is sent instead of the text, which says that it cannot be; None = the text.
    """

    conversation: str
    text: str
    thread: str = ""
    entities: tuple[Entity, ...] = ()
    buttons: tuple[Button, ...] = ()
    answers: str = ""
    key: str = ""
    plain: str = ""
    file: PartFile | None = None

    @property
    def turn(self) -> str:
        """The id of the turn that it is of: of an answer, the same as ``Turn.id``."""
        return self.key.rpartition("-")[0]
