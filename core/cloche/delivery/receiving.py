"""What a platform delivered, read by its channel: the same for webhooks and polling."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from typing import Final, Protocol

from cloche.channels.channel import Channel, Incoming
from cloche.channels.requests import ChannelRequest
from cloche.errors import RequestError
from cloche.logs import OncePerCause

logger = logging.getLogger(__name__)
_notices = OncePerCause(logger)

_STRANGE: Final = re.compile(r"[^a-z0-9./+-]")
"""What no media type has."""


class Receiver(Protocol):
    """The host's side of a channel, as far as receiving needs it: a ``Delivery``."""

    @property
    def channel(self) -> Channel:
        """Who reads requests."""
        ...

    async def accept(self, *messages: Incoming) -> None:
        """Keep what came.

        Raises:
            MemoryUnavailableError: it could not be kept.
        """
        ...


def read_request(channel: Channel, request: ChannelRequest) -> Sequence[Incoming]:
    """What an authentic request holds; nothing where its channel cannot read it.

    A request that cannot be read now never can be: it is logged and counts as received, or the
    platform would send it again for ever, and nothing behind it.
    """
    try:
        return tuple(channel.parse(request))
    except RequestError as error:
        # Says which field, and quotes nothing: that is the channel's promise.
        kind = _STRANGE.sub("?", request.media_type[:60]) or "none"
        told = "channel=%s type=%s | unread: %s"
        _notices.warn(f"{channel.name}:unread", told, channel.name, kind, error)
    except Exception as error:  # an author's mistake must not stop the platform's queue
        kind = type(error).__name__
        logger.error("channel=%s cause=%s | parse failed, an update is lost", channel.name, kind)
    return ()
