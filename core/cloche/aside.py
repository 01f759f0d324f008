"""Work that takes long on long texts, done beside the event loop: everybody else goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final, TypeVar

AT_ONCE_CHARS: Final = 500
"""What is done on so short a text takes a few milliseconds, whatever is written in it."""

T = TypeVar("T")


async def aside(text: str, work: Callable[[], T]) -> T:
    """What the work gives: at once for a short text, from a thread for a long one.

    Args:
        text: What the work looks at.
        work: Only reckons; what it shares bears threads. Once begun it is done to its end.
    """
    return work() if len(text) <= AT_ONCE_CHARS else await asyncio.to_thread(work)
