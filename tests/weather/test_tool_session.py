"""The session that tools ask other servers with."""

from __future__ import annotations

import aiohttp
import pytest
from aiohttp import web

from cloche.testing.loopback import LoopbackServer
from cloche.tools.session import ToolSessions


class Elsewhere(LoopbackServer):
    """Sends whoever asks for ``/away`` to another place, and tells what it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[web.Request] = []

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(request)
        if request.path == "/away":
            raise web.HTTPFound(f"{self.url}/secret")
        response = web.Response(text="here")
        response.set_cookie("who", "you")
        return response


async def test_it_is_opened_when_it_is_first_asked_for_and_is_one() -> None:
    session = ToolSessions()
    await session.close()
    assert session() is session()
    await session.close()


async def test_after_closing_it_can_be_opened_again() -> None:
    session = ToolSessions()
    first = session()
    await session.close()
    assert first.closed
    assert not session().closed
    await session.close()


async def test_a_redirect_is_an_error_and_is_not_followed() -> None:
    session = ToolSessions()
    async with Elsewhere() as server:
        with pytest.raises(aiohttp.ClientResponseError) as caught:
            await session().get(f"{server.url}/away")
        assert caught.value.status == 302
        assert [one.path for one in server.asked] == ["/away"]
        await session.close()


async def test_this_machine_is_asked_without_a_proxy_and_without_cookies(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    session = ToolSessions()
    async with Elsewhere() as server:
        for _ in range(2):
            async with session().get(server.url) as response:
                assert await response.text() == "here"
        assert [dict(one.cookies) for one in server.asked] == [{}, {}]
        assert server.asked[0].headers["User-Agent"].startswith("cloche/")
        await session.close()


async def test_a_server_elsewhere_is_asked_through_the_proxy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    session = ToolSessions()
    async with Elsewhere() as server:
        monkeypatch.setenv("http_proxy", server.url)
        async with session().get("http://weather.invalid/now") as response:
            assert await response.text() == "here"
        assert server.asked[0].headers["Host"] == "weather.invalid"
        await session.close()
