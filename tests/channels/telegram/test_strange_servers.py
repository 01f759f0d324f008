"""What answers in Telegram's place may be anything: a proxy, a captive portal, somebody else."""

from __future__ import annotations

import asyncio
import re
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web

from cloche.channels import FileToSend, Part, SendError, SendRefusedError
from cloche.errors import RequestError
from cloche.messages import Attachment
from cloche.testing.telegram.server import TOKEN
from cloche_channels.telegram import uploading


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


FILE = FileToSend("plan.pdf", "application/pdf", bytes(400_000))


class Line:
    """A line to Telegram: takes what is sent as slowly as it is told, and answers or does not."""

    def __init__(self, *, rest: float, answers: bool) -> None:
        self.rest, self.answers = rest, answers
        self.taken = 0
        self.url = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        size = int(re.search(rb"Content-Length: (\d+)", head)[1])
        while self.taken < size and (piece := await reader.read(20_000)):
            self.taken += len(piece)
            await asyncio.sleep(self.rest)
        if self.answers:
            body = b'{"ok": true, "result": {}}'
            told = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n\r\n"
            writer.write(told.encode() + body)
            await writer.drain()
        else:
            await reader.read()
        writer.close()


@asynccontextmanager
async def a_line(line: Line) -> AsyncIterator[Line]:
    """The line, with small buffers so that its pace is felt."""
    listening = socket.create_server(("127.0.0.1", 0))
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 20_000)
    server = await asyncio.start_server(line.serve, sock=listening, limit=20_000)
    line.url = f"http://127.0.0.1:{listening.getsockname()[1]}"
    yield line
    server.close()


async def test_a_slow_line_takes_the_time_it_takes(
    make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploading, "UPLOAD_SECONDS", 1)
    monkeypatch.setattr(uploading, "SLOWEST_BYTES", 100_000)
    async with a_line(Line(rest=0.06, answers=True)) as line:
        begun = time.monotonic()
        await make(api_url=line.url).send_file(Part("1", "instead"), FILE)
        assert time.monotonic() - begun > 1
        assert line.taken > len(FILE.content)


async def test_only_silence_ends_an_upload(monkeypatch: pytest.MonkeyPatch) -> None:
    loop, ahead = asyncio.get_running_loop(), 0.0
    now = loop.time
    monkeypatch.setattr(loop, "time", lambda: now() + ahead)
    going = uploading.Outgoing(bytes(500))

    async def go() -> None:
        nonlocal ahead
        async with going.watched():
            for _ in range(5):  # four minutes, each piece in less than one
                going.read(50)
                ahead += 50
                await asyncio.sleep(0)
                await asyncio.sleep(0)
            assert going.tell() == 250
            assert not going.is_out
            ahead += 50
            await asyncio.Event().wait()

    with pytest.raises(TimeoutError):
        await go()
    assert going.tell() == 250


async def test_a_file_that_went_out_without_an_answer_may_have_been_taken(
    make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploading, "UPLOAD_SECONDS", 0.2)
    monkeypatch.setattr(uploading, "SLOWEST_BYTES", 10**9)
    async with a_line(Line(rest=0, answers=False)) as line:
        with pytest.raises(TimeoutError) as caught:
            await make(api_url=line.url).send_file(Part("1", "instead"), FILE)
    assert isinstance(caught.value, SendError)
    assert TOKEN not in str(caught.value)
    assert line.url not in str(caught.value)


async def test_a_file_that_cannot_set_out_was_not_taken(make: Any) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        nobody = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(SendError) as caught:
            await make(api_url=nobody).send_file(Part("1", "instead"), FILE)
    assert not isinstance(caught.value, TimeoutError)
