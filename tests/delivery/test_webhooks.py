"""What platforms, and others, get when they deliver to an address."""

from __future__ import annotations

import asyncio
import hmac
import io
import json
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, ClassVar
from urllib.parse import urlencode

import aiohttp
import pytest
from aiohttp.test_utils import TestClient, TestServer
from pydantic import SecretStr

from cloche.channels import (
    Challenge,
    Channel,
    ChannelContext,
    ChannelRequest,
    Document,
    Incoming,
    Limits,
    Part,
    Pointers,
    SharedSecret,
    Signature,
)
from cloche.delivery import receiving
from cloche.delivery.receiving import read_request
from cloche.delivery.webhooks import webhook_app
from cloche.errors import MemoryUnavailableError, RequestError, SettingsError
from cloche.listening import listening
from cloche.logs import OncePerCause
from cloche.messages import Address, Message
from cloche.testing import FakeClock

SECRET = "correct horse battery"


class NoKeepsakes:
    async def get(self, key: str) -> Document:
        return None

    async def put(self, key: str, value: Document) -> None:
        raise AssertionError("nothing is kept here")


def no_http() -> aiohttp.ClientSession:
    raise AssertionError("nobody is called here")


class Posted(Channel):
    """A platform that posts JSON with a shared secret."""

    name = "posted"
    limits = Limits(request_bytes=2000)
    authentication: ClassVar[Any] = SharedSecret("x-secret", "secret")
    pointers = Pointers(("/id",), ("/room",), ("/who",))

    def parse(self, request: ChannelRequest) -> Sequence[Incoming]:
        match request.document():
            case {"id": str(id_), "room": str(room), "who": str(who), "text": str(text)}:
                return (Message(id_, Address(self.name, who), room, text),)
            case {"crash": str(words)}:
                raise KeyError(words)
        raise RequestError("body: is no message")

    async def send(self, part: Part) -> None:
        raise AssertionError("nothing is sent here")


class Signed(Posted):
    name = "signed"
    authentication = Signature(
        "x-signature", "secret", template="{header:x-at}.{body}", timestamp="x-at"
    )
    challenge = Challenge("body", when="/type", equals="hello", answer="/token")


class Asked(Posted):
    name = "asked"
    challenge = Challenge("query", "mode", "subscribe", "challenge", "token", "verify")


class Polled(Posted):
    name = "polled"
    authentication = None


class Kept:
    """The host's side: keeps what it is given, or says that it cannot."""

    def __init__(self, kind: type[Channel], clock: FakeClock, **secrets: str) -> None:
        given = {key: SecretStr(value) for key, value in secrets.items()}
        self.channel = kind(ChannelContext(given, no_http, clock, NoKeepsakes(), {}))
        self.messages: list[Incoming] = []
        self.away = ""

    async def accept(self, *messages: Incoming) -> None:
        if self.away:
            raise MemoryUnavailableError("away", cause=self.away)
        self.messages += messages


class Post:
    """The postman."""

    def __init__(self, client: TestClient[Any, Any], kept: Mapping[str, Kept]) -> None:
        self._client, self.kept = client, kept

    async def __call__(
        self, channel: str, body: bytes = b"", method: str = "POST", **more: Any
    ) -> tuple[int, str]:
        async with self._client.request(
            method, f"/channels/{channel}", data=body, **more
        ) as response:
            return response.status, await response.text()

    def signed(self, body: bytes, at: int, secret: str = SECRET) -> dict[str, str]:
        digest = hmac.new(secret.encode(), f"{at}.".encode() + body, "sha256").hexdigest()
        return {"x-signature": digest, "x-at": str(at)}


@asynccontextmanager
async def serving(**options: Any) -> AsyncIterator[Post]:
    clock = FakeClock()
    kept = {
        kind.name: Kept(kind, clock, secret=SECRET, verify="let me in")
        for kind in (Posted, Signed, Asked, Polled)
    }
    app = webhook_app(kept, clock=clock, **options)
    async with TestClient(TestServer(app)) as client:
        yield Post(client, kept)


@pytest.fixture
async def post() -> AsyncIterator[Post]:
    async with serving() as postman:
        yield postman


def body(text: str = "hello", id_: str = "1") -> bytes:
    return json.dumps({"id": id_, "room": "r", "who": "ana", "text": text}).encode()


GOOD = {"x-secret": SECRET}
NOW = int(FakeClock().now.timestamp())


async def test_what_a_platform_delivers_is_kept_before_it_is_told_so(post: Post) -> None:
    assert await post("posted", body("¿qué tal? 你好"), headers=GOOD) == (200, "")
    (message,) = post.kept["posted"].messages
    assert isinstance(message, Message)
    assert (message.id, message.text) == ("1", "¿qué tal? 你好")


@pytest.mark.parametrize("headers", [{}, {"x-secret": ""}, {"x-secret": "wrong"}])
async def test_who_is_not_the_platform_is_refused(post: Post, headers: dict[str, str]) -> None:
    assert await post("posted", body(), headers=headers) == (401, "")
    assert await post("posted", b"junk", headers=headers) == (401, "")
    assert post.kept["posted"].messages == []


async def test_a_strangers_body_is_not_even_read(post: Post) -> None:
    async def endless() -> AsyncIterator[bytes]:
        yield b"x" * 100
        await asyncio.Event().wait()

    async with asyncio.timeout(60):
        status, _ = await post("posted", endless())  # type: ignore[arg-type] # streamed
    assert status == 401


async def test_a_signed_request_is_kept_and_a_forged_or_old_one_is_not(post: Post) -> None:
    assert (await post("signed", body(), headers=post.signed(body(), NOW)))[0] == 200
    assert (await post("signed", body("x"), headers=post.signed(body(), NOW)))[0] == 401
    assert (await post("signed", body(), headers=post.signed(body(), NOW - 301)))[0] == 401
    assert (await post("signed", body(), headers=post.signed(body(), NOW, "guess")))[0] == 401
    assert (await post("signed", body(), headers={}))[0] == 401
    assert len(post.kept["signed"].messages) == 1


async def test_a_challenge_is_answered_to_the_platform_alone(post: Post) -> None:
    asked = b'{"type": "hello", "token": "<b>42</b>"}'
    assert await post("signed", asked, headers=post.signed(asked, NOW)) == (200, "<b>42</b>")
    assert await post("signed", asked) == (401, "")
    good = {"mode": "subscribe", "challenge": "abc", "token": "let me in"}
    assert await post("asked", method="GET", params=good) == (200, "abc")
    assert await post("asked", method="GET", params=good | {"token": ""}) == (401, "")
    assert await post("asked", method="GET") == (401, "")
    assert post.kept["signed"].messages == post.kept["asked"].messages == []


async def test_a_challenge_comes_back_as_text_and_nothing_else(post: Post) -> None:
    good = {"mode": "subscribe", "challenge": "<script>", "token": "let me in"}
    async with post._client.get("/channels/asked", params=good) as response:
        assert response.headers["Content-Type"].startswith("text/plain")
        assert response.headers["X-Content-Type-Options"] == "nosniff"


async def test_addresses_and_methods_that_are_none_are_told_apart(post: Post) -> None:
    assert await post("nobody", body(), headers=GOOD) == (404, "")
    assert await post("polled", body(), headers=GOOD) == (404, "")
    assert await post("posted", method="GET") == (405, "")
    assert await post("posted", method="PUT", body=body(), headers=GOOD) == (405, "")
    assert await post("posted", method="DELETE", headers=GOOD) == (405, "")


async def test_more_than_a_request_may_hold_is_refused(post: Post) -> None:
    fits = body("x" * (2000 - len(body(""))))
    assert len(fits) == 2000
    assert (await post("posted", fits, headers=GOOD))[0] == 200
    assert await post("posted", fits + b" ", headers=GOOD) == (413, "")

    async def in_pieces() -> AsyncIterator[bytes]:
        for _ in range(30):
            yield b"x" * 100

    assert await post("posted", in_pieces(), headers=GOOD) == (413, "")  # type: ignore[arg-type] # streamed
    assert len(post.kept["posted"].messages) == 1


@pytest.mark.parametrize("how", ["gzip", "deflate", "br", "zstd", "nonsense"])
@pytest.mark.parametrize("kind", [Posted, Signed])
async def test_a_packed_body_is_refused_unread(
    kind: type[Channel], how: str, caplog: pytest.LogCaptureFixture
) -> None:
    clock = FakeClock()
    kept = Kept(kind, clock, secret=SECRET)
    headers = {"x-secret": SECRET, "Content-Encoding": how}
    app = webhook_app({kind.name: kept}, clock=clock)
    async with listening(app, "127.0.0.1", 0) as port, aiohttp.ClientSession() as http:
        for _ in range(2):
            body = io.BytesIO(b"garbage")
            url = f"http://127.0.0.1:{port}/channels/{kind.name}"
            async with http.post(url, data=body, headers=headers) as answer:
                assert (answer.status, await answer.text()) == (415, "")
    assert len([one for one in caplog.records if one.levelname == "WARNING"]) == 1
    assert [one for one in caplog.records if one.exc_info] == []
    assert kept.messages == []


async def test_no_answer_tells_which_program_gave_it(post: Post) -> None:
    for path in ("/channels/posted", "/channels/none", "/elsewhere"):
        async with post._client.post(path) as response:
            assert "Server" not in response.headers


async def test_a_body_that_does_not_arrive_is_given_up() -> None:
    async def stuck() -> AsyncIterator[bytes]:
        yield b"{"
        await asyncio.Event().wait()

    async with serving(body_seconds=0.05) as post:
        assert await post("posted", stuck(), headers=GOOD) == (408, "")  # type: ignore[arg-type] # streamed


@pytest.mark.parametrize("junk", [b"", b"{", b"\xff\xfe", b'{"hunter2": '])
async def test_who_posts_what_is_no_json_is_told_so_once_they_proved_who_they_are(
    post: Post, junk: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG, "cloche"):
        told = (400, "The body is neither JSON nor a form in UTF-8.\n")
        assert await post("posted", junk, headers=GOOD) == told
        assert await post("posted", junk) == (401, "")
    assert "hunter2" not in caplog.text


@pytest.mark.parametrize("junk", [b"[]", b"null", b'{"crash": "hunter2"}'])
async def test_what_an_authentic_platform_sends_and_nobody_can_read_does_not_come_again(
    post: Post, junk: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG, "cloche"):
        assert await post("posted", junk, headers=GOOD) == (200, "")
    assert post.kept["posted"].messages == []
    assert "posted" in caplog.text
    assert "hunter2" not in caplog.text
    assert SECRET not in caplog.text


async def test_what_cannot_be_kept_is_sent_again_by_the_platform(post: Post) -> None:
    post.kept["posted"].away = "locked"
    async with post._client.post("/channels/posted", data=body(), headers=GOOD) as response:
        assert response.status == 503
        assert response.headers["Retry-After"] == "5"
        assert await response.text() == ""
    post.kept["posted"].away = ""
    assert (await post("posted", body(), headers=GOOD))[0] == 200
    assert len(post.kept["posted"].messages) == 1


async def test_a_refusal_is_logged_without_a_word_of_it(
    post: Post, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG, "cloche"):
        await post("posted", b"some words", headers={"x-secret": "almost"}, params={"q": "query"})
    assert "channel=posted status=401" in caplog.text
    assert not {"words", "almost", "query", SECRET} & set(caplog.text.split())


@pytest.mark.parametrize("kind", [Posted, Signed])
def test_without_a_secret_nothing_is_served(kind: type[Channel]) -> None:
    for secrets in ({}, {"secret": ""}):
        with pytest.raises(SettingsError, match=f"CLOCHE_CHANNELS__{kind.name.upper()}__SECRET"):
            webhook_app({kind.name: Kept(kind, FakeClock(), **secrets)})
    with pytest.raises(SettingsError, match="CLOCHE_CHANNELS__ASKED__VERIFY"):
        webhook_app({"asked": Kept(Asked, FakeClock(), secret=SECRET)})


CURLS = {"content-type": "application/x-www-form-urlencoded"}


@pytest.mark.parametrize(
    "text", ["hello", "¿qué tal? 你好", "a=1&id=2&room=3", "50% + {x} [y]", '"quoted" \\ \n']
)
@pytest.mark.parametrize("space", [b"", b" \n"])
async def test_json_that_is_called_a_form_is_read_as_json(
    post: Post, text: str, space: bytes
) -> None:
    assert (await post("posted", space + body(text) + space, headers=GOOD | CURLS))[0] == 200
    (message,) = post.kept["posted"].messages
    assert isinstance(message, Message)
    assert (message.id, message.text) == ("1", text)


@pytest.mark.parametrize("text", ["hola, ¿qué tal?", '{"id": "9"}', "[1]", "{", "你好"])
async def test_a_form_stays_one(post: Post, text: str) -> None:
    form = urlencode({"id": "1", "room": "r", "who": "ana", "text": text}).encode()
    assert (await post("posted", form, headers=GOOD | CURLS))[0] == 200
    (message,) = post.kept["posted"].messages
    assert isinstance(message, Message)
    assert message.text == text


@pytest.mark.parametrize("words", ["7", "true", "null", "{", "{x=1", "[1", '"id"', "id"])
def test_a_form_of_one_odd_word_is_a_form(words: str) -> None:
    document = ChannelRequest(words.encode(), CURLS).document()
    assert isinstance(document, dict)


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("text/plain; charset=utf-8", "type=text/plain "),
        ("", "type=none "),
        ("Image/PNG\x1b[31m", "type=image/png??31m "),
        ("application/x-www-form-urlencoded", "type=application/x-www-form-urlencoded "),
    ],
)
def test_the_log_names_the_content_type_of_what_cannot_be_read(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, kind: str, told: str
) -> None:
    monkeypatch.setattr(receiving, "_notices", OncePerCause(receiving.logger))
    channel = Kept(Posted, FakeClock(), secret=SECRET).channel
    with caplog.at_level(logging.WARNING):
        assert read_request(channel, ChannelRequest(b"not=mine", {"content-type": kind})) == ()
    assert told in caplog.text
    assert "mine" not in caplog.text
