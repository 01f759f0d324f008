"""What people see while a turn runs: that an answer is being written, and the answer as it grows.

A platform's failure to show it never touches the turn.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Final

from cloche.channels.channel import Channel, Onlooker, Watcher
from cloche.delivery.apart import apart
from cloche.delivery.waits import Sleep
from cloche.logs import OncePerCause
from cloche.messages import Message

if TYPE_CHECKING:
    from cloche.agents.agent import OnDelta
    from cloche.turn import Remembered, Turn

logger = logging.getLogger(__name__)
_notices = OncePerCause(logger)

TELL_SECONDS: Final = 0.8
"""A watcher that takes longer over one thing hangs, and is told no more of the turn."""


@asynccontextmanager
async def typing(
    channel: Channel, conversation: str, thread: str, sleep: Sleep
) -> AsyncIterator[None]:
    """Show that an answer is being written for as long as the block runs."""
    every = channel.capabilities.typing_seconds
    if not every:
        yield
        return

    async def show() -> None:
        while True:
            try:
                await apart(partial(channel.typing, conversation, thread), every)
            except Exception as error:
                logger.debug("channel=%s | typing: %s", channel.name, type(error).__name__)
            await sleep(every)

    task = asyncio.create_task(show())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


class Watching:
    """A place's watcher, if it has one; what fails in it is logged once and forgotten."""

    def __init__(self, channel: Channel, place: str, *, nobody: bool = False) -> None:
        """Ask the channel who watches; ``nobody`` = none shall."""
        self._name = channel.name
        self._watcher = None if nobody else _watcher_of(channel, place)

    @property
    def on_delta(self) -> OnDelta | None:
        """Takes the pieces of an answer; None when nobody sees it grow."""
        return self._delta if isinstance(self._watcher, Watcher) else None

    async def began(self, message: Message) -> None:
        """A turn begins."""
        await self._tell(lambda watcher: watcher.began(message))

    async def answered(self, turn: Turn) -> None:
        """It is answered."""
        await self._tell(lambda watcher: watcher.answered(turn))

    async def followed(self, remembered: Remembered) -> None:
        """What followed is done."""
        await self._tell(lambda watcher: watcher.followed(remembered))

    async def _delta(self, piece: str) -> None:
        if isinstance(watcher := self._watcher, Watcher):
            await self._tell(lambda _: watcher.delta(piece))

    async def _tell(self, told: Callable[[Onlooker], Awaitable[None]]) -> None:
        """Tell a watcher, which neither ends the turn nor holds it up."""
        if self._watcher is None:
            return
        try:
            await apart(partial(told, self._watcher), TELL_SECONDS)
        except Exception as error:
            if isinstance(error, TimeoutError):
                self._watcher = None  # or the turn would wait so long for each piece
            _tell_once(self._name, error)


def _watcher_of(channel: Channel, place: str) -> Onlooker | None:
    try:
        return channel.watch(place)
    except Exception as error:
        _tell_once(channel.name, error)
        return None


def _tell_once(channel: str, error: Exception) -> None:
    kind = type(error).__name__
    _notices.warn(f"{channel} {kind}", "channel=%s cause=%s | a watcher failed", channel, kind)
    logger.debug("a watcher failed", exc_info=error)
