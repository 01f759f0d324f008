"""What is waited for only as long as the person whose turn it is waits."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Final, TypeVar

from cloche.patience import ALL, Patience

T = TypeVar("T")

BREAK_OFF_SECONDS: Final = 0.5
"""Whoever is told to stop is waited for so long."""


async def in_time(patience: Patience, what: Awaitable[T], share: float = ALL) -> T:
    """What is awaited, until so much of the wait is over, however often that begins anew.

    Raises:
        TimeoutError: it took longer; it is broken off.
    """
    task = asyncio.ensure_future(what)
    try:
        while not task.done():
            if not (left := patience.left(share)):
                raise TimeoutError("nobody waits any longer")
            await asyncio.wait({task}, timeout=left)
        return task.result()
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait({task}, timeout=BREAK_OFF_SECONDS)
