"""Bodies before the SDK reads them: bounded, and JSON; else it would answer with its own words."""

from __future__ import annotations

import asyncio
import json
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from starlette.responses import JSONResponse

from cloche.runtime.refusals import RefusedError, closing, invalid
from cloche.state.store import Json

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BYTES: Final = 16_000_000
"""What one message group of the queue can be at most, with room to spare."""
MOST_COMMAS: Final = 100_000
"""More than 100 requests with all their headers have. Reading millions of values would hold up
every thread of the process for seconds, those that answer ``/ping`` too."""
MOST_LEVELS: Final = 100
"""Of objects and lists within each other. Whoever reads it again does so deeper in the stack."""
READ: Final = ("http", "POST", "/invocations")
"""What is asked with a body."""
READ_SECONDS: Final = 60.0
"""How long a body may take to come."""


class _TwiceError(Exception):
    """A name stands twice in one object."""


class ReadBodies:
    """Reads a body whole, and refuses one that is too large, too slow or no JSON."""

    def __init__(self, app: ASGIApp) -> None:
        """Take what answers."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it."""
        if (scope["type"], scope.get("method"), scope.get("path")) != READ:
            return await self._app(scope, receive, send)
        try:
            _check_announced(scope)
            body = await _read(receive)
        except RefusedError as error:
            error.log()
            answer = JSONResponse(error.document, status_code=error.status)
            return await answer(scope, receive, send)
        if body is None:
            return None  # whoever sent it has gone
        given = False

        async def again() -> Message:
            nonlocal given
            if given:
                return await receive()
            given = True
            return {"type": "http.request", "body": body, "more_body": False}

        return await self._app(scope, again, send)


def _check_announced(scope: Scope) -> None:
    """Refuse what says that it is too large before it is sent.

    Raises:
        RefusedError: it is not waited for.
    """
    announced = dict(scope["headers"]).get(b"content-length", b"0")  # digits, else it is no HTTP
    if int(announced) > MOST_BYTES:
        raise _too_large(f"at most {MOST_BYTES} bytes")


async def _read(receive: Receive) -> bytes | None:
    """A body that is JSON; None = whoever sent it hung up.

    Raises:
        RefusedError: it is not taken.
    """
    try:
        async with asyncio.timeout(READ_SECONDS):
            body = await _whole(receive)
    except TimeoutError as error:
        sentence = f"A payload must be here within {READ_SECONDS:.0f} seconds."
        status = HTTPStatus.REQUEST_TIMEOUT
        raise RefusedError("too_slow", sentence, status=status) from error
    except asyncio.CancelledError as error:
        # The process ends before all of it has come. This is the outermost of the request's task,
        # which ends with the answer; whoever sends it tries again.
        raise closing() from error
    if body is not None:
        _check(body)
    return body


async def _whole(receive: Receive) -> bytes | None:
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        body += message.get("body", b"")
        if len(body) > MOST_BYTES:
            raise _too_large(f"at most {MOST_BYTES} bytes")
        if not message.get("more_body", False):
            return bytes(body)


def _check(body: bytes) -> None:
    if body.count(b",") > MOST_COMMAS:
        raise _too_large(f"fewer than {MOST_COMMAS} values")
    try:
        text = body.decode("utf-8")
        document = json.loads(text, parse_constant=_no_json, object_pairs_hook=_object)
    except _TwiceError as error:
        raise invalid("", "names a field twice") from error
    except RecursionError as error:
        raise _too_deep() from error
    except ValueError as error:
        raise RefusedError("not_json", "The payload is not JSON in UTF-8.") from error
    if _depth(document) > MOST_LEVELS:
        raise _too_deep()


def _object(fields: list[tuple[str, Json]]) -> dict[str, Json]:
    """An object whose names are all others: of two fields of one name readers take either."""
    found = dict(fields)
    if len(found) < len(fields):
        raise _TwiceError
    return found


def _no_json(constant: str) -> None:
    """Refuse what Python alone takes: ``NaN`` and ``Infinity``."""
    raise ValueError(constant)


def _depth(document: Json) -> int:
    """How deep it is nested, counted no further than it may be; a bare value has no depth."""
    level, inside = [document], 0
    while level := [
        value
        for one in level
        if isinstance(one, dict | list)
        for value in (one.values() if isinstance(one, dict) else one)
        or (None,)  # an empty one is a level, too
    ]:
        inside += 1
        if inside > MOST_LEVELS:
            break
    return inside


def _too_deep() -> RefusedError:
    return invalid("", f"has at most {MOST_LEVELS} levels")


def _too_large(has: str) -> RefusedError:
    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    return RefusedError("too_large", f"A payload has {has}.", status=status)
