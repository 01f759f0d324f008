"""Real requests kept as samples: whole enough for tests, and without anything secret."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import parse_qs, urlencode

import aiohttp
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import SecretStr

from cloche.channels import (
    Challenge,
    Channel,
    ChannelContext,
    ChannelRequest,
    Document,
    Incoming,
    Part,
    SharedSecret,
    Signature,
)
from cloche.messages import Address, Message
from cloche.recordings.samples import recorded_requests, without_secrets, write_recording
from cloche.recordings.taking import record_by_address
from cloche.testing import FakeClock

if TYPE_CHECKING:
    from conftest import Commands, Site

SECRET = "correct horse battery"
MAILBOX = """
from cloche import hookimpl
from cloche.channels import Channel, ChannelRequest, Polled, Secret
from cloche.errors import RequestError
from cloche.messages import Address, Message

UPDATES = (
    b'{"id": "1", "from": "ana", "text": "my token is 123456789:AAbbCCddEEffGGhhIIjjKKllMMnnOOpp"}',
    b'{"joined": "ben", "via": "KEY"}',
    b'junk',
    b'{"id": "4", "from": "ana", "text": "never asked for"}',
)

class Mailbox(Channel):
    name = "mailbox"
    secrets = (Secret("token", "from the platform"),)

    def parse(self, request):
        match request.document():
            case {"id": str(id), "from": str(sender), "text": str(text)}:
                return [Message(id, Address(self.name, sender), "c", text)]
            case {"joined": _}:
                return ()
        raise RequestError("body: is no message")

    async def send(self, part):
        raise AssertionError("nobody is answered")

    async def poll(self, cursor):
        at = int(cursor or 0)
        key = self.context.secret("token").encode()
        body = UPDATES[at].replace(b"KEY", key)
        return Polled([ChannelRequest(body, {"content-type": "application/json"})], str(at + 1))

@hookimpl
def provide_channels():
    return [Mailbox]
"""


def test_updates_are_kept_apart_by_whether_they_are_messages(
    cloche: Commands, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.plugin("mailbox", MAILBOX)
    monkeypatch.setenv("CLOCHE_CHANNELS__MAILBOX__TOKEN", SECRET)
    told = cloche("channel", "record", "mailbox", "--count", "3", "--into", "kept")
    assert f"Samples are written to {Path.cwd() / 'kept'}." in told
    assert "kept/001.json: a message" in told
    assert "kept/ignored/001.json: no message" in told
    assert "look at them before you share them" in told
    (message,) = recorded_requests(Path.cwd() / "kept")
    joined, junk = recorded_requests(Path.cwd() / "kept/ignored")
    assert message.document() == {"id": "1", "from": "ana", "text": "my token is [secret]"}
    assert joined.document() == {"joined": "ben", "via": "[secret]"}
    assert junk.body == b"junk"
    assert SECRET not in "".join(path.read_text() for path in Path("kept").rglob("*.json"))


def test_what_is_missing_is_told(cloche: Commands, site: Site) -> None:
    site.plugin("mailbox", MAILBOX)
    cloche("channel", "record", "mailbx", code=2)
    assert "There is no channel named 'mailbx'; did you mean 'mailbox'? There are:" in cloche.error
    assert "telegram" in cloche.error.split("There are:")[1]
    cloche("channel", "record", "nope", code=2)
    assert "mailbox" in cloche.error
    cloche("channel", "record", "mailbox", code=2)
    assert "CLOCHE_CHANNELS__MAILBOX__TOKEN" in cloche.error
    cloche("channel", "record", "console", code=2)
    assert "loop of its own" in cloche.error


class NoKeepsakes:
    async def get(self, key: str) -> Document:
        return None

    async def put(self, key: str, value: Document) -> None:
        raise AssertionError("nothing is kept here")


def no_http() -> aiohttp.ClientSession:
    raise AssertionError("nobody is called here")


class Hook(Channel):
    name = "hook"
    authentication: ClassVar[Any] = SharedSecret("x-secret", "secret")

    def parse(self, request: ChannelRequest) -> list[Incoming]:
        return [Message("1", Address(self.name, "ana"), "c", "x")]

    async def send(self, part: Part) -> None:
        raise AssertionError("nobody is answered")


async def test_an_address_records_what_the_platform_sends_and_nothing_else() -> None:
    given_ = {"secret": SecretStr(SECRET)}
    channel = Hook(ChannelContext(given_, no_http, FakeClock(), NoKeepsakes(), {}))
    taken: list[ChannelRequest] = []
    url: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def take(request: ChannelRequest) -> bool:
        taken.append(request)
        return len(taken) < 2

    recording = asyncio.create_task(
        record_by_address(channel, take, host="127.0.0.1", port=0, tell=url.set_result)
    )
    async with aiohttp.ClientSession() as session:
        for body, secret, status in (
            ("one", SECRET, 200), ("forged", "guess", 401), ("two", SECRET, 200),
        ):  # fmt: skip
            headers = {"X-Secret": secret, "X-Kind": "note"}
            async with session.post(await url, data=body, headers=headers) as response:
                assert response.status == status
    await asyncio.wait_for(recording, 60)
    assert [request.body for request in taken] == [b"one", b"two"]
    assert taken[0].headers["x-kind"] == "note"


HEADERS = {
    "content-type": "application/json",
    "x-event": "message",
    "x-secret": SECRET,
    "authorization": "Bearer abcdefghijklmnop",
    "cookie": "session=abcdef",
    "x-forwarded-for": "203.0.113.7",
    "host": "bot.example.org",
    "user-agent": "Platform/1",
}


def test_what_proves_a_request_and_whose_machine_sent_it_are_taken_out() -> None:
    request = ChannelRequest(b"{}", HEADERS, {"hub.token": "let me in", "page": "2"}, "GET")
    challenge = Challenge("query", "mode", "", "answer", token="hub.token", secret="secret")
    clean = without_secrets(request, SharedSecret("x-secret", "secret"), challenge, [SECRET])
    assert clean.headers == {"content-type": "application/json", "x-event": "message"}
    assert clean.query == {"hub.token": "[secret]", "page": "2"}
    signed = Signature("x-event", "secret")
    assert "x-event" not in without_secrets(request, signed, None, [SECRET]).headers


def test_a_body_keeps_its_shape() -> None:
    document = {
        "token": "abc", "id": 7, "text": f"say {SECRET}!", "nested": [{"api_key": 5, "n": 1.5}],
        "passwords": ["x", {"y": "z"}], "zh": "你好",
    }  # fmt: skip
    clean = without_secrets(ChannelRequest(json.dumps(document).encode()), None, None, [SECRET])
    assert clean.document() == {
        "token": "[secret]", "id": 7, "text": "say [secret]!",
        "nested": [{"api_key": "[secret]", "n": 1.5}], "passwords": ["x", {"y": "z"}], "zh": "你好",
    }  # fmt: skip


def test_a_form_stays_a_form() -> None:
    headers = {"content-type": "application/x-www-form-urlencoded"}
    body = urlencode({"From": "+47", "Body": f"hei {SECRET}", "AuthToken": "abc"}).encode()
    clean = without_secrets(ChannelRequest(body, headers), None, None, [SECRET])
    assert parse_qs(clean.body.decode()) == {
        "From": ["+47"], "Body": ["hei [secret]"], "AuthToken": ["[secret]"],
    }  # fmt: skip


bodies = st.one_of(
    st.binary(max_size=100),
    st.text(max_size=60).map(lambda text: text.encode("utf-8", "replace")),
    st.dictionaries(st.text(max_size=8), st.text(max_size=30)).map(
        lambda fields: json.dumps(fields).encode()
    ),
)


@given(bodies, st.integers(0, 100))
@example(body=rb'{"\u001": ""}', at=7)  # the escape takes the secret's first letter
def test_no_secret_is_kept_wherever_it_stood(body: bytes, at: int) -> None:
    planted = body[:at] + SECRET.encode() + body[at:]
    for kind in ("application/json", "application/x-www-form-urlencoded", ""):
        clean = without_secrets(
            ChannelRequest(planted, {"content-type": kind}), None, None, [SECRET]
        )
        assert SECRET.encode() not in clean.body


@given(bodies, st.dictionaries(st.text(max_size=9), st.text(max_size=9), max_size=3))
def test_a_kept_request_is_read_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, body: bytes, query: dict[str, str]
) -> None:
    folder = tmp_path_factory.mktemp("kept")
    requests = [ChannelRequest(body, {"content-type": "x"}, query, "POST"), ChannelRequest(b"2")]
    for request in requests:
        write_recording(folder, request)
    read = recorded_requests(folder)
    assert [each.body for each in read] == [body, b"2"]
    assert (dict(read[0].headers), dict(read[0].query)) == ({"content-type": "x"}, query)


def test_a_file_that_is_no_recording_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"method": "POST"}')
    with pytest.raises(ValueError, match=r"a\.json is no recorded request"):
        recorded_requests(tmp_path)
    assert recorded_requests(tmp_path / "none") == ()


def test_json_that_is_called_a_form_is_kept_as_json() -> None:
    headers = {"content-type": "application/x-www-form-urlencoded"}
    body = json.dumps({"text": f"say {SECRET} & id=2", "id": "7"}).encode()
    clean = without_secrets(ChannelRequest(body, headers), None, None, [SECRET])
    assert clean.document() == {"text": "say [secret] & id=2", "id": "7"}
    assert json.loads(clean.body) == clean.document()


def test_samples_are_found_from_the_file_that_reads_them_wherever_tests_are_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package, elsewhere = tmp_path / "cloche-chime", tmp_path / "elsewhere"
    elsewhere.mkdir()
    request = ChannelRequest(b'{"id": "1"}', {"content-type": "application/json"})
    write_recording(package / "tests" / "samples", request)
    (package / "pyproject.toml").touch()
    monkeypatch.chdir(elsewhere)
    for folder in ("samples", "tests/samples"):
        assert len(read_in(package / "tests" / "test_chime.py", folder)) == 1
        assert read_in(package / "tests" / "test_chime.py", f"{folder}/ignored") == ()
    missing = "There is no folder smaples beside test_chime.py or above it up to"
    with pytest.raises(ValueError, match=missing):
        read_in(package / "tests" / "test_chime.py", "smaples")
    with pytest.raises(ValueError, match="There is no folder"):
        read_in(package / "tests" / "test_chime.py", str(elsewhere / "nothing"))


def read_in(file: Path, folder: str) -> tuple[ChannelRequest, ...]:
    """What a file's own code reads."""
    file.write_text(f"SAMPLES = recorded_requests({folder!r})")
    names: dict[str, Any] = {"recorded_requests": recorded_requests}
    exec(compile(file.read_text(), str(file), "exec"), names)
    read: tuple[ChannelRequest, ...] = names["SAMPLES"]
    return read
