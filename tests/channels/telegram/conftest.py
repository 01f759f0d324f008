"""A Telegram channel as the host would build it, beside the loopback Bot API."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import aiohttp
import pytest
from pydantic import SecretStr

from cloche.channels import ChannelContext, ChannelRequest, Document, Incoming
from cloche.testing import FakeClock, TelegramServer
from cloche.testing.telegram import NO_FLOOD_CONTROL
from cloche_channels.telegram import TelegramChannel

SECRET = "webhook-secret_1"
COMMANDS = {
    "en": [("help", "what you can ask"), ("memory", "what I remember"), ("帮助", "not a name")],
    "es": [("ayuda", "lo que puedes pedir")],
    "zh": [("help", "可以发出的命令")],
}


class Kept:
    """Keepsakes in memory."""

    def __init__(self) -> None:
        self.values: dict[str, Document] = {}

    async def get(self, key: str) -> Document:
        return self.values.get(key)

    async def put(self, key: str, value: Document) -> None:
        self.values[key] = json.loads(json.dumps(value))


Make = Callable[..., TelegramChannel]


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def keepsakes() -> Kept:
    return Kept()


@pytest.fixture
def commands() -> dict[str, list[tuple[str, str]]]:
    """What the host would put into the menu; a test may change it."""
    return dict(COMMANDS)


@pytest.fixture
async def server(clock: FakeClock) -> AsyncIterator[TelegramServer]:
    async with TelegramServer(clock=clock, flood=NO_FLOOD_CONTROL, retry_seconds=0.01) as running:
        yield running


@pytest.fixture
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as session:
        yield session


@pytest.fixture
def make(
    server: TelegramServer,
    http: aiohttp.ClientSession,
    clock: FakeClock,
    keepsakes: Kept,
    commands: dict[str, list[tuple[str, str]]],
) -> Make:
    """Make a channel; a setting may be given another value."""

    def made(**settings: str) -> TelegramChannel:
        values = {"token": server.token, "secret": SECRET, "api_url": server.url} | settings
        secrets = {key: SecretStr(value) for key, value in values.items()}
        return TelegramChannel(ChannelContext(secrets, lambda: http, clock, keepsakes, commands))

    return made


@pytest.fixture
async def channel(make: Make) -> TelegramChannel:
    made = make()
    await made.open()
    return made


@pytest.fixture
def parsed(server: TelegramServer, channel: TelegramChannel) -> Callable[[], list[Incoming]]:
    """Everything people did since the last time, as the channel understands it."""
    seen = 0

    def take() -> list[Incoming]:
        nonlocal seen
        new, seen = server.world.history[seen:], len(server.world.history)
        return [each for update in new for each in channel.parse(_request_of(update))]

    return take


@pytest.fixture
def request_of() -> Callable[[Any], ChannelRequest]:
    """An update as the webhook would bring it."""
    return _request_of


def _request_of(update: Any) -> ChannelRequest:
    headers = {"content-type": "application/json"}
    return ChannelRequest(json.dumps(update).encode(), headers)
