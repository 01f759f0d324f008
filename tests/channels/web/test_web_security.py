"""Who is let in to the page and what a browser is allowed: everything else is refused."""

from __future__ import annotations

import asyncio
import json
import re
from datetime import timedelta
from typing import Any

import aiohttp
import pytest

from cloche.errors import MemoryUnavailableError
from cloche_channels.web.sessions import KEPT, Session, Sessions

PRIVATE = [
    ("GET", "/api/hello"),
    ("GET", "/api/talk"),
    ("POST", "/api/messages"),
    ("POST", "/api/stop"),
    ("POST", "/api/files"),
    ("GET", "/api/files/0123"),
    ("GET", "/api/memory"),
    ("GET", "/api/memory/mem-1/why"),
    ("POST", "/api/memory/mem-1/correct"),
    ("POST", "/api/memory/mem-1/forget"),
    ("GET", "/api/export"),
    ("GET", "/api/kept"),
    ("GET", "/api/reminders"),
    ("POST", "/api/reminders/0123/answer"),
    ("POST", "/api/reminders/0123/cancel"),
    ("POST", "/api/language"),
]
PUBLIC = ["/", "/page.css", "/page.js", "/chat.js", "/icon.svg", "/texts/en.json"]
BODY = {"id": "0" * 36, "text": "hello", "files": []}


def flipped(text: str, at: int) -> str:
    at %= len(text)
    return text[:at] + ("0" if text[at] != "0" else "1") + text[at + 1 :]


def test_every_route_that_is_not_the_bare_page_is_tested_here(page: Any) -> None:
    from cloche_channels.web.routes import page_of

    app = page_of(page.channel, page.delivery, Sessions(b"k", page.clock))
    routes = {(r.method, r.resource.canonical) for r in app.router.routes() if r.resource}
    private = {one for one in routes if "/api/" in one[1] and one[0] != "HEAD"}
    tested = {(m, p.replace("mem-1", "{id}").replace("0123", "{id}")) for m, p in PRIVATE}
    assert private == tested | {("POST", "/api/enter")}
    assert {path for _, path in routes if "/api/" not in path} >= set(PUBLIC) - {"/texts/en.json"}


@pytest.mark.parametrize(("method", "path"), PRIVATE)
async def test_nothing_is_told_or_done_without_cookie_and_token(
    stranger: Any, ana: Any, method: str, path: str
) -> None:
    body = BODY if method == "POST" else None
    for changes in (
        {"Cookie": None, "X-Cloche-Token": None},
        {"Cookie": None},
        {"X-Cloche-Token": None},
        {"X-Cloche-Token": ""},
        {"Cookie": flipped(ana.cookie, -1)},
        {"Cookie": flipped(ana.cookie, len(ana.cookie.split("=")[0]) + 3)},
        {"Cookie": ana.cookie + "0"},
        {"Cookie": ana.cookie.split(".")[0]},
        {"X-Cloche-Token": flipped(ana.token, 0)},
        {"X-Cloche-Token": ana.cookie.split(".")[-1]},
    ):
        answer = await ana.ask(method, path, body, **changes)
        assert answer.status == 401, changes
        assert await answer.json() == {"error": "session"}
    await ana.page.delivery.idle()
    assert ana.page.scribe.prompts == []


async def test_cookie_and_token_of_two_browsers_do_not_open_together(page: Any, ana: Any) -> None:
    async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session:
        other = await type(ana)(page, session).enter()
        assert other.cookie != ana.cookie
        assert (await ana.get("/api/hello", **{"X-Cloche-Token": other.token})).status == 401
        assert (await ana.get("/api/hello")).status == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:{port}",
        "127.0.0.1",
        "127.0.0.1:1",
        "localhost.evil:{port}",
        "127.0.0.1.nip.io:{port}",
        "[::1]:{port}",
        "0.0.0.0:{port}",
        "127.1:{port}",
        "LOCALHOST:{port}",
    ],
)
async def test_a_name_that_is_not_this_servers_is_refused(ana: Any, host: str) -> None:
    host = host.format(port=ana.page.port)
    for path in ("/", "/api/hello", "/api/enter"):
        answer = await ana.get(path, Host=host, Origin=f"http://{host}")
        assert (answer.status, await answer.json()) == (421, {"error": "host"}), path


async def test_the_name_localhost_is_as_good(ana: Any) -> None:
    host = f"localhost:{ana.page.port}"
    answer = await ana.get("/api/hello", Host=host, Origin=f"http://{host}")
    assert answer.status == 200


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "null",
        "https://127.0.0.1:{port}",
        "http://127.0.0.1:1",
        "http://127.0.0.1:{port}.evil.example",
        "http://localhost:{port}",
        "",
    ],
)
async def test_another_pages_request_is_refused_even_with_all_keys(ana: Any, origin: str) -> None:
    word = ana.page.channel.entrance.word
    for method, path in [*PRIVATE, ("POST", "/api/enter")]:
        body = {"word": word} if path == "/api/enter" else BODY
        changes = {"Origin": origin.format(port=ana.page.port)}
        answer = await ana.ask(method, path, body if method == "POST" else None, **changes)
        assert (answer.status, await answer.json()) == (403, {"error": "origin"}), path
        assert not [name for name in answer.headers if name.startswith("Access-Control")]
    assert ana.page.channel.entrance.word == word


async def test_what_changes_something_needs_an_origin(ana: Any) -> None:
    for method, path in [one for one in PRIVATE if one[0] == "POST"]:
        assert (await ana.ask(method, path, BODY, Origin=None)).status == 403, path


@pytest.mark.parametrize("from_where", ["cross-site", "same-site", "none"])
async def test_a_browser_that_says_it_comes_from_elsewhere_is_refused(
    ana: Any, from_where: str
) -> None:
    answer = await ana.get("/api/export", Origin=None, **{"Sec-Fetch-Site": from_where})
    assert answer.status == 403


@pytest.mark.parametrize(
    "kind", ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data", None]
)
async def test_what_a_form_elsewhere_can_send_is_no_message(ana: Any, kind: str | None) -> None:
    changes = {"Content-Type": kind} if kind else {"Content-Type": "application/octet-stream"}
    answer = await ana.post("/api/messages", BODY, **changes)
    assert (answer.status, await answer.json()) == (415, {"error": "request"})


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'{"id": 1}',
        b"\xff",
        b"[" * 100_000,
        b'{"id": "x", "text": "a", "files": []}',
        json.dumps({**BODY, "files": {}}).encode(),
        json.dumps({**BODY, "text": None}).encode(),
    ],
)
async def test_a_body_that_is_no_message_is_refused_in_a_word(ana: Any, body: bytes) -> None:
    answer = await ana.post("/api/messages", body)
    assert (answer.status, await answer.json()) == (400, {"error": "request"})


async def test_a_body_that_is_too_large_is_refused(ana: Any) -> None:
    answer = await ana.post("/api/messages", {**BODY, "text": "x" * 2_100_000})
    assert (answer.status, await answer.json()) == (413, {"error": "request"})


@pytest.mark.parametrize("path", [*PUBLIC, "/nothing", "/api/hello", "/../pyproject.toml"])
async def test_every_answer_carries_the_policy(stranger: Any, path: str) -> None:
    answer = await stranger.get(path)
    policy = answer.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
    assert "unsafe" not in policy
    assert "require-trusted-types-for 'script'; trusted-types 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert "Python" not in answer.headers["Server"]


async def test_the_bare_page_tells_nothing_and_asks_nobody_else(stranger: Any) -> None:
    for path in PUBLIC:
        answer = await stranger.get(path, Cookie=None, **{"X-Cloche-Token": None})
        text = await answer.text()
        assert answer.status == 200, path
        assert "Tea" not in text
        assert "ana" not in text.split()
        addresses = set(re.findall(r"https?://[\w.:/-]+", text))
        assert addresses <= {"http://www.w3.org/2000/svg"}
        assert "innerHTML" not in text
        assert "style=" not in text


async def test_the_link_lets_one_browser_in_once(stranger: Any, capsys: Any) -> None:
    word = stranger.page.channel.entrance.word
    for wrong in ("", word[:-1], word + "x", "é", None, 1):
        assert (await stranger.post("/api/enter", {"word": wrong})).status == 401
    answer = await stranger.post("/api/enter", {"word": word})
    cookie = answer.headers["Set-Cookie"]
    assert answer.status == 200
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert "Path=/api/" in cookie
    assert "Domain" not in cookie
    assert f"cloche-web-{stranger.page.port}=" in cookie
    assert (await stranger.post("/api/enter", {"word": word})).status == 401
    printed = capsys.readouterr().out
    assert stranger.page.link in printed
    assert word not in printed


async def test_a_browser_that_comes_back_by_a_new_link_keeps_its_talk(ana: Any) -> None:
    before = ana.conversation
    await ana.enter()
    assert ana.conversation == before
    ana.cookie = flipped(ana.cookie, -1)
    await ana.enter()
    assert ana.conversation != before


def test_a_session_ends(clock: Any) -> None:
    sessions = Sessions(b"key", clock)
    session = sessions.begin()
    cookie, token = sessions.cookie(session), sessions.token(session)
    assert sessions.check(cookie, token) == session
    clock.now += KEPT - timedelta(minutes=1)
    assert sessions.check(cookie, token) == session
    clock.now += timedelta(minutes=2)
    assert sessions.check(cookie, token) is None
    later = Session(session.id, session.ends + 10_000)
    assert sessions.check(cookie.replace(str(session.ends), str(later.ends)), token) is None


async def test_sessions_outlive_a_restart_and_not_a_new_key(
    ana: Any, assistant: Any, scribe: Any, clock: Any, drawer: Any, serve: Any
) -> None:
    name = ana.cookie.split("=")[0]
    for kept, status in ((drawer, 200), (type(drawer)(), 401)):
        async with serve(assistant, scribe, clock, kept) as again:
            cookie = ana.cookie.replace(name, f"cloche-web-{again.port}")
            visitor = type(ana)(again, ana.session, cookie, ana.token)
            assert (await visitor.get("/api/hello")).status == status


async def test_a_store_that_is_away_and_a_fault_are_told_in_a_word(
    ana: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    desk = ana.page.delivery.desk

    async def away(**_: object) -> object:
        raise MemoryUnavailableError("secret-path is locked", cause="locked")

    async def broken(**_: object) -> object:
        raise RuntimeError("a secret of the inside")

    for failing, expected in ((away, (503, "memory")), (broken, (500, "internal"))):
        monkeypatch.setattr(desk, "known", failing)
        answer = await ana.get("/api/memory")
        assert (answer.status, await answer.json()) == (expected[0], {"error": expected[1]})
    assert ana.token not in caplog.text
    assert ana.cookie.split("=")[1] not in caplog.text


@pytest.mark.parametrize("word", ["\\ud800", "\\udcff\\ud83d", "é花", "\\u0000"])
async def test_a_word_that_no_link_has_lets_nobody_in(
    stranger: Any, caplog: pytest.LogCaptureFixture, word: str
) -> None:
    body = f'{{"word": "{word}"}}'.encode()
    assert (await stranger.post("/api/enter", body)).status == 401
    assert [record for record in caplog.records if record.exc_info] == []


@pytest.mark.parametrize("token", [b"\xff\xfe", "é花".encode(), b"\xed\xa0\x80", b"\x80" * 100])
@pytest.mark.parametrize("header", ["X-Cloche-Token", "Cookie", "Host", "Origin"])
async def test_bytes_that_are_no_text_open_nothing(
    ana: Any, caplog: pytest.LogCaptureFixture, header: str, token: bytes
) -> None:
    headers = {"Host": ana.page.address.removeprefix("http://"), **ana.headers(Origin=None)}
    lines = [f"{name}: {value}".encode() for name, value in headers.items() if name != header]
    reader, writer = await asyncio.open_connection("127.0.0.1", ana.page.port)
    request = [b"GET /api/hello HTTP/1.1", *lines, header.encode() + b": " + token, b"", b""]
    writer.write(b"\r\n".join(request))
    status = int((await reader.readline()).split()[1])
    writer.close()
    assert status in (400, 401, 403, 421)
    assert [record for record in caplog.records if record.exc_info] == []


@pytest.mark.parametrize("how", ["gzip", "br", "zstd"])
async def test_a_packed_body_is_refused_unread(stranger: Any, how: str) -> None:
    answer = await stranger.post("/api/enter", b"garbage", **{"Content-Encoding": how})
    assert (answer.status, await answer.json()) == (415, {"error": "request"})
