"""What answers in Telegram's place may be anything: a proxy, a captive portal, somebody else."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import web

from cloche.channels import Part, SendError, SendRefusedError
from cloche.errors import RequestError
from cloche.messages import Attachment
from cloche.testing.telegram.server import TOKEN


class Stranger:
    """Answers every method as it is told, and keeps every path it was asked for."""

    def __init__(self) -> None:
        self.paths: list[str] = []
        self.answer: Any = None
        self.url = ""

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.paths.append(request.path)
        made: web.StreamResponse = self.answer()
        return made


@pytest.fixture
async def stranger() -> AsyncIterator[Stranger]:
    made = Stranger()
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", made.handle)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    made.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    yield made
    await runner.cleanup()


async def test_a_redirect_is_not_followed_with_the_token(make: Any, stranger: Stranger) -> None:
    stranger.answer = lambda: web.Response(status=307, headers={"Location": f"{stranger.url}/else"})
    with pytest.raises(SendError):
        await make(api_url=stranger.url).send(Part("1", "x"))
    assert stranger.paths == [f"/bot{TOKEN}/sendMessage"]


async def test_an_error_that_repeats_the_token_is_told_without_it(
    make: Any, stranger: Stranger
) -> None:
    body = {"ok": False, "error_code": 400, "description": f"Bad Request: /bot{TOKEN}/x"}
    stranger.answer = lambda: web.json_response(body, status=400)
    with pytest.raises(SendRefusedError, match="secret") as caught:
        await make(api_url=stranger.url).send(Part("1", "x"))
    assert TOKEN not in str(caught.value)


@pytest.mark.parametrize("path", ["../bot1:x/getMe", "a/../../b", 5, None])
async def test_a_file_is_asked_for_below_the_bots_own_files_alone(
    make: Any, stranger: Stranger, path: Any
) -> None:
    body = {"ok": True, "result": {"file_id": "f", "file_path": path}}
    stranger.answer = lambda: web.json_response(body)
    with pytest.raises(RequestError):
        await make(api_url=stranger.url).fetch(Attachment("f"))
    assert stranger.paths == [f"/bot{TOKEN}/getFile"]


@pytest.mark.parametrize(
    ("status", "text"),
    [
        (200, "<html>please log in</html>"),
        (200, "[1]"),
        (200, "[" * 100_000),
        (200, '{"ok": false}'),
        (429, '{"parameters": {"retry_after": "soon"}}'),
        (429, '{"parameters": {"retry_after": 1' + "0" * 400 + "}}"),
        (400, '{"parameters": [], "description": 5}'),
        (403, ""),
        (418, "teapot"),
    ],
)
async def test_an_answer_that_is_none_is_a_failure_like_others(
    make: Any, stranger: Stranger, status: int, text: str
) -> None:
    stranger.answer = lambda: web.Response(status=status, text=text)
    with pytest.raises(SendError):
        await make(api_url=stranger.url).send(Part("1", "x"))


async def test_why_telegram_is_away_is_told_in_words(make: Any, stranger: Stranger) -> None:
    """No class of a library, no address: that has the token."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        nobody = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(SendError) as refused:
            await make(api_url=nobody).poll("")
    assert str(refused.value) == "Telegram cannot be reached (Connection refused)"

    def broken() -> web.StreamResponse:
        raise ConnectionResetError

    stranger.answer = broken
    with pytest.raises(SendError) as reset:
        await make(api_url=stranger.url).send(Part("1", "x"))
    assert "Error" not in str(reset.value)
