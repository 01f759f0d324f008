"""What a channel is: the class its author writes, and the data it declares and exchanges."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from cloche.channels.authentication import Authentication, Challenge, SharedSecret, Signature
from cloche.channels.channel import (
    Channel,
    ChannelContext,
    Door,
    Incoming,
    Keepsakes,
    Left,
    Moved,
    Onlooker,
    Polled,
    Watcher,
)
from cloche.channels.declared import Capabilities, Formatting, Limits, Pointers, Secret, TextUnit
from cloche.channels.desk import Desk, Known, NotKeptError, Outcome, Past, Planned
from cloche.channels.failures import (
    MovedError,
    SendError,
    SendLaterError,
    SendRefusedError,
    ThreadClosedError,
    UnreachableError,
)
from cloche.channels.owner import OwnerOptions
from cloche.channels.parts import Entity, EntityKind, FileToSend, Part, PartFile
from cloche.channels.pointers import read as read_id
from cloche.channels.requests import ChannelRequest, Document
from cloche.channels.units import code_points_to_utf16, length_of, utf16_to_code_points

if TYPE_CHECKING:
    from cloche.delivery.rendering import for_commonmark, to_markdown

__all__ = [
    "Authentication",
    "Capabilities",
    "Challenge",
    "Channel",
    "ChannelContext",
    "ChannelRequest",
    "Desk",
    "Document",
    "Door",
    "Entity",
    "EntityKind",
    "FileToSend",
    "Formatting",
    "Incoming",
    "Keepsakes",
    "Known",
    "Left",
    "Limits",
    "Moved",
    "MovedError",
    "NotKeptError",
    "Onlooker",
    "Outcome",
    "OwnerOptions",
    "Part",
    "PartFile",
    "Past",
    "Planned",
    "Pointers",
    "Polled",
    "Secret",
    "SendError",
    "SendLaterError",
    "SendRefusedError",
    "SharedSecret",
    "Signature",
    "TextUnit",
    "ThreadClosedError",
    "UnreachableError",
    "Watcher",
    "code_points_to_utf16",
    "for_commonmark",
    "length_of",
    "read_id",
    "to_markdown",
    "utf16_to_code_points",
]

if not TYPE_CHECKING:  # a checker would take this for "any name exists"

    def __getattr__(name):
        """Load what rendering offers when it is first used: it stands on the above (PEP 562)."""
        if name not in ("for_commonmark", "to_markdown"):
            raise AttributeError(f"module 'cloche.channels' has no public name {name!r}")
        value = globals()[name] = getattr(import_module("cloche.delivery.rendering"), name)
        return value
