"""Channel requests as the ingress forwards them: authenticated again, and of one conversation.

The ingress tells conversations apart by the channel's pointers, before anything is parsed; so does
this, and the session an invocation came with must be the one of that conversation.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Final

from cloche.channels import Channel, Incoming, read_id
from cloche.channels.requests import ChannelRequest
from cloche.channels.verification import verify
from cloche.clock import Clock
from cloche.delivery.inbox import KEPT
from cloche.delivery.receiving import read_request
from cloche.errors import RequestError
from cloche.messages import Message
from cloche.runtime.payload import ChannelRequests, Forwarded
from cloche.runtime.refusals import WRONG_SESSION, RefusedError, invalid
from cloche.runtime.session import runtime_session_id

SKEW: Final = timedelta(minutes=5)
"""So far clocks may differ."""


def read_all(
    channel: Channel, asked: ChannelRequests, session: str | None, salt: str, clock: Clock
) -> Sequence[Incoming]:
    """What the requests hold, in order; nothing of them is kept yet.

    Args:
        channel: Whose they are said to be.
        asked: The requests.
        session: The session the invocation came with; None = it came with none.
        salt: What goes into the ids of sessions.
        clock: The present instant.

    Raises:
        RefusedError: one is not proven to be the platform's, or does not belong here: then none is
            taken.
    """
    now = clock()
    for at, forwarded in enumerate(asked.requests):
        _authenticate(channel, forwarded, now, f"requests[{at}]")
    conversations: dict[str, int] = {}
    incoming: list[Incoming] = []
    for at, forwarded in enumerate(asked.requests):
        found = read_request(channel, forwarded.request)
        incoming += found
        for conversation in _conversations(channel, forwarded.request, found):
            conversations.setdefault(conversation, at)
    if len(conversations) > 1:
        where = f"requests[{max(conversations.values())}]"
        raise invalid(where, "must be of the same conversation as the others")
    for conversation in conversations:
        check_session(session, channel.name, conversation, salt)
    return incoming


def check_session(session: str | None, channel: str, conversation: str, salt: str) -> None:
    """Refuse what came with another conversation's session, or with none.

    Raises:
        RefusedError: it did.
    """
    expected = runtime_session_id(channel, conversation, salt)
    given = (session or "").encode("utf-8", "surrogateescape")
    if not hmac.compare_digest(given, expected.encode()):
        raise RefusedError(
            WRONG_SESSION,
            "The session id of the request is not the one of its conversation.",
            status=HTTPStatus.CONFLICT,
        )


def _authenticate(channel: Channel, forwarded: Forwarded, now: datetime, where: str) -> None:
    """Refuse what its channel does not know as its platform's.

    What waited in a queue is judged by when it came. That is believed for as long as updates are
    known again: a request that is sent once more within that time is told nothing new.

    Raises:
        RefusedError: it is not proven, too large, or came at no time that can be.
    """
    received = now if forwarded.received is None else forwarded.received
    if not now - KEPT < received < now + SKEW:
        raise invalid(f"{where}.received", "must be an instant of the last 24 hours")
    if len(forwarded.request.body) > channel.limits.request_bytes:
        most = channel.limits.request_bytes
        raise RefusedError(
            "too_large",
            f"{where}.body is larger than the {most} bytes that {channel.name} sends.",
            status=HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            field=f"{where}.body",
        )
    authentication = channel.authentication
    keys = [authentication.secret] if authentication else []
    secrets = {key: channel.context.secret(key) for key in keys}
    if authentication is None or not verify(authentication, secrets, forwarded.request, received):
        raise RefusedError(
            "not_authentic",
            f"{where} is not proven to be {channel.name}'s.",
            status=HTTPStatus.UNAUTHORIZED,
            field=where,
        )


def _conversations(
    channel: Channel, request: ChannelRequest, found: Sequence[Incoming]
) -> Iterator[str]:
    """The conversation the ingress reads, and those of the messages, which must be the same."""
    try:
        document = request.document()
    except RequestError:
        document = None
    if channel.pointers and (read := read_id(channel.pointers.conversation, document)):
        yield read
    for one in found:
        if isinstance(one, Message):
            yield one.conversation
