"""An HTTP server on loopback, on a thread of its own, so that blocking clients can call it."""

from __future__ import annotations

import asyncio
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterable
from concurrent.futures import Future
from types import TracebackType
from typing import Self

from aiohttp import web

_MAX_BODY_BYTES = 64 * 1024 * 1024


class LoopbackServer(ABC):
    """Starts on entering (``with`` or ``async with``) at a free port, stops on leaving.

    Attributes:
        url: ``http://127.0.0.1:<port>`` while it runs.
    """

    url: str = ""

    def __init__(self) -> None:
        """Prepare; nothing listens yet."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closing = asyncio.Event()
        self._thread: threading.Thread | None = None

    @abstractmethod
    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answer one request, on the server's own loop."""

    def start(self) -> None:
        """Listen; returns when requests are answered."""
        started: Future[str] = Future()
        self._closing = asyncio.Event()
        self._thread = threading.Thread(
            target=lambda: asyncio.run(self._serve(started)), name=type(self).__name__, daemon=True
        )
        self._thread.start()
        self.url = started.result(timeout=10)

    def stop(self) -> None:
        """Drop every connection and wait until the thread has ended; again does nothing."""
        if self._loop is not None and self._thread is not None:
            self._loop.call_soon_threadsafe(self._closing.set)
            self._thread.join(timeout=10)
            self._loop = self._thread = None

    async def hang(self, request: web.Request) -> web.StreamResponse:
        """Answer nothing until the client goes away or the server stops."""
        await self._closing.wait()
        return await self.drop(request)

    async def drop(self, request: web.Request) -> web.StreamResponse:
        """Close the connection as it is, in the middle of whatever is being sent."""
        if request.transport is not None:
            request.transport.abort()
        raise asyncio.CancelledError

    async def _serve(self, started: Future[str]) -> None:
        self._loop = asyncio.get_running_loop()
        app = web.Application(client_max_size=_MAX_BODY_BYTES)
        app.router.add_route("*", "/{path:.*}", self.handle)
        # A handler that waits is cancelled when its client goes away, and never holds up the end.
        runner = web.AppRunner(
            app, access_log=None, handler_cancellation=True, shutdown_timeout=0.1
        )
        await runner.setup()
        try:
            site = web.TCPSite(runner, "127.0.0.1", 0)
            await site.start()
            host, port = runner.addresses[0][:2]
            started.set_result(f"http://{host}:{port}")
            await self._closing.wait()
        finally:
            await runner.cleanup()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    async def __aenter__(self) -> Self:
        await asyncio.to_thread(self.start)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await asyncio.to_thread(self.stop)


def headers_of(request: web.Request) -> dict[str, str]:
    """HTTP headers, names in lower case."""
    return {name.lower(): value for name, value in request.headers.items()}


async def send_pieces(
    request: web.Request,
    content_type: str,
    pieces: Iterable[bytes],
    *,
    end: bool = True,
    pause: float = 0.0,
) -> web.StreamResponse:
    """Stream pieces one by one, as they would come from a model; ``end`` finishes properly."""
    response = web.StreamResponse(headers={"Content-Type": content_type})
    await response.prepare(request)
    for piece in pieces:
        await response.write(piece)
        await asyncio.sleep(pause)
    if end:
        await response.write_eof()
    return response


async def send_half(request: web.Request, data: bytes, *, honest: bool) -> web.StreamResponse:
    """Send half of a JSON body: saying so, or having promised the whole of it."""
    half = data[: len(data) // 2]
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    response.content_length = len(half) if honest else len(data)
    await response.prepare(request)
    await response.write(half)
    return response
