"""Bodies before the SDK reads them: bounded, and JSON; else it would answer with its own words."""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from starlette.responses import JSONResponse

from cloche.runtime.refusals import RefusedError

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BYTES: Final = 16_000_000
"""What one message group of the queue can be at most, with room to spare."""


class ReadBodies:
    """Reads a body whole, and refuses one that is too large or no JSON."""

    def __init__(self, app: ASGIApp) -> None:
        """Take what answers."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it."""
        if scope["type"] != "http" or scope["method"] != "POST":
            return await self._app(scope, receive, send)
        try:
            body = await _read(receive)
            if body is None:
                return  # whoever sent it has gone
            _check(body)
        except RefusedError as error:
            answer = JSONResponse(error.document, status_code=error.status)
            return await answer(scope, receive, send)
        given = False

        async def again() -> Message:
            nonlocal given
            if given:
                return await receive()
            given = True
            return {"type": "http.request", "body": body, "more_body": False}

        await self._app(scope, again, send)
        return None


async def _read(receive: Receive) -> bytes | None:
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        body += message.get("body", b"")
        if len(body) > MOST_BYTES:
            raise RefusedError(
                "too_large",
                f"A payload has at most {MOST_BYTES} bytes.",
                status=HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            )
        if not message.get("more_body", False):
            return bytes(body)


def _check(body: bytes) -> None:
    try:
        json.loads(body)
    except (ValueError, RecursionError) as error:
        raise RefusedError("not_json", "The payload is not JSON in UTF-8.") from error
