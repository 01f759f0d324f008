"""The AgentCore contract on port 8080: ``GET /ping`` and ``POST /invocations``.

Three event loops: the server's own (``/ping``, bodies, streams), the SDK's worker, where an
invocation is read and waits, and the host's, where turns run.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
import socket
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

import uvicorn
from bedrock_agentcore import BedrockAgentCoreApp, RequestContext
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from cloche.errors import SettingsError
from cloche.log_ids import logged
from cloche.runtime.accepting import SSE, wants_stream
from cloche.runtime.bodies import ReadBodies
from cloche.runtime.busy import Busy
from cloche.runtime.events import Body, Event, Events, Failed, Said
from cloche.runtime.invocations import Asked
from cloche.runtime.json_logs import quiet_servers
from cloche.runtime.local import is_local
from cloche.runtime.payload import parse_payload
from cloche.runtime.refusals import RefusedError, internal
from cloche.runtime.session import SESSION_HEADER
from cloche.signals import on_signals

if TYPE_CHECKING:
    from starlette.requests import Request

    from cloche.runtime.host import HostThread

logger = logging.getLogger(__name__)

REQUEST_HEADER: Final = "x-amzn-bedrock-agentcore-runtime-request-id"
DRAIN_SECONDS: Final = 5
"""How long answers that are being sent may take when the process ends."""
_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9._:-]{1,128}")

Ask = Callable[[Asked], Events]
"""Has the host answer an invocation; never blocks, and never raises."""


def runtime_app(ask: Ask, busy: Busy) -> BedrockAgentCoreApp:
    """The application of the contract.

    Args:
        ask: Has an invocation answered.
        busy: What ``/ping`` tells.
    """
    app = BedrockAgentCoreApp(middleware=[Middleware(ReadBodies)])
    quiet_servers()

    async def ping(_request: Request) -> Response:
        return JSONResponse(busy.status.document)

    # Before the SDK's own, which is answered by a thread of a pool that others may fill, and tells
    # the time of the first look instead of the time of the change.
    app.router.routes.insert(0, Route("/ping", ping, methods=["GET"]))

    async def unknown(_request: Request, error: Exception) -> Response:
        status = HTTPStatus(error.status_code if isinstance(error, HTTPException) else 500)
        sentence = "There are GET /ping and POST /invocations, and nothing else."
        refusal = RefusedError("unknown_path", sentence, status=status)
        refusal.log()
        return refused(refusal)

    # A redirect would lead to wherever the request's own Host says.
    app.router.redirect_slashes = False
    for status in (HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED):
        app.add_exception_handler(status, unknown)

    @app.entrypoint
    async def invoke(payload: Any, context: RequestContext) -> Response:
        request: Request | None = context.request
        if request is None:
            return refused(internal())
        id_ = request.headers.get(REQUEST_HEADER, "")
        id_ = id_ if _REQUEST_ID.fullmatch(id_) else str(uuid.uuid4())
        with logged(request=id_):
            try:
                return await _answer(ask, payload, request, id_)
            except RefusedError as error:
                error.log()
                return refused(error)
            except Exception:  # the SDK would answer with what it says
                logger.exception("an invocation failed")
                return refused(internal())

    return app


async def _answer(ask: Ask, payload: Any, request: Request, id_: str) -> Response:
    """The answer of the host.

    Raises:
        RefusedError: there is none.
    """
    # Two such headers are one value, as in all of HTTP: no conversation's.
    session = ", ".join(request.headers.getlist(SESSION_HEADER)) or None
    pieces = wants_stream(", ".join(request.headers.getlist("accept")))
    asked = Asked(parse_payload(payload), id_, session, is_local(request), pieces)
    events = ask(asked)
    if not pieces:
        last = await events.last()
        if isinstance(last, Failed):
            raise last.error
        return Response(_json(last.body), media_type="application/json")
    # What is refused is refused with its status: until then nothing is known to be streamed.
    first = await events.next()
    if isinstance(first, Failed):
        raise first.error
    return StreamingResponse(_stream(first, events), media_type=SSE)


def refused(error: RefusedError) -> Response:
    """The answer to what is not done."""
    return JSONResponse(error.document, status_code=error.status)


def _json(body: Body) -> bytes:
    """JSON in UTF-8; half a character, which models make of emoji, is spelled as JSON spells it."""
    text = json.dumps(dict(body), ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace")


async def _stream(first: Event, events: Events) -> AsyncIterator[bytes]:
    """Server-sent events; whoever hangs up stops nothing: what was kept is answered."""
    event = first
    while True:
        body = event.error.document if isinstance(event, Failed) else event.body
        yield b"data: " + _json(body) + b"\n\n"
        if not isinstance(event, Said):
            return
        event = await events.next()


class _Protocol(H11Protocol):
    """Refuses what is no HTTP as all else is refused."""

    def send_400_response(self, msg: str) -> None:
        error = RefusedError("not_http", "The request is not HTTP/1.1.")
        error.log()
        cycle: RequestResponseCycle | None = self.cycle
        body = _json(error.document)
        if cycle is None or not cycle.response_started or cycle.response_complete:
            head = (
                "HTTP/1.1 400 Bad Request",
                "content-type: application/json",
                f"content-length: {len(body)}",
                "connection: close",
            )
            self.transport.write("\r\n".join(head).encode() + b"\r\n\r\n" + body)
        self.transport.close()


class _Server(uvicorn.Server):
    """Tells when it listens, and leaves signals to us: uvicorn would end the process by them."""

    def __init__(self, config: uvicorn.Config, listening: Callable[[], None]) -> None:
        super().__init__(config)
        self._listening = listening

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        self._listening()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def listen(host: str, port: int) -> socket.socket:
    """A socket that nobody else listens on.

    Raises:
        SettingsError: it is taken, or there is no such address here.
    """
    # With its protocol named asyncio sends small answers at once; without, 40 ms later.
    there = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    there.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        there.bind((host, port))
    except OSError as error:
        there.close()
        raise SettingsError(f"{host}:{port} cannot be listened on: {error.strerror}.") from error
    return there


async def serve_runtime(
    app: BedrockAgentCoreApp,
    host: HostThread,
    there: socket.socket,
    *,
    listens: Callable[[], object] = lambda: None,
    stopping: asyncio.Event | None = None,
) -> None:
    """Serve until SIGTERM or SIGINT, until ``stopping``, or until the host fails; then close it.

    Args:
        app: See ``runtime_app``.
        host: Who answers; started as soon as ``/ping`` is answered.
        there: Where to listen.
        listens: Called when ``/ping`` is answered; the host's doors may not be open by then.
        stopping: Ends it; None = signals alone do.

    Raises:
        ClocheError: the host could not open its doors.
    """

    def listening() -> None:
        host.start()
        listens()

    config = uvicorn.Config(
        app,
        http=_Protocol,
        log_config=None,
        access_log=False,
        lifespan="off",
        ws="none",
        server_header=False,
        timeout_graceful_shutdown=DRAIN_SECONDS,
    )
    server, ending = _Server(config, listening), stopping or asyncio.Event()
    loop = asyncio.get_running_loop()
    with on_signals(("SIGINT", "SIGTERM"), lambda _: ending.set()):
        host.on_failure(lambda: loop.call_soon_threadsafe(ending.set))
        serving = asyncio.create_task(server.serve(sockets=[there]))
        waiting = asyncio.create_task(ending.wait())
        try:
            await asyncio.wait({serving, waiting}, return_when=asyncio.FIRST_COMPLETED)
            await asyncio.to_thread(host.close)
            server.should_exit = True
            await serving
        finally:
            waiting.cancel()
    if host.failure is not None:
        raise host.failure
