"""The HTTP session that the tools of an assistant share."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import aiohttp
    from aiohttp import ClientHandlerType, ClientRequest, ClientResponse

REQUEST_SECONDS: Final = 12
"""Of one request: a tool has 20 seconds in all, and somebody waits."""
CONNECT_SECONDS: Final = 4


class ToolSession:
    """One HTTP session, opened when a tool first asks for it, closed by the host.

    It keeps no cookies. Proxies come from the environment, as for every other program, except
    for this machine's own addresses. A redirect is an error (``aiohttp.ClientResponseError`` with
    its status), never followed: who answers is who was asked.
    """

    def __init__(self) -> None:
        """Begin without one."""
        self._session: aiohttp.ClientSession | None = None

    def __call__(self) -> aiohttp.ClientSession:
        """The session; on the running loop."""
        if self._session is None or self._session.closed:
            import aiohttp

            from cloche import __version__

            self._session = aiohttp.ClientSession(
                timeout=aiohttp.ClientTimeout(total=REQUEST_SECONDS, sock_connect=CONNECT_SECONDS),
                cookie_jar=aiohttp.DummyCookieJar(),
                headers={"User-Agent": f"cloche/{__version__}"},
                middlewares=(_as_asked,),
                trust_env=True,
            )
        return self._session

    async def close(self) -> None:
        """Close its connections, if there are any. Again does nothing."""
        if self._session is not None:
            await self._session.close()
            self._session = None


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
