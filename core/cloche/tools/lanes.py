"""Where tools run: beside the host's event loop, so that one that blocks holds up nobody else."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import defaultdict
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import Final, TypeVar

from cloche.errors import raised_at
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


class Lane:
    """One event loop on a thread of its own, for one call at a time.

    Attributes:
        ended: Done when nothing of it runs any more.
        clean: False once something goes on that its last call began; then it must not be reused.
    """

    def __init__(self, leave: Leave, grace: float) -> None:
        """Start it.

        Args:
            leave: Awaited on its loop before that is closed.
            grace: Seconds that what is cancelled may take.
        """
        self._leave, self._grace = leave, grace
        self._loop, self._threads = asyncio.new_event_loop(), Threads()
        self._loop.set_default_executor(self._threads)
        self._loop.set_exception_handler(_tell)
        self._task: asyncio.Task[str] | None = None
        self._outcome: Future[str] = Future()
        self._ending = False
        self.ended: Future[None] = Future()
        self.clean = True
        # A daemon: the process ends without waiting for a tool that never returns.
        threading.Thread(target=self._live, name="cloche-tool", daemon=True).start()

    def begin(self, answer: Answer) -> Future[str]:
        """Run a call with the context variables of the caller; its outcome is never cancelled."""
        self._outcome = Future()
        self._loop.call_soon_threadsafe(self._start, answer, self._outcome)
        return self._outcome

    def give_up(self) -> None:
        """Cancel the call; it notices when it awaits something."""
        self._soon(self._cancel)

    def close(self) -> None:
        """End as soon as the loop comes to it; returns at once."""
        self.clean = False
        self._soon(self._stop)

    def _soon(self, act: Callable[[], None]) -> None:
        with suppress(RuntimeError):  # it has ended by itself
            self._loop.call_soon_threadsafe(act)

    def _start(self, answer: Answer, outcome: Future[str]) -> None:
        self._task = self._loop.create_task(self._carry(answer))
        self._task.add_done_callback(partial(self._land, outcome))

    def _cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def _stop(self) -> None:
        if not self._ending:
            self._loop.stop()

    def _land(self, outcome: Future[str], task: asyncio.Task[str]) -> None:
        self._task = None
        if task.cancelled():  # perhaps before its first step
            outcome.set_exception(CutOffError("cancelled"))
        elif error := task.exception():
            outcome.set_exception(error)
        else:
            outcome.set_result(task.result())

    async def _carry(self, answer: Answer) -> str:
        try:
            return await answer()
        except (Exception, asyncio.CancelledError):
            raise
        except BaseException as error:  # a tool may end itself, never the host
            raise CutOffError(f"{type(error).__name__} at {raised_at(error)}") from None
        finally:
            if not self._ending:
                await self._clear()

    async def _clear(self) -> None:
        """End what the call began and left behind."""
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for task in left:
            task.cancel()
        if left and (await asyncio.wait(left, timeout=self._grace))[1]:
            self.clean = False
        if self._threads.busy:
            self.clean = False

    def _live(self) -> None:
        for part in (self._loop.run_forever, lambda: self._loop.run_until_complete(self._end())):
            try:
                part()
            except BaseException as error:  # a call left behind what raises it
                _log.error("a tool's thread: %s at %s", type(error).__name__, raised_at(error))
            self.clean, self._ending = False, True
        self._loop.close()
        if not self._outcome.done():
            self._outcome.set_exception(CutOffError("its thread has ended"))
        self._threads.wait()
        self.ended.set_result(None)

    async def _end(self) -> None:
        await self._clear()
        await asyncio.wait_for(self._leave(), self._grace)
        await self._loop.shutdown_asyncgens()


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

    async def carry(self, name: str, answer: Answer) -> str:
        """Run a call beside the running loop, and give what it gives or raise what it raises.

        Args:
            name: The tool's.
            answer: Makes what is awaited; called on the lane.

        Raises:
            StuckError: too many calls of the tool have not ended though they were given up.
            CutOffError: it was cancelled by something else than this task.
            asyncio.CancelledError: this task was cancelled; the call, too, and it has ended, or
                its lane is left to it.
        """
        if len(self._stuck[name]) >= MOST_STUCK:
            raise StuckError(f"{MOST_STUCK} calls of {name} have not ended")
        lane = self._free() or Lane(self._leave, self._grace)
        outcome = lane.begin(answer)
        try:
            await _landing(outcome)
        except asyncio.CancelledError:
            lane.give_up()
            await _landing(outcome, self._grace)
            raise
        finally:
            self._take_back(lane, name, ended=outcome.done())
        return outcome.result()

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

    def _take_back(self, lane: Lane, name: str, *, ended: bool) -> None:
        clean = ended and lane.clean
        if clean and len(self._idle) < self._most_idle:
            self._idle.append(lane)
            return
        lane.close()
        if not clean:
            stuck = self._stuck[name]
            stuck.add(lane)
            lane.ended.add_done_callback(lambda _: stuck.discard(lane))
            _log.warning(
                "tool %s: something of it does not end and is left to itself, now %d times",
                name,
                len(stuck),
            )


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
