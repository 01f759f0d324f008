"""Frozen and thawed, as machines are while nobody asks: nothing is lost, the next turn works."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from aiohttp import web

from cloche.agents.openclaw.installation import find_installation, installation_folder
from cloche.settings import OpenClawSettings
from cloche.testing.bedrock import BedrockEndpoint
from cloche.testing.script import Answer, Asked, call, say

from .processes import Process, until

if TYPE_CHECKING:
    from conftest import Site

HAIKU = "eu.anthropic.claude-haiku-4-5-20251001-v1:0"
FOLDER = str(installation_folder(OpenClawSettings()))
THERE = find_installation(OpenClawSettings(folder=FOLDER)) is not None
SECONDS = 2.5
"""How long; a machine may be for minutes, which changes nothing: time limits here are shorter."""
HUNG_UP = 6
"""Seconds after which a gateway has closed connections that nobody used."""
DUE = 8
"""Seconds after which a reminder is due; by then a slow machine has said that it is set."""


class Models(BedrockEndpoint):
    """A provider that may take its time, and may hang up."""

    def __init__(self) -> None:
        super().__init__(self.answer)
        self.let, self.waits = threading.Event(), threading.Event()
        self._open: set[Any] = set()

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self._open.add(request.transport)
        return await super().handle(request)

    def answer(self, asked: Asked) -> Answer:
        """Answers a chat; learns nothing."""
        if asked.tools and "record" in asked.tools[0]:
            return call(asked.tools[0], statements=[])
        if asked.results:
            return say("It is set.")
        if "remind me" in asked.words:
            return call("set_reminder", text="tea", when=f"PT{DUE}S")
        if "reminder" in asked.words:
            return say("Now: tea.")
        if "wait" in asked.words and not self.let.is_set():
            self.waits.set()
            self.let.wait(60)
        return say("All right.")

    def hang_up(self) -> None:
        """Close every connection, as providers do with those that nobody uses."""
        assert self._loop
        self._loop.call_soon_threadsafe(lambda: [each.abort() for each in self._open])


@pytest.fixture
def models() -> Iterator[Models]:
    with Models() as server:
        yield server
        server.let.set()


def by(models: Models, **more: str) -> dict[str, str]:
    """Settings by which these models answer."""
    return {
        "CLOCHE_AGENT": "embedded",
        "CLOCHE_MODEL__PROVIDER": "bedrock",
        "CLOCHE_MODEL__BASE_URL": models.url,
        "CLOCHE_MODEL__REGION": "eu-north-1",
        "MODEL_ID": HAIKU,
        "AWS_ACCESS_KEY_ID": "loopback",
        "AWS_SECRET_ACCESS_KEY": "loopback",
        **more,
    }


@contextmanager
def frozen(one: Process, seconds: float = SECONDS) -> Iterator[None]:
    """The process does nothing for a while; what the block does happens meanwhile."""
    one.process.send_signal(signal.SIGSTOP)
    try:
        yield
        time.sleep(seconds)
    finally:
        one.process.send_signal(signal.SIGCONT)


def test_in_the_middle_of_a_turn(start: Callable[..., Process]) -> None:
    one = start().ready()
    with ThreadPoolExecutor() as pool:
        running = pool.submit(one.post, "0.5 before", "1")
        until(lambda: one.lines("asked"))
        with frozen(one):
            pass
        assert running.result()[0] == 200
    assert one.post("after", "2")[0] == 200
    assert one.lines("sent") == ["You said: 0.5 before", "You said: after"]
    assert one.end(signal.SIGINT) == 0


def test_longer_than_every_time_limit_of_a_turn(
    start: Callable[..., Process], models: Models
) -> None:
    limits = {"CLOCHE_MODEL__TIMEOUT_SECONDS": "1", "CLOCHE_RUNTIME__WAIT_SECONDS": "1"}
    one = start(**by(models, **limits)).ready()
    with ThreadPoolExecutor() as pool:
        running = pool.submit(one.post, "wait for me", "1")
        assert models.waits.wait(60)
        with frozen(one):
            models.let.set()
        assert running.result()[0] == 200
    # Done or not by then: the queue may send it again, and it is told once.
    assert one.post("wait for me", "1") == (200, {"accepted": 1, "done": True})
    assert one.post("after", "2")[0] == 200
    told, after = one.lines("sent")
    assert told == "All right." or "please try again" in told
    assert after == "All right."


def test_connections_that_were_closed_meanwhile(
    start: Callable[..., Process], models: Models
) -> None:
    one = start(**by(models)).ready()
    assert one.post("before", "1")[0] == 200
    with frozen(one):
        models.hang_up()
    assert one.post("after", "2")[0] == 200
    assert one.lines("sent") == ["All right."] * 2


def test_what_fell_due_meanwhile_is_told_once(
    start: Callable[..., Process], site: Site, models: Models
) -> None:
    skills = site.folder / "cloche_tea" / "skills.json"
    skills.write_text('{"version": 1, "skills": ["reminders"]}', encoding="utf-8")
    one = start(**by(models)).ready()
    assert one.post("remind me", "1")[0] == 200
    with frozen(one, DUE):
        (is_set,) = one.lines("sent")
    until(lambda: len(one.lines("sent")) == 2)
    assert one.post("after", "2")[0] == 200
    before, due, after = one.lines("sent")
    assert (before, after) == (is_set, "All right.")
    assert due.startswith("Now: tea.")


@pytest.mark.gateway
@pytest.mark.timeout(400)
@pytest.mark.skipif(not THERE, reason="OpenClaw (make openclaw)")
def test_its_gateway_hung_up_or_gone_meanwhile_and_ended_with_it(
    start: Callable[..., Process], models: Models
) -> None:
    settings = by(models, CLOCHE_AGENT="openclaw", CLOCHE_OPENCLAW__FOLDER=FOLDER)
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        one = start("--dev", **settings, CLOCHE_OPENCLAW__PORT=port).ready()
        assert said(one, "its port is taken") == "embedded"
        assert not children_of(one.process.pid)
    until(lambda: said(one, "before") == "openclaw", 180, every=3)
    group = gateway_of(one)
    with frozen(one, HUNG_UP):
        models.hang_up()
    until(lambda: said(one, "thawed") == "openclaw", 60, every=3)
    assert gateway_of(one) == group
    with frozen(one):
        os.killpg(group, signal.SIGKILL)
    assert said(one, "meanwhile") == "embedded"  # nobody waits for a start
    until(lambda: said(one, "after") == "openclaw", 180, every=3)
    assert gateway_of(one) != group
    assert "They: meanwhile" in str(models.requests[-1].body["messages"])
    # Told to end, it finishes the turn that its gateway is at, and leaves nothing of that.
    group = gateway_of(one)
    with ThreadPoolExecutor() as pool:
        running = pool.submit(said, one, "wait")
        assert models.waits.wait(60)
        one.process.send_signal(signal.SIGTERM)
        models.let.set()
        assert running.result() == "openclaw"
    assert one.process.wait(60) == 0
    with pytest.raises(ProcessLookupError):
        os.killpg(group, 0)
    assert not list(one.folder.glob("process-home/tea/openclaw/gateway-*/"))
    _, err = one.process.communicate()
    assert "Traceback" not in err


def said(one: Process, words: str) -> str:
    """Which agent answered."""
    status, told = one.invoke({"kind": "message", "text": words})
    assert (status, told["text"], told["failure"]) == (200, "All right.", "")
    return str(told["agent"])


def gateway_of(one: Process) -> int:
    """The process group of its gateway: the child of its only child."""
    (guard,) = children_of(one.process.pid)
    (gateway,) = children_of(guard)
    return gateway


def children_of(process: int) -> list[int]:
    path = Path(f"/proc/{process}/task")
    return [
        int(each)
        for task in path.iterdir()
        for each in (task / "children").read_text(encoding="ascii").split()
    ]
