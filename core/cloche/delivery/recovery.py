"""What a process that died left behind: replies half sent, messages not answered."""

from __future__ import annotations

from cloche.delivery.conversations import Conversations, marked_turns
from cloche.delivery.inbox import Inbox
from cloche.delivery.outbox import Outbox
from cloche.ids import turn_id


async def recover(
    inbox: Inbox, outbox: Outbox, conversations: Conversations, *, only: str = ""
) -> None:
    """Go on where it stopped: a turn whose reply is kept is only sent, the others are run.

    With ``only`` nothing of another place is touched.

    Raises:
        MemoryUnavailableError: the store is away.
    """
    replies = [one for one in await outbox.waiting() if only in ("", one.place)]
    rows = [row for row in await inbox.waiting() if only in ("", row.message.place)]
    answered = {reply.turn for reply in replies if not reply.goes_on}
    gone, unanswered = set(), set()
    for turn in marked_turns(rows).values():
        message = turn[0].message
        id_ = turn_id(message.address, message.place, message.id)
        if id_ not in answered:
            unanswered.add(id_)
        else:
            for row in reversed(turn):
                await inbox.done(row)
                gone.add(row.key)
    for reply in replies:
        if reply.turn in unanswered:  # the rest of a reply whose beginning was not kept
            await outbox.discard(reply)
            continue
        reply.settled.set()
        outbox.push(reply)
    await conversations.recover([row for row in rows if row.key not in gone])
