"""One turn at a time in each place, in order of arrival; places side by side."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextvars import Context
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Final

from cloche.channels.declared import Limits
from cloche.clock import Clock
from cloche.delivery.edits import Edits
from cloche.delivery.following import Following
from cloche.delivery.inbox import Inbox, Row
from cloche.delivery.merging import is_command, marked_turns, merge, next_turn, place, waiting_alone
from cloche.delivery.taken import Taken, in_its_own
from cloche.delivery.underway import Underway
from cloche.delivery.waits import Sleep
from cloche.errors import HeldElsewhereError, MemoryUnavailableError
from cloche.messages import Message, of_place
from cloche.sqlite import from_micros

logger = logging.getLogger(__name__)

BURST_WAITS: Final = 5
"""A burst whose parts go on coming is waited for so many times."""
FOLLOWS_SECONDS: Final = 8.0
"""A message waits so long for what follows the turn before; then its turn runs beside that.

It asks models, one after another; all of it and a turn would take longer than anybody waits.
"""


@dataclass(slots=True)
class _Place:
    rows: list[Row] = field(default_factory=list)
    worker: asyncio.Task[None] | None = None
    taken: Taken | None = None
    counted: int = 0
    answered: datetime | None = None


class Conversations:
    """Rows by place, and a task for each place where some wait."""

    def __init__(
        self,
        inbox: Inbox,
        run: Callable[[Taken], Awaitable[None]],
        underway: Underway,
        *,
        limits: Limits,
        clock: Clock,
        at_once: int,
        burst_seconds: float,
        sleep: Sleep,
    ) -> None:
        """Take what runs a turn: it raises nothing, and has its rows done when it returns."""
        self._inbox, self._run, self._underway = inbox, run, underway
        self._limits, self._burst_seconds, self._sleep = limits, burst_seconds, sleep
        self._clock = clock
        self._slots, self._following = asyncio.Semaphore(at_once), Following(at_once)
        self._places: dict[str, _Place] = {}
        self._edits = Edits(inbox, clock, sleep)
        self._closing = asyncio.Event()

    def is_free(self, message: Message) -> bool:
        """Whether a turn of this message alone would begin at once."""
        waits = message.edits or message.burst or self._edits.wait_for(message)
        return not waits and message.place not in self._places

    def has(self, row: Row) -> bool:
        """Whether a row waits here, its turn runs, or it is a note that waits for one."""
        there = self._places.get(row.message.place) or _Place()
        taken = there.taken.rows if there.taken else ()
        return any(one.key == row.key for one in (*there.rows, *taken)) or self._edits.has(row)

    async def add(self, row: Row) -> None:
        """Queue a row that has come, and begin with it when nothing runs in its place.

        Raises:
            MemoryUnavailableError: the store is closed; it is an edit, and is kept as it came.
        """
        row = await self._edits.read(row)
        if row.was is None and self._queue(row):
            self._begin(row.message.place)
        else:
            await self._edits.note(row)

    async def recover(self, rows: Sequence[Row]) -> None:
        """Queue what another process took in, in order of arrival; begin when all are queued.

        The rows of a turn that may have run stay together, behind the one that carries its mark.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        turns = marked_turns(rows)
        joined = {row.key for turn in turns.values() for row in turn[1:]}
        for row in rows:
            if row.key in turns:
                there = self._place(row.message.place)
                there.rows += turns[row.key]
                self._count(row.message.place, there, len(turns[row.key]))
            elif row.key not in joined and (row.was is not None or not self._queue(row)):
                await self._edits.note(row)
        for name in [*self._places]:
            self._begin(name)

    async def stop(self, name: str) -> bool:
        """Stop the turn that runs in a place; False when none does."""
        there = self._places.get(name)
        answering = there.taken.answering if there and there.taken else None
        if there is None or there.taken is None or answering is None or answering.done():
            return False
        there.taken.stopped = True
        answering.cancel()
        await asyncio.wait({answering})
        return True

    async def withdraw(self, message: Message) -> bool:
        """Take back a message that waits; False when its turn has begun or it is not here.

        Raises:
            MemoryUnavailableError: the store is away; it waits as before.
        """
        there = self._places.get(message.place)
        row = waiting_alone(there.rows, message) if there else None
        if there is None or row is None:
            return False
        there.rows.remove(row)  # at once: no turn may take it while the store is asked
        try:
            await self._inbox.done(row)
        except MemoryUnavailableError:
            self._place(message.place).rows.append(row)
            self._begin(message.place)
            raise
        self._count(message.place, there, -1)
        return True

    async def close(self, seconds: float) -> None:
        """Begin no turn any more; those that run have so long, then they are broken off."""
        self._closing.set()
        until = time.monotonic() + seconds
        working = {there.worker for there in self._places.values() if there.worker}
        for there in self._places.values():
            if there.worker and there.taken is None:
                there.worker.cancel()
        if working:
            _, late = await asyncio.wait(working, timeout=seconds)
            for worker in late:
                worker.cancel()
            await asyncio.gather(*working, return_exceptions=True)
        await self._following.close(max(0.0, until - time.monotonic()))

    async def let_go(self, conversation: str) -> None:
        """Break off what runs and drop what waits in a conversation: the store has it all."""
        names = [name for name in self._places if of_place(name)[0] == conversation]
        for name in names:
            there = self._places.pop(name)
            there.rows.clear()
            if there.worker:
                there.worker.cancel()
                await asyncio.wait({there.worker})
            await self._following.let_go(name)
            self._count(name, there, -there.counted)

    async def forget(self, doors: Collection[str], tells: Callable[[str], bool]) -> int:
        """Drop edits that wait for people behind some doors and tell; how many.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        return await self._edits.forget(doors, tells)

    def _place(self, name: str) -> _Place:
        return self._places.setdefault(name, _Place())

    def _queue(self, row: Row) -> bool:
        """Put a row among those that wait; False when it is an edit of none of them."""
        there = self._places.get(row.message.place) or _Place()
        if not place(there.rows, row):
            return False
        self._places[row.message.place] = there
        self._count(row.message.place, there, 1)
        return True

    def _count(self, name: str, there: _Place, more: int) -> None:
        """So much more, or less, of a place is under way; what was let go of is so no longer."""
        more = max(more, -there.counted)
        there.counted += more
        if more > 0:
            self._underway.add(name, more)
        elif more:
            self._underway.remove(name, -more)

    def _begin(self, name: str) -> None:
        there = self._places[name]
        idle = there.worker is None or there.worker.done()
        if idle and there.rows and not self._closing.is_set():
            # It runs the turns of whoever writes there, and is part of nobody's request.
            there.worker = asyncio.create_task(self._work(name, there), context=Context())

    async def _work(self, name: str, there: _Place) -> None:
        """Run the turns of one place until nothing waits there."""
        while there.rows and not self._closing.is_set():
            await self._whole_burst(there)
            await self._caught_up(name, there)
            async with self._slots:
                if self._closing.is_set():
                    return
                if not there.rows:
                    break  # what waited was taken back
                taken, waited = self._take(there)
                there.taken = taken
                try:
                    # Apart: whatever ends a turn ends no other one.
                    await in_its_own(taken, partial(self._run, taken))
                except HeldElsewhereError as error:
                    logger.warning("a turn was not finished: %s", error)
                except Exception:
                    # Its rows stay in the inbox: the next process tries again.
                    logger.exception("a turn was not finished")
                finally:
                    there.taken, there.answered = None, self._clock()
                # One that is broken off at the end is not over: nobody is told that it is.
                self._go_on(name, there, taken, waited)
        there.worker = None
        self._leave(name, there)

    def _leave(self, name: str, there: _Place) -> None:
        """Know no more of a place where nothing waits and nothing is left to do."""
        idle = there.worker is None and not there.rows and not self._following.runs(name)
        if idle and self._places.get(name) is there:
            del self._places[name]

    def _go_on(self, name: str, there: _Place, taken: Taken, waited: int) -> None:
        """Begin with what follows a turn; the turn is over when that is."""

        def over() -> None:
            self._count(name, there, -waited)
            self._leave(name, there)

        if taken.follows is None:
            return over()
        self._following.begin(name, partial(in_its_own, taken, taken.follows), over)

    async def _caught_up(self, name: str, there: _Place) -> None:
        """Wait for what follows the turn before, as long as that leaves time for the next one."""
        if rows := next_turn(there.rows, most_files=self._limits.attachments):
            since = (self._clock() - from_micros(rows[0].arrived)).total_seconds()
            since = 0.0 if rows[0].recovered else since  # nobody waits for those any more
            await self._following.caught_up(name, FOLLOWS_SECONDS - max(0.0, since))

    def _take(self, there: _Place) -> tuple[Taken, int]:
        """The next turn, and how many of the rows that wait it took."""
        rows = list(next_turn(there.rows, most_files=self._limits.attachments))
        del there.rows[: len(rows)]
        waited, message = len(rows), merge(rows)
        theirs = message.addressed and not message.due and not is_command(message.text)
        if theirs and not rows[0].fixed:
            rows += self._edits.take(message)
            message = merge(rows)
        arrived = from_micros(rows[0].arrived)
        since = max(arrived, there.answered or arrived)  # whoever wrote sees how a turn runs
        gone = 0.0 if rows[0].recovered else (self._clock() - since).total_seconds()
        message = replace(message, arrived=arrived, waited=max(0.0, gone))
        for row in rows:
            self._edits.remember(row.message)
        return Taken(rows, message), waited

    async def _whole_burst(self, there: _Place) -> None:
        """Wait while parts of a burst may still come: a moment since the last one."""
        before = 0
        for _ in range(BURST_WAITS):
            rows = next_turn(there.rows, most_files=self._limits.attachments)
            if not rows:
                return
            last = rows[-1]
            if rows[0].fixed or not last.message.burst or len(rows) == before:
                return
            before = len(rows)
            since = (self._clock() - from_micros(last.arrived)).total_seconds()
            if (left := self._burst_seconds - max(0.0, since)) > 0:
                await self._sleep(left)
