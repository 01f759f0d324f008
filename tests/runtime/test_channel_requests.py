"""Channel requests as the ingress forwards them: authentic, of one conversation, told once."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from importlib import import_module
from typing import TYPE_CHECKING

import pytest

from cloche.channels import Limits
from cloche.runtime.session import runtime_session_id
from cloche.settings import RuntimeSettings

if TYPE_CHECKING:
    from conftest import Opened, Runtime

    from cloche.settings import Settings


def ago(**time: float) -> str:
    return (datetime.now(UTC) - timedelta(**time)).isoformat()


async def test_an_answer_goes_to_the_platform(runtime: Runtime) -> None:
    assert await runtime.post("r", "hello", id_="1") == {"accepted": 1, "done": True}
    assert runtime.sent == [("r", "You said: hello")]


async def test_several_of_one_conversation_are_told_in_order(runtime: Runtime) -> None:
    requests = [runtime.forwarded("r", f"/help {n}" if n == 1 else f"m{n}", id_=f"{n}")
                for n in range(3)]  # fmt: skip
    told = await runtime.invoke(
        {"kind": "channel", "channel": "posted", "requests": requests},
        session=runtime_session_id("posted", "r"),
    )
    assert told == {"accepted": 3, "done": True}
    assert runtime.agent.asked == ["m0", "m2"]


async def test_what_is_sent_again_is_told_once(runtime: Runtime) -> None:
    for _ in range(3):
        assert (await runtime.post("r", "hello", id_="1"))["accepted"] == 1
    assert runtime.sent == [("r", "You said: hello")]


async def test_what_is_not_the_platforms_own_is_refused(runtime: Runtime) -> None:
    for secret in ("", "wrong horse battery", "correct horse batter"):
        told = await runtime.post("r", "hello", id_="1", secret=secret, status=401)
        assert (told["error"], told["field"]) == ("not_authentic", "requests[0]")
    assert runtime.agent.asked == []


async def test_one_forged_request_stops_all_that_came_with_it(runtime: Runtime) -> None:
    good, bad = (
        runtime.forwarded("r", "a", id_="1"),
        runtime.forwarded("r", "b", id_="2", secret="x"),
    )
    told = await runtime.invoke(
        {"kind": "channel", "channel": "posted", "requests": [good, bad]},
        session=runtime_session_id("posted", "r"),
        status=401,
    )
    assert told["field"] == "requests[1]"
    assert runtime.agent.asked == []


async def test_another_conversations_session_is_refused(runtime: Runtime) -> None:
    for session in (runtime_session_id("posted", "other"), "x" * 40, None):
        told = await runtime.post("r", "hello", id_="1", session=session, status=409)
        assert told["error"] == "wrong_session"
    assert runtime.agent.asked == []


async def test_the_salt_is_part_of_the_session(running: Opened, settings: Settings) -> None:
    salted = settings.model_copy(update={"runtime": RuntimeSettings(session_salt="v2")})
    async with running(chosen=salted) as runtime:
        await runtime.post("r", "hello", id_="1", status=409)
        await runtime.post("r", "hello", id_="1", session=runtime_session_id("posted", "r", "v2"))


async def test_two_conversations_in_one_invocation_are_refused(runtime: Runtime) -> None:
    requests = [runtime.forwarded(room, "hi", id_=room) for room in ("r", "s")]
    told = await runtime.invoke(
        {"kind": "channel", "channel": "posted", "requests": requests},
        session=runtime_session_id("posted", "r"),
        status=400,
    )
    assert told["field"] == "requests[1]"
    assert runtime.agent.asked == []


async def test_what_waited_in_the_queue_is_judged_by_when_it_came(runtime: Runtime) -> None:
    await runtime.post("r", "late", id_="1", received=ago(hours=23))
    for id_, received in (("2", ago(hours=25)), ("3", ago(minutes=-10))):
        told = await runtime.post("r", "no", id_=id_, received=received, status=400)
        assert told["field"] == "requests[0].received"
    assert runtime.agent.asked == ["late"]


async def test_what_a_channel_cannot_read_counts_as_received(runtime: Runtime) -> None:
    odd = runtime.forwarded("r", "hi", id_="1") | {"body": "e30="}
    told = await runtime.invoke({"kind": "channel", "channel": "posted", "requests": [odd]})
    assert told == {"accepted": 0, "done": True}


@pytest.mark.parametrize("kind", ["channel", "register", "unregister", "check"])
async def test_a_channel_that_is_not_here(runtime: Runtime, kind: str) -> None:
    for name in ("nowhere", "console", "web", "telegram"):
        more = {
            "channel": {"requests": [runtime.forwarded("r", "hi", id_="1")]},
            "register": {"address": "https://a.example"},
        }.get(kind, {})
        told = await runtime.invoke({"kind": kind, "channel": name, **more}, status=404)
        assert (told["error"], told["field"]) == ("unknown_channel", "channel")


async def test_a_large_body_is_refused(
    running: Opened, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running() as runtime:
        kind = import_module("cloche_posted").Posted
        monkeypatch.setattr(kind, "limits", Limits(request_bytes=100))
        told = await runtime.post("r", "x" * 100, id_="1", status=413)
        assert (told["error"], told["field"]) == ("too_large", "requests[0].body")


async def test_a_long_turn_goes_on_without_who_asked(running: Opened, settings: Settings) -> None:
    hurried = settings.model_copy(update={"runtime": RuntimeSettings(wait_seconds=0.2)})
    async with running(chosen=hurried) as runtime:
        told = await runtime.post("r", "wait", id_="1")
        assert told == {"accepted": 1, "done": False}
        assert (await runtime.ping())["status"] == "HealthyBusy"
        runtime.agent.let.set()
        await runtime.until_idle()
        assert runtime.sent == [("r", "You said: wait")]


async def test_what_is_left_at_the_end_is_answered_by_the_next_process(running: Opened) -> None:
    async with running() as runtime:
        first = asyncio.create_task(runtime.post("r", "wait one", id_="1", status=503))
        await runtime.until(lambda: runtime.agent.asked)
        second = asyncio.create_task(runtime.post("r", "two", id_="2", status=503))
        await runtime.until_kept(2)
    # The turn that ran was let finish, the one that waited was not begun: the queue keeps both.
    assert {(await each)["error"] for each in (first, second)} == {"closing"}
    assert runtime.sent == [("r", "You said: wait one")]
    async with running() as runtime:
        for id_, text in (("1", "wait one"), ("2", "two")):
            assert (await runtime.post("r", text, id_=id_))["done"]
        assert runtime.agent.asked == ["two"]
        assert runtime.sent[1:] == [("r", "You said: two")]


async def test_register_check_and_unregister(runtime: Runtime) -> None:
    told = await runtime.invoke(
        {"kind": "register", "channel": "posted", "address": "https://a.example/x"}
    )
    assert told["registered"] == "posted"
    assert len(told["owner_code"]) >= 8
    assert runtime.registered == [("https://a.example/x", False)]
    told = await runtime.invoke({"kind": "check"})
    assert told == {
        "channels": {
            "posted": [{"ok": True, "about": "delivers"}, {"ok": False, "about": "has no name"}]
        }
    }
    assert await runtime.invoke({"kind": "unregister", "channel": "posted"}) == {
        "unregistered": "posted"
    }
    assert runtime.registered == []
    refused = {"kind": "register", "channel": "posted", "address": "https://a.example/refused"}
    told = await runtime.invoke(refused, status=502)
    assert told["error"] == "platform_refused"
    assert "platform says" not in told["message"]


@pytest.mark.parametrize("kind", ["register", "unregister", "check"])
async def test_a_platform_that_hangs_is_given_up(
    runtime: Runtime, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr("cloche.runtime.invocations.PLATFORM_SECONDS", 0.05)

    async def hangs(*_: object, **__: object) -> None:
        await asyncio.sleep(3600)

    monkeypatch.setattr(import_module("cloche_posted").Posted, kind, hangs)
    asked = {"kind": kind, "channel": "posted"}
    async with asyncio.timeout(10):
        if kind == "check":
            told = await runtime.invoke(asked)
            (line,) = told["channels"]["posted"]
            assert line == {"ok": False, "about": "it cannot be asked now"}
        else:
            address = {"address": "https://a.example/x"} if kind == "register" else {}
            told = await runtime.invoke({**asked, **address}, status=502)
            assert told["error"] == "platform_refused"
    assert (await runtime.post("r", "hello", id_="1"))["done"]
