"""A channel served as the host serves it, by an assistant that says what a test wants."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from cloche.channels import Channel
from cloche.clock import Clock
from cloche.delivery import Delivery, OpenDoor
from cloche.delivery.rendering import render
from cloche.ids import turn_id
from cloche.llm.usage import Usage
from cloche.messages import Message, Reply
from cloche.settings import DeliverySettings
from cloche.state.sqlite import SqliteStateStore
from cloche.testing.clock import FakeClock
from cloche.turn import BrokenOff, Turn, nothing

if TYPE_CHECKING:
    from cloche.agents.agent import OnDelta


class SaysTheSame:
    """An assistant that answers every message with one text.

    Attributes:
        heard: The messages it was given, overheard ones too.
    """

    def __init__(self, text: str = "Yes.") -> None:
        """Take the answer, in Markdown."""
        self._text = text
        self.heard: list[Message] = []

    async def handle(self, message: Message, on_delta: OnDelta | None = None) -> Turn:
        """Answer."""
        self.heard.append(message)
        id_ = turn_id(message.address, message.place, message.id)
        return Turn(id_, Reply(self._text), "en", nothing)

    async def overhear(self, message: Message) -> None:
        """Listen."""
        self.heard.append(message)

    async def broken_off(self, message: Message, why: BrokenOff) -> Usage:
        """Nothing: no model is asked."""
        return Usage()

    async def language_of(self, message: Message) -> str:
        """English."""
        return "en"


@asynccontextmanager
async def served(
    channel: Channel, assistant: SaysTheSame, folder: Path, clock: FakeClock
) -> AsyncIterator[Delivery]:
    """The channel with everything between it and the assistant; what is kept is in ``folder``."""

    async def sleep(seconds: float) -> None:
        clock.pass_(seconds=seconds)
        await asyncio.sleep(0.001)

    state = SqliteStateStore(folder / "state.db", clock)
    delivery = Delivery(
        channel,
        assistant,
        OpenDoor(),
        state,
        clock=clock,
        settings=DeliverySettings(burst_seconds=0, pacing=False),
        render=render,
        sleep=sleep,
        seconds=_seconds(clock),
    )
    await delivery.start()
    try:
        yield delivery
    finally:
        await delivery.close(seconds=0)
        await state.close()


def _seconds(clock: Clock) -> Callable[[], float]:
    return lambda: clock().timestamp()
