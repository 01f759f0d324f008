"""What a process that died left behind: replies half sent, messages not answered."""

from __future__ import annotations

import asyncio
from collections.abc import Collection

from cloche.delivery.conversations import Conversations
from cloche.delivery.inbox import Inbox
from cloche.delivery.merging import marked_turns
from cloche.delivery.moves import Moves
from cloche.delivery.outbox import Outbox
from cloche.ids import turn_id
from cloche.messages import of_place


class Recovery:
    """Goes on where it stopped: everywhere at the start, or in a place when something comes for it.

    Every method raises ``MemoryUnavailableError`` when the store is away.
    """

    def __init__(
        self, inbox: Inbox, outbox: Outbox, conversations: Conversations, moves: Moves
    ) -> None:
        """Take where things are kept, who goes on with them, and what places were called."""
        self._inbox, self._outbox, self._conversations = inbox, outbox, conversations
        self._moves = moves
        self._by_place = False
        self._seen: set[str] = set()
        self._one_by_one = asyncio.Lock()

    def by_place(self) -> None:
        """Touch nothing now: what lies elsewhere may be what another process works on."""
        self._by_place = True

    async def before(self, places: Collection[str]) -> None:
        """Something comes for some places: go on with what was left there, the first time.

        What comes again is known by what was left of it, so it must be queued before.
        """
        if not self._by_place or self._seen.issuperset(places):
            return
        async with self._one_by_one:
            for place in places:
                if place not in self._seen:
                    await self.run(only=place)
                    self._seen.add(place)

    def again(self, conversation: str) -> None:
        """Another process may have been there: go on anew with what is left in a conversation."""
        self._seen = {place for place in self._seen if of_place(place)[0] != conversation}

    async def run(self, *, only: str = "") -> None:
        """A turn whose reply is kept is only sent, the others are run.

        With ``only`` nothing of another place is touched.
        """
        places = self._moves.names_of(only) if only else ()
        replies = await self._outbox.waiting(of_place(places[0])[0] if only else "")
        if only:
            replies = [reply for reply in replies if reply.place in places]
        rows = await self._inbox.waiting(*places)
        answered = {reply.turn for reply in replies if not reply.goes_on}
        gone, unanswered = set(), set()
        for turn in marked_turns(rows).values():
            message = turn[0].message
            id_ = turn_id(message.address, message.place, message.id)
            if id_ not in answered:
                unanswered.add(id_)
            else:
                for row in reversed(turn):
                    await self._inbox.done(row)
                    gone.add(row.key)
        for reply in replies:
            if reply.turn in unanswered:  # the rest of a reply whose beginning was not kept
                await self._outbox.discard(reply)
                continue
            reply.settled.set()
            self._outbox.push(reply)
        await self._conversations.recover([row for row in rows if row.key not in gone])
