"""What strangers send to a port costs next to nothing, and tells them nothing."""

from __future__ import annotations

import asyncio
import gzip
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from cloche import listening as module
from cloche.listening import is_packed, listening
from cloche.logs import OncePerCause

REQUEST = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi"


@pytest.fixture(autouse=True)
def told_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_notices", OncePerCause(module.logger))


@asynccontextmanager
async def served(**options: float) -> AsyncIterator[int]:
    async def answer(request: web.Request) -> web.Response:
        if is_packed(request):
            return web.Response(status=415)
        return web.Response(body=await request.read())

    app = web.Application()
    app.router.add_post("/", answer)
    async with listening(app, "127.0.0.1", 0, **options) as port:  # type: ignore[arg-type]
        yield port


async def told(port: int, sent: bytes) -> bytes:
    """What comes back until the server closes, or an answer is whole."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(sent)
    try:
        async with asyncio.timeout(60):
            return await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionError):
        return b""
    finally:
        writer.close()


async def test_a_request_is_answered() -> None:
    async with served() as port:
        assert (await told(port, REQUEST)).startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize(
    "sent",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
        b"hello\r\n\r\n",
        b"POST / HTTP/9.9\r\nHost: x\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: x\r\n" + b"a: b\r\n" * 1000 + b"\r\n",
        b"POST / HTTP/1.1\r\nHost: " + b"x" * 100_000 + b"\r\n\r\n",
    ],
    ids=range(7),
)
async def test_what_is_no_request_is_refused_in_one_line(
    sent: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    async with served() as port:
        for _ in range(3):
            answer = await told(port, sent)
            assert answer.startswith(b"HTTP/1.") and b" 400 " in answer.split(b"\r\n")[0]  # noqa: PT018
            assert b"aiohttp" not in answer
            assert b"Python" not in answer
        assert (await told(port, REQUEST)).startswith(b"HTTP/1.1 200")
    loud = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert len(loud) <= 1
    assert [record for record in caplog.records if record.exc_info] == []


@pytest.mark.parametrize("how", ["gzip", "br", "zstd", "deflate", "nonsense", "gzip, br"])
@pytest.mark.parametrize("body", [b"garbage", gzip.compress(b"0" * 5_000_000)])
async def test_what_is_packed_is_refused_packed(
    how: str, body: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    head = f"POST / HTTP/1.1\r\nHost: x\r\nContent-Encoding: {how}\r\nContent-Length: {len(body)}"
    async with served() as port:
        answer = await told(port, head.encode() + b"\r\n\r\n" + body)
    assert answer.startswith(b"HTTP/1.1 415")
    assert [record for record in caplog.records if record.exc_info] == []


async def test_a_head_that_comes_slowly_is_not_waited_for() -> None:
    async with served(head_seconds=0.2) as port:
        assert await told(port, b"POST / HTTP/1.1\r\nHost: x\r\n") == b""
        assert await told(port, b"") == b""


async def test_no_more_connections_are_taken_than_can_be_held(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with served(most=3) as port:
        held = [await asyncio.open_connection("127.0.0.1", port) for _ in range(3)]
        await asyncio.sleep(0.05)
        for _ in range(5):
            assert await told(port, REQUEST) == b""
        for _, writer in held:
            writer.close()
        await asyncio.sleep(0.05)
        assert (await told(port, REQUEST)).startswith(b"HTTP/1.1 200")
    assert [r.getMessage() for r in caplog.records if r.levelno >= logging.WARNING] == [
        "connections=3 | more are not taken now"
    ]
