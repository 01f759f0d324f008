"""A port that strangers reach: what they send wrongly, slowly or too often costs next to nothing.

aiohttp by itself waits an hour for a request's head, takes any number of connections, unpacks what
is packed before anybody can refuse it, tells its version, and logs a traceback of each mistake.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from cloche.logs import OncePerCause

logger = logging.getLogger(__name__)

HEAD_SECONDS: Final = 15.0
"""How long a request's head may take to arrive, and a connection be kept without one."""
MOST_CONNECTIONS: Final = 400
"""At once; more are closed unheard, so that files and other connections can be opened still."""

_notices = OncePerCause(logger)


@asynccontextmanager
async def listening(
    app: web.Application,
    host: str,
    port: int,
    *,
    shutdown_seconds: float = 5.0,
    head_seconds: float = HEAD_SECONDS,
    most: int = MOST_CONNECTIONS,
) -> AsyncIterator[int]:
    """Serve an application while the block runs; gives the port. Requests are not logged.

    Args:
        app: What answers.
        host: The address to listen on.
        port: The port; 0 = any.
        shutdown_seconds: How long requests under way may take at the end.
        head_seconds: How long a request's head may take.
        most: How many connections at once.

    Raises:
        OSError: it cannot be listened on.
    """
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=shutdown_seconds)
    await runner.setup()
    manager, loop = runner.server, asyncio.get_running_loop()
    assert manager is not None  # noqa: S101 # set up above

    def connection() -> asyncio.Protocol:
        if len(manager.connections) >= most:
            _notices.warn("full", "connections=%d | more are not taken now", most)
            return _Closed()
        return _Connection(
            manager,
            loop=loop,
            access_log=None,  # type: ignore[arg-type] # as AppRunner passes it on
            keepalive_timeout=head_seconds,
            auto_decompress=False,
            lingering_time=2.0,
        )

    server = None
    try:
        server = await loop.create_server(connection, host, port, backlog=128)
        yield int(server.sockets[0].getsockname()[1])
    finally:
        if server is not None:
            server.close()
        await runner.cleanup()


class _Closed(asyncio.Protocol):
    """A connection that is not taken."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport.close()


class _Connection(web.RequestHandler):
    """Answers what is no request with its status alone, and one line in the log."""

    __slots__ = ()

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        if not isinstance(exc, HttpProcessingError | web.RequestPayloadError):
            return super().handle_error(request, status, exc, message)
        _notices.warn(type(exc).__name__, "cause=%s | no request: refused", type(exc).__name__)
        if request.writer.output_size > 0:
            raise ConnectionError("an answer was begun already")
        response = web.Response(status=status if status < 500 else 400)
        response.headers["Server"] = "cloche"
        response.force_close()
        return response


def is_packed(request: web.BaseRequest) -> bool:
    """Whether a body is compressed: it is refused unread, because a little can be very much."""
    return request.headers.get("Content-Encoding", "identity").strip().lower() != "identity"
