"""What a call left behind is nothing to the next call, which may be another person's."""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
from collections.abc import Callable

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from cloche.testing.tool_fakes import tool_context
from cloche.tools import BoundTool, Tool, ToolContext, tool
from cloche.tools.lanes import Lanes
from cloche.tools.session import ToolSessions

SEEN: list[threading.Thread] = []


def here() -> str:
    """A name for the thread that no later one has, as an ident may."""
    this = threading.current_thread()
    if this not in SEEN:
        SEEN.append(this)
    return f"thread {SEEN.index(this)}"


@tool
async def where(ctx: ToolContext) -> str:
    """Say where this runs."""
    return here()


def bound(one: Tool, lanes: Lanes, http: ToolSessions | None = None) -> BoundTool:
    return BoundTool(
        one,
        turn_id="t",
        context=lambda call_id: tool_context(call_id=call_id, http=http),
        lanes=lanes,
    )


async def called(one: Tool, lanes: Lanes) -> str:
    result = await bound(one, lanes).call({})
    assert result.ok, result.text
    return result.text


def again(loop: asyncio.AbstractEventLoop) -> None:
    """Runs in each turn of the loop, for ever."""
    loop.call_soon(again, loop)


def later(act: Callable[[], object]) -> None:
    """Half an hour is as good as a moment: no next call may begin before it."""
    asyncio.get_running_loop().call_later(1800, act)


TRAPS: dict[str, Callable[[], object]] = {
    "exit later": lambda: later(sys.exit),
    "stop later": lambda: later(asyncio.get_running_loop().stop),
    "exit at a time": lambda: asyncio.get_running_loop().call_at(1e9, sys.exit),
    "a timer set by a timer": lambda: asyncio.get_running_loop().call_later(
        0, later, asyncio.get_running_loop().stop
    ),
    "a timer set soon": lambda: asyncio.get_running_loop().call_soon(later, sys.exit),
    "over and over": lambda: again(asyncio.get_running_loop()),
}


@pytest.mark.parametrize("trap", TRAPS)
async def test_no_call_runs_where_something_is_still_to_come(trap: str) -> None:
    @tool
    async def plant(ctx: ToolContext) -> str:
        """Plant a trap."""
        TRAPS[trap]()
        return here()

    lanes = Lanes(grace=0.05)
    used = await called(where, lanes)
    assert await called(plant, lanes) == used
    assert await called(where, lanes) != used
    await lanes.close()


async def test_what_is_over_or_called_off_keeps_no_lane_from_the_next_call() -> None:
    @tool
    async def tidy(ctx: ToolContext) -> str:
        """Leave nothing."""
        loop = asyncio.get_running_loop()
        loop.call_later(1800, sys.exit).cancel()
        timers.append(loop.call_later(0, str))
        loop.call_soon(str)
        async with asyncio.timeout(1800):
            await asyncio.sleep(0.001)
            await asyncio.to_thread(str)
        task = asyncio.create_task(asyncio.sleep(1800))
        await asyncio.wait({task}, timeout=0.001)
        return here()

    timers: list[asyncio.TimerHandle] = []
    lanes = Lanes()
    assert len({await called(tidy, lanes) for _ in range(5)}) == 1
    await lanes.close()


async def test_connections_are_used_again_by_the_next_call() -> None:
    @tool
    async def ask(ctx: ToolContext) -> str:
        """Ask a server."""
        async with ctx.http().get(f"http://127.0.0.1:{server.port}/") as response:
            return f"{await response.text()} {here()}"

    async def port(request: web.Request) -> web.Response:
        assert request.transport
        return web.Response(text=str(request.transport.get_extra_info("peername")[1]))

    app = web.Application()
    app.router.add_get("/", port)
    sessions = ToolSessions()
    lanes = Lanes(sessions.close)
    async with TestServer(app) as server:
        told = [(await bound(ask, lanes, sessions).call({})).text for _ in range(3)]
        assert len(set(told)) == 1
        await lanes.close()


async def test_what_begins_while_a_call_ends_ends_with_it_too() -> None:
    async def go_on(left: int) -> None:
        try:
            await asyncio.sleep(1800)
        finally:
            ended.append(left)
            if left:
                tasks.append(asyncio.create_task(go_on(left - 1)))
                await asyncio.sleep(0)

    @tool
    async def begin(ctx: ToolContext) -> str:
        """Begin something and leave it."""
        tasks.append(asyncio.create_task(go_on(3)))
        await asyncio.sleep(0)
        return here()

    ended: list[int] = []
    tasks: list[asyncio.Task[None]] = []
    lanes = Lanes(grace=60)
    used = await called(begin, lanes)
    assert ended == [3, 2, 1, 0]
    assert all(task.done() for task in tasks)
    assert await called(where, lanes) == used
    await lanes.close()


async def test_an_answer_is_not_lost_for_what_goes_on_after_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    let = threading.Event()

    @tool(timeout_seconds=0.1)
    async def stay(ctx: ToolContext) -> str:
        """Answer, and stay."""

        async def stubborn() -> None:
            while not let.is_set():
                try:
                    await asyncio.sleep(0.01)
                except asyncio.CancelledError:
                    pass

        tasks.append(asyncio.create_task(stubborn()))
        await asyncio.sleep(0)
        return here()

    tasks: list[asyncio.Task[None]] = []
    lanes = Lanes(grace=0.3)
    with caplog.at_level(logging.WARNING):
        used = await called(stay, lanes)
        assert "tool stay: something of it does not end" in caplog.text
    try:
        assert await called(where, lanes) != used
    finally:
        let.set()
        await lanes.close()


async def test_a_turn_that_is_given_up_while_its_tool_is_tidied_up_ends_at_once() -> None:
    let, left = threading.Event(), threading.Event()

    @tool
    async def stay(ctx: ToolContext) -> str:
        """Answer, and stay."""

        async def stubborn() -> None:
            try:
                await asyncio.sleep(1800)
            finally:
                left.set()
                await asyncio.to_thread(let.wait, 60)

        tasks.append(asyncio.create_task(stubborn()))
        await asyncio.sleep(0)
        return here()

    tasks: list[asyncio.Task[None]] = []
    lanes = Lanes(grace=0.2)
    turn = asyncio.create_task(bound(stay, lanes).call({}))
    assert await asyncio.to_thread(left.wait, 60)
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn
    let.set()
    assert (await bound(where, lanes).call({})).ok
    await lanes.close()


async def test_a_job_that_no_thread_has_begun_is_still_to_come(
    caplog: pytest.LogCaptureFixture,
) -> None:
    let, ran = threading.Event(), list[int]()

    @tool
    async def queue(ctx: ToolContext) -> str:
        """Leave more than run at a time."""
        loop = asyncio.get_running_loop()
        for number in range(12):
            loop.run_in_executor(None, lambda number=number: let.wait(60) and ran.append(number))
        return here()

    lanes = Lanes(grace=0.05)
    used = await called(queue, lanes)
    other = await called(where, lanes)
    let.set()
    assert "tool queue: something of it does not end and is left to itself, now 1 times" in (
        caplog.text
    )
    assert other != used
    await lanes.close()
    for thread in threading.enumerate():
        if thread.name.startswith("cloche-tool"):
            await asyncio.to_thread(thread.join, 60)
    assert sorted(ran) == list(range(12))
