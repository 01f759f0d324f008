"""What a channel declares about its platform: limits, capabilities, settings, where ids stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

TextUnit: TypeAlias = Literal["characters", "utf16", "bytes"]
"""How a platform counts the length of a text: code points, UTF-16 code units or UTF-8 bytes."""

Formatting: TypeAlias = Literal["plain", "markdown", "entities"]
"""How a channel's ``send`` wants text: without any formatting; as Markdown; as plain text with a
list of entities beside it."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What the platform takes; the host splits, paces and refuses accordingly.

    Attributes:
        text: Length of one message, counted in ``unit`` after formatting was taken out.
        unit: How it counts.
        text_bytes: UTF-8 bytes of one message's text.
        entities: Entities of one message.
        buttons: Buttons under one message; further ones are written out as a list.
        button_label: Characters of a button's label.
        button_data: UTF-8 bytes of what a button sends back.
        attachments: Files of one message that are read; what is beyond is told.
        file_bytes: Size of one file that can be fetched.
        sent_file_bytes: Size of one file that can be sent, where the channel sends files.
        request_bytes: Size of one webhook request.
        conversation_seconds: Least time between two messages to one conversation.
        group_seconds: The same in a group.
        per_second: Messages per second to all conversations together; 0 = no limit.
    """

    text: int = 4000
    unit: TextUnit = "characters"
    text_bytes: int = 32_768
    entities: int = 100
    buttons: int = 8
    button_label: int = 64
    button_data: int = 64
    attachments: int = 10
    file_bytes: int = 20_000_000
    sent_file_bytes: int = 20_000_000
    request_bytes: int = 1_000_000
    conversation_seconds: float = 0.0
    group_seconds: float = 0.0
    per_second: float = 0.0


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What the platform can do.

    Attributes:
        formatting: How ``send`` wants text.
        buttons: Replies may carry buttons.
        typing_seconds: How often ``typing`` has to be repeated while a turn runs; 0 = it has none.
        edits: People can edit what they wrote, and the channel says so.
        threads: A conversation may have threads (topics), each a conversation of its own.
        files: Replies may carry files: the channel has ``send_file``.
        owner_only: A door of this machine: every message is the configured local owner's.
    """

    formatting: Formatting = "plain"
    buttons: bool = False
    typing_seconds: float = 0.0
    edits: bool = False
    threads: bool = False
    files: bool = False
    owner_only: bool = False


@dataclass(frozen=True, slots=True)
class Secret:
    """Something a channel needs from the operator: ``CLOCHE_CHANNELS__<NAME>__<KEY>``.

    Attributes:
        key: Last part of the setting's name, ``[a-z][a-z0-9_]*``.
        about: What it is and where to get it, one clause.
        needed: "always", "webhook" (only where requests come in), or "never" (an option).
    """

    key: str
    about: str
    needed: Literal["always", "webhook", "never"] = "always"


@dataclass(frozen=True, slots=True)
class Pointers:
    """Where in a body ids stand: JSON pointers (RFC 6901), of which the first that matches counts.

    A form's fields are reached as ``/Field``. The cloud's ingress reads requests by these alone,
    so ``parse`` sets the same values on each message; numbers count as their decimal digits.

    Attributes:
        update: The platform's id of the delivery.
        conversation: Where it was written.
        sender: Who wrote it.
        burst: What the parts of one burst (an album) have in common.
    """

    update: tuple[str, ...]
    conversation: tuple[str, ...]
    sender: tuple[str, ...]
    burst: tuple[str, ...] = ()
