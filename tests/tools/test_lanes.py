"""Tools run beside the conversations: one that blocks holds up nobody but its own."""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar

import aiohttp
import pytest

from cloche.errors import ToolError
from cloche.testing.tool_fakes import FakeToolStorage, tool_context
from cloche.tools import BoundTool, Tool, ToolContext, tool
from cloche.tools.lanes import Lanes
from cloche.tools.results import ToolResult
from cloche.tools.session import ToolSessions

who: ContextVar[str] = ContextVar("who")


class Kettle:
    """What tools of these tests block on, until a test lets them go on."""

    def __init__(self) -> None:
        self.boiling, self.let = threading.Event(), threading.Event()
        self.storage, self.refused = FakeToolStorage(), list[str]()

    def block(self) -> None:
        self.boiling.set()
        assert self.let.wait(60), "no test let it go on"

    async def until_it_boils(self) -> None:
        assert await asyncio.to_thread(self.boiling.wait, 60)

    async def on(self, tool: BoundTool) -> asyncio.Task[ToolResult]:
        """A call that has begun to boil; meanwhile no time passes for the host."""
        self.boiling.clear()
        task = asyncio.create_task(tool.call({}))
        await asyncio.sleep(0)
        assert self.boiling.wait(60)
        return task


@pytest.fixture
def kettle() -> Iterator[Kettle]:
    one = Kettle()
    yield one
    one.let.set()
    for thread in threading.enumerate():
        if thread.name.startswith("cloche-tool"):
            thread.join(60)
            assert not thread.is_alive(), "a thread outlives its work"


def bound(one: Tool, lanes: Lanes, kettle: Kettle | None = None, turn: str = "t") -> BoundTool:
    def context(call_id: str) -> ToolContext:
        return tool_context(call_id=call_id, storage=kettle.storage if kettle else None)

    return BoundTool(one, turn_id=turn, context=context, lanes=lanes)


def quick(lanes: Lanes, name: str = "sip") -> BoundTool:
    async def sip(ctx: ToolContext) -> str:
        """Sip."""
        return "Mmm."

    sip.__name__ = name
    return bound(tool(sip), lanes)


def blocking(kettle: Kettle, seconds: float = 60, where: str = "in its loop") -> Tool:
    @tool(timeout_seconds=seconds)
    async def boil(ctx: ToolContext) -> str:
        """Boil water."""
        if where == "in its loop":
            kettle.block()
        else:
            await asyncio.to_thread(kettle.block)
        try:
            await ctx.storage.put("boiled", value=True)
        except ToolError as error:
            kettle.refused.append(str(error))
            raise
        return "It boils."

    return boil


async def test_others_are_answered_while_a_tool_blocks(kettle: Kettle) -> None:
    lanes = Lanes()
    slow = await kettle.on(bound(blocking(kettle), lanes, kettle))
    for _ in range(3):
        assert (await quick(lanes).call({})).text == "Mmm."
    assert not slow.done()
    kettle.let.set()
    assert (await slow).text == "It boils."
    assert kettle.storage.documents == {"boiled": True}
    await lanes.close()


@pytest.mark.parametrize("where", ["in its loop", "in a thread"])
async def test_a_tool_that_never_returns_is_given_up_in_time_and_does_nothing_later(
    kettle: Kettle, where: str, caplog: pytest.LogCaptureFixture
) -> None:
    lanes = Lanes(grace=0.01)
    result = await (await kettle.on(bound(blocking(kettle, 0.05, where), lanes, kettle)))
    assert not result.ok
    assert "0.05 seconds" in result.text
    assert caplog.text.count("tool boil: something of it does not end") == 1
    assert (await quick(lanes).call({})).ok
    await lanes.close()  # waits for no one
    assert not kettle.let.is_set()
    kettle.let.set()
    await threads_end()
    assert kettle.storage.documents == {}
    # Cancelled where it awaits; one in its loop that does not stop at once is refused as well.
    assert all("over" in told for told in kettle.refused)


async def test_a_tool_that_will_not_be_cancelled_is_refused_what_it_asks_for(
    kettle: Kettle,
) -> None:
    @tool(timeout_seconds=0.05)
    async def stay(ctx: ToolContext) -> str:
        """Stay."""
        kettle.boiling.set()
        for _ in range(2):
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                kettle.block()
                try:
                    await ctx.storage.put("late", value=1)
                except ToolError as error:
                    kettle.refused.append(str(error))
        return "still here"

    lanes = Lanes(grace=0.01)
    assert not (await (await kettle.on(bound(stay, lanes, kettle)))).ok
    kettle.let.set()
    await threads_end()
    assert kettle.storage.documents == {}
    assert kettle.refused
    await lanes.close()


async def test_a_tool_of_which_too_many_calls_hang_is_not_called_until_one_ends(
    kettle: Kettle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cloche.tools.lanes.MOST_STUCK", 3)
    lanes = Lanes(grace=0.01)
    slow = bound(blocking(kettle, 0.02), lanes, kettle)
    for _ in range(3):
        assert "gave it up" in (await (await kettle.on(slow))).text
    before = threading.active_count()
    for language, told in (
        ("en", "still running"),
        ("es", "sigue en marcha"),
        ("zh", "还没有结束"),
    ):
        refused = BoundTool(
            blocking(kettle),
            turn_id="t",
            context=lambda call_id: tool_context(call_id=call_id),
            language=language,
            lanes=lanes,
        )
        result = await refused.call({})
        assert not result.ok
        assert told in result.text
    assert (await quick(lanes).call({})).ok
    assert threading.active_count() <= before + 1  # the one that is kept for the next call
    kettle.let.set()
    await threads_end(but=1)
    assert (await bound(blocking(kettle), lanes, kettle).call({})).ok
    await lanes.close()


async def test_a_turn_that_is_given_up_ends_its_tool_which_may_tidy_up(kettle: Kettle) -> None:
    @tool
    async def brew(ctx: ToolContext) -> str:
        """Brew."""
        await ctx.storage.put("pot", value="taken")
        try:
            kettle.boiling.set()
            await asyncio.sleep(3600)
        finally:
            await ctx.storage.delete("pot")
        return "never"

    lanes = Lanes(grace=60)
    turn = asyncio.create_task(bound(brew, lanes, kettle).call({}))
    await kettle.until_it_boils()
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn
    assert kettle.storage.documents == {}
    assert (await quick(lanes).call({})).ok
    await lanes.close()


async def test_a_turn_that_is_given_up_does_not_wait_for_a_tool_that_blocks(
    kettle: Kettle,
) -> None:
    lanes = Lanes(grace=0.01)
    turn = await kettle.on(bound(blocking(kettle), lanes, kettle))
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn
    kettle.let.set()
    await threads_end()
    assert kettle.storage.documents == {}


async def test_a_turn_may_be_given_up_before_its_tool_has_begun(
    kettle: Kettle, caplog: pytest.LogCaptureFixture
) -> None:
    lanes = Lanes()
    for _ in range(20):
        turn = asyncio.create_task(quick(lanes).call({}))
        await asyncio.sleep(0)
        turn.cancel()
        with pytest.raises(asyncio.CancelledError):
            await turn
    assert not caplog.text
    await lanes.close()
    await threads_end()


async def test_what_the_host_does_for_a_call_is_given_up_with_it(kettle: Kettle) -> None:
    class Slow(FakeToolStorage):
        async def put(self, key: str, value: object) -> None:
            kettle.boiling.set()
            try:
                await asyncio.sleep(3600)
            finally:
                given_up.set()

    given_up = asyncio.Event()
    kettle.storage = Slow()

    @tool
    async def brew(ctx: ToolContext) -> str:
        """Brew, in a thread that nobody can cancel."""
        await asyncio.to_thread(asyncio.run, put(ctx))
        return "never"

    async def put(ctx: ToolContext) -> None:
        await ctx.storage.put("pot", value="taken")

    lanes = Lanes(grace=0.01)
    turn = asyncio.create_task(bound(brew, lanes, kettle).call({}))
    await kettle.until_it_boils()
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn
    await asyncio.wait_for(given_up.wait(), 60)
    await lanes.close()


async def test_a_call_sees_the_context_of_its_turn_on_both_sides(kettle: Kettle) -> None:
    class Watched(FakeToolStorage):
        async def put(self, key: str, value: object) -> None:
            kettle.refused.append(f"{key} for {who.get()}")

    kettle.storage = Watched()

    @tool
    async def brew(ctx: ToolContext) -> str:
        """Brew."""
        await ctx.storage.put("pot", value="taken")
        return f"for {who.get()}"

    lanes = Lanes()

    async def turn(name: str) -> str:
        who.set(name)
        return (await bound(brew, lanes, kettle).call({})).text

    names = [f"guest {number}" for number in range(5)]
    told = await asyncio.gather(*(turn(name) for name in names))
    assert told == [f"for {name}" for name in names]
    assert sorted(kettle.refused) == [f"pot for {name}" for name in names]
    await lanes.close()


async def test_a_lane_is_used_again_and_calls_at_the_same_time_have_their_own(
    kettle: Kettle,
) -> None:
    @tool
    async def where(ctx: ToolContext, meet: bool = False) -> str:
        """Say where this runs."""
        if meet:
            await asyncio.to_thread(barrier.wait, 60)
        return str(threading.get_ident())

    barrier, lanes = threading.Barrier(3), Lanes(idle=2)
    target = bound(where, lanes)
    alone = {(await target.call({})).text for _ in range(5)}
    assert len(alone) == 1
    assert alone != {str(threading.get_ident())}
    together = await asyncio.gather(*(target.call({"meet": True}) for _ in range(3)))
    assert len({one.text for one in together}) == 3
    await threads_end(but=2)
    await lanes.close()
    await threads_end()


async def test_each_lane_has_an_http_session_of_its_own_that_is_closed_with_it(
    kettle: Kettle,
) -> None:
    opened: list[aiohttp.ClientSession] = []

    def opening() -> aiohttp.ClientSession:
        opened.append(aiohttp.ClientSession())
        return opened[-1]

    @tool
    async def ask(ctx: ToolContext, meet: bool = False) -> str:
        """Ask a server."""
        if meet:
            await asyncio.to_thread(barrier.wait, 60)
        assert ctx.http() is ctx.http()
        return str(opened.index(ctx.http()))

    barrier, sessions = threading.Barrier(2), ToolSessions(opening)
    lanes = Lanes(sessions.close)
    target = BoundTool(
        ask,
        turn_id="t",
        context=lambda call_id: tool_context(call_id=call_id, http=sessions),
        lanes=lanes,
    )
    assert [(await target.call({})).text for _ in range(3)] == ["0", "0", "0"]
    together = await asyncio.gather(*(target.call({"meet": True}) for _ in range(2)))
    assert sorted(one.text for one in together) == ["0", "1"]
    await lanes.close()
    assert all(session.closed for session in opened)


@pytest.mark.parametrize("how", ["exit", "interrupt", "cancel"])
async def test_a_tool_that_ends_itself_ends_nobody_else(kettle: Kettle, how: str) -> None:
    @tool
    async def leave(ctx: ToolContext) -> str:
        """Leave."""
        if how == "exit":
            sys.exit(3)
        if how == "interrupt":
            raise KeyboardInterrupt
        task = asyncio.current_task()
        assert task
        task.cancel()
        await asyncio.sleep(0)
        return "never"

    lanes = Lanes()
    result = await bound(leave, lanes).call({})
    assert not result.ok
    assert "fault on my side" in result.text
    assert (await quick(lanes).call({})).ok
    await lanes.close()


async def test_what_a_call_begins_ends_with_it(
    kettle: Kettle, caplog: pytest.LogCaptureFixture
) -> None:
    ended: list[str] = []

    async def go_on(ctx: ToolContext) -> None:
        try:
            await asyncio.sleep(3600)
        finally:
            ended.append("tidied")

    async def break_down() -> None:
        raise RuntimeError("secret of the guest")

    @tool
    async def begin(ctx: ToolContext) -> str:
        """Begin something and leave it."""
        kept.extend([asyncio.create_task(go_on(ctx)), asyncio.create_task(break_down())])
        await asyncio.sleep(0)
        return "begun"

    kept: list[asyncio.Task[None]] = []
    lanes = Lanes()
    with caplog.at_level(logging.DEBUG):
        assert (await bound(begin, lanes).call({})).text == "begun"
        assert ended == ["tidied"]
        kept.clear()
        await lanes.close()
    assert "secret" not in caplog.text


async def test_a_tool_that_takes_its_thread_down_has_failed(kettle: Kettle) -> None:
    @tool
    async def pull_the_plug(ctx: ToolContext) -> str:
        """Pull the plug."""
        asyncio.get_running_loop().call_soon(sys.exit)
        await asyncio.sleep(3600)
        return "never"

    lanes = Lanes()
    result = await bound(pull_the_plug, lanes).call({})
    assert not result.ok
    assert "fault on my side" in result.text
    assert (await quick(lanes).call({})).ok
    await lanes.close()


async def test_an_idle_lane_that_was_taken_down_is_not_used_again(kettle: Kettle) -> None:
    @tool
    async def set_a_trap(ctx: ToolContext) -> str:
        """Set a trap."""
        asyncio.get_running_loop().call_later(0.01, sys.exit)
        return "set"

    lanes = Lanes()
    assert (await bound(set_a_trap, lanes).call({})).text == "set"
    await threads_end()
    assert (await quick(lanes).call({})).ok
    await lanes.close()


async def test_a_blocking_tool_lets_the_host_breathe(kettle: Kettle) -> None:
    """Python's own work shares the interpreter; whoever waits here gets it many times a second."""

    @tool
    async def reckon(ctx: ToolContext) -> str:
        """Reckon for a while."""
        kettle.boiling.set()
        total = 0
        while not kettle.let.is_set():
            total += sum(range(100))
        return "done"

    lanes = Lanes()
    slow = await kettle.on(bound(reckon, lanes))
    for _ in range(20):
        await asyncio.sleep(0)
    kettle.let.set()
    assert (await slow).ok
    await lanes.close()


async def threads_end(but: int = 0) -> None:
    """Wait until lanes have ended, but for those that are kept."""

    def wait(left: Callable[[], int]) -> None:
        end = time.monotonic() + 60
        while left() > but:
            assert time.monotonic() < end, "a thread outlives its work"
            time.sleep(0.005)

    await asyncio.to_thread(
        wait, lambda: sum(one.name.startswith("cloche-tool") for one in threading.enumerate())
    )
