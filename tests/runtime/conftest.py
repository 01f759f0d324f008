"""A runtime on loopback: an assistant, a platform that posts, and an agent that a test commands."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import logging
import sqlite3
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import aiohttp
import pytest
from pydantic import SecretStr

from cloche.agents.agent import Answer, OnDelta
from cloche.channels import OwnerOptions
from cloche.llm.usage import Usage
from cloche.logs import LogHandler
from cloche.plugins import load_host
from cloche.prompt import Prompt
from cloche.runtime.busy import Busy
from cloche.runtime.events import Events
from cloche.runtime.host import HostThread, open_doors
from cloche.runtime.invocations import Asked
from cloche.runtime.json_logs import set_up_json_logs
from cloche.runtime.server import listen, runtime_app, serve_runtime
from cloche.runtime.session import SESSION_HEADER, runtime_session_id
from cloche.settings import AccessSettings, DeliverySettings, Settings
from cloche.tools import BoundTool

from .processes import Process, starting

if TYPE_CHECKING:
    from conftest import Site

SECRET = "correct horse battery"
CHANNEL = '''
from cloche import hookimpl
from cloche.channels import (
    Channel, Left, Pointers, Secret, SharedSecret, SendRefusedError, ThreadClosedError,
    UnreachableError,
)
from cloche.errors import RequestError
from cloche.messages import Address, Message

SENT = []
REGISTERED = []
BLOCKED = set()

class Posted(Channel):
    """Posts JSON with a shared secret."""

    name = "posted"
    secrets = (Secret("secret", "what the platform sends along", "webhook"),)
    authentication = SharedSecret("x-secret", "secret")
    pointers = Pointers(("/id",), ("/room",), ("/who",))

    def parse(self, request):
        match request.document():
            case {"id": str(id_), "room": str(room), "who": str(who), "text": str(text), **more}:
                address, thread = Address(self.name, who), more.get("thread", "")
                return (Message(id_, address, room, text, sender_name=who, thread=thread),)
            case {"left": str(room), "id": str(id_)}:
                return (Left(id_, room),)
        raise RequestError("body: is no message")

    async def send(self, part):
        if part.conversation in BLOCKED:
            raise UnreachableError("blocked by somebody")
        if (part.conversation, part.thread) in BLOCKED:
            raise ThreadClosedError("closed")
        SENT.append((part.conversation, part.text))

    async def register(self, address, *, drop_pending=False):
        if "refused" in address:
            raise SendRefusedError("the platform says: " + address)
        REGISTERED.append((address, drop_pending))

    async def unregister(self):
        REGISTERED.clear()

    async def check(self):
        return [(True, "delivers"), (False, "has no name")]

@hookimpl
def provide_channels():
    return [Posted]
'''


@dataclass
class Commanded:
    """An agent that answers at once, or when it is let, or never yields the event loop.

    Attributes:
        asked: The words of every turn.
        listened: Whether each turn's answer was listened to as it grew.
        patience: How long each turn had, in seconds.
        let: Set = what waits or blocks goes on.
    """

    name: str = "commanded"
    asked: list[str] = field(default_factory=list)
    listened: list[bool] = field(default_factory=list)
    patience: list[float] = field(default_factory=list)
    let: threading.Event = field(default_factory=threading.Event)

    async def ask(
        self, prompt: Prompt, tools: tuple[BoundTool, ...], on_delta: OnDelta | None = None
    ) -> Answer:
        words = prompt.words
        self.asked.append(words)
        self.listened.append(on_delta is not None)
        self.patience.append(prompt.patience.left(1.0))
        # Of a reminder that is due the turn part tells what it is about; nobody wrote then.
        if "wait" in (prompt.turn if words.startswith("(Nobody wrote") else words):
            while not self.let.is_set():
                await asyncio.sleep(0.01)
        if "block" in words:
            self.let.wait(60)
        if "crash" in words:
            raise RuntimeError(f"a secret of somebody: {words}")
        text = f"You said: {words}" + ("\ud83c" if "half" in words else "")
        if on_delta:
            for piece in text.split(" "):
                await on_delta(piece if piece == "You" else f" {piece}")
        usage = Usage("m", 100, 10, cache_read_tokens=60, calls=1, cost_usd=0.25)
        return Answer(text, usage)

    async def close(self) -> None:
        self.let.set()


def forwarded(
    room: str,
    text: str,
    *,
    id_: str,
    secret: str = SECRET,
    received: str = "",
    who: str = "",
    thread: str = "",
    left: bool = False,
) -> dict[str, Any]:
    """One request as the ingress forwards it."""
    said = {"id": id_, "room": room, "who": who or room, "text": text, "thread": thread}
    body = json.dumps({"id": id_, "left": room} if left else said).encode()
    request: dict[str, Any] = {
        "method": "POST",
        "headers": {"X-Secret": secret, "Content-Type": "application/json"},
        "query": {},
        "body": base64.b64encode(body).decode(),
    }
    return request | ({"received": received} if received else {})


@dataclass
class Runtime:
    """A runtime that listens, and how to invoke it.

    Attributes:
        invoked: Every invocation that reached the host, answered or not.
    """

    url: str
    http: aiohttp.ClientSession
    agent: Commanded
    busy: Busy
    settings: Settings
    sent: list[tuple[str, str]]
    blocked: set[object]
    registered: list[tuple[str, bool]]
    lines: list[str]
    invoked: list[Asked]
    stop: Callable[[], Awaitable[None]]

    forwarded = staticmethod(forwarded)

    async def ping(self) -> dict[str, Any]:
        async with self.http.get(f"{self.url}/ping") as response:
            assert response.status == 200
            return dict(await response.json())

    async def invoke(
        self,
        payload: object,
        *,
        status: int = 200,
        session: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        """The JSON answer, which must have this status."""
        more = {SESSION_HEADER: session} if session else {}
        async with self.http.post(
            f"{self.url}/invocations", json=payload, headers={**more, **(headers or {})}
        ) as response:
            body = dict(await response.json())
            assert response.status == status, body
            assert response.content_type == "application/json"
            return body

    async def post(
        self,
        room: str,
        text: str,
        *,
        id_: str,
        status: int = 200,
        **changes: Any,
    ) -> dict[str, Any]:
        """A message that the ingress forwards."""
        session = changes.pop("session", runtime_session_id("posted", room))
        return await self.invoke(
            {
                "kind": "channel",
                "channel": "posted",
                "requests": [forwarded(room, text, id_=id_, **changes)],
            },
            status=status,
            session=session,
        )

    async def said(self, text: str, **more: Any) -> dict[str, Any]:
        """The owner's words."""
        return await self.invoke({"kind": "message", "text": text}, **more)

    async def until(self, holds: Callable[[], object]) -> None:
        async with asyncio.timeout(60):
            while not holds():
                await asyncio.sleep(0.01)

    async def until_kept(self, number: int) -> None:
        """Until so many messages are in the inbox, from where a next process takes them."""
        file = self.settings.home / "tea" / "state.db"
        with closing(sqlite3.connect(file)) as state:
            rows = "SELECT COUNT(*) FROM items WHERE key LIKE 'inbox/%'"
            await self.until(lambda: state.execute(rows).fetchone()[0] >= number)

    async def until_idle(self) -> None:
        await self.until(lambda: not self.busy.status.busy)


@pytest.fixture
def log(settings: Settings) -> Iterator[io.StringIO]:
    """What goes to the standard error, with all that the host itself tells."""
    stream = io.StringIO()
    root, own = logging.getLogger(), logging.getLogger("cloche")
    before = root.level, own.level
    set_up_json_logs(settings, stream)
    own.setLevel(logging.DEBUG)
    yield stream
    for handler in [each for each in root.handlers if isinstance(each, LogHandler)]:
        root.removeHandler(handler)
    root.setLevel(before[0])
    own.setLevel(before[1])


@pytest.fixture
def settings(site: Site, tmp_path: Path) -> Settings:
    site.assistant("tea")
    site.plugin("posted", CHANNEL)
    return Settings(
        home=tmp_path / "runtime-home",
        time_zone="UTC",
        access=AccessSettings(open=True, messages_per_minute=1000),
        delivery=DeliverySettings(pacing=False, burst_seconds=0.05),
        channels={"posted": {"secret": SecretStr(SECRET)}},
    )


Opened = Callable[..., AbstractAsyncContextManager[Runtime]]


@pytest.fixture
def running(settings: Settings) -> Opened:
    """``async with running() as runtime``; what ``before`` gives is awaited before it opens.

    Without ``commanded`` the agent is the one that the settings choose.
    """

    @asynccontextmanager
    async def run(
        *,
        dev: bool = True,
        commanded: bool = True,
        before: Callable[[], Awaitable[None]] | None = None,
        chosen: Settings = settings,
        **more: Any,
    ) -> AsyncIterator[Runtime]:
        agent, busy, lines = Commanded(), Busy(), []
        plugin = import_module("cloche_posted")
        host, owner = load_host(chosen), OwnerOptions("ana", persona="Tea")

        @asynccontextmanager
        async def opening(told: Busy) -> AsyncIterator[Any]:
            if before:
                await before()
            async with open_doors(
                host,
                "tea",
                chosen,
                owner,
                told,
                dev=dev,
                agent=agent if commanded else None,
                write=lines.append,
                **more,
            ) as invocations:
                yield invocations

        thread, invoked = HostThread(opening, busy), list[Asked]()

        def ask(asked: Asked) -> Events:
            try:
                return thread.ask(asked)
            finally:
                invoked.append(asked)

        there, listening, stopping = listen("127.0.0.1", 0), asyncio.Event(), asyncio.Event()
        serving = asyncio.create_task(
            serve_runtime(
                runtime_app(ask, busy),
                thread,
                there,
                listens=listening.set,
                stopping=stopping,
            )
        )
        await listening.wait()

        async def stop() -> None:
            stopping.set()
            await serving

        async with aiohttp.ClientSession() as http:
            url = f"http://127.0.0.1:{there.getsockname()[1]}"
            sent, registered, blocked = plugin.SENT, plugin.REGISTERED, plugin.BLOCKED
            try:
                yield Runtime(
                    url, http, agent, busy, chosen, sent, blocked, registered, lines, invoked, stop
                )
            finally:
                agent.let.set()
                await stop()
                there.close()

    return run


@pytest.fixture
async def runtime(running: Opened) -> AsyncIterator[Runtime]:
    async with running() as one:
        yield one


@pytest.fixture
def start(site: Site, tmp_path: Path) -> Iterator[Callable[..., Process]]:
    """Starts a ``cloche runtime``."""
    with starting(site, tmp_path) as run:
        yield run
