"""What others wrote runs in a task of its own, for a bounded time: it fails alone.

A cancellation that is raised in there is none of ours, and what never returns holds up nobody.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextvars import Context
from typing import Final, TypeVar

T = TypeVar("T")

BREAK_OFF_SECONDS: Final = 5.0
"""Whoever is told to stop has so long."""


class BrokenOffError(Exception):
    """Something ended without a result: it was cancelled from within."""


async def apart(
    call: Callable[[], Awaitable[T]],
    seconds: float | None = None,
    *,
    context: Context | None = None,
) -> T:
    """What a call gives; what it raises is raised here, but a cancellation of its own.

    Args:
        call: Makes what is waited for; it may raise as well.
        seconds: How long it may take; None = as long as it does.
        context: What it runs in; None = what whoever waits does.

    Raises:
        BrokenOffError: it was cancelled, and by nobody here.
        TimeoutError: it took too long.
    """

    async def run() -> T:
        return await call()

    task = asyncio.create_task(run(), context=context.copy() if context else None)
    try:
        await asyncio.wait({task}, timeout=seconds)
    except asyncio.CancelledError:
        await _break_off(task)
        raise
    if not task.done():
        await _break_off(task)
        raise TimeoutError("it took too long")
    if task.cancelled():
        raise BrokenOffError("it was cancelled from within")
    return task.result()


async def _break_off(task: asyncio.Task[T]) -> None:
    task.cancel()
    await asyncio.wait({task}, timeout=BREAK_OFF_SECONDS)
    if task.done() and not task.cancelled():
        task.exception()  # nobody else asks for it
