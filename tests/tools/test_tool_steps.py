"""A tool that blocks is named in the log; every other runs as if nobody looked."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from cloche.tools.steps import Steps


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds

    def block(self, seconds: float) -> None:
        self.seconds += seconds


async def run(tool: Callable[[Clock], Awaitable[str]]) -> tuple[str, list[float]]:
    clock, held = Clock(), list[float]()
    return await Steps(tool(clock), held.append, now=clock), held


async def test_the_longest_step_counts_and_not_what_is_awaited() -> None:
    async def blocks(clock: Clock) -> str:
        clock.block(0.9)
        await asyncio.sleep(0)
        clock.block(6)
        await asyncio.sleep(0)
        return "光"

    async def waits(clock: Clock) -> str:
        for _ in range(5):
            clock.block(0.9)
            await asyncio.sleep(0)
            asyncio.get_running_loop().call_soon(clock.block, 60)
            await asyncio.sleep(0)
        return "luz"

    assert await run(blocks) == ("光", [6.0])
    assert await run(waits) == ("luz", [])


async def test_a_failure_and_a_result_pass_through() -> None:
    async def fails(clock: Clock) -> str:
        try:
            await asyncio.wait_for(asyncio.Event().wait(), 0.001)
        except TimeoutError:
            return await asyncio.to_thread(str.upper, "late")
        return "never"

    async def breaks(clock: Clock) -> str:
        clock.block(2)
        raise ValueError("broken")

    assert await run(fails) == ("LATE", [])
    with pytest.raises(ValueError, match="broken"):
        await run(breaks)


async def test_a_cancellation_reaches_the_tool() -> None:
    ended: list[str] = []

    async def waits(clock: Clock) -> str:
        try:
            await asyncio.sleep(3600)
        finally:
            ended.append("tidy")
        return "never"

    running = asyncio.create_task(run(waits))
    await asyncio.sleep(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert ended == ["tidy"]


async def test_a_tool_that_is_given_up_is_given_up() -> None:
    async def waits(clock: Clock) -> str:
        await asyncio.sleep(3600)
        return "never"

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.001):
            await run(waits)
