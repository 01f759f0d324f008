"""A chat platform on loopback that takes what a channel sends, and fails on demand."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

import aiohttp
from aiohttp import ClientHandlerType, ClientRequest, ClientResponse, web

from cloche.testing.loopback import LoopbackServer, headers_of

Trouble: TypeAlias = Literal["reset", "hang"]


@dataclass(frozen=True, slots=True)
class PlatformAnswer:
    """What the platform answers: a JSON document, a status and headers."""

    document: object = field(default_factory=lambda: {"ok": True})
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class PlatformRequest:
    """One request of a channel to its platform; ``path`` with the query."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


class FlakyPlatform(LoopbackServer):
    """Answers every request as ``accepted`` says, but first what is queued in ``troubles``.

    Attributes:
        requests: What came, oldest first.
        troubles: What happens to the next requests: an answer, a reset connection, or none ever.
        hanging: How many requests were left without an answer.
    """

    def __init__(self, accepted: Callable[[PlatformRequest], PlatformAnswer]) -> None:
        """Take what the platform answers when all is well."""
        super().__init__()
        self._accepted = accepted
        self.requests: list[PlatformRequest] = []
        self.troubles: deque[PlatformAnswer | Trouble] = deque()
        self.hanging = 0

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Note the request, then answer or fail."""
        sent = PlatformRequest(
            request.method, request.path_qs, headers_of(request), await request.read()
        )
        trouble = self.troubles.popleft() if self.troubles else None
        self.requests.append(sent)
        if trouble == "reset":
            return await self.drop(request)
        if trouble == "hang":
            self.hanging += 1
            return await self.hang(request)
        answer = trouble or self._accepted(sent)
        return web.json_response(
            answer.document, status=answer.status, headers=answer.headers, dumps=json.dumps
        )

    def session(self) -> aiohttp.ClientSession:
        """A session that reaches this platform whatever address is asked."""
        port = urlsplit(self.url).port

        async def redirect(request: ClientRequest, handler: ClientHandlerType) -> ClientResponse:
            request.url = request.url.with_scheme("http").with_host("127.0.0.1").with_port(port)
            return await handler(request)

        return aiohttp.ClientSession(
            middlewares=(redirect,), timeout=aiohttp.ClientTimeout(total=30)
        )

    async def until_asked(self, count: int) -> None:
        """Return when so many requests have come."""
        async with asyncio.timeout(10):
            while len(self.requests) < count:  # noqa: ASYNC110 (on another thread)
                await asyncio.sleep(0.002)
