"""Replies in the StateStore: written by whoever works on their conversation, by nobody else.

Of a reply that another machine may have had in hand a tombstone stays for a day: whoever thaws and
would keep it finds it told.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Final

from cloche.delivery.fence import Fence
from cloche.delivery.inbox import KEPT
from cloche.delivery.leases import Leases
from cloche.delivery.rows import Sending, sending_from_json, sending_to_json
from cloche.errors import HeldElsewhereError
from cloche.ids import conversation_id
from cloche.state.store import Json, StateStore

logger = logging.getLogger(__name__)

PAGE: Final = 500
TOLD: Final[Json] = {"told": True}
"""What stands where a reply was that another machine may keep once more."""
NONE: Final = timedelta(0)
"""A lifetime that is over is as good as deleted, without cutting the log each time."""


class OutboxRows:
    """One channel's replies.

    Every method that waits raises ``MemoryUnavailableError`` when the store is away.
    """

    def __init__(self, channel: str, state: StateStore, leases: Leases) -> None:
        """Take the channel's name, where replies are kept, and who knows whose they are."""
        self._channel, self._prefix, self._state = channel, f"outbox/{channel}/", state
        self._leases, self._fence = leases, Fence(state, leases)

    def key(self, conversation: str, turn: str, number: int) -> str:
        """Where so many a row of a turn's reply lies, from 0; the conversation by its first id."""
        owner = conversation_id(self._channel, conversation)
        return f"{self._prefix}{owner}/{turn}" + (f"~{number}" if number else "")

    async def read(self, conversation: str = "") -> Sequence[Sending]:
        """Every reply that is not sent, in order; of one conversation, by its first id."""
        found, after = [], ""
        owner = f"{conversation_id(self._channel, conversation)}/" if conversation else ""
        while page := await self._state.list_items(self._prefix + owner, after=after, limit=PAGE):
            after = page[-1].key
            for item in page:
                if item.value in (None, TOLD):
                    continue
                try:
                    one = sending_from_json(item)
                except ValueError:
                    logger.error("channel=%s | a reply cannot be read", self._channel)
                    continue
                one.tenure = self._leases.tenure(one.conversation)
                found.append(one)
        found.sort(key=lambda sending: sending.at)
        return found

    async def add(self, sending: Sending) -> None:
        """Keep what nobody asked for, whoever works there, once."""
        key, value = sending.key, sending_to_json(sending)
        if item := await self._state.compare_and_set(key, value, version=0):
            sending.version = item.version
        else:  # its answer was lost, and whoever works there may have told it since
            await self.read_again(sending, sending.tenure)

    async def write(self, sending: Sending) -> None:
        """Keep a reply, or how much of it is sent.

        Raises:
            HeldElsewhereError: another machine has taken over.
        """
        sending.version = await self._fence.write(
            sending.conversation,
            sending.key,
            sending_to_json(sending),
            version=sending.version,
            tenure=sending.tenure,
        )

    async def read_again(self, sending: Sending, tenure: int) -> None:
        """How much another machine has sent of it."""
        item = await self._state.get(sending.key)
        gone = item is None or item.value in (None, TOLD)
        sending.next = len(sending.parts) if item is None or gone else sending_from_json(item).next
        sending.version, sending.tenure = item.version if item else 0, tenure
        sending.again = True

    async def remove(self, sending: Sending) -> None:
        """Have a reply told, or be none, unless another machine sees to it."""
        value, ttl = (TOLD, KEPT) if sending.again and self._leases.shared else (None, NONE)
        with suppress(HeldElsewhereError):
            await self._fence.write(
                sending.conversation,
                sending.key,
                value,
                version=sending.version,
                ttl=ttl,
                tenure=sending.tenure,
            )

    async def take_back(self, sending: Sending) -> None:
        """Take out what was kept in vain, as long as nobody else has written it."""
        key, version = sending.key, sending.version
        await self._state.compare_and_set(key, None, version=version, ttl=NONE)

    async def delete(self, sending: Sending) -> None:
        """Leave no trace of it."""
        await self._state.delete(sending.key)
