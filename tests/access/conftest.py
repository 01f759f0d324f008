"""A small assistant with a gate in front of it, and people who write to it from anywhere."""

from __future__ import annotations

import itertools
import logging
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cloche.access import Access
from cloche.access.doors import Doors
from cloche.access.limits import Limits
from cloche.assembly import open_assistant
from cloche.assistant import Assistant
from cloche.llm.usage import Usage
from cloche.logs import OncePerCause
from cloche.messages import Address, Message, Reply
from cloche.settings import AccessSettings, Settings

if TYPE_CHECKING:
    from conftest import Site

UPDATES = itertools.count(1)
CODE = re.compile(r"[a-z2-9]{4}-[a-z2-9]{4}-[a-z2-9]{4}")


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def pass_(self, **time: float) -> None:
        self.now += timedelta(**time)


class House:
    """An assistant with the gates of its channels."""

    def __init__(self, assistant: Assistant, settings: AccessSettings, clock: Clock) -> None:
        self.assistant, self.settings, self.clock = assistant, settings, clock
        self.memory, self.people = assistant.memory, assistant.people
        limits = Limits(
            self.memory.state,
            clock,
            settings,
            self.people.default_zone,
            OncePerCause(logging.getLogger("test")),
        )
        self.doors = Doors(
            self.memory, self.people.links, limits, clock, own_doors=["desk"], owner="ana"
        )
        assistant.doors = self.doors
        self.told: list[tuple[Message, str]] = []
        """What was said to somebody who had not just asked."""

    def gate(self, channel: str = "telegram") -> Access:
        return Access(self.doors, self.people, self.settings, channel, self.tell)

    async def tell(self, message: Message, reply: Reply) -> None:
        self.told.append((message, reply.text))

    def message(self, sender: str, text: str, channel: str = "telegram", **also: object) -> Message:
        where: dict[str, object] = {"conversation": sender, "id": str(next(UPDATES)), **also}
        name = str(where.pop("sender_name", sender.title()))
        return Message(
            address=Address(channel, sender),
            text=text,
            sender_name=name,
            **where,  # type: ignore[arg-type]
        )

    async def hear(self, message: Message, usage: Usage | None = None) -> str:
        """What the person reads: the gate's words, the assistant's, or "" for silence."""
        gate = self.gate(message.address.channel)
        admission = await gate.admit(message)
        if not admission.go:
            return admission.reply.text if admission.reply else ""
        turn = await self.assistant.handle(message)
        remembered = await turn.afterwards()
        await gate.spent(message, usage or turn.report.usage + remembered.usage)
        return turn.reply.text

    async def say(self, sender: str, text: str, channel: str = "telegram", **also: object) -> str:
        return await self.hear(self.message(sender, text, channel, **also))

    async def claim(self, sender: str = "ana", channel: str = "telegram") -> None:
        """Have somebody be the owner."""
        code = await self.gate(channel).owner_code()
        assert "yours" in await self.say(sender, f"/start {code}", channel)

    async def let_in(self, sender: str, channel: str = "telegram") -> None:
        """Have a guest, by the owner's code."""
        code = await self.doors.pairing_code("")
        assert "Welcome" in await self.say(sender, code, channel)

    async def link(self, sender: str, first: str = "ana", channel: str = "slack") -> str:
        """Link somebody's door to a Telegram person's; what the first reads at the end."""
        code = code_in(await self.say(first, "/link"))
        assert "Almost done" in await self.say(sender, f"/link {code}", channel)
        assert sender in await self.say(first, "/link")
        return await self.say(first, "/link yes")


def code_in(text: str) -> str:
    found = CODE.search(text)
    assert found, text
    return found[0]


Build = Callable[..., Awaitable[House]]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def build(site: Site, tmp_path: Path, clock: Clock) -> AsyncIterator[Build]:
    """Opens the assistant with limits of one's own; the same home each time."""
    site.assistant("tea")
    opened: list[Assistant] = []

    async def build_(**settings: object) -> House:
        access = AccessSettings(**settings)  # type: ignore[arg-type]
        chosen = Settings(home=tmp_path / "home", time_zone="UTC", access=access)
        assistant = await open_assistant(site.host(), "tea", chosen, clock=clock)
        opened.append(assistant)
        return House(assistant, access, clock)

    yield build_
    for assistant in opened:
        await assistant.close()


@pytest.fixture
async def house(build: Build) -> House:
    """The assistant as it is by default."""
    return await build()
