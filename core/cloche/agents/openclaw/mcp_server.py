"""A loopback server of tools for the gateway, by the Model Context Protocol.

Only who shows the secret is answered. Who a call acts for is the turn whose mark it carries; a call
without one is refused. Requests have no state, so a gateway that comes back goes on at once.
"""

from __future__ import annotations

import asyncio
import hmac
import secrets
import socket
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

from cloche.state.store import Json
from cloche.tools import Tool
from cloche.tools.results import ToolResult

if TYPE_CHECKING:
    from mcp import types
    from mcp.server import ServerRequestContext
    from starlette.types import ASGIApp, Receive, Scope, Send
    from uvicorn import Server

PATH: Final = "/mcp"
ANYTHING: Final[dict[str, Any]] = {"type": "object", "additionalProperties": True}
"""What the gateway knows of every tool's arguments. The model reads the real schema, which the
model endpoint sends. A gateway that knew it would refuse a call that does not fit by itself, and
would tell the model, and its transcript, the mark of the turn; so all calls are judged here."""

CallTool = Callable[[str, Mapping[str, Json]], Awaitable[ToolResult]]
"""Makes one call; never raises what a tool raised."""


class ToolServer:
    """Serves the assistant's tools on a free port of this machine.

    Attributes:
        secret: What callers must show.
        url: The address, once it is started.
    """

    def __init__(self, tools: Callable[[], Sequence[Tool]], call: CallTool) -> None:
        """Take what lists the tools, and what makes a call."""
        self._tools, self._call = tools, call
        self._server: Server | None = None
        self._serving: asyncio.Task[None] | None = None
        self.secret = secrets.token_urlsafe(32)
        self.url = ""

    async def start(self) -> None:
        """Listen, in this loop.

        Raises:
            OSError: this machine gives no port.
        """
        import uvicorn
        from mcp.server.lowlevel import Server

        server: Server[Any] = Server(
            "cloche", on_list_tools=self._list_tools, on_call_tool=self._call_tool
        )
        # Its spans would be traces of their own. A tool's is part of the turn that calls it.
        server.middleware.clear()
        app = server.streamable_http_app(
            streamable_http_path=PATH, stateless_http=True, json_response=True
        )
        listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{listening.getsockname()[1]}{PATH}"
        config = uvicorn.Config(
            _Guarded(app, self.secret),
            log_config=None,
            log_level="error",
            access_log=False,
            lifespan="on",
            timeout_graceful_shutdown=1,
        )

        class WithoutSignals(uvicorn.Server):
            """The host has handlers of its own for signals."""

            @contextmanager
            def capture_signals(self) -> Iterator[None]:
                yield

        self._server = WithoutSignals(config)
        # The socket listens already: who comes before the server runs is answered, too.
        self._serving = asyncio.create_task(self._server.serve([listening]))

    async def close(self) -> None:
        """Stop; calls under way are given up."""
        if self._server is not None and self._serving is not None:
            self._server.should_exit = True
            with suppress(asyncio.CancelledError):
                await self._serving
            self._server = self._serving = None

    async def _list_tools(
        self, context: ServerRequestContext[Any], request: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        from mcp import types

        return types.ListToolsResult(
            tools=[
                types.Tool(name=tool.name, description=tool.description, input_schema=ANYTHING)
                for tool in self._tools()
            ]
        )

    async def _call_tool(
        self, context: ServerRequestContext[Any], request: types.CallToolRequestParams
    ) -> types.CallToolResult:
        from mcp import types

        result = await self._call(request.name, request.arguments or {})
        text = types.TextContent(type="text", text=result.text)
        return types.CallToolResult(content=[text], is_error=not result.ok)


class _Guarded:
    """Lets in who shows the secret."""

    def __init__(self, app: ASGIApp, secret: str) -> None:
        self._app, self._expected = app, f"Bearer {secret}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            shown = dict(scope["headers"]).get(b"authorization", b"")
            if not hmac.compare_digest(shown, self._expected):
                from starlette.responses import PlainTextResponse

                return await PlainTextResponse("Who are you?", 401)(scope, receive, send)
        return await self._app(scope, receive, send)
