"""Serving: channels of plugins are opened, reached, and closed again, with nothing lost."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import aiohttp
import pytest

from cloche.channels import OwnerOptions, SendError
from cloche.errors import SettingsError
from cloche.serving import serve
from cloche.settings import Settings
from cloche.testing import FakeAgent

if TYPE_CHECKING:
    from conftest import Commands, Site

COMMON = """
import asyncio
from cloche import hookimpl
from cloche.channels import *
from cloche.messages import Address, Attachment, Message

SENT, CALLS = [], []
HELD = asyncio.Event()

class Base(Channel):
    def __init__(self, context):
        super().__init__(context)
        CALLS.append("made")

    def parse(self, request):
        body = request.document()
        files = tuple(Attachment(name, name, size=size) for name, size in body.get("files", ()))
        address = Address(self.name, body["from"])
        return [Message(str(body["id"]), address, body["from"], body["text"], files)]

    async def send(self, part):
        SENT.append((part.conversation, part.text))

    async def open(self):
        CALLS.append("open")
        await self.context.keepsakes.put("seen", {"times": 1})
        assert await self.context.keepsakes.get("seen") == {"times": 1}
        assert await self.context.keepsakes.get("other") is None
        assert dict(self.context.commands["en"])["help"] == "shows this list"

    async def close(self):
        CALLS.append("close")

    async def fetch(self, attachment):
        return b"a" * 2_000_000
"""
HOOK = """
@hookimpl
def provide_channels():
    return [Door]
"""
WEBHOOK = (
    COMMON
    + """
class Door(Base):
    name = "plain"
    limits = Limits(file_bytes=1_000_000)
    secrets = (
        Secret("token", "what the platform sends", needed="webhook"),
        Secret("region", "where", needed="never"),
    )
    authentication = SharedSecret("x-token", "token")
    pointers = Pointers(("/id",), ("/from",), ("/from",))

    async def register(self, address, *, drop_pending=False):
        CALLS.append(("register", address, drop_pending))
        if "refused" in address:
            raise SendError("the platform refused")
"""
    + HOOK
)
POLLED = (
    WEBHOOK.replace(HOOK, "")
    + """
    async def unregister(self):
        CALLS.append("unregister")

    async def poll(self, cursor):
        CALLS.append(("poll", cursor))
        if cursor:
            await HELD.wait()
        body = b'{"id": 1, "from": "ana", "text": "hello there"}'
        return Polled([ChannelRequest(body)], "7")
"""
    + HOOK
)
LOOP = (
    COMMON
    + """
class Door(Base):
    name = "page"
    capabilities = Capabilities(owner_only=True)

    async def run(self, door):
        owner = self.context.owner.owner
        said = Message("1", Address(self.name, owner), "tab", "My kettle is from Padua.")
        await door.accept(said)
        await door.finished("tab")
        SENT.append(("desk", [known.text for known in await door.desk.known()]))
        return 0
"""
    + HOOK
)
SLOW = (
    COMMON
    + """
class Door(Base):
    name = "page"
    capabilities = Capabilities(owner_only=True)

    async def run(self, door):
        await asyncio.sleep(0.1)
        if FAILS:
            raise FAILS[0]
        CALLS.append("listens")
        self.up.set()
        await HELD.wait()
        return 0

    async def ready(self):
        await self.up.wait()

    up = asyncio.Event()

FAILS = []
"""
    + HOOK
)
OWNER = OwnerOptions("ana", persona="Tess")


@pytest.fixture
def here(site: Site, tmp_path: Path) -> Callable[..., Any]:
    """Installs an assistant and a channel; serves it while a block runs."""
    site.assistant("tea")

    @asynccontextmanager
    async def serving(code: str, *names: str, **settings: Any) -> AsyncIterator[Any]:
        if code:
            site.plugin("door", code)
        chosen = Settings(
            home=tmp_path / "home",
            time_zone="UTC",
            **{"serve": {"port": 0}, "delivery": {"burst_seconds": 0}, **settings},
        )
        told: list[str] = []
        stopping = asyncio.Event()
        task = asyncio.create_task(
            serve(
                site.host(),
                "tea",
                chosen,
                names,
                OWNER,
                tell=told.append,
                stopping=stopping,
                agent=FakeAgent(),
            )
        )
        try:
            while not task.done() and not any("is served" in line for line in told):
                await asyncio.sleep(0.01)
            yield told
        finally:
            stopping.set()
            await task

    return serving


def door() -> Any:
    return sys.modules["cloche_door"]


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0.01)


async def post(told: list[str], token: str = "t0ken", **body: Any) -> int:
    url = next(line for line in told if "webhook at" in line).split()[3].strip("()")
    headers = {"x-token": token}
    async with aiohttp.ClientSession() as http, http.post(url, json=body, headers=headers) as got:
        return got.status


PLAIN = {"channels": {"plain": {"token": "t0ken"}}}


async def test_a_webhook_channel_is_reached_claimed_and_answered(here: Any) -> None:
    async with here(WEBHOOK, **PLAIN) as told:
        assert await post(told, token="forged", id=1, **{"from": "ana"}, text="hi") == 401
        code = next(line for line in told if "no owner yet" in line).rpartition(" ")[2]
        assert await post(told, id=2, **{"from": "ana"}, text=f"/start {code}") == 200
        await until(lambda: door().SENT)
        assert await post(told, id=3, **{"from": "ana"}, text="hello there") == 200
        await until(lambda: len(door().SENT) > 1)
        files = [["big.txt", 2_000_000], ["unknown.txt", None]]
        for number, file in enumerate(files):
            await post(told, id=4 + number, **{"from": "ana"}, text="look", files=[file])
            await until(lambda answered=3 + number: len(door().SENT) >= answered)
    sent = door().SENT
    assert sent[1] == ("ana", "You said: hello there")
    assert ["1 MB" in text for _, text in sent[2:]] == [True, True]
    assert door().CALLS == ["made", "open", "close"]
    async with here("", **PLAIN) as told:  # the same plugin, once more
        assert not any("no owner yet" in line for line in told)


async def test_with_a_public_address_platforms_are_asked_to_deliver_there(here: Any) -> None:
    serve_at = {"port": 0, "public_url": "https://example.org/x"}
    async with here(POLLED, "plain", **PLAIN, serve=serve_at) as told:
        registered = ("register", "https://example.org/x/channels/plain", False)
        assert registered in door().CALLS
        assert any("https://example.org/x/channels/plain (http://127.0.0.1:" in t for t in told)
    assert "unregister" not in door().CALLS
    assert not any(call[0] == "poll" for call in door().CALLS)


async def test_a_platform_that_refuses_to_deliver_ends_it_and_closes_the_channel(
    here: Any,
) -> None:
    serve_at = {"port": 0, "public_url": "https://example.org/refused"}
    with pytest.raises(SendError, match="refused"):
        async with here(WEBHOOK, **PLAIN, serve=serve_at):
            pass
    assert door().CALLS[-1] == "close"


async def test_without_one_a_channel_that_can_is_polled(here: Any) -> None:
    async with here(POLLED, "plain", access={"open": True}) as told:
        await until(lambda: door().SENT)
        assert "plain: polled" in told
    assert door().SENT == [("ana", "You said: hello there")]
    assert door().CALLS[2:5] == ["unregister", ("poll", ""), ("poll", "7")]


async def test_nobody_is_told_of_a_page_before_it_can_be_loaded(here: Any) -> None:
    async with here(SLOW, "page") as told:
        assert "listens" in door().CALLS
        assert told[-1] == "Tess is served. Ctrl-C ends."


async def test_nobody_is_told_of_a_page_that_never_can_be_loaded(here: Any) -> None:
    code = SLOW.replace("FAILS = []", 'FAILS = [SendError("the page cannot be served")]')
    with pytest.raises(SendError, match="cannot be served"):
        async with here(code, "page") as told:
            assert not any("is served" in line for line in told)


async def test_a_door_of_this_machine_is_the_owners_and_shares_the_consoles_memory(
    here: Any, site: Site, tmp_path: Path
) -> None:
    async with here(LOOP, "page"):
        await until(lambda: len(door().SENT) > 1)
    assert door().SENT[1] == ("desk", ["My kettle is from Padua."])
    from cloche.assembly import open_assistant
    from cloche.messages import Address, Message

    settings = Settings(home=tmp_path / "home", time_zone="UTC")
    assistant = await open_assistant(site.host(), "tea", settings, agent=FakeAgent())
    person = await assistant.people.of(Message("", Address("console", "ana"), "ana", ""))
    kept = await assistant.memory.store.iterate(person.actor)
    await assistant.close()
    assert "My kettle is from Padua." in [record.text for record in kept]


@pytest.mark.parametrize("token", [{}, {"channels": {"plain": {"token": "", "region": "eu"}}}])
async def test_a_missing_secret_starts_nothing_and_says_what_to_set(
    here: Any, token: dict[str, Any]
) -> None:
    with pytest.raises(SettingsError) as refused:
        async with here(WEBHOOK, "plain", **token):
            pass
    told = str(refused.value)
    assert told == "plain needs CLOCHE_CHANNELS__PLAIN__TOKEN: what the platform sends."
    assert "made" not in door().CALLS


@pytest.mark.parametrize(
    ("names", "told"),
    [
        ((), "No channel is configured"),
        (("plan",), "did you mean 'plain'"),
        (("console",), "`cloche chat` opens it"),
    ],
)
async def test_a_channel_that_cannot_be_served_is_one_sentence(
    here: Any, names: tuple[str, ...], told: str
) -> None:
    with pytest.raises(SettingsError, match=told):
        async with here(WEBHOOK, *names):
            pass


async def test_a_port_that_is_taken_is_one_sentence(here: Any) -> None:
    async with here(WEBHOOK, **PLAIN) as told:
        port = int(told[0].split(":")[-1].split("/")[0])
        from cloche.house import House
        from cloche.serving import _webhooks
        from cloche.settings import ServeSettings

        nothing: Any = None
        house = House(nothing, {"plain": nothing}, {})
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr("cloche.delivery.webhooks.webhook_app", lambda *_, **__: _app())
            with pytest.raises(SettingsError, match=f"CLOCHE_SERVE__PORT={port}"):
                async with _webhooks(
                    house, {"plain": "webhook"}, ServeSettings(port=port), nothing, print
                ):
                    pass


def _app() -> Any:
    from aiohttp import web

    return web.Application()


@pytest.mark.parametrize("ended", [signal.SIGTERM, signal.SIGINT])
def test_the_command_ends_well_at_a_signal(
    site: Site, tmp_path: Path, ended: signal.Signals
) -> None:
    site.assistant("tea")
    site.plugin("door", WEBHOOK)
    with subprocess.Popen(
        [sys.executable, "-c", "from cloche.cli.app import main; main()", "serve", "tea"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={
            **os.environ,
            "PYTHONPATH": str(site.folder),
            "PYTHONUNBUFFERED": "1",
            "CLOCHE_PLUGINS": "tea,door",
            "CLOCHE_SERVE__PORT": "0",
            "CLOCHE_CHANNELS__PLAIN__TOKEN": "t0ken-0123456789",
        },
    ) as process:
        assert process.stdout
        lines = iter(process.stdout.readline, "")
        seen = [next(lines) for _ in range(4)]
        process.send_signal(ended)
        _, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    assert errors == ""
    assert "webhook at http://127.0.0.1:" in "".join(seen)
    assert "t0ken" not in "".join(seen)


def test_the_command_refuses_in_one_sentence(cloche: Commands, site: Site) -> None:
    site.assistant("tea")
    site.plugin("door", WEBHOOK)
    cloche("serve", "tea", "--channel", "plain", code=2)
    assert cloche.error.startswith("cloche: plain needs CLOCHE_CHANNELS__PLAIN__TOKEN")
    assert cloche.error.count("\n") == 1
