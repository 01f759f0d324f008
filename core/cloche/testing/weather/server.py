"""Open-Meteo's forecast and geocoding on loopback, as https://open-meteo.com/en/docs has them.

What the service refuses is refused with its words (``{"error": true, "reason": ...}``, status
400): coordinates off the earth, values it has no name for, a zone there is none of, day counts
out of range, a ``count`` out of range. Beyond that, parameters that its pages do not list are
refused, which the service lets pass: a typing mistake would go unseen. Not played: rate limits
(script status 429 for that), weather models, elevations, several places in one request.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from aiohttp import ClientHandlerType, ClientRequest, ClientResponse, web

from cloche.clock import Clock
from cloche.state.store import Json
from cloche.testing.loopback import LoopbackServer, send_half
from cloche.testing.script import Fault
from cloche.testing.tool_fakes import START
from cloche.testing.weather.answers import RefusedError, forecast_answer, search_answer
from cloche.testing.weather.world import PLACES, Place, Sky

if TYPE_CHECKING:
    import aiohttp

HOSTS: Final = frozenset({"api.open-meteo.com", "geocoding-api.open-meteo.com"})
"""Whom ``offline_http`` stands in for."""


@dataclass(frozen=True, slots=True)
class WeatherAsked:
    """One request: its path and its parameters."""

    path: str
    parameters: Mapping[str, str]


class WeatherServer(LoopbackServer):
    """Answers ``/v1/forecast`` and ``/v1/search``; use it as ``with`` or ``async with``.

    Give ``url`` to the weather skill as ``forecast_url`` and ``geocoding_url``.

    Args:
        clock: The present instant there. Give it the clock of whoever asks: what is past to them
            is no forecast.
        skies: The weather by day, at every place; other days are mild and dry.
        places: The places it finds.
        faults: Faults by call number, from 1.
        bodies: What is sent instead of an answer, with status 200, by call number.

    Attributes:
        clock: The present instant there; a test may set another.
        skies: A test may change it as days go by.
        faults: A test may add to it.
        bodies: A test may add to it.
        requests: Every request, refused and failed ones too.
    """

    def __init__(
        self,
        *,
        clock: Clock = lambda: START,
        skies: Mapping[date, Sky] | None = None,
        places: tuple[Place, ...] = PLACES,
        faults: Mapping[int, Fault] | None = None,
        bodies: Mapping[int, bytes] | None = None,
    ) -> None:
        """Take the world; nothing listens yet."""
        super().__init__()
        self.requests: list[WeatherAsked] = []
        self.skies: MutableMapping[date, Sky] = dict(skies or {})
        self.faults: MutableMapping[int, Fault] = dict(faults or {})
        self.bodies: MutableMapping[int, bytes] = dict(bodies or {})
        self.clock, self._places = clock, places

    @property
    def config(self) -> dict[str, Json]:
        """What the weather skill's config must say."""
        return {"forecast_url": self.url, "geocoding_url": self.url}

    def fail_next(self, fault: Fault) -> None:
        """The next request gets this instead of an answer."""
        self.faults[len(self.requests) + 1] = fault

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answer one call, with the fault that is due if there is one."""
        self.requests.append(WeatherAsked(request.path, dict(request.query)))
        number = len(self.requests)
        try:
            answer = self._answer(request)
        except RefusedError as refused:
            return _error(refused.status, str(refused))
        if number in self.bodies:
            return web.Response(body=self.bodies[number], content_type="application/json")
        fault = self.faults.get(number)
        return await self._fail(request, fault, answer) if fault else web.json_response(answer)

    def _answer(self, request: web.Request) -> Mapping[str, Json]:
        if request.method != "GET":
            raise RefusedError("Not Found", 404)
        if request.path == "/v1/search":
            return search_answer(request.query, self._places)
        if request.path == "/v1/forecast":
            return forecast_answer(
                request.query, self.clock(), lambda day: self.skies.get(day, Sky()), self._places
            )
        raise RefusedError("Not Found", 404)

    async def _fail(
        self, request: web.Request, fault: Fault, answer: Mapping[str, Json]
    ) -> web.StreamResponse:
        if fault.trouble == "slow":
            return await self.hang(request)
        if fault.trouble == "empty":
            return web.json_response({})
        if fault.status in (301, 302, 307, 308):
            return web.Response(status=fault.status, headers={"Location": fault.message})
        if fault.status:
            return _error(fault.status, fault.message)
        polite = fault.trouble == "truncated"
        sent = await send_half(request, json.dumps(answer).encode(), honest=polite)
        return sent if polite else await self.drop(request)


def offline_http(server: WeatherServer) -> aiohttp.ClientSession:
    """A session for tools whose requests to Open-Meteo are answered by a server of the test's.

    Everything else that is not on loopback fails, so that nothing leaves the machine.
    """
    import aiohttp

    async def stay(request: ClientRequest, handler: ClientHandlerType) -> ClientResponse:
        host = request.url.host or ""
        if host in HOSTS:
            port = urlsplit(server.url).port
            request.url = request.url.with_scheme("http").with_host("127.0.0.1").with_port(port)
        elif host not in ("127.0.0.1", "localhost"):
            raise aiohttp.ClientConnectionError(f"{host} is not asked in tests")
        return await handler(request)

    return aiohttp.ClientSession(middlewares=(stay,), timeout=aiohttp.ClientTimeout(total=10))


def _error(status: int, reason: str) -> web.Response:
    return web.json_response({"error": True, "reason": reason}, status=status)
