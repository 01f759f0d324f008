"""The contract: /ping at once and always, JSON or server-sent events, errors that say little."""

from __future__ import annotations

import asyncio
import io
import json
import threading
from typing import TYPE_CHECKING

import aiohttp
import pytest

from cloche.errors import SettingsError
from cloche.runtime.session import SESSION_HEADER, runtime_session_id
from cloche.settings import FileSettings
from cloche.workspace.mirror import Mirrored

if TYPE_CHECKING:
    from conftest import Opened, Runtime

    from cloche.settings import Settings

SSE = {"Accept": "text/event-stream"}


async def events(response: aiohttp.ClientResponse) -> list[dict[str, object]]:
    text = await response.text()
    return [json.loads(line.removeprefix("data: ")) for line in text.splitlines() if line]


async def test_ping_is_answered_before_the_assistant_is_open(running: Opened) -> None:
    let = threading.Event()
    async with running(before=lambda: asyncio.to_thread(let.wait)) as runtime:
        assert (await runtime.ping())["status"] == "Healthy"
        waiting = asyncio.create_task(runtime.said("hello"))
        await runtime.until(lambda: runtime.invoked)
        assert not waiting.done()
        let.set()
        assert (await waiting)["text"] == "You said: hello"


async def test_one_that_is_told_to_end_while_it_opens_does_so(running: Opened) -> None:
    async def long() -> None:
        await asyncio.sleep(3600)

    async with asyncio.timeout(60), running(before=long) as runtime:
        waiting = asyncio.create_task(runtime.invoke({"kind": "health"}, status=503))
        await runtime.until(lambda: runtime.invoked)
        await runtime.stop()
        assert (await waiting)["error"] == "closing"


async def test_an_assistant_that_cannot_be_opened_ends_the_process_with_the_reason(
    running: Opened,
) -> None:
    async def broken() -> None:
        raise SettingsError("CLOCHE_X: is not set.")

    with pytest.raises(SettingsError, match="CLOCHE_X"):
        async with running(before=broken) as runtime:
            await runtime.invoke({"kind": "health"}, status=503)


async def test_json_or_events_as_the_caller_accepts(runtime: Runtime) -> None:
    whole = await runtime.said("a pot of tea")
    assert whole["text"] == "You said: a pot of tea"
    assert whole["usage"]["cached_tokens"] == 60
    async with runtime.http.post(
        f"{runtime.url}/invocations", json={"kind": "message", "text": "a cup"}, headers=SSE
    ) as response:
        assert response.status == 200
        assert response.content_type == "text/event-stream"
        told = await events(response)
    assert told[0] == {"accepted": 1}
    assert "".join(str(one.get("delta", "")) for one in told) == "You said: a cup"
    assert told[-1]["text"] == "You said: a cup"
    assert told[-1]["turn"] != whole["turn"]


async def test_a_second_accept_line_counts_as_the_first(runtime: Runtime) -> None:
    for lines, streams in [
        (("application/json;q=0.1", "text/event-stream"), True),
        (("text/event-stream", "application/json"), False),
    ]:
        async with runtime.http.post(
            f"{runtime.url}/invocations",
            json={"kind": "health"},
            headers=[("Accept", line) for line in lines],
        ) as response:
            assert (response.content_type == "text/event-stream") is streams


async def test_ping_is_answered_beside_sixty_open_streams(runtime: Runtime) -> None:
    async def stream(number: int) -> str:
        async with runtime.http.post(
            f"{runtime.url}/invocations",
            json={
                "kind": "channel",
                "channel": "posted",
                "requests": [runtime.forwarded(f"room-{number}", "wait", id_=f"w{number}")],
            },
            headers={
                **SSE,
                SESSION_HEADER: runtime_session_id("posted", f"room-{number}"),
            },
        ) as response:
            assert response.status == 200
            return str((await events(response))[-1])

    streams = [asyncio.create_task(stream(number)) for number in range(60)]
    await runtime.until(lambda: len(runtime.agent.asked) == 60)
    for _ in range(20):
        assert (await runtime.ping())["status"] == "HealthyBusy"
    assert not any(one.done() for one in streams)
    runtime.agent.let.set()
    assert [one for one in await asyncio.gather(*streams) if "True" not in one] == []
    await runtime.until_idle()


async def test_a_turn_that_blocks_its_event_loop_does_not_delay_ping(runtime: Runtime) -> None:
    blocking = asyncio.create_task(runtime.said("block"))
    await runtime.until(lambda: "block" in runtime.agent.asked)
    assert (await runtime.ping())["status"] == "HealthyBusy"
    assert not blocking.done()
    runtime.agent.let.set()
    assert (await blocking)["text"] == "You said: block"


async def test_a_slow_turn_does_not_delay_another_conversation(runtime: Runtime) -> None:
    slow = asyncio.create_task(runtime.post("slow", "wait for me", id_="1"))
    await runtime.until(lambda: "wait for me" in runtime.agent.asked)
    assert await runtime.post("quick", "hello", id_="2") == {"accepted": 1, "done": True}
    assert runtime.sent == [("quick", "You said: hello")]
    assert not slow.done()
    runtime.agent.let.set()
    await slow
    assert runtime.sent[1] == ("slow", "You said: wait for me")


async def test_busy_exactly_while_something_is_under_way(runtime: Runtime) -> None:
    before = await runtime.ping()
    await runtime.invoke({"kind": "health"})
    assert await runtime.ping() == before
    turn = asyncio.create_task(runtime.post("r", "wait", id_="1"))
    await runtime.until(lambda: runtime.agent.asked)
    during = await runtime.ping()
    assert during["status"] == "HealthyBusy"
    await asyncio.sleep(1.1)
    assert await runtime.ping() == during  # the same second: it has not changed
    runtime.agent.let.set()
    await turn
    await runtime.until_idle()
    after = await runtime.ping()
    assert after["status"] == "Healthy"
    assert after["time_of_last_update"] > during["time_of_last_update"]
    assert await runtime.ping() == after


async def test_busy_while_files_are_still_being_saved(
    running: Opened, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    let = threading.Event()

    async def slow(self: Mirrored) -> None:
        while not let.is_set():
            await asyncio.sleep(0.01)

    monkeypatch.setattr(Mirrored, "save", slow)
    monkeypatch.setattr("cloche.workspace.workspace.SAVE_SECONDS", 0.05)
    files = FileSettings(store="s3", bucket="a-bucket")
    async with running(chosen=settings.model_copy(update={"files": files})) as runtime:
        assert (await runtime.post("r", "hello", id_="1"))["done"]
        assert (await runtime.ping())["status"] == "HealthyBusy"
        let.set()
        await runtime.until_idle()


async def test_whoever_hangs_up_stops_nothing(runtime: Runtime) -> None:
    asking = asyncio.create_task(runtime.post("r", "wait here", id_="1"))
    await runtime.until(lambda: runtime.agent.asked)
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    assert (await runtime.ping())["status"] == "HealthyBusy"
    runtime.agent.let.set()
    await runtime.until(lambda: runtime.sent)
    assert runtime.sent == [("r", "You said: wait here")]
    await runtime.until_idle()


def nested(levels: int) -> bytes:
    """A message whose metadata go so deep."""
    deep = b'{"a":[' * (levels // 2) + b"1" + b"]}" * (levels // 2)
    return b'{"kind": "message", "text": "hi", "metadata": ' + deep + b"}"


async def test_no_error_says_what_an_exception_says(
    runtime: Runtime, caplog: pytest.LogCaptureFixture
) -> None:
    answer = await runtime.said("crash with my password")
    assert "secret" not in json.dumps(answer)
    assert answer["failure"] == "internal"
    for body, code in [
        (b"{", "not_json"),
        (b"\xff", "not_json"),
        *(
            (json.dumps({"kind": "health"}).encode(how), "not_json")
            for how in ("utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le")
        ),
        (b'{"kind": NaN}', "not_json"),
        (b'{"kind": -Infinity}', "not_json"),
        (b"[" * 100_000, "invalid_payload"),
        *((nested(levels), "invalid_payload") for levels in (90, 101, 300, 940, 990, 5_000)),
        (b"null", "invalid_payload"),
        (b'{"kind": "health", "x": 1}', "invalid_payload"),
    ]:
        async with runtime.http.post(f"{runtime.url}/invocations", data=body) as response:
            assert response.status == 400
            told = await response.json()
        assert told["error"] == code
        assert "column" not in told["message"]
        assert set(told) <= {"error", "message", "field"}


@pytest.mark.parametrize(("levels", "told"), [(100, "has a field"), (101, "at most 100 levels")])
async def test_a_payload_has_a_hundred_levels(runtime: Runtime, levels: int, told: str) -> None:
    deep = '{"kind": "health", "x": ' + "[" * (levels - 1) + "]" * (levels - 1) + "}"
    async with runtime.http.post(f"{runtime.url}/invocations", data=deep.encode()) as response:
        assert told in (await response.json())["message"]


@pytest.mark.parametrize(
    "sent",
    [
        b"\x16\x03\x01 no HTTP at all\r\n\r\n",
        b"GET /ping HTTP/1.1\r\n\r\n",  # no Host
        b"GET /ping HTTP/1.1\r\nHost: a\r\nHost b\r\n\r\n",
        b"POST /invocations HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n",
        b"POST /invocations HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ],
)
async def test_what_is_no_http_is_refused_as_all_else_is(
    runtime: Runtime, sent: bytes, log: io.StringIO
) -> None:
    head, _, body = (await raw(runtime, sent)).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 ")
    assert b"application/json" in head
    assert json.loads(body)["error"] == "not_http"
    assert [json.loads(line).get("error") for line in log.getvalue().splitlines()] == ["not_http"]
    assert (await runtime.ping())["status"] == "Healthy"


async def raw(runtime: Runtime, sent: bytes) -> bytes:
    """What is answered to these bytes until the connection is closed."""
    port = int(runtime.url.rpartition(":")[2])
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(sent)
    try:
        async with asyncio.timeout(60):
            return await reader.read()
    finally:
        writer.close()


async def test_half_a_character_of_a_model_spoils_no_answer(runtime: Runtime) -> None:
    whole = await runtime.said("half of an emoji")
    assert whole["text"].startswith("You said: half of an emoji")
    async with runtime.http.post(
        f"{runtime.url}/invocations", json={"kind": "message", "text": "half"}, headers=SSE
    ) as response:
        assert str((await events(response))[-1]["text"]).startswith("You said: half")


async def test_a_fault_of_ours_is_answered_without_its_words(
    runtime: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(document: object) -> None:
        raise KeyError("hunter2")

    monkeypatch.setattr("cloche.runtime.server.parse_payload", broken)
    told = await runtime.invoke({"kind": "health"}, status=500)
    assert told["error"] == "internal"
    assert "hunter2" not in json.dumps(told)


async def test_millions_of_values_are_refused_unread(runtime: Runtime) -> None:
    async with runtime.http.post(
        f"{runtime.url}/invocations", data=b"[" + b"1," * 400_000 + b"1]"
    ) as response:
        assert response.status == 413
        assert (await response.json())["error"] == "too_large"


async def test_a_body_that_does_not_come_is_not_waited_for(
    runtime: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cloche.runtime.bodies.READ_SECONDS", 0.1)
    told = await unfinished(runtime)
    assert b"408" in told.partition(b"\r\n")[0]
    assert b"too_slow" in told


async def test_a_body_that_is_on_its_way_at_the_end_is_sent_back(
    running: Opened, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("cloche.runtime.server.DRAIN_SECONDS", 0.1)
    async with running() as runtime:
        sending = asyncio.create_task(unfinished(runtime))
        await asyncio.sleep(0.1)
    assert b"closing" in await sending
    assert "ASGI" not in caplog.text


async def unfinished(runtime: Runtime) -> bytes:
    """What is answered to whoever sends the beginning of a body and no more."""
    port = int(runtime.url.rpartition(":")[2])
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"POST /invocations HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\n{")
    try:
        async with asyncio.timeout(60):
            head = await reader.readuntil(b"\r\n\r\n")
            return head + await reader.read(1000)
    finally:
        writer.close()


async def test_a_payload_that_is_too_large_is_refused(
    runtime: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cloche.runtime.bodies.MOST_BYTES", 1000)
    told = await runtime.invoke({"kind": "message", "text": "x" * 1000}, status=413)
    assert told["error"] == "too_large"


async def test_other_paths_and_methods(runtime: Runtime) -> None:
    for method, path, status in [
        ("GET", "/", 404),
        ("GET", "/invocations", 405),
        ("POST", "/ping", 405),
        ("GET", "/ws", 404),
        ("GET", "/ping/", 404),
        ("POST", "/invocations/", 404),
    ]:
        async with runtime.http.request(
            method, runtime.url + path, data=b"{}", allow_redirects=False
        ) as response:
            assert response.status == status
            assert (await response.json())["error"] == "unknown_path"


async def test_health(runtime: Runtime) -> None:
    told = await runtime.invoke({"kind": "health"})
    assert told.pop("version")
    assert told == {
        "assistant": "tea",
        "channels": ["posted"],
        "state": "ok",
        "dev": True,
        "busy": False,
    }


async def test_messages_are_the_local_owners_alone(runtime: Runtime, running: Opened) -> None:
    for headers in [
        {"Origin": "http://elsewhere.example"},
        {"Origin": runtime.url},
        {"Sec-Fetch-Site": "same-origin"},
        {"Host": "elsewhere.example"},
        {"Host": "localhost.elsewhere.example:80"},
    ]:
        told = await runtime.said("hello", status=403, headers=headers)
        assert told["error"] == "not_local"
    assert runtime.agent.asked == []
    port = runtime.url.rpartition(":")[2]
    assert (await runtime.said("hello", headers={"Host": f"localhost:{port}"}))["text"]
    assert (await runtime.said("hello again", headers={"Host": "localhost"}))["text"]


async def test_without_dev_there_are_no_messages(running: Opened) -> None:
    async with running(dev=False) as runtime:
        told = await runtime.said("hello", status=403)
        assert (told["error"], told["field"]) == ("dev_only", "kind")
        assert runtime.agent.asked == []


async def test_messages_at_once_are_each_answered(runtime: Runtime) -> None:
    answers = await asyncio.gather(*(runtime.said(f"message {n}") for n in range(8)))
    assert [one["text"] for one in answers] == [f"You said: message {n}" for n in range(8)]
