"""Threads for what a tool gives to ``asyncio.to_thread``: they hold no process open."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

MOST: Final = 8
"""So many jobs of one call run at a time; further ones wait for their turn."""


class Threads(ThreadPoolExecutor):
    """An executor whose threads are daemons and end with their work.

    The library's own joins its threads at the end of the process, which a job that never returns
    would put off for ever. Only ``submit`` is used of what is inherited: an event loop takes
    nothing but a ``ThreadPoolExecutor`` as its default.
    """

    def __init__(self) -> None:
        """Start no thread yet."""
        super().__init__(max_workers=1)
        self._changed = threading.Condition()
        self._jobs: deque[Callable[[], None]] = deque()
        self._workers = self._running = 0

    @property
    def busy(self) -> bool:
        """True while a job runs or is to run, also one that nobody waits for any more."""
        with self._changed:
            return self._running > 0 or bool(self._jobs)

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run a job as soon as a thread is free."""
        future: Future[T] = Future()

        def job() -> None:
            if not future.set_running_or_notify_cancel():
                self._end_one()
                return
            try:
                result = fn(*args, **kwargs)
            except BaseException as error:
                self._end_one()
                future.set_exception(error)
            else:
                self._end_one()
                future.set_result(result)

        with self._changed:
            self._jobs.append(job)
            begins = self._workers < MOST
            self._workers += begins
        if begins:
            threading.Thread(target=self._work, name="cloche-tool-job", daemon=True).start()
        return future

    def wait(self) -> None:
        """Return when no job runs or is to run."""
        with self._changed:
            self._changed.wait_for(lambda: not self._running and not self._jobs)

    def _end_one(self) -> None:
        """Count it before it is told: who waited for a job finds it done."""
        with self._changed:
            self._running -= 1
            self._changed.notify_all()

    def _work(self) -> None:
        while True:
            with self._changed:
                if not self._jobs:
                    self._workers -= 1
                    return
                job = self._jobs.popleft()
                self._running += 1
            job()
