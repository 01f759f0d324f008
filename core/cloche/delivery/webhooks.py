"""Where platforms deliver: authenticated first, kept before it is answered, no words sent back."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from http import HTTPStatus
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from cloche.channels.authentication import SharedSecret
from cloche.channels.channel import Channel
from cloche.channels.requests import ChannelRequest
from cloche.channels.verification import challenge_answer, verify
from cloche.clock import Clock, utc_now
from cloche.delivery.receiving import Receiver, read_or_none
from cloche.errors import MemoryUnavailableError, RequestError, SettingsError
from cloche.logs import OncePerCause
from cloche.settings import variable

if TYPE_CHECKING:
    from aiohttp import web

logger = logging.getLogger(__name__)

BODY_SECONDS: Final = 15.0
"""How long a body may take to arrive."""
RETRY_SECONDS: Final = 5
UNREAD: Final = "The body is neither JSON nor a form in UTF-8.\n"
"""What an author who tries a channel by hand is told."""
"""What a platform is told to wait where nothing could be kept."""


def webhook_app(
    deliveries: Mapping[str, Receiver],
    *,
    clock: Clock = utc_now,
    body_seconds: float = BODY_SECONDS,
) -> web.Application:
    """The web application that takes requests at ``/channels/<name>``.

    Answers: 200 kept (or nothing to keep), 401 not proven to be the platform's, 404 no such
    channel, 400 broken off or neither JSON nor a form, 405 another method, 408 too slow, 413 too
    large, 415 compressed, 503 not kept: send it again. Bodies are empty, but for the answer to a
    challenge and the reason of a 400.

    Args:
        deliveries: The host's side of each channel, by its name; those that take no requests are
            left out.
        clock: The present instant, for signed timestamps.
        body_seconds: How long a body may take to arrive.

    Raises:
        SettingsError: a channel has no secret, so that nobody could be told from its platform.
    """
    from aiohttp import web

    hooks = {
        name: _Hook(delivery, clock, body_seconds)
        for name, delivery in deliveries.items()
        if delivery.channel.takes_requests()
    }

    async def handle(request: web.Request) -> web.StreamResponse:
        hook = hooks.get(request.match_info["name"])
        if hook is None:
            return web.Response(status=HTTPStatus.NOT_FOUND)
        status, text = await hook.take(request)
        headers = {"X-Content-Type-Options": "nosniff"}
        if status == HTTPStatus.SERVICE_UNAVAILABLE:
            headers["Retry-After"] = str(RETRY_SECONDS)
        return web.Response(status=status, text=text, headers=headers)

    app = web.Application()
    app.on_response_prepare.append(_without_server)
    app.router.add_route("*", "/channels/{name}", handle)
    return app


class _Hook:
    """One channel's address."""

    def __init__(self, delivery: Receiver, clock: Clock, body_seconds: float) -> None:
        self._delivery, self._clock, self._body_seconds = delivery, clock, body_seconds
        self._channel = delivery.channel
        self._secrets = _secrets_of(self._channel)
        self._notices = OncePerCause(logger)

    async def take(self, request: web.Request) -> tuple[HTTPStatus, str]:
        """Status and body of the answer."""
        from aiohttp.web import RequestPayloadError

        from cloche.listening import is_packed

        if request.method == "GET":
            return self._challenged(_as_channels_see_it(request, b""))
        if request.method != "POST":
            return HTTPStatus.METHOD_NOT_ALLOWED, ""
        # Where a header alone proves it, nobody else's body is even read.
        by_header = isinstance(self._channel.authentication, SharedSecret)
        if by_header and not self._is_authentic(_as_channels_see_it(request, b"")):
            return self._refuse(HTTPStatus.UNAUTHORIZED)
        if is_packed(request):
            return self._refuse(HTTPStatus.UNSUPPORTED_MEDIA_TYPE)
        try:
            async with asyncio.timeout(self._body_seconds):
                body = await _body(request, self._channel.limits.request_bytes)
        except TimeoutError:
            return self._refuse(HTTPStatus.REQUEST_TIMEOUT)
        except RequestPayloadError:
            return self._refuse(HTTPStatus.BAD_REQUEST)
        if body is None:
            return self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        asked = _as_channels_see_it(request, body)
        if not self._is_authentic(asked):
            return self._refuse(HTTPStatus.UNAUTHORIZED)
        return await self._accept(asked)

    def _challenged(self, request: ChannelRequest) -> tuple[HTTPStatus, str]:
        challenge = self._channel.challenge
        if challenge is None or challenge.place != "query":
            return HTTPStatus.METHOD_NOT_ALLOWED, ""
        answer = challenge_answer(challenge, self._secrets, request)
        return self._refuse(HTTPStatus.UNAUTHORIZED) if answer is None else (HTTPStatus.OK, answer)

    def _is_authentic(self, request: ChannelRequest) -> bool:
        authentication = self._channel.authentication
        if authentication is None:
            return False
        return verify(authentication, self._secrets, request, self._clock())

    async def _accept(self, request: ChannelRequest) -> tuple[HTTPStatus, str]:
        challenge = self._channel.challenge
        if challenge is not None and challenge.place == "body":
            answer = challenge_answer(challenge, self._secrets, request)
            if answer is not None:
                return HTTPStatus.OK, answer
        incoming = read_or_none(self._channel, request)
        if incoming is None:
            return _unread(request)
        try:
            await self._delivery.accept(*incoming)
        except MemoryUnavailableError as error:
            name = self._channel.name
            self._notices.warn(error.cause, "channel=%s cause=%s | not kept", name, error.cause)
            return HTTPStatus.SERVICE_UNAVAILABLE, ""
        return HTTPStatus.OK, ""

    def _refuse(self, status: HTTPStatus) -> tuple[HTTPStatus, str]:
        name = self._channel.name
        self._notices.warn(status.name, "channel=%s status=%d | a request is refused", name, status)
        return status, ""


def _unread(request: ChannelRequest) -> tuple[HTTPStatus, str]:
    """What is told of a body that cannot be read.

    Platforms send again what is refused, and hold back what comes behind it: JSON that the channel
    does not understand counts as received. What is no JSON at all no platform sends, but a program
    that is being written does, and its author must see it.
    """
    try:
        request.document()
    except RequestError:
        return HTTPStatus.BAD_REQUEST, UNREAD
    return HTTPStatus.OK, ""


def _secrets_of(channel: Channel) -> Mapping[str, str]:
    """The secrets requests are authenticated with.

    Raises:
        SettingsError: one is not set.
    """
    keys = [channel.authentication.secret] if channel.authentication else []
    if channel.challenge is not None and channel.challenge.place == "query":
        keys.append(channel.challenge.secret)
    secrets = {key: channel.context.secret(key) for key in keys}
    for key, secret in secrets.items():
        if not secret:
            name = variable(f"channels.{channel.name}.{key}")
            raise SettingsError(f"{channel.name} needs {name}: without it anybody could write.")
    return secrets


async def _without_server(request: web.Request, response: web.StreamResponse) -> None:
    """Tell nobody which program answers, in which version."""
    response.headers.pop("Server", None)


async def _body(request: web.Request, limit: int) -> bytes | None:
    """The body, None when it is larger than the limit; no more than that is ever held."""
    if (request.content_length or 0) > limit:
        return None
    body = bytearray()
    async for piece in request.content.iter_any():
        body += piece
        if len(body) > limit:
            return None
    return bytes(body)


def _as_channels_see_it(request: web.Request, body: bytes) -> ChannelRequest:
    return ChannelRequest(
        body,
        MappingProxyType({name.lower(): value for name, value in request.headers.items()}),
        MappingProxyType(dict(request.query.items())),
        request.method,
        request.path,
    )
