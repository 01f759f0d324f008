"""Whoever asks while the host ends is told so, however late."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from cloche.runtime.busy import Busy
from cloche.runtime.events import Failed
from cloche.runtime.host import HostThread
from cloche.runtime.invocations import Asked
from cloche.runtime.payload import Health


@asynccontextmanager
async def nothing(busy: Busy) -> AsyncIterator[Any]:
    yield None


async def test_what_is_asked_just_before_its_loop_is_closed_is_told_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    waits, ends, asked = threading.Event(), threading.Event(), threading.Event()
    host = HostThread(nothing, Busy())
    host.start()
    assert await asyncio.to_thread(host._begun.wait, 60)
    loop: Any = host._loop
    schedule, close = loop.call_soon_threadsafe, loop.close

    def late(callback: Any, *given: Any, **more: Any) -> Any:
        """Whoever asks has seen that the host is there, and stands still until it ends."""
        if callback == host._begin:
            waits.set()
            assert ends.wait(60)
        return schedule(callback, *given, **more)

    def closed() -> None:
        ends.set()
        assert asked.wait(60)
        close()

    monkeypatch.setattr(loop, "call_soon_threadsafe", late)
    monkeypatch.setattr(loop, "close", closed)
    asking = asyncio.create_task(asyncio.to_thread(host.ask, Asked(Health(), "r", "", True)))
    assert await asyncio.to_thread(waits.wait, 60)
    ending = asyncio.create_task(asyncio.to_thread(host.close))
    events = await asking
    asked.set()
    await ending
    async with asyncio.timeout(5):  # it has ended: there is nothing to wait for
        told = await events.last()
    assert isinstance(told, Failed)
    assert told.error.document["error"] == "closing"
