"""What is to be sent: kept before its messages count as answered, sent in order, at the pace.

``outbox/<channel>/<conversation id>/<turn id>`` holds a reply's parts and how many are sent. A
process that dies repeats at most the part that was in flight. One conversation's replies are sent
one after the other; conversations do not wait for each other, but for the pace of all.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from typing import Final

from cloche.channels.parts import Part
from cloche.clock import Clock
from cloche.delivery.codec import part_from_json, part_to_json
from cloche.delivery.sending import Sender
from cloche.delivery.underway import Underway
from cloche.delivery.waits import Sleep, until_kept
from cloche.errors import MemoryUnavailableError
from cloche.ids import conversation_id
from cloche.sqlite import to_micros
from cloche.state.store import Json, StateItem, StateStore

logger = logging.getLogger(__name__)

PAGE: Final = 500


@dataclass(slots=True)
class Sending:
    """A reply on its way.

    Attributes:
        key: Where it lies in the StateStore; its last part is the turn's id.
        place: Where its turn was.
        parts: What is sent, in order; at least one.
        group: Whether a group's pace holds.
        at: Microseconds since 1970, greater than those of every reply before it.
        next: How many are sent.
        settled: Set when its messages count as answered: before that the row must stay.
        tried: Set when its first part is sent, or has to wait.
    """

    key: str
    place: str
    parts: Sequence[Part]
    group: bool
    at: int
    next: int = 0
    settled: asyncio.Event = field(default_factory=asyncio.Event)
    tried: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass(slots=True)
class _Lane:
    """One conversation's replies, and who sends them."""

    queue: deque[Sending] = field(default_factory=deque)
    task: asyncio.Task[None] | None = None
    paused: bool = False
    held: bool = False

    @property
    def stuck(self) -> bool:
        """True when it waits for something that may take long."""
        unsettled = bool(self.queue) and not self.queue[0].settled.is_set()
        return self.held or (unsettled and self.queue[0].next == len(self.queue[0].parts))


class Outbox:
    """One channel's replies in the StateStore, and a task for each conversation that has some."""

    def __init__(
        self,
        channel: str,
        state: StateStore,
        sender: Sender,
        underway: Underway,
        *,
        clock: Clock,
        sleep: Sleep,
    ) -> None:
        """Take the channel's name, where replies are kept, and who sends them."""
        self._prefix, self._channel, self._state = f"outbox/{channel}/", channel, state
        self._sender, self._underway = sender, underway
        self._clock, self._sleep = clock, sleep
        self._lanes: dict[str, _Lane] = {}
        self._last, self._closing = 0, False

    async def keep(self, turn: str, place: str, parts: Sequence[Part], *, group: bool) -> Sending:
        """Keep a reply; waits for the store as long as it takes. ``push`` sends it.

        Raises:
            MemoryUnavailableError: the store is closed.
        """
        self._last = max(to_micros(self._clock()), self._last + 1)
        owner = conversation_id(self._channel, parts[0].conversation)
        key = f"{self._prefix}{owner}/{turn}"
        sending = Sending(key, place, parts, group, self._last)
        try:
            await until_kept(lambda: self._write(sending), self._sleep)
        except ValueError:
            # Larger than a store's value: formatting is what can be spared.
            logger.warning("channel=%s | a long reply is sent without formatting", self._channel)
            sending.parts = [replace(p, text=p.plain, entities=()) for p in parts]
            await until_kept(lambda: self._write(sending), self._sleep)
        return sending

    def push(self, sending: Sending) -> None:
        """Send a reply that is kept, after those before it."""
        conversation = sending.parts[0].conversation
        lane = self._lanes.setdefault(conversation, _Lane())
        lane.queue.append(sending)
        if lane.paused or lane.held:
            sending.tried.set()
        if not lane.paused:
            self._underway.add(sending.place)
            self._start(conversation, lane)

    async def waiting(self) -> Sequence[Sending]:
        """Every reply that another process left, in order.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        found, after = [], ""
        while page := await self._state.list_items(self._prefix, after=after, limit=PAGE):
            after = page[-1].key
            for item in page:
                try:
                    found.append(_from_json(item))
                except ValueError:
                    logger.error("channel=%s | a reply cannot be read", self._channel)
        found.sort(key=lambda sending: sending.at)
        self._last = max(self._last, found[-1].at if found else 0)
        return found

    def is_paused(self, conversation: str) -> bool:
        """Whether its person is known to be out of reach."""
        lane = self._lanes.get(conversation)
        return lane is not None and lane.paused

    def pause(self, conversation: str) -> None:
        """Send nothing more to a conversation until it is resumed; what waits is kept."""
        lane = self._lanes.setdefault(conversation, _Lane())
        if lane.paused:
            return
        lane.paused = True
        for sending in lane.queue:
            sending.tried.set()
            self._underway.remove(sending.place)

    def resume(self, conversation: str) -> None:
        """Its person is there again: send what waits."""
        lane = self._lanes.get(conversation)
        if lane is None or not lane.paused:
            return
        lane.paused = False
        for sending in lane.queue:
            self._underway.add(sending.place)
        self._start(conversation, lane)

    async def close(self, seconds: float) -> None:
        """Send what is under way; what waits for a platform or longer stays kept."""
        self._closing = True
        tasks = set()
        for lane in self._lanes.values():
            if lane.task is not None:
                tasks.add(lane.task)
                if lane.stuck:
                    lane.task.cancel()
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=seconds)
            for task in late:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def _start(self, conversation: str, lane: _Lane) -> None:
        if lane.task is None and not self._closing:
            lane.task = asyncio.create_task(self._drain(conversation, lane))

    async def _drain(self, conversation: str, lane: _Lane) -> None:
        """Send what waits in one conversation, until nothing does or it is paused."""
        try:
            while lane.queue and not lane.paused and not self._closing:
                sending = lane.queue[0]
                await self._send(lane, sending)
                if sending.next < len(sending.parts):
                    continue
                await sending.settled.wait()
                # A lifetime that is over is as good as deleted, without cutting the log each time.
                await until_kept(partial(self._remove, sending.key), self._sleep)
                lane.queue.popleft()
                if not lane.paused:
                    self._underway.remove(sending.place)
        except MemoryUnavailableError as error:
            logger.warning("cause=%s | sending stopped, what is left is kept", error.cause)
        finally:
            lane.task = None
            if not lane.queue and not lane.paused:
                del self._lanes[conversation]

    async def _send(self, lane: _Lane, sending: Sending) -> None:
        """Send the parts that are left, as far as the conversation can be reached."""

        def held() -> None:
            lane.held = True
            for waiting in lane.queue:
                waiting.tried.set()

        while sending.next < len(sending.parts) and not lane.paused:
            part = sending.parts[sending.next]
            fate = await self._sender.send(part, group=sending.group, held=held)
            lane.held = False
            if fate == "unreachable":
                self.pause(part.conversation)
                return
            sending.next += 1
            sending.tried.set()
            if sending.next < len(sending.parts):
                await until_kept(lambda: self._write(sending), self._sleep)

    async def _write(self, sending: Sending) -> None:
        document: Json = {
            "place": sending.place,
            "parts": [part_to_json(part) for part in sending.parts],
            "group": sending.group,
            "at": sending.at,
            "next": sending.next,
        }
        await self._state.put(sending.key, document)

    async def _remove(self, key: str) -> None:
        await self._state.put(key, None, ttl=timedelta(0))


def _from_json(item: StateItem) -> Sending:
    """The reply an item is.

    Raises:
        ValueError: it is none.
    """
    match item.value:
        case {
            "place": str(place),
            "parts": [_, *_] as parts,
            "group": bool(group),
            "at": int(at),
            "next": int(sent),
        }:
            read = tuple(map(part_from_json, parts))
            return Sending(item.key, place, read, group, at, min(sent, len(read)))
    raise ValueError(f"{item.key} is no reply")
