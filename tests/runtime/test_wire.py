"""Bytes as anybody may send them to the real process: each gets a status, a code and a sentence."""

from __future__ import annotations

import base64
import json
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any

import pytest

from cloche.runtime.session import SESSION_HEADER, runtime_session_id

from .processes import SECRET, Process

ID = "0" * 32
HEALTH = b'{"kind": "health"}'
CHUNKED = "Transfer-Encoding: chunked"


def asked(
    body: bytes = HEALTH,
    *headers: str,
    method: str = "POST",
    path: str = "/invocations",
    length: str | None = "",
) -> bytes:
    """A request; ``length`` is what it says of its body, None = nothing."""
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", *headers]
    lines += [] if length is None else [f"Content-Length: {length or len(body)}"]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


def message(text: str) -> bytes:
    """The owner's words, as JSON spells them."""
    return b'{"kind": "message", "text": ' + text.encode() + b"}"


def reminder(**changes: object) -> bytes:
    fields = {"kind": "reminder", "reminder": ID, "at": "2020-01-01T00:00:00Z", **changes}
    return json.dumps(fields).encode()


def register(address: str) -> bytes:
    return json.dumps({"kind": "register", "channel": "posted", "address": address}).encode()


def posted(room: str, *, secret: str = SECRET, words: str = "hello", **changes: object) -> bytes:
    told = json.dumps({"id": f"{room} {words}", "room": room, "text": words}).encode()
    request = {"headers": {"x-secret": secret}, "body": base64.b64encode(told).decode(), **changes}
    return json.dumps({"kind": "channel", "channel": "posted", "requests": [request]}).encode()


def session(of: str) -> str:
    return f"{SESSION_HEADER}: {of}"


MINE, OTHER = session(runtime_session_id("posted", "r")), session("x" * 40)
TWO = {"X-Secret": "wrong", "x-secret": SECRET}
REFUSED: dict[tuple[int, str], dict[str, bytes]] = {
    (400, "not_json"): {
        "nothing": asked(b""),
        "no length": asked(b"", length=None),
        "two documents": asked(HEALTH * 2),
        "a mark before it": asked(b"\xef\xbb\xbf" + HEALTH),
        "no UTF-8": asked(message('"\xff"').replace(b"\xc3\xbf", b"\xff")),
        "half a character in UTF-8": asked(b'{"kind": "\xed\xa0\xbd"}'),
        "NaN": asked(message("NaN")),
        "a number of 5000 digits": asked(message("9" * 5000)),
        "packed": asked(b"\x1f\x8b\x08\x00", "Content-Encoding: gzip"),
    },
    (400, "invalid_payload"): {
        "a number beyond all": asked(message("-1e9999")),
        "100,000 lists deep": asked(b"[" * 100_000 + b"]" * 100_000),
        "100,000 objects deep": asked(b'{"a":' * 100_000),
        "half a character as kind": asked(b'{"kind": "\\ud83c"}'),
        "half a character as a name": asked(b'{"kind": "health", "\\ud83c": 1}'),
        "two kinds": asked(b'{"kind": "health", "kind": "check"}'),
        "two texts": asked(message('"a", "text": "b"')),
        "two names deeper": asked(posted("r").replace(b'"body"', b'"body": "", "body"')),
        "one header in two spellings": asked(posted("r", headers=TWO), MINE),
        "an id with a line's end": asked(reminder(reminder=ID + "\n")),
        "an instant with a line's end": asked(reminder(at="2020-01-01T00:00:00Z\n")),
        "an instant of no day": asked(reminder(at="2026-02-30T00:00:00Z")),
        "an instant that has not come": asked(reminder(at="9999-12-31T23:59:59-23:59")),
        "a channel with a line's end": asked(b'{"kind": "check", "channel": "posted\\n"}'),
        "an address of nobody": asked(register("https:///")),
        "an address with a user": asked(register("https://a:b@c.example")),
        "an address with a line's end": asked(register("https://a.example/x\n")),
        "an address with half a character": asked(register("https://a.example/\ud800")),
    },
    (409, "wrong_session"): {
        "no session": asked(posted("r")),
        "another's session": asked(posted("r"), OTHER),
        "two sessions": asked(posted("r"), MINE, OTHER),
        "the same session twice": asked(posted("r"), MINE, MINE),
        "a session of 8000 letters": asked(posted("r"), session("x" * 8000)),
        "a session of another alphabet": asked(posted("r"), session("\xff" * 40)),
    },
    (401, "not_authentic"): {
        "another's secret": asked(posted("r", secret="no"), MINE),
        "half a character as secret": asked(posted("r", secret="\ud83c"), MINE),
    },
    (413, "too_large"): {
        "much announced": asked(b"{", length="17000000"),
        "more than fits a number": asked(b"{", length="99999999999999999999"),
    },
    (405, "unknown_path"): {
        "OPTIONS": asked(method="OPTIONS"),
        "PUT": asked(method="PUT"),
        "a verb of nobody": asked(method="BREW"),
        "POST to ping, without JSON": asked(b"x", path="/ping"),
    },
    (404, "unknown_path"): {
        "POST elsewhere, without JSON": asked(b"x", path="/"),
    },
    (400, "not_http"): {
        "two lengths": asked(HEALTH, "Content-Length: 5"),
        "a length below zero": asked(b"", length="-5"),
        "a length and chunks that are none": asked(HEALTH + b"\r\n", CHUNKED),
        "a chunk of no length": asked(b"-1\r\n", CHUNKED, length=None),
        "a header with a NUL": asked(HEALTH, "X: a\x00b"),
        "two hosts": asked(HEALTH, "Host: other"),
    },
}


@pytest.fixture
def one(start: Callable[..., Process]) -> Iterator[Process]:
    running = start("--dev").ready()
    yield running
    assert running.end() == 0
    out, err = running.process.communicate()
    assert "Traceback" not in out + err
    assert SECRET not in out + err


def connected(one: Process) -> socket.socket:
    return socket.create_connection(("127.0.0.1", int(one.url.rpartition(":")[2])), timeout=20)


def answers(one: Process, *pieces: bytes, count: int = 1) -> list[tuple[int, str, bytes]]:
    """Status, media type and body of so many answers on one connection."""
    with closing(connected(one)) as there:
        for piece in pieces:
            there.sendall(piece)
        with there.makefile("rb") as file:
            return [answer(file) for _ in range(count)]


def answer(file: Any) -> tuple[int, str, bytes]:
    status = int(file.readline().split()[1])
    headers: dict[str, str] = {}
    while line := file.readline().strip():
        name, _, value = line.decode().partition(":")
        headers[name.lower()] = value.strip()
    body = file.read(int(headers["content-length"])) if "content-length" in headers else b""
    if headers.get("transfer-encoding") == "chunked":
        while size := int(file.readline(), 16):
            body += file.read(size)
            file.readline()
        file.readline()
    return status, headers.get("content-type", ""), body


def test_whatever_is_refused_has_a_status_a_code_and_one_sentence(one: Process) -> None:
    cases = [(*what, *each) for what, some in REFUSED.items() for each in some.items()]
    for status, code, name, sent in cases:
        ((got, kind, body),) = answers(one, sent)
        told = json.loads(body)
        assert (got, kind, told["error"]) == (status, "application/json", code), name
        assert set(told) <= {"error", "message", "field"}, name
        assert told["message"].endswith((".", "again.")), name
        assert "\n" not in told["message"], name
        assert "Error" not in told["message"], name
    assert one.lines("asked") == []
    # What has no body has a status, and nothing that would be taken for the next answer.
    with closing(connected(one)) as there:
        there.sendall(asked(b"", method="HEAD") + asked(b"", "Connection: close", method="HEAD"))
        heads = b"".join(iter(lambda: there.recv(4096), b""))
    assert heads.count(b"HTTP/1.1 405") == heads.count(b"\r\n\r\n") == 2
    assert heads.endswith(b"\r\n\r\n")


def test_what_is_well_formed_is_answered_however_it_comes(one: Process) -> None:
    whole = asked(HEALTH)
    chunks = b"5\r\n" + HEALTH[:5] + b"\r\nd;a=b\r\n" + HEALTH[5:] + b"\r\n0\r\nX: y\r\n\r\n"
    old = b"POST /invocations HTTP/1.0\r\nContent-Length: 18\r\n\r\n" + HEALTH
    for pieces in [
        (whole,),
        tuple(whole[at : at + 1] for at in range(len(whole))),
        (asked(chunks, CHUNKED, length=None),),
        (asked(HEALTH, "Content-Type: text/plain"),),
        (asked(HEALTH, "Accept: text/html"),),
        (asked(HEALTH, "Accept: application/json;q=0"),),
        (asked(HEALTH, f"Accept: {'a/b,' * 1000}"),),
        (old,),
    ]:
        ((status, kind, body),) = answers(one, *pieces)
        assert (status, kind) == (200, "application/json")
        assert json.loads(body)["assistant"] == "tea"
    for accept in ("text/event-stream", "text/*", "text/event-stream, application/json;q=0.5"):
        ((status, kind, body),) = answers(one, asked(HEALTH, f"Accept: {accept}"))
        assert (status, kind.partition(";")[0]) == (200, "text/event-stream")
        assert json.loads(body.removeprefix(b"data: "))["assistant"] == "tea"
    ((status, _, body),) = answers(one, asked(posted("r"), MINE))
    assert (status, json.loads(body)) == (200, {"accepted": 1, "done": True})
    # Half a character is what JSON may spell: it is a word like others.
    ((status, _, body),) = answers(one, asked(message('"a\\ud83c \\u0000b"')))
    assert status == 200
    assert json.loads(body)["failure"] == ""
    # Two at once on one connection, and what is none behind them: in their order.
    ping = asked(b"", method="GET", path="/ping", length=None)
    told = answers(one, whole + asked(b"{}") + ping + b"no HTTP\r\n\r\n", count=4)
    assert [status for status, _, _ in told] == [200, 400, 200, 400]
    assert json.loads(told[3][2])["error"] == "not_http"


def test_sixty_open_streams_leave_ping_quick(one: Process) -> None:
    def stream(number: int) -> bytes:
        of = session(runtime_session_id("posted", f"room {number}"))
        sent = asked(posted(f"room {number}", words="2.5 茶"), of, "Accept: text/event-stream")
        ((status, _, body),) = answers(one, sent)
        assert status == 200
        return body

    with ThreadPoolExecutor(60) as pool:
        streams = [pool.submit(stream, number) for number in range(60)]
        took = []
        while not all(each.done() for each in streams):
            began = time.monotonic()
            one.get("/ping")
            took.append(time.monotonic() - began)
            time.sleep(0.05)
        ends = {each.result().splitlines()[-2] for each in streams}
    assert ends == {b'data: {"accepted":1,"done":true}'}
    assert len(one.lines("sent")) == 60
    assert len(took) > 5
    assert sorted(took)[len(took) // 2] < 0.5
