"""What a platform delivered, read by its channel: the same for webhooks and polling."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from typing import Final, Protocol

from cloche.channels.channel import Channel, Incoming, Left, Moved
from cloche.channels.requests import ChannelRequest
from cloche.errors import RequestError
from cloche.logs import OncePerCause, reason_of

logger = logging.getLogger(__name__)
_notices = OncePerCause(logger)

_STRANGE: Final = re.compile(r"[^a-z0-9./+-]")
"""What no media type has."""


ID_CHARS: Final = 1000
"""Of an id a platform gives; the longest known are some hundred."""
FILE_REF_CHARS: Final = 3000
"""Of what a file is fetched by, which may be a signed address."""
MOST_KEYS: Final = 20
NEEDED: Final = frozenset({"update", "id", "conversation", "sender", "old", "new"})
"""Ids without which nothing can be told apart, answered or kept of anybody."""


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
    return read_or_none(channel, request) or ()


def read_or_none(channel: Channel, request: ChannelRequest) -> Sequence[Incoming] | None:
    """The same; None where its channel says that it cannot be read."""
    try:
        incoming = channel.parse(request)
        return tuple(one for one in incoming if _is_bounded(channel, request, one))
    except RequestError as error:
        _tell_unread(channel, request, error)
        return None
    except Exception as error:  # an author's mistake must not stop the platform's queue
        kind = type(error).__name__
        logger.error("channel=%s cause=%s | parse failed, an update is lost", channel.name, kind)
    return ()


def _tell_unread(channel: Channel, request: ChannelRequest, error: RequestError) -> None:
    """Log each reason once; it says which field and quotes nothing: the channel's promise."""
    kind = _STRANGE.sub("?", request.media_type[:60]) or "none"
    cause = f"{channel.name}:unread:{reason_of(str(error))}"
    _notices.warn(cause, "channel=%s type=%s | unread: %s", channel.name, kind, error)


def _is_bounded(channel: Channel, request: ChannelRequest, one: Incoming) -> bool:
    """Whether a row has room for its ids; those without are told of and left out."""
    try:
        _check_ids(one)
    except RequestError as error:
        _tell_unread(channel, request, error)
        return False
    return True


def _check_ids(one: Incoming) -> None:
    """Refuse what no row has room for, or what nobody could be answered by.

    So that nothing behind it waits for ever.

    Raises:
        RequestError: an id is longer than any platform's, or one that must be there is empty; says
            which.
    """
    for name, id_, most in _ids_of(one):
        if len(id_) > most:
            raise RequestError(f"{name}: has more than {most} characters")
        if not id_ and name in NEEDED:
            raise RequestError(f"{name}: is empty")


def _ids_of(one: Incoming) -> Iterator[tuple[str, str, int]]:
    if isinstance(one, Left):
        yield from (("update", one.update, ID_CHARS), ("conversation", one.conversation, ID_CHARS))
    elif isinstance(one, Moved):
        yield from (("update", one.update, ID_CHARS), ("old", one.old, ID_CHARS))
        yield "new", one.new, ID_CHARS
    else:
        for name in ("id", "conversation", "thread", "ref", "burst"):
            yield name, getattr(one, name), ID_CHARS
        yield "sender", one.address.sender, ID_CHARS
        for file in one.attachments:
            yield "attachment", file.ref, FILE_REF_CHARS
        for key, value in one.scope_keys.items():
            yield from (("scope key", key, ID_CHARS), ("scope key", value, ID_CHARS))
        if len(one.scope_keys) > MOST_KEYS:
            raise RequestError(f"scope keys: are more than {MOST_KEYS}")
