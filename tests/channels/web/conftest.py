"""The page on a real port, with the host's delivery and memory behind it, and a scripted agent."""

from __future__ import annotations

import asyncio
import io
import json
import os
import shutil
import uuid
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from pydantic import SecretStr

from cloche.agents.agent import Answer, OnDelta
from cloche.assembly import open_assistant
from cloche.assistant import Assistant
from cloche.channels import ChannelContext, Document, OwnerOptions
from cloche.delivery import Delivery, OpenDoor
from cloche.delivery.rendering import render
from cloche.ids import actor_id
from cloche.memory_desk import MemoryDesk
from cloche.messages import Address, Attachment
from cloche.prompt import Prompt
from cloche.reminders.reminder import Place, Reminder, reminder_id
from cloche.reminders.schedule import Schedule
from cloche.settings import DeliverySettings, Settings
from cloche.tools import BoundTool
from cloche.workspace.outgoing import to_send
from cloche_channels.web import WebChannel

OWNER = "ana"
CHROMIUM = shutil.which("chromium")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PICTURES = Path(__file__).parents[3] / ".cache" / "web-pictures"
"""Where tests leave what they saw, for whoever wants to look; no part of the repository."""


class TickingClock:
    """Goes on by a millisecond whenever it is asked, and in no other way."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(milliseconds=1)
        return self.now


class Scribe:
    """An agent that writes what a test says, piece by piece, and waits where it says so."""

    name = "scribe"

    def __init__(self) -> None:
        self.answers: dict[str, Sequence[str | asyncio.Event]] = {}
        self.prompts: list[Prompt] = []

    async def ask(
        self, prompt: Prompt, tools: tuple[BoundTool, ...], on_delta: OnDelta | None = None
    ) -> Answer:
        self.prompts.append(prompt)
        text = ""
        for piece in self.answers.get(prompt.words, ("Noted: ", prompt.words)):
            if isinstance(piece, asyncio.Event):
                await piece.wait()
                continue
            text += piece
            if on_delta:
                await on_delta(piece)
        return Answer(text)

    async def close(self) -> None:
        pass


class Drawer:
    """Keepsakes that outlive a channel."""

    def __init__(self) -> None:
        self.kept: dict[str, Document] = {}

    async def get(self, key: str) -> Document:
        return self.kept.get(key)

    async def put(self, key: str, value: Document) -> None:
        self.kept[key] = value


def no_http() -> aiohttp.ClientSession:
    raise AssertionError("nobody is called here")


@dataclass
class Page:
    """The page as it is served, and what stands behind it."""

    channel: WebChannel
    delivery: Delivery
    assistant: Assistant
    scribe: Scribe
    clock: TickingClock

    @property
    def port(self) -> int:
        return self.channel.port

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def link(self) -> str:
        return f"{self.address}/#enter={self.channel.entrance.word}"


@dataclass
class Visitor:
    """A program that talks to the page as a browser would, header by header."""

    page: Page
    session: aiohttp.ClientSession
    cookie: str = ""
    token: str = ""
    sent: dict[str, str] = field(default_factory=dict)

    def headers(self, **changes: str | None) -> dict[str, str]:
        usual: dict[str, str | None] = {
            "Origin": self.page.address,
            "X-Cloche-Token": self.token,
            "Cookie": self.cookie,
            **changes,
        }
        return {name: value for name, value in usual.items() if value is not None}

    async def ask(
        self, method: str, path: str, body: object = None, **changes: str | None
    ) -> aiohttp.ClientResponse:
        data = json.dumps(body).encode() if not isinstance(body, bytes) else body
        headers = self.headers(**changes)
        if body is not None:
            headers.setdefault("Content-Type", "application/json")
        response = await self.session.request(
            method,
            self.page.address + path,
            data=io.BytesIO(data) if body is not None else None,
            headers=headers,
            skip_auto_headers=["Content-Type"],
        )
        await response.read()
        return response

    async def get(self, path: str, **changes: str | None) -> aiohttp.ClientResponse:
        return await self.ask("GET", path, **changes)

    async def post(self, path: str, body: object, **changes: str | None) -> aiohttp.ClientResponse:
        return await self.ask("POST", path, body, **changes)

    async def enter(self) -> Visitor:
        """Go in by the link."""
        answer = await self.post("/api/enter", {"word": self.page.channel.entrance.word})
        assert answer.status == 200
        self.token = (await answer.json())["token"]
        self.cookie = answer.headers["Set-Cookie"].split(";")[0]
        return self

    @property
    def conversation(self) -> str:
        return self.cookie.split("=")[1].split(".")[0]

    async def say(self, text: str, *files: str, id_: str = "") -> aiohttp.ClientResponse:
        body = {"id": id_ or str(uuid.uuid4()), "text": text, "files": list(files)}
        return await self.post("/api/messages", body)

    async def settled(self) -> None:
        await self.page.delivery.finished(self.conversation)

    @asynccontextmanager
    async def follow(self) -> AsyncIterator[Follower]:
        """The talk as an open page gets it."""
        async with self.session.get(
            f"{self.page.address}/api/talk", headers=self.headers(Origin=None)
        ) as response:
            assert response.status == 200
            yield Follower(response)

    async def said(self) -> list[str]:
        """The words of that talk, in order."""
        return [
            item["text"] if item["own"] else _words_of(item["body"]) for item in await self.shown()
        ]

    async def shown(self) -> list[dict[str, Any]]:
        """The talk as a page that is loaded now shows it."""
        async with self.follow() as follower:
            return list((await follower.next())["items"])


@dataclass
class Follower:
    """An open page's stream."""

    response: aiohttp.ClientResponse
    told: deque[dict[str, Any]] = field(default_factory=deque)

    async def next(self) -> dict[str, Any]:
        line = await self.response.content.readline()
        parsed: dict[str, Any] = json.loads(line)
        return parsed

    async def until(self, fits: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The first item told that fits."""
        while True:
            while not self.told:
                self.told.extend((await self.next())["items"])
            if fits(item := self.told.popleft()):
                return item


def _words_of(node: Any) -> str:
    """All text of a tree."""
    if isinstance(node, str):
        return node
    parts = node if not node or not isinstance(node[0], str) else node[2:]
    return "".join(_words_of(part) for part in parts)


@asynccontextmanager
async def page_served(
    assistant: Assistant, scribe: Scribe, clock: TickingClock, drawer: Drawer, port: str = "0"
) -> AsyncIterator[Page]:
    """The page for as long as the block runs."""
    context = ChannelContext(
        {"port": SecretStr(port)},
        no_http,
        clock,
        drawer,
        {
            "en": [("help", "shows this list"), ("memory", "shows what I remember")],
            "es": [("help", "muestra esta lista")],
        },
        OwnerOptions(owner=OWNER, persona="Tea"),
        assistant.folder / "channels" / "web",
    )
    channel = WebChannel(context)
    delivery = Delivery(
        channel,
        assistant,
        OpenDoor(),
        assistant.memory.state,
        clock=clock,
        settings=DeliverySettings(burst_seconds=0),
        render=render,
        desk=MemoryDesk(assistant, Address("web", OWNER)),
        files=partial(to_send, assistant.memory.files),
    )
    fetch.channel = channel
    await delivery.start()
    running = asyncio.create_task(channel.run(delivery))
    try:
        ready = asyncio.create_task(channel.ready())
        await asyncio.wait([ready, running], return_when=asyncio.FIRST_COMPLETED)
        ready.cancel()
        yield Page(channel, delivery, assistant, scribe, clock)
    finally:
        await delivery.close(seconds=1)
        assert await running == 0


class Fetch:
    """What the assistant fetches attachments with: the channel that is served now."""

    channel: WebChannel

    async def __call__(self, channel: str, attachment: Attachment) -> bytes:
        return await self.channel.fetch(attachment)


fetch = Fetch()


@pytest.fixture
def words_of() -> Callable[[Any], str]:
    """All text of a tree that the page builds."""
    return _words_of


@pytest.fixture
def serve() -> Callable[..., Any]:
    """Serves the page a second time."""
    return page_served


@pytest.fixture
def clock() -> TickingClock:
    return TickingClock()


@pytest.fixture
def drawer() -> Drawer:
    return Drawer()


@pytest.fixture
def scribe() -> Scribe:
    return Scribe()


@pytest.fixture
async def assistant(
    site: Any, cloche_home: Any, scribe: Scribe, clock: TickingClock
) -> AsyncIterator[Assistant]:
    site.assistant("tea")
    settings = Settings(home=cloche_home, time_zone="UTC")
    opened = await open_assistant(
        site.host(), "tea", settings, clock=clock, fetch=fetch, agent=scribe
    )
    yield opened
    await opened.close()


@pytest.fixture
async def page(
    assistant: Assistant, scribe: Scribe, clock: TickingClock, drawer: Drawer
) -> AsyncIterator[Page]:
    async with page_served(assistant, scribe, clock, drawer) as served:
        yield served


@pytest.fixture
async def stranger(page: Page) -> AsyncIterator[Visitor]:
    """Somebody who can reach the port and no more."""
    async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session:
        yield Visitor(page, session)


@pytest.fixture
async def ana(stranger: Visitor) -> Visitor:
    """The owner, let in by the link."""
    visitor = Visitor(stranger.page, stranger.session)
    return await visitor.enter()


@pytest.fixture
def remind(page: Page) -> Callable[..., Any]:
    """Keeps a reminder of the owner's (or somebody else's), as if asked for an hour ago.

    ``told`` = it was told a minute ago.
    """

    async def remind_(
        text: str, schedule: Schedule, *, told: bool = False, sender: str = OWNER
    ) -> Reminder:
        actor, now = actor_id(Address("web", sender)), page.clock()
        reminder = Reminder(
            id=reminder_id(actor, text),
            actor=actor,
            place=Place("web", "tab", sender),
            text=text,
            language="en",
            schedule=schedule,
            created_at=now - timedelta(hours=1),
            handled=now - timedelta(minutes=1) if told else None,
        )
        await page.assistant.memory.reminders.put(reminder)
        return reminder

    return remind_


@dataclass
class Window:
    """One tab of a browser: a person's hands and eyes."""

    tab: Any
    requests: list[str]

    async def say(self, text: str) -> None:
        """Write something and send it."""
        await self.tab.locator("#words").fill(text)
        await self.tab.locator("#words").press("Enter")

    async def answer(self, text: str) -> Any:
        """The answer that holds a text, once it is there."""
        found = self.tab.locator(".theirs[data-state=done] .body", has_text=text).last
        await found.wait_for()
        return found

    async def to_memory(self) -> None:
        """Look at the memory."""
        await self.tab.locator("[data-view=memory]").click()
        await self.tab.locator("#memory-title").wait_for()

    async def picture(self, name: str) -> None:
        """Keep what is seen."""
        PICTURES.mkdir(parents=True, exist_ok=True)
        await self.tab.screenshot(path=PICTURES / f"{name}.png")

    async def runs(self, script: str) -> Any:
        """What a script in the page gives."""
        return await self.tab.evaluate(script)


@pytest.fixture
async def chromium() -> AsyncIterator[Any]:
    """Debian's Chromium; where it is wanted and missing, that is a failure."""
    if CHROMIUM is None and os.environ.get("CI", "") != "true":
        pytest.skip("there is no chromium here (Debian: apt install chromium)")
    from playwright.async_api import async_playwright

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=CHROMIUM or "/usr/bin/chromium", args=ARGUMENTS
        )
        yield browser
        await browser.close()


@pytest.fixture
async def open_window(chromium: Any, page: Page) -> AsyncIterator[Callable[..., Any]]:
    """Opens the page in a browser of its own, let in by the link.

    No script may fail there, nothing may be complained of that a test does not expect, and
    nothing may be asked of anybody but the page's own server.
    """
    faults: list[str] = []
    contexts: list[Any] = []
    requests: list[str] = []

    async def open_(
        address: str = "", context: Any = None, expected: str = "", **options: Any
    ) -> Window:
        def complained(said: Any) -> None:
            if said.type == "error" and not (expected and expected in said.text):
                faults.append(said.text)

        if context is None:
            options = {"locale": "en-GB", "viewport": {"width": 1100, "height": 760}} | options
            context = await chromium.new_context(timezone_id="UTC", **options)
            context.set_default_timeout(45_000)  # for a busy machine
            contexts.append(context)
        tab = await context.new_page()
        tab.on("pageerror", lambda error: faults.append(str(error)))
        tab.on("console", complained)
        tab.on("dialog", lambda dialog: faults.append(f"a dialog: {dialog.message}"))
        tab.on("request", lambda request: requests.append(request.url))
        await tab.goto(address or page.link)
        if not address:
            await tab.locator("#words").wait_for()
        return Window(tab, requests)

    yield open_
    for context in contexts:
        await context.close()
    assert faults == []
    assert [url for url in requests if not url.removeprefix("blob:").startswith(page.address)] == []
