"""The HTTP session a channel reaches its platform through."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import aiohttp

REQUEST_SECONDS: Final = 60
"""Of one request; a poll waits for about half of that."""
CONNECT_SECONDS: Final = 10


class HttpSession:
    """One channel's HTTP session, made when it is first asked for.

    Proxies come from the environment, as for every other program; cookies are not kept.
    """

    def __init__(self) -> None:
        """Begin without one."""
        self._session: aiohttp.ClientSession | None = None

    def __call__(self) -> aiohttp.ClientSession:
        """The session; on the running loop."""
        if self._session is None:
            import aiohttp

            self._session = aiohttp.ClientSession(
                timeout=aiohttp.ClientTimeout(total=REQUEST_SECONDS, sock_connect=CONNECT_SECONDS),
                cookie_jar=aiohttp.DummyCookieJar(),
                trust_env=True,
            )
        return self._session

    async def close(self) -> None:
        """Close its connections, if there are any."""
        if self._session is not None:
            await self._session.close()
