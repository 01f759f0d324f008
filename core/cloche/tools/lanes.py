"""Where tools run: beside the host's event loop, so that one that blocks holds up nobody else."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import defaultdict
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, TypeVar

from cloche.errors import raised_at
from cloche.tools.loops import LaneLoop
from cloche.tools.threads import Threads

_log = logging.getLogger(__name__)

T = TypeVar("T")
Answer = Callable[[], Awaitable[str]]
Leave = Callable[[], Awaitable[None]]
"""Releases what belongs to the loop it is awaited on."""

IDLE: Final = 4
"""So many lanes wait for the next calls; their threads sleep."""
GRACE_SECONDS: Final = 1.0
"""What is given up may tidy up for so long."""
MOST_STUCK: Final = 8
"""So many calls of one tool that do not end, and it is not called any more until one does."""


class CutOffError(Exception):
    """A call ended by being cancelled, or by taking its lane down."""


class StuckError(Exception):
    """A tool is not called: too many of its calls were given up and have not ended."""


@dataclass(frozen=True)
class Call:
    """A call on a lane.

    Attributes:
        outcome: What it gave or raised; never cancelled.
        over: Done, after that, when what it left behind has ended or is given up.
    """

    outcome: Future[str] = field(default_factory=Future)
    over: Future[None] = field(default_factory=Future)


class Lane:
    """One event loop on a thread of its own, for one call at a time.

    Attributes:
        ended: Done when nothing of it runs any more.
        clean: True while nothing of its last call goes on or is to come; else it is not reused.
        stuck: True while something of its last call goes on.
    """

    def __init__(self, leave: Leave, grace: float) -> None:
        """Start it.

        Args:
            leave: Awaited on its loop before that is closed.
            grace: Seconds that what is cancelled may take.
        """
        self._leave, self._grace = leave, grace
        self._loop, self._threads = LaneLoop(), Threads()
        self._loop.set_default_executor(self._threads)
        self._loop.set_exception_handler(_tell)
        self._task: asyncio.Task[str] | None = None
        self._own: set[asyncio.Task[None]] = set()
        self._call = Call()
        self._ending = False
        self.ended: Future[None] = Future()
        self.clean, self.stuck = True, False
        # A daemon: the process ends without waiting for a tool that never returns.
        threading.Thread(target=self._live, name="cloche-tool", daemon=True).start()

    def begin(self, answer: Answer) -> Call:
        """Run a call with the context variables of the caller."""
        self.clean, self.stuck = False, True
        self._call = Call()
        self._loop.call_soon_threadsafe(self._start, answer, self._call)
        return self._call

    def give_up(self) -> None:
        """Cancel the call until it has answered; it notices when it awaits something."""
        self._soon(self._cancel)

    def close(self) -> None:
        """End as soon as the loop comes to it; returns at once."""
        self.clean = False
        self._soon(self._stop)

    def _soon(self, act: Callable[[], None]) -> None:
        with suppress(RuntimeError):  # it has ended by itself
            self._loop.call_soon_threadsafe(act)

    def _start(self, answer: Answer, call: Call) -> None:
        self._task = self._loop.create_task(_answered(answer))
        self._task.add_done_callback(partial(self._land, call))

    def _cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def _stop(self) -> None:
        if not self._ending:
            self._loop.stop()

    def _land(self, call: Call, task: asyncio.Task[str]) -> None:
        self._task = None
        if task.cancelled():  # perhaps before its first step
            call.outcome.set_exception(CutOffError("cancelled"))
        elif error := task.exception():
            call.outcome.set_exception(error)
        else:
            call.outcome.set_result(task.result())
        if not self._ending:
            self._mine(self._clear()).add_done_callback(lambda _: self._over(call))

    def _mine(self, act: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = self._loop.create_task(act)
        self._own.add(task)
        task.add_done_callback(self._own.discard)
        return task

    def _over(self, call: Call) -> None:
        if not call.over.done():
            call.over.set_result(None)

    async def _clear(self) -> None:
        """End what the call began and left behind, also what begins while that ends."""
        until = self._loop.time() + self._grace
        while True:
            since = self._loop.time()
            if left := asyncio.all_tasks() - self._own:
                for task in left:
                    task.cancel()
                if (await asyncio.wait(left, timeout=max(0, until - since)))[1]:
                    return
            elif not await self._loop.settle(until) or self._threads.busy:
                return
            elif not asyncio.all_tasks() - self._own:
                break
        self.stuck, self.clean = False, not self._ending and not self._loop.waits(since)

    def _live(self) -> None:
        for part in (
            self._loop.run_forever,
            lambda: self._loop.run_until_complete(self._mine(self._end())),
        ):
            try:
                part()
            except BaseException as error:  # a call left behind what raises it
                _log.error("a tool's thread: %s at %s", type(error).__name__, raised_at(error))
            self.clean, self._ending = False, True
        self._loop.close()
        if not self._call.outcome.done():
            self._call.outcome.set_exception(CutOffError("its thread has ended"))
        self._over(self._call)
        self._threads.wait()
        self.ended.set_result(None)

    async def _end(self) -> None:
        for clearing in self._own - {asyncio.current_task()}:
            clearing.cancel()
            await asyncio.wait({clearing})
        await self._clear()
        await asyncio.wait_for(self._leave(), self._grace)
        await self._loop.shutdown_asyncgens()


async def _answered(answer: Answer) -> str:
    try:
        return await answer()
    except (Exception, asyncio.CancelledError):
        raise
    except BaseException as error:  # a tool may end itself, never the host
        raise CutOffError(f"{type(error).__name__} at {raised_at(error)}") from None


async def _nothing_to_leave() -> None:
    pass


class Lanes:
    """Lanes for the calls of one assistant; it makes as many as run at a time."""

    def __init__(
        self, leave: Leave = _nothing_to_leave, *, idle: int = IDLE, grace: float = GRACE_SECONDS
    ) -> None:
        """Start none yet.

        Args:
            leave: Awaited on a lane's loop before that is closed.
            idle: How many are kept for the next calls.
            grace: Seconds that a call which is given up may take to end.
        """
        self._leave, self._most_idle, self._grace = leave, idle, grace
        self._idle: list[Lane] = []
        self._stuck: defaultdict[str, set[Lane]] = defaultdict(set)

    async def carry(
        self, name: str, answer: Answer, answered: Callable[[], object] = lambda: None
    ) -> str:
        """Run a call beside the running loop, and give what it gives or raise what it raises.

        Args:
            name: The tool's.
            answer: Makes what is awaited; called on the lane.
            answered: Called when that is made; what it left behind is given ``grace`` then.

        Raises:
            StuckError: too many calls of the tool have not ended though they were given up.
            CutOffError: it was cancelled by something else than this task.
            asyncio.CancelledError: this task was cancelled; the call, too, and it has ended, or
                its lane is left to it.
        """
        if len(self._stuck[name]) >= MOST_STUCK:
            raise StuckError(f"{MOST_STUCK} calls of {name} have not ended")
        lane = self._free() or Lane(self._leave, self._grace)
        call = lane.begin(answer)
        try:
            await _landing(call.outcome)
            answered()
            await _landing(call.over, self._grace)
        except asyncio.CancelledError:
            lane.give_up()
            await _landing(call.over, self._grace)
            raise
        finally:
            self._take_back(lane, name)
        return call.outcome.result()

    async def close(self) -> None:
        """End the lanes that are idle; those whose call does not end are left to it."""
        lanes, self._idle, self._most_idle = self._idle, [], 0
        for lane in lanes:
            lane.close()
        await asyncio.gather(*(_landing(lane.ended, 2 * self._grace) for lane in lanes))

    def _free(self) -> Lane | None:
        """The one that was used last, whose connections are the freshest."""
        while self._idle:
            if (lane := self._idle.pop()).clean:
                return lane
        return None

    def _take_back(self, lane: Lane, name: str) -> None:
        if lane.clean and len(self._idle) < self._most_idle:
            self._idle.append(lane)
            return
        stuck = lane.stuck
        lane.close()
        if stuck:
            of_tool = self._stuck[name]
            of_tool.add(lane)
            _log.warning(
                "tool %s: something of it does not end and is left to itself, now %d times",
                name,
                len(of_tool),
            )
            lane.ended.add_done_callback(lambda _: of_tool.discard(lane))


async def _landing(future: Future[T], seconds: float | None = None) -> None:
    """Wait until a future of another thread is done; a cancellation leaves it as it is."""
    loop = asyncio.get_running_loop()
    landed = loop.create_future()

    def land() -> None:
        if not landed.done():
            landed.set_result(None)

    def tell(_: Future[T]) -> None:
        with suppress(RuntimeError):  # nobody waits any more: the loop is closed
            loop.call_soon_threadsafe(land)

    future.add_done_callback(tell)
    await asyncio.wait({landed}, timeout=seconds)


def _tell(loop: asyncio.AbstractEventLoop, said: dict[str, object]) -> None:
    """Log what nobody awaited, without its text: it may quote the person."""
    error = said.get("exception")
    where = raised_at(error) if isinstance(error, BaseException) else "an unknown place"
    _log.warning("a tool left something behind: %s at %s", type(error).__name__, where)
