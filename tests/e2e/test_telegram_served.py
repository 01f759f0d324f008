"""``cloche serve --channel telegram`` from the owner's code on, against the loopback Bot API."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from pydantic import SecretStr

from cloche.channels import OwnerOptions
from cloche.plugins import load_host
from cloche.serving import serve
from cloche.settings import DeliverySettings, Settings
from cloche.testing import FakeAgent, TelegramServer
from cloche.testing.telegram import NO_FLOOD_CONTROL


class Lines:
    """What the operator is told."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.owner_code: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def __call__(self, line: str) -> None:
        self.lines.append(line)
        if "no owner" in line:
            self.owner_code.set_result(line.rsplit(" ", 1)[1])


@pytest.fixture
async def server() -> AsyncIterator[TelegramServer]:
    async with TelegramServer(flood=NO_FLOOD_CONTROL) as running:
        yield running


@pytest.fixture
def settings(server: TelegramServer, tmp_path: Path) -> Settings:
    return Settings(
        home=tmp_path / "home",
        time_zone="UTC",
        delivery=DeliverySettings(pacing=False, burst_seconds=0.05),
        channels={"telegram": {"token": SecretStr(server.token), "api_url": SecretStr(server.url)}},
    )


@asynccontextmanager
async def served(settings: Settings, server: TelegramServer) -> AsyncIterator[Lines]:
    lines, stopping = Lines(), asyncio.Event()
    before = len(server.calls)
    running = asyncio.create_task(
        serve(
            load_host(settings),
            "luthier",
            settings,
            ("telegram",),
            OwnerOptions("owner", persona="Luthier"),
            tell=lines,
            stopping=stopping,
            agent=FakeAgent(),
        )
    )
    polls = lambda: any(each.method == "getUpdates" for each in server.calls[before:])  # noqa: E731
    ready = asyncio.create_task(server.until(polls))
    await asyncio.wait({running, ready}, return_when=asyncio.FIRST_COMPLETED)
    try:
        if running.done():
            running.result()
        await ready
        yield lines
    finally:
        ready.cancel()
        stopping.set()
        await running


async def test_an_owner_a_stranger_and_a_guest(
    luthier: Callable[..., None],
    settings: Settings,
    server: TelegramServer,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    ana = server.person("Ana")
    ben = server.person("Ben")
    async with served(settings, server) as lines:
        ben.writes("hello")
        await server.until(lambda: len(server.texts(ben.id)) == 1)
        assert "let in" in server.texts(ben.id)[0]

        ana.writes(f"/start {await lines.owner_code}")
        await server.until(lambda: len(server.texts(ana.id)) == 1)
        assert "I am yours" in server.texts(ana.id)[0]
        ana.writes("my violin needs strings")
        await server.until(lambda: len(server.texts(ana.id)) == 2)
        assert server.texts(ana.id)[1] == "You said: my violin needs strings"

        ana.writes("/pair")
        await server.until(lambda: len(server.texts(ana.id)) == 3)
        code = next(
            server.sent[-1]["text"][each["offset"] : each["offset"] + each["length"]]
            for each in server.sent[-1]["entities"]
            if each["type"] == "code"
        )
        ben.writes(f"/start {code}")
        await server.until(lambda: len(server.texts(ben.id)) == 2)
        await server.until(lambda: len(server.texts(ana.id)) == 4)
        assert server.texts(ana.id)[3].startswith(f"Ben (telegram:{ben.id}) came in with a code")
        ben.writes("thank you")
        await server.until(lambda: len(server.texts(ben.id)) == 3)
        assert server.texts(ben.id)[2] == "You said: thank you"
        menu = server.world.commands["default", "zh"]
        assert "help" in [each["command"] for each in menu]

    ana.writes("while you were away")
    async with served(settings, server) as lines:
        await server.until(lambda: len(server.texts(ana.id)) == 5)
        assert server.texts(ana.id)[4] == "You said: while you were away"
        assert not lines.owner_code.done()

    sets = [each for each in server.calls if each.method == "setMyCommands"]
    assert len(sets) == 3  # once in each language, not again at the second start
    told = "\n".join(lines.lines) + caplog.text
    assert server.token not in told
    secret = server.token.encode()
    for path in settings.home.rglob("*"):
        assert not path.is_file() or secret not in path.read_bytes(), path


async def test_a_group_hears_only_who_is_known(
    luthier: Callable[..., None], settings: Settings, server: TelegramServer
) -> None:
    ana, eve, group = server.person("Ana"), server.person("Eve"), server.group("Strings")
    async with served(settings, server) as lines:
        ana.writes(f"/start {await lines.owner_code}")
        await server.until(lambda: len(server.texts(ana.id)) == 1)
        eve.writes("@cloche_test_bot who are you?", to=group)
        ana.writes("nice weather", to=group)
        ana.writes("@cloche_test_bot hello", to=group)
        await server.until(lambda: len(server.texts(group.id)) == 1)
        await server.until(lambda: not server.world.pending)
    assert server.texts(group.id) == ["You said: hello"]
    assert server.texts(eve.id) == []


async def test_a_reminder_comes_by_itself_and_is_put_off_with_a_button(
    luthier: Callable[..., None],
    settings: Settings,
    server: TelegramServer,
) -> None:
    ana = server.person("Ana")
    async with served(settings, server) as lines:
        ana.writes(f"/start {await lines.owner_code}")
        await server.until(lambda: len(server.texts(ana.id)) == 1)
    await _due_soon(settings, ana.id)
    async with served(settings, server):
        await server.until(lambda: len(server.texts(ana.id)) == 2)
        told = server.sent[-1]
        assert "the hour they asked to be reminded at has come" in told["text"]
        labels = [each["text"] for row in told["reply_markup"]["inline_keyboard"] for each in row]
        assert labels == ["Done", "In 10 minutes", "Skip"]
        ana.presses(told, "In 10 minutes")
        await server.until(lambda: len(server.texts(ana.id)) == 3)
        assert server.texts(ana.id)[2].startswith("⏰ “post the letters”:")
    async with served(settings, server):
        ana.writes("hello")
        await server.until(lambda: len(server.texts(ana.id)) == 4)
    assert sum("has come" in text for text in server.texts(ana.id)) == 1


async def _due_soon(settings: Settings, person: int) -> None:
    from datetime import timedelta

    from cloche.clock import utc_now
    from cloche.reminders.local import LocalReminders
    from cloche.reminders.reminder import Place, Reminder, reminder_id
    from cloche.reminders.schedule import Once
    from cloche.state.sqlite import SqliteStateStore

    state = SqliteStateStore(settings.home / "luthier" / "state.db", utc_now)
    actor, now = f"telegram_-{person}", utc_now()
    due = Once(now - timedelta(seconds=1), "UTC")
    place = Place("telegram", str(person), str(person))
    await LocalReminders(state, utc_now).put(
        Reminder(
            reminder_id(actor, "k"),
            actor,
            place,
            "post the letters",
            "en",
            due,
            now - timedelta(minutes=1),
        )
    )
    await state.close()
