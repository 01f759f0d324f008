"""What a platform delivered: claimed, kept, and queued in the order it came."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace

from cloche.channels.channel import Incoming, Left, Moved
from cloche.delivery.conversations import Conversations
from cloche.delivery.excuses import Excuses
from cloche.delivery.inbox import Inbox, Row
from cloche.delivery.keeping import Keeping
from cloche.delivery.leases import Leases
from cloche.delivery.moves import Moves
from cloche.delivery.outbox import Outbox
from cloche.delivery.recovery import Recovery
from cloche.errors import MemoryUnavailableError
from cloche.messages import Message, of_place, place_of

logger = logging.getLogger(__name__)


class Intake:
    """Takes in what comes for one channel."""

    def __init__(
        self,
        channel: str,
        leases: Leases,
        keeping: Keeping,
        excuses: Excuses,
        *,
        inbox: Inbox,
        outbox: Outbox,
        moves: Moves,
        recovery: Recovery,
        conversations: Conversations,
    ) -> None:
        """Take the channel's name, where things are kept, and who goes on with them."""
        self._leases, self._keeping, self._excuses = leases, keeping, excuses
        self._channel, self._inbox, self._outbox = channel, inbox, outbox
        self._moves, self._recovery, self._conversations = moves, recovery, conversations
        self._claiming: set[str] = set()
        self._unsure: set[str] = set()

    async def take(self, incoming: Sequence[Incoming]) -> None:
        """Keep and queue in the order given; a move holds for what comes behind it.

        Raises:
            MemoryUnavailableError: not all could be kept; whoever sent it must send it again, all
                of it.
        """
        written = [one for one in incoming if isinstance(one, Message)]
        try:
            await self._keeping.settle()
            await self._take(incoming)
        except MemoryUnavailableError as error:
            if error.cause != "closed" and not self._leases.shared:
                self._excuses.refused(written)
            raise
        self._excuses.taken(written)

    async def _take(self, incoming: Sequence[Incoming]) -> None:
        together: list[Message] = []
        for one in incoming:
            if isinstance(one, Message):
                together.append(one)
                continue
            await self._keep(together)
            together = []
            if isinstance(one, Moved):
                await self._moves.move(one.old, one.new)
            else:
                await self._leave(one)
        await self._keep(together)

    async def _keep(self, messages: Sequence[Message]) -> None:
        """Claim messages and queue those that are new: in order in each place, places side by side.

        Raises:
            MemoryUnavailableError: not all could be kept; those that were are queued.
        """
        here: defaultdict[str, list[tuple[Message, str]]] = defaultdict(list)
        for message in messages:
            first = self._moves.first(message.conversation)
            known = replace(message, conversation=first)
            here[known.place].append((known, message.place))
        await self._keep_there(here)

    async def go_on(self, place: str) -> None:
        """Go on with what was left in a place, once no other machine works there.

        Raises:
            HeldElsewhereError: another machine still does.
            MemoryUnavailableError: the store is away.
        """
        conversation, thread = of_place(place)
        await self._keep_there({place_of(self._moves.first(conversation), thread): ()})

    async def _keep_there(self, here: Mapping[str, Sequence[tuple[Message, str]]]) -> None:
        while not await self._kept(here):
            logger.warning("channel=%s | another machine was there: once more", self._channel)

    async def _kept(self, here: Mapping[str, Sequence[tuple[Message, str]]]) -> bool:
        """Claim and queue by places; False where another machine took over meanwhile.

        What it claims after that nobody would find: a machine that takes over has looked already.
        Once more, this one waits its turn, and goes on with what it has claimed.
        """
        tenures = dict[str, int]()
        async with AsyncExitStack() as held:
            for name in sorted({of_place(place)[0] for place in here}):
                tenures[name] = await held.enter_async_context(self._leases.held(name))
            await self._keep_held(here)
            still = [await self._leases.still(name, since) for name, since in tenures.items()]
        return all(still)

    async def _keep_held(self, here: Mapping[str, Sequence[tuple[Message, str]]]) -> None:
        """The same, in conversations that nobody else works on; by their places.

        Raises:
            MemoryUnavailableError: not all could be kept; those that were are queued.
        """
        await self._recovery.before(here.keys())
        rows = [
            [self._row(message, named, alone=len(there) == 1) for message, named in there]
            for there in here.values()
        ]
        kept = await asyncio.gather(*map(self._keep_here, rows), return_exceptions=True)
        for failure in kept:
            if failure is not None:
                raise failure

    async def _keep_here(self, rows: Sequence[Row]) -> None:
        """Claim what came for one place, one after the other, and queue it together.

        Behind one that could not be kept none is: sent again, it would come behind them.
        """
        new, claiming = [], set[str]()
        try:
            for row in rows:
                if first := row.key not in self._claiming:
                    claiming.add(row.key)
                    self._claiming.add(row.key)
                if kept := await self._claimed(row, first=first):
                    new.append(kept)
        finally:
            for row in new:
                self._outbox.resume(row.message.conversation, row.message.thread)
                await self._conversations.add(row)
            self._claiming -= claiming

    async def _claimed(self, row: Row, *, first: bool) -> Row | None:
        """The row as it is kept; None where it is not new, or lost.

        One that came before and waits for nobody is taken up: the answer to its claim was lost, or
        a machine that froze claimed it too late. ``first`` = nobody else is just claiming it.
        """
        try:
            kept = await self._inbox.claim(row)
        except MemoryUnavailableError:
            self._unsure.add(row.key)
            raise
        except ValueError:
            # Larger than the store takes, in a way nobody foresaw: it never will be kept.
            logger.error("channel=%s | an update is too large, and lost", self._channel)
            return None
        # Without leases another process may be at it, unless this one tried to claim it.
        mine = self._leases.shared or row.key in self._unsure
        if kept is None and first and mine and not self._conversations.has(row):
            kept = await self._inbox.left(row)
        self._unsure.discard(row.key)
        return kept

    def _row(self, message: Message, named: str, *, alone: bool) -> Row:
        starts = alone and message.addressed and self._conversations.is_free(message)
        return self._inbox.row(message, starts=starts, named=named)

    async def _leave(self, left: Left) -> None:
        if await self._inbox.claim_done(place_of(left.conversation), left.update):
            self._outbox.pause(self._moves.first(left.conversation))
