"""The HTTP sessions of an assistant's tools."""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import aiohttp
    from aiohttp import ClientHandlerType, ClientRequest, ClientResponse

REQUEST_SECONDS: Final = 12
"""Of one request: a tool has 20 seconds in all, and somebody waits."""
CONNECT_SECONDS: Final = 4


class ToolSessions:
    """HTTP sessions, one per event loop: a tool's call has a loop of its own thread.

    A session keeps no cookies. Proxies come from the environment, as for every other program,
    except for this machine's own addresses. A redirect is an error
    (``aiohttp.ClientResponseError`` with its status), never followed: who answers is who was asked.
    """

    def __init__(self, opening: Callable[[], aiohttp.ClientSession] | None = None) -> None:
        """Begin without one.

        Args:
            opening: Opens another kind of session on the running loop; it is closed with the
                others.
        """
        self._opening = opening or _open
        self._sessions: dict[asyncio.AbstractEventLoop, aiohttp.ClientSession] = {}

    def __call__(self) -> aiohttp.ClientSession:
        """The session of the running loop, opened when it is first asked for."""
        loop = asyncio.get_running_loop()
        session = self._sessions.get(loop)
        if session is None or session.closed:
            session = self._sessions[loop] = self._opening()
        return session

    async def close(self) -> None:
        """Close the running loop's connections, if there are any. Again does nothing."""
        if session := self._sessions.pop(asyncio.get_running_loop(), None):
            await session.close()


def _open() -> aiohttp.ClientSession:
    import aiohttp

    from cloche import __version__

    return aiohttp.ClientSession(
        timeout=aiohttp.ClientTimeout(total=REQUEST_SECONDS, sock_connect=CONNECT_SECONDS),
        cookie_jar=aiohttp.DummyCookieJar(),
        headers={"User-Agent": f"cloche/{__version__}"},
        middlewares=(_as_asked,),
        trust_env=True,
    )


async def _as_asked(request: ClientRequest, handler: ClientHandlerType) -> ClientResponse:
    """Ask whom the address names, and nobody else."""
    import aiohttp

    if _is_here(request.url.host or ""):
        request.update_proxy(None, None, None)  # a proxy's 127.0.0.1 is another machine
    response = await handler(request)
    if response.status in (301, 302, 303, 307, 308):
        response.close()
        raise aiohttp.ClientResponseError(
            response.request_info,
            response.history,
            status=response.status,
            message="redirects are not followed",
        )
    return response


def _is_here(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
