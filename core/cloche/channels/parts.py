"""What a channel sends: one part of a reply, within all its limits at once."""

from __future__ import annotations

from dataclasses import dataclass
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
    """

    conversation: str
    text: str
    thread: str = ""
    entities: tuple[Entity, ...] = ()
    buttons: tuple[Button, ...] = ()
    answers: str = ""
    key: str = ""
    plain: str = ""
