"""Waiting for what must not be broken off half-way."""

from __future__ import annotations

import asyncio
from typing import Any


async def until_done(task: asyncio.Task[Any]) -> None:
    """Wait until a task is done; a cancellation goes on then, and breaks nothing off half-way."""
    given_up: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as error:
            given_up = error
    if given_up is not None:
        raise given_up


async def either(*events: asyncio.Event) -> None:
    """Wait for the first of some events."""
    tasks = [asyncio.create_task(event.wait()) for event in events]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:  # not waited for: whoever cancels this meanwhile would not be heard
            task.cancel()
