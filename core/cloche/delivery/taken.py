"""A turn that was taken from those that wait: its rows, its message, who answers it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from cloche.delivery.apart import apart
from cloche.delivery.inbox import Row
from cloche.ids import conversation_id, turn_id
from cloche.log_ids import logged
from cloche.messages import Message


@dataclass(slots=True)
class Taken:
    """A turn's rows and message, and the task that answers it.

    Attributes:
        rows: What it is made of; the first carries its mark.
        message: As merged.
        answering: The assistant at work; None before and after.
        stopped: True when the person asked to stop it.
        follows: What is to be done when it is answered; None = nothing.
    """

    rows: Sequence[Row]
    message: Message
    answering: asyncio.Task[object] | None = None
    stopped: bool = False
    follows: Callable[[], Awaitable[None]] | None = None


async def in_its_own(taken: Taken, work: Callable[[], Awaitable[None]]) -> None:
    """Do it in the turn's own context, its ids on every line."""
    message = taken.message
    id_ = turn_id(message.address, message.place, message.id)
    where = conversation_id(message.address.channel, message.place)

    async def do() -> None:
        with logged(conversation=where, turn=id_):
            await work()

    await apart(do, context=taken.rows[0].context)
