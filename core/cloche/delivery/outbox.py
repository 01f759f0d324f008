"""What is to be sent: kept before its messages count as answered, sent in order, at the pace.

``outbox/<channel>/<conversation id>/<turn id>`` holds a reply's parts and how many are sent; what
one item of a store has no room for lies in further rows beside it, ``<turn id>~1`` and so on, kept
before it. A process that dies repeats at most the part that was in flight. A conversation's replies
are sent one after the other; conversations wait only for the pace of all.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from contextvars import Context, copy_context
from functools import partial

from cloche.channels.parts import Part
from cloche.clock import Clock
from cloche.delivery.keeping import Keeping
from cloche.delivery.kept_replies import KeptReplies
from cloche.delivery.lanes import Lane
from cloche.delivery.leases import Leases
from cloche.delivery.outbox_rows import OutboxRows
from cloche.delivery.rows import Sending, in_rows
from cloche.delivery.sending import Sender
from cloche.delivery.underway import Underway
from cloche.delivery.waits import Sleep, until_kept
from cloche.errors import HeldElsewhereError, MemoryUnavailableError
from cloche.log_ids import logged
from cloche.sqlite import to_micros
from cloche.state.store import StateStore

logger = logging.getLogger(__name__)


class Outbox:
    """One channel's replies in the StateStore, and a task for each conversation that has some."""

    def __init__(
        self,
        channel: str,
        state: StateStore,
        sender: Sender,
        underway: Underway,
        leases: Leases,
        keeping: Keeping,
        *,
        clock: Clock,
        sleep: Sleep,
    ) -> None:
        """Take the channel's name, where replies are kept, and who sends them."""
        self._rows = OutboxRows(channel, state, leases)
        self._sender, self._underway, self._leases = sender, underway, leases
        self._kept = KeptReplies(self._rows, leases, keeping, sleep)
        self._clock, self._sleep = clock, sleep
        self._lanes: dict[str, Lane] = {}
        self._last, self._closing = 0, False

    async def keep(
        self,
        turn: str,
        place: str,
        parts: Sequence[Part],
        *,
        group: bool,
        door: str = "",
        unasked: bool = False,
        again: bool = False,
    ) -> Sequence[Sending]:
        """Keep a reply. ``push`` sends it, in order.

        Where the store takes nothing it is sent all the same, and kept later if it is not sent
        by then. ``again``: another process may have begun to answer the same.

        Raises:
            HeldElsewhereError: it answers what another machine has taken over; nothing is kept.
            MemoryUnavailableError: the store is closed.
        """
        conversation = parts[0].conversation
        tenure, sendings = self._leases.tenure(conversation), []
        for number, row in enumerate(in_rows(parts)):
            self._last = max(to_micros(self._clock()), self._last + 1)
            key = self._rows.key(conversation, turn, number)
            one = Sending(key, place, row, group, self._last, door=door, again=again)
            one.tenure, one.context = tenure, copy_context()
            sendings.append(one)

        await self._kept.keep(sendings, unasked=unasked)
        return sendings

    def push(self, sending: Sending) -> None:
        """Send a reply that is kept, after those before it; one that waits already, once."""
        conversation = sending.conversation
        lane = self._lanes.setdefault(conversation, Lane())
        if any(one.key == sending.key for one in lane.waiting):
            return sending.tried.set()
        if sending.thread in lane.shelved:
            lane.shelved[sending.thread].append(sending)
            sending.tried.set()
            return
        lane.queue.append(sending)
        if lane.paused or lane.held:
            sending.tried.set()
        if not lane.paused:
            self._underway.add(sending.place)
            self._start(conversation, lane)

    async def waiting(self, conversation: str = "") -> Sequence[Sending]:
        """Every reply that another process left, in order; of one conversation, by its first id.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        found = await self._rows.read(conversation)
        self._last = max(self._last, found[-1].at if found else 0)
        return found

    async def discard(self, sending: Sending) -> None:
        """Remove a reply that is none.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        await self._rows.remove(sending)

    def is_paused(self, conversation: str) -> bool:
        """Whether its person is known to be out of reach."""
        lane = self._lanes.get(conversation)
        return lane is not None and lane.paused

    def pause(self, conversation: str) -> None:
        """Send nothing more to a conversation until it is resumed; what waits is kept."""
        lane = self._lanes.setdefault(conversation, Lane())
        if lane.paused:
            return
        lane.paused = True
        for sending in lane.queue:
            sending.tried.set()
            self._underway.remove(sending.place)

    def resume(self, conversation: str, thread: str = "") -> None:
        """Its person is there again, and writes in a thread: send what waits."""
        lane = self._lanes.get(conversation)
        if lane is None:
            return
        back = lane.shelved.pop(thread, [])
        for sending in (*lane.queue, *back) if lane.paused else back:
            self._underway.add(sending.place)
        lane.paused = False
        # Behind what waits: its first may be in flight. Threads have an order each.
        lane.queue.extend(back)
        self._start(conversation, lane)

    async def forget(self, doors: Collection[str], tells: Callable[[str], bool]) -> int:
        """Drop what answers people behind some doors, is not sent and tells; how much.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        dropped = 0
        for conversation, lane in [*self._lanes.items()]:
            told = [
                one
                for one in lane.waiting
                if one.door in doors and any(tells(part.plain) for part in one.parts)
            ]
            first, task = next(iter(lane.queue), None), lane.task
            if task is not None and any(one is first for one in told):
                task.cancel()
                await asyncio.wait({task})
            for one in told:
                self._drop(lane, one)
                await self._rows.delete(one)
            dropped += len(told)
            if told:
                self._lanes.setdefault(conversation, lane)
                self._start(conversation, lane)
        return dropped

    async def let_go(self, conversation: str) -> None:
        """Send nothing more of what is in hand for a conversation: the store has it."""
        lane = self._lanes.pop(conversation, None)
        if lane is None:
            return
        if lane.task is not None:
            lane.task.cancel()
            await asyncio.wait({lane.task})
        for one in lane.waiting:
            self._drop(lane, one)

    def _drop(self, lane: Lane, sending: Sending) -> None:
        """Take a reply out, wherever in a lane it stands."""
        sending.tried.set()
        if lane.take_out(sending) and not lane.paused:
            self._underway.remove(sending.place)

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

    def _start(self, conversation: str, lane: Lane) -> None:
        if lane.task is None and not self._closing:
            # It sends the replies to whoever wrote there, and is part of nobody's request.
            lane.task = asyncio.create_task(self._drain(conversation, lane), context=Context())

    async def _drain(self, conversation: str, lane: Lane) -> None:
        """Send what waits in one conversation, until nothing does or it is paused."""
        try:
            while lane.queue and not lane.paused and not self._closing:
                sending = lane.queue[0]
                send = self._send(lane, sending)
                await asyncio.create_task(send, context=sending.context.copy())
                if sending.next < len(sending.parts):
                    continue
                await sending.settled.wait()
                await self._kept.told(sending)
                self._drop(lane, sending)
        except MemoryUnavailableError as error:
            logger.warning("cause=%s | sending stopped, what is left is kept", error.cause)
        finally:
            lane.task, lane.held = None, False
            idle = not (lane.queue or lane.paused or any(lane.shelved.values()))
            if idle and self._lanes.get(conversation) is lane:
                del self._lanes[conversation]

    async def _send(self, lane: Lane, sending: Sending) -> None:
        """Send the parts that are left, as far as the conversation can be reached."""

        def held() -> None:
            lane.held = True
            for waiting in lane.queue:
                waiting.tried.set()

        with logged(**sending.ids):
            await self._send_parts(lane, sending, held)

    async def _send_parts(self, lane: Lane, sending: Sending, held: Callable[[], None]) -> None:
        while sending.next < len(sending.parts) and not lane.paused:
            part = sending.parts[sending.next]
            if not await self._is_ours(sending):
                continue
            fate = await self._sender.send(part, group=sending.group, held=held)
            lane.held = False
            if fate == "closed":
                self._shelve(lane, part.thread)
                return
            if fate == "unreachable":
                self.pause(part.conversation)
                return
            sending.next += 1
            sending.tried.set()
            if sending.next < len(sending.parts):
                # Another machine's row tells how much is sent: it is read before the next part.
                with suppress(HeldElsewhereError):
                    await self._kept.progress(sending)

    async def _is_ours(self, sending: Sending) -> bool:
        """Whether no other machine may have sent of it; else the store tells how much one has."""
        ours = partial(self._leases.confirm, sending.conversation)
        held = await until_kept(ours, self._sleep)
        tenure = self._leases.tenure(sending.conversation)
        if held and sending.tenure == tenure:
            return True
        await until_kept(partial(self._rows.read_again, sending, tenure), self._sleep)
        sending.settled.set()  # whoever was there has seen to what it answers
        return False

    def _shelve(self, lane: Lane, thread: str) -> None:
        """Put aside what is for a closed thread, until somebody writes there."""
        aside = [one for one in lane.queue if one.thread == thread]
        lane.queue = deque(one for one in lane.queue if one.thread != thread)
        lane.shelved[thread] = [*lane.shelved.get(thread, ()), *aside]
        for sending in aside:
            sending.tried.set()
            if not lane.paused:
                self._underway.remove(sending.place)
