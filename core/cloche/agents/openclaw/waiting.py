"""Waiting for what must not be broken off half-way."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
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


async def either(*awaited: Coroutine[Any, Any, object]) -> None:
    """Wait for the first of some things; the others are given up."""
    tasks = [asyncio.create_task(each) for each in awaited]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:  # not waited for: whoever cancels this meanwhile would not be heard
            task.cancel()
