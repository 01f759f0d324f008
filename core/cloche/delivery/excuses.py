"""One sentence to people whose messages cannot be kept, or wait, because the store takes nothing.

It goes past the outbox, which cannot keep it, once in a conversation until it is over.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from functools import partial
from typing import Final

from cloche.channels.channel import Channel
from cloche.delivery.apart import apart
from cloche.delivery.gate import Answering, Gate
from cloche.delivery.keeping import LATE_SECONDS
from cloche.delivery.replies import Render
from cloche.delivery.sending import Sender
from cloche.delivery.setting_out import set_out
from cloche.delivery.waits import Sleep
from cloche.errors import MemoryUnavailableError
from cloche.ids import turn_id
from cloche.messages import Message, Reply
from cloche.texts import say

logger = logging.getLogger(__name__)

SAY_SECONDS: Final = 15.0
"""Finding out whom it is said to, and saying it, may take so long."""


class Excuses:
    """One channel's; none where its one person sees that a message was not taken."""

    def __init__(
        self,
        channel: Channel,
        assistant: Answering,
        gate: Gate,
        sender: Sender,
        *,
        render: Render,
        sleep: Sleep,
    ) -> None:
        """Take the channel, who knows people, and who sends."""
        self._channel, self._assistant, self._gate = channel, assistant, gate
        self._sender, self._render, self._sleep = sender, render, sleep
        self._saying: dict[str, asyncio.Task[None]] = {}

    async def waiting(self, message: Message) -> None:
        """A message that was taken waits: say so now."""
        self._begin(message, 0.0)

    def refused(self, messages: Iterable[Message]) -> None:
        """Messages could not be kept: say so, unless they are within a moment."""
        for message in messages:
            self._begin(message, LATE_SECONDS)

    def taken(self, messages: Iterable[Message]) -> None:
        """Messages are taken again."""
        for message in messages:
            if task := self._saying.pop(message.conversation, None):
                task.cancel()

    async def close(self) -> None:
        """Say no more."""
        tasks = [*self._saying.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _begin(self, message: Message, seconds: float) -> None:
        silent = message.group or message.due or not message.addressed
        if silent or self._channel.capabilities.owner_only:
            return
        if message.conversation not in self._saying:
            task = asyncio.create_task(self._say(message, seconds))
            self._saying[message.conversation] = task

    async def _say(self, message: Message, seconds: float) -> None:
        if seconds:
            await self._sleep(seconds)
        try:
            await apart(partial(self._told, message), SAY_SECONDS)
        except Exception as error:
            kind = type(error).__name__
            logger.warning("channel=%s cause=%s | nobody is told", self._channel.name, kind)

    async def _told(self, message: Message) -> None:
        try:
            if not (await self._gate.admit(message)).go:
                return  # who is not let in is told nothing by this
        except MemoryUnavailableError:
            logger.debug("who is let in cannot be told now")
        language = await self._assistant.language_of(message)
        reply, id_ = Reply(say("delivery_waits", language)), _name(message)
        for part in await set_out(reply, message, id_, self._channel, self._render):
            await self._sender.once(part)


def _name(message: Message) -> str:
    return f"{turn_id(message.address, message.place, message.id)}-waits"
