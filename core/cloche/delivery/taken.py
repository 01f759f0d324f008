"""A turn that was taken from those that wait: its rows, its message, who answers it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from cloche.delivery.inbox import Row
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
