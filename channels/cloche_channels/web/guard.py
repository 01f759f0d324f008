"""What stands before every request: names of this server, origins, the session, and headers.

A page elsewhere can make a browser send requests here, and can have its own name point here (DNS
rebinding). So the Host must be one of this server's names, the Origin must be this server's, and
what is more than the bare page needs the session's cookie and its token together.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from typing import Final

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from cloche.errors import MemoryUnavailableError
from cloche.listening import is_packed
from cloche_channels.web.sessions import Session, Sessions

logger = logging.getLogger(__name__)

PRIVATE: Final = "/api/"
ENTER: Final = "/api/enter"
TOKEN_HEADER: Final = "X-Cloche-Token"  # noqa: S105 # a header's name
SESSION: Final = web.RequestKey("session", Session)

HEADERS: Final = {
    # No markup from texts, in two ways: the page has no way to make it, and would not be let.
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
    "Server": "cloche",
}


def cookie_name(port: int) -> str:
    """Of its own for each port: cookies know none, and two pages would take each other's."""
    return f"cloche-web-{port}"


def refusal(status: int, code: str) -> web.Response:
    """An answer that says in one word what is wrong; the page has the sentence for it."""
    return web.json_response({"error": code}, status=status)


def guard(sessions: Sessions) -> Middleware:
    """The middleware; it lets a request through, or answers it."""

    @web.middleware
    async def guarded(request: web.Request, handler: Handler) -> web.StreamResponse:
        return _refused(request, sessions) or await _handled(request, handler)

    return guarded


async def add_headers(request: web.Request, response: web.StreamResponse) -> None:
    """Set what every answer carries, whoever made it; for ``on_response_prepare``."""
    response.headers.update(HEADERS)


async def object_of(request: web.Request) -> Mapping[str, object]:
    """The body, a JSON object; a form, which pages elsewhere can send, is none."""
    if request.content_type != "application/json":
        raise web.HTTPUnsupportedMediaType
    try:
        body = json.loads(await request.read())
    except (ValueError, RecursionError, web.RequestPayloadError) as error:
        raise web.HTTPBadRequest from error
    if not isinstance(body, dict):
        raise web.HTTPBadRequest
    return body


def bound_port(request: web.Request) -> int:
    """The port a request came in by."""
    address = request.transport.get_extra_info("sockname") if request.transport else None
    return int(address[1]) if address else 0


def _refused(request: web.Request, sessions: Sessions) -> web.Response | None:
    port = bound_port(request)
    hosts = request.headers.getall("Host", [])
    if len(hosts) != 1 or hosts[0] not in (f"127.0.0.1:{port}", f"localhost:{port}"):
        return refusal(421, "host")
    origin, reads = request.headers.get("Origin"), request.method in ("GET", "HEAD")
    if origin != f"http://{hosts[0]}" and not (reads and origin is None):
        return refusal(403, "origin")
    if is_packed(request):
        return refusal(415, "request")
    if not request.path.startswith(PRIVATE):
        return None
    if request.headers.get("Sec-Fetch-Site", "same-origin") != "same-origin":
        return refusal(403, "origin")
    if request.path == ENTER:
        return None
    session = sessions.check(
        request.cookies.get(cookie_name(port), ""), request.headers.get(TOKEN_HEADER, "")
    )
    if session is None:
        return refusal(401, "session")
    request[SESSION] = session
    return None


async def _handled(request: web.Request, handler: Handler) -> web.StreamResponse:
    """The handler's answer; what goes wrong is a word, never an exception's text."""
    try:
        return await handler(request)
    except web.HTTPException as error:
        return refusal(error.status, "request")
    except MemoryUnavailableError as error:
        logger.warning("web page: memory is away: %s", error.cause)
        return refusal(503, "memory")
    except ConnectionResetError:
        raise
    except Exception:
        logger.exception("web page: a request failed")
        return refusal(500, "internal")
