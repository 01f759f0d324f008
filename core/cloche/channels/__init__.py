"""What a channel is: the class its author writes, and the data it declares and exchanges."""

from __future__ import annotations

from cloche.channels.authentication import Authentication, Challenge, SharedSecret, Signature
from cloche.channels.channel import (
    Channel,
    ChannelContext,
    Door,
    Incoming,
    Keepsakes,
    Left,
    Moved,
    Polled,
    Watcher,
)
from cloche.channels.declared import Capabilities, Formatting, Limits, Pointers, Secret, TextUnit
from cloche.channels.desk import Desk, Known
from cloche.channels.failures import (
    MovedError,
    SendError,
    SendLaterError,
    SendRefusedError,
    UnreachableError,
)
from cloche.channels.owner import OwnerOptions
from cloche.channels.parts import Entity, EntityKind, Part
from cloche.channels.requests import ChannelRequest, Document

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
    "Formatting",
    "Incoming",
    "Keepsakes",
    "Known",
    "Left",
    "Limits",
    "Moved",
    "MovedError",
    "OwnerOptions",
    "Part",
    "Pointers",
    "Polled",
    "Secret",
    "SendError",
    "SendLaterError",
    "SendRefusedError",
    "SharedSecret",
    "Signature",
    "TextUnit",
    "UnreachableError",
    "Watcher",
]
