"""Setting out replies beside the event loop: a long one takes long, and everybody else goes on."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Final

from cloche.channels.channel import Channel
from cloche.channels.parts import Part
from cloche.delivery.replies import Render, parts_of
from cloche.messages import Message, Reply

AT_ONCE_CHARS: Final = 2_000
"""Replies up to there are set out in a moment, whatever is written in them."""


async def set_out(
    reply: Reply, message: Message, turn: str, channel: Channel, render: Render
) -> tuple[Part, ...]:
    """See ``parts_of``."""
    making = partial(parts_of, reply, message, turn, channel, render)
    return await asyncio.to_thread(making) if len(reply.text) > AT_ONCE_CHARS else making()
