"""What is waited for only as long as the person whose turn it is waits."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Final, TypeVar

from cloche.patience import ALL, Patience

T = TypeVar("T")

BREAK_OFF_SECONDS: Final = 0.5
"""Whoever took too long and is told to stop is waited for so long."""


async def in_time(patience: Patience, what: Awaitable[T], share: float = ALL) -> T:
    """What is awaited, until so much of the wait is over, however often that begins anew.

    Whoever is cancelled here waits for its end, as if it were awaited without a limit.

    Raises:
        TimeoutError: it took longer; it is broken off.
    """
    task = asyncio.ensure_future(what)
    task.add_done_callback(_noticed)
    try:
        while not task.done() and (left := patience.left(share)):
            await asyncio.wait({task}, timeout=left)
    except asyncio.CancelledError:
        task.cancel()
        await asyncio.wait({task})
        raise
    if not task.done():
        task.cancel()
        await asyncio.wait({task}, timeout=BREAK_OFF_SECONDS)
        raise TimeoutError("nobody waits any longer")
    return task.result()


def _noticed(task: asyncio.Future[T]) -> None:
    """What it fails with after it was given up is nobody's business, nor the log's."""
    if not task.cancelled():
        task.exception()
