"""One person who asks for the weather, and Open-Meteo on loopback."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import aiohttp
import pytest

from cloche import Home, ToolContext
from cloche.documents import shared_resource
from cloche.skills import load_folder
from cloche.state.store import Json
from cloche.testing import FakeToolSettings, WeatherServer, tool_context
from cloche.tools.session import ToolSessions

OSLO = Home("Oslo, Norway", 59.91273, 10.74609, "NO")
SKILL = load_folder(shared_resource("skills", "weather"))  # type: ignore[arg-type]
TOOLS = {tool.name: tool for tool in SKILL.tools}


@dataclass
class Asker:
    """Somebody in Oslo on a Wednesday, unless a test says otherwise."""

    server: WeatherServer
    session: ToolSessions
    config: dict[str, Json]
    now: datetime = datetime(2026, 7, 15, 10, 20, tzinfo=UTC)
    settings: FakeToolSettings = field(
        default_factory=lambda: FakeToolSettings(place=OSLO, time_zone="Europe/Oslo")
    )

    def wait(self, **spans: float) -> None:
        self.now += timedelta(**spans)

    def context(self, language: str = "en") -> ToolContext:
        self.settings.language = language
        return tool_context(
            http=self.session,
            settings=self.settings,
            config=self.config,
            clock=lambda: self.now,
        )

    async def ask(self, about: str, language: str = "en", **arguments: str) -> str:
        return await TOOLS["weather"].function(self.context(language), about, **arguments)

    async def call(self, tool: str, language: str = "en", **arguments: str) -> str:
        return await TOOLS[tool].function(self.context(language), **arguments)


@pytest.fixture
async def asker() -> AsyncIterator[Asker]:
    async with WeatherServer(clock=lambda: made.now) as server:
        session = ToolSessions()
        made = Asker(server, session, dict(server.config))
        yield made
        await session.close()


@pytest.fixture
async def plain_session() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as session:
        yield session
