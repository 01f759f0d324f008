"""The host's side of one channel: what comes in is kept, answered in order, and sent."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from cloche.channels.channel import Channel, Incoming
from cloche.clock import Clock
from cloche.delivery.begun import Begun
from cloche.delivery.conversations import Conversations
from cloche.delivery.excuses import Excuses
from cloche.delivery.fence import Fence
from cloche.delivery.gate import Answering, Gate
from cloche.delivery.inbox import Inbox
from cloche.delivery.intake import Intake
from cloche.delivery.keeping import Keeping
from cloche.delivery.leases import Leases
from cloche.delivery.lock import ServedOnce
from cloche.delivery.moves import Moves
from cloche.delivery.outbox import Outbox
from cloche.delivery.pace import Pace
from cloche.delivery.recovery import Recovery
from cloche.delivery.replies import Render
from cloche.delivery.sending import FilesToSend, Sender
from cloche.delivery.turns import Turns
from cloche.delivery.underway import Underway
from cloche.delivery.waits import Sleep
from cloche.errors import MemoryUnavailableError, RequestError, StoreCause
from cloche.messages import Message, Reply, of_place
from cloche.state.store import StateStore

if TYPE_CHECKING:
    from cloche.channels.desk import Desk
    from cloche.settings import DeliverySettings

CLOSE_SECONDS: Final = 20.0
"""How long turns and sendings under way may take when the process ends."""


class Delivery:
    """One channel's door to an assistant: a ``cloche.channels.Door``.

    ``start`` it, ``accept`` what comes, ``close`` it. One process serves a channel at a time.
    """

    def __init__(
        self,
        channel: Channel,
        assistant: Answering,
        gate: Gate,
        state: StateStore,
        *,
        clock: Clock,
        settings: DeliverySettings,
        render: Render,
        desk: Desk | None = None,
        lock: Path | None = None,
        files: FilesToSend | None = None,
        sleep: Sleep = asyncio.sleep,
        seconds: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take the parts; nothing is touched before ``start``.

        Args:
            channel: Where messages come from and replies go.
            assistant: Who answers.
            gate: Who may ask; ``OpenDoor`` where only the owner can.
            state: Where everything is kept until it is answered and sent.
            clock: The present instant.
            settings: The operator's.
            render: Markdown to the channel's format.
            desk: The owner's memory, for a page that shows it.
            lock: A file that keeps a second process from serving the channel; None = none can.
            files: Gives the bytes of files that go out; None = none can.
            sleep: How to wait.
            seconds: A clock that only goes forward, for the pace.
        """
        self.channel, self._desk = channel, desk
        self._lock = ServedOnce(lock, channel.name) if lock else None
        self._underway = Underway()
        self._moves = Moves(channel.name, state)
        self._leases = Leases(
            channel.name,
            state,
            is_busy=self._underway.is_busy,
            let_go=self._let_go,
            break_off=self._break_off,
        )
        self._inbox = Inbox(channel.name, state, clock, Fence(state, self._leases))
        self._underway.watch(lambda _: self._leases.look())
        self._keeping = Keeping(sleep, shared=lambda: self._leases.shared)
        pace = Pace(channel.limits, on=settings.pacing, seconds=seconds, sleep=sleep)
        sender = Sender(channel, self._moves, pace, sleep, files)
        self._excuses = Excuses(channel, assistant, gate, sender, render=render, sleep=sleep)
        self._outbox = Outbox(
            channel.name,
            state,
            sender,
            self._underway,
            self._leases,
            self._keeping,
            clock=clock,
            sleep=sleep,
        )
        self._turns = Turns(
            channel,
            assistant,
            gate,
            inbox=self._inbox,
            outbox=self._outbox,
            moves=self._moves,
            render=render,
            keeping=self._keeping,
            excuses=self._excuses,
            sleep=sleep,
        )
        self._conversations = Conversations(
            self._inbox,
            self._turns.run,
            self._underway,
            limits=channel.limits,
            clock=clock,
            at_once=settings.conversations,
            burst_seconds=settings.burst_seconds,
            sleep=sleep,
        )
        self._recovery = Recovery(self._inbox, self._outbox, self._conversations, self._moves)
        self._intake = Intake(
            channel.name,
            self._leases,
            self._keeping,
            self._excuses,
            inbox=self._inbox,
            outbox=self._outbox,
            moves=self._moves,
            recovery=self._recovery,
            conversations=self._conversations,
        )
        self._accepting = Begun()
        self._open = False

    @property
    def busy(self) -> int:
        """Messages, replies and what follows turns, as many as are under way."""
        return self._underway.total

    def watch(self, changed: Callable[[int], None]) -> None:
        """Have something told how many are under way whenever that changes."""
        self._underway.watch(changed)

    @property
    def unkept(self) -> StoreCause | None:
        """Why something that is to be kept is not yet; None = all of it is."""
        return self._keeping.cause

    @property
    def desk(self) -> Desk:
        """What the assistant knows of the owner; ``RequestError`` where this door has none."""
        if self._desk is None:
            raise RequestError(f"{self.channel.name} shows no memory")
        return self._desk

    async def start(
        self, *, recovering: bool = True, only: str = "", by_place: bool = False
    ) -> None:
        """Open the channel and go on with what the last process left.

        Args:
            recovering: False for doors that several processes may open at once.
            only: The one place to go on in; "" = everywhere.
            by_place: True = go on in a place once something comes for it, and no other machine
                works there.

        Raises:
            SettingsError: another process serves the channel.
            MemoryUnavailableError: the store is away.
        """
        if self._lock:
            self._lock.acquire()
        try:
            await self._moves.load()
            await self.channel.open()
            if by_place:
                self._recovery.by_place()
                self._leases.share()
            elif recovering:
                await self._recovery.run(only=only)
        except BaseException:
            if self._lock:
                self._lock.release()
            raise
        self._open = True

    async def accept(self, *messages: Incoming) -> None:
        """Claim and keep what came; once this returns it will be answered, whatever dies.

        What came before is dropped without a word.

        Raises:
            HeldElsewhereError: another machine still works on the conversation.
            MemoryUnavailableError: some could not be kept; it must be sent again, all of it.
        """
        if not self._open:
            name = self.channel.name
            raise MemoryUnavailableError(f"{name} takes no messages now", cause="closed")
        # Whoever sent it may hang up: what is claimed must be queued all the same.
        await self._accepting.done(self._intake.take(messages))

    async def knows(self, message: Message) -> bool:
        """Whether a message was accepted before, by its id, as far as the store can tell."""
        return await self._inbox.knows(message.place, message.id)

    async def tell(self, message: Message, reply: Reply) -> None:
        """Say something unasked, to where a message would have come from; the same id, the same.

        Raises ``MemoryUnavailableError`` where the store is closed.
        """
        await self._turns.tell(message, reply)

    def reaches(self, conversation: str) -> bool:
        """Whether what is said there now is sent, as far as is known."""
        return self._open and not self._outbox.is_paused(self._moves.first(conversation))

    async def finished(self, place: str) -> None:
        """Return when everything accepted in a place is answered, sent and remembered.

        Raises:
            HeldElsewhereError: another machine took over meanwhile, and still works there.
            MemoryUnavailableError: the store is away.
        """
        conversation = self._moves.first(of_place(place)[0])
        since = self._leases.tenure(conversation)
        await self._underway.none(place)
        while self._open and self._leases.tenure(conversation) != since:
            # What was in hand is let go of, answered or not: the store tells.
            await self._accepting.done(self._intake.go_on(place))
            since = self._leases.tenure(conversation)
            await self._underway.none(place)

    async def idle(self) -> None:
        """The same everywhere; what waits for a person who cannot be reached does not count."""
        await self._underway.none()

    async def stop(self, place: str) -> bool:
        """Stop the turn that runs in a place, at the person's wish; False = none ran."""
        return await self._conversations.stop(place)

    async def withdraw(self, message: Message) -> bool:
        """Take back a message, by its id, that waits; False when its turn has begun.

        Raises ``MemoryUnavailableError`` where the store is away: it waits as before.
        """
        first = self._moves.first(message.conversation)
        return await self._conversations.withdraw(replace(message, conversation=first))

    async def forget(self, doors: Collection[str], tells: Callable[[str], bool]) -> int:
        """Drop what waits of people: edits they were not answered to, replies that are not sent.

        What they wrote and wait for an answer to stays: they get it. Says how much was dropped.
        ``doors`` are the actor ids of their addresses; ``tells`` whether words tell of it.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        dropped = await self._conversations.forget(doors, tells)
        return dropped + await self._outbox.forget(doors, tells)

    async def close(self, *, seconds: float = CLOSE_SECONDS) -> None:
        """Take nothing more, let what runs finish for so long; the rest stays kept."""
        if not self._open:
            return
        self._open = False
        until = time.monotonic() + seconds
        await self._accepting.over(seconds)
        self._keeping.stop_waiting()
        await self._conversations.close(max(0.0, until - time.monotonic()))
        await self._outbox.close(max(0.0, until - time.monotonic()))
        await self._keeping.close()
        await self._excuses.close()
        await self._leases.close()
        try:
            await self.channel.close()
        finally:
            if self._lock:
                self._lock.release()

    async def _let_go(self, conversation: str) -> None:
        """Another machine has been in a conversation, or is: what is in hand of it is old."""
        await self._break_off(conversation)
        await self._outbox.let_go(conversation)

    async def _break_off(self, conversation: str) -> None:
        self._recovery.again(conversation)
        await self._conversations.let_go(conversation)
