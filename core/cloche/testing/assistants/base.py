"""How the cases find and open the assistant they test."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from typing import ClassVar

import pytest

from cloche.agents.agent import Agent
from cloche.assembly import open_assistant
from cloche.assistant import Assistant
from cloche.checks import Finding
from cloche.messages import Address, Message
from cloche.plugins import Host, Provided
from cloche.plugins.discovery import Found, discover
from cloche.settings import EmbeddingSettings, Settings
from cloche.spec import AssistantSpec
from cloche.testing.clock import FakeClock
from cloche.testing.fake_agent import FakeAgent
from cloche.turn import Turn

ANA = Address("console", "ana")
LUIS = Address("console", "luis")
_UPDATES = count(1)


class AssistantCases:
    """The package an author names, and what the cases need around it."""

    package: ClassVar[str]
    """Name of the assistant's package, such as ``cloche_x``."""

    def found(self) -> Found:
        """The package's entry point; fails when there is not exactly one."""
        mine = [one for one in discover() if one.kind == "assistant" and one.module == self.package]
        if len(mine) != 1:
            pytest.fail(
                f"{len(mine)} entry points in cloche.assistants name {self.package}; one must: "
                "declare it in pyproject.toml and install the package.",
                pytrace=False,
            )
        return mine[0]

    def host(self) -> Host:
        """A host with this package alone: what else is installed cannot interfere."""
        found = self.found()
        return Host(discover(), (found.distribution,))

    def provided(self) -> Provided:
        """What the package brings."""
        return self.host().provided(self.found().name)

    def spec(self) -> AssistantSpec:
        """The assistant, without fault."""
        return self.host().assistant(self.found().name)

    @asynccontextmanager
    async def opened(
        self, home: Path, *, clock: FakeClock | None = None, agent: Agent | None = None
    ) -> AsyncIterator[Assistant]:
        """The assistant with local stores in ``home`` and a clock that stands; no models."""
        assistant = await open_assistant(
            self.host(),
            self.found().name,
            Settings(home=home, time_zone="UTC", embeddings=EmbeddingSettings(provider="none")),
            clock=clock or FakeClock(),
            agent=agent or FakeAgent(),
        )
        try:
            yield assistant
        finally:
            await assistant.close()


def message(text: str, address: Address = ANA) -> Message:
    """A private message."""
    return Message(f"update-{next(_UPDATES)}", address, address.sender, text)


async def say(assistant: Assistant, text: str, address: Address = ANA) -> Turn:
    """One whole turn: the answer, and what follows it."""
    turn = await assistant.handle(message(text, address))
    await turn.afterwards()
    return turn


def none_of(findings: Iterable[Finding]) -> None:
    """Fail with every finding on a line of its own."""
    told = [f"{one.level}: {one.where}: {one.what} {one.remedy}" for one in findings]
    if told:
        pytest.fail("\n".join(told), pytrace=False)
