"""The assistant on an event loop of its own thread: nothing it does delays ``/ping``."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from cloche.channels import OwnerOptions
from cloche.clock import Clock, utc_now
from cloche.errors import MemoryUnavailableError, SettingsError
from cloche.house import House, opened, reminders_of
from cloche.log_ids import logged
from cloche.runtime.busy import Busy
from cloche.runtime.collecting import LATEST_SECONDS, collect
from cloche.runtime.dev import DevConsole
from cloche.runtime.events import Events, Failed
from cloche.runtime.invocations import Asked, Invocations
from cloche.runtime.metrics import EmbeddedMetrics
from cloche.runtime.observed import Observed, Requests
from cloche.runtime.payload import Health
from cloche.runtime.refusals import RefusedError, closing, internal, not_kept
from cloche.serving import started
from cloche.ways import CONSOLE, is_configured, lacking

if TYPE_CHECKING:
    from cloche.agents.agent import Agent
    from cloche.channels import Channel
    from cloche.plugins import Host
    from cloche.settings import Settings

logger = logging.getLogger(__name__)

Opening = Callable[[Busy], AbstractAsyncContextManager[Invocations]]
"""Opens an assistant's doors, and closes them on leaving: what runs may finish then."""
JOIN_SECONDS: Final = 60.0


class HostThread:
    """Runs one assistant until it is closed.

    Attributes:
        failure: Why it ended by itself; None = it did not.
    """

    def __init__(self, opening: Opening, busy: Busy) -> None:
        """Take what opens the doors, and who is told what is under way."""
        self._opening, self._busy = opening, busy
        self._failed: Callable[[], object] = lambda: None
        self._told_open: Callable[[], object] = lambda: None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping: asyncio.Event | None = None
        self._open: asyncio.Future[Invocations] | None = None
        self._opened: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._asked: set[Events] = set()
        self._lock = threading.Lock()
        self._begun = threading.Event()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="cloche-host", daemon=True)
        self.failure: BaseException | None = None

    def on_failure(self, failed: Callable[[], object]) -> None:
        """Have something called, in the host's thread, when it ends with a ``failure``."""
        self._failed = failed

    def on_open(self, opened: Callable[[], object]) -> None:
        """Have something called, in the host's thread, when the doors are open."""
        self._told_open = opened

    def start(self) -> None:
        """Begin to open the doors; returns at once."""
        self._thread.start()

    def ask(self, asked: Asked) -> Events:
        """Have an invocation answered; waits for the doors if they are not open yet."""
        events = Events()
        with self._lock:  # before it is looked whether there is anybody to ask
            self._asked.add(events)
        if self._closed or not self._begun.wait(JOIN_SECONDS) or self._loop is None:
            events.put(Failed(closing()))
            return events
        try:
            self._loop.call_soon_threadsafe(self._begin, asked, events)
        except RuntimeError:  # its loop is closed by now
            events.put(Failed(closing()))
        return events

    def close(self) -> None:
        """Take nothing more, let what runs finish, close the doors; returns when that is done."""
        self._closed = True
        if not self._thread.is_alive():
            return
        self._begun.wait(JOIN_SECONDS)
        if self._loop is not None and self._stopping is not None:
            try:
                self._loop.call_soon_threadsafe(self._stop)
            except RuntimeError:
                logger.debug("the host has ended by itself")
        self._thread.join(JOIN_SECONDS)

    def _stop(self) -> None:
        """Close the doors; where they are not open yet there is nothing to wait for."""
        if self._stopping is not None:
            self._stopping.set()
        if self._opened is not None and self._open is not None and not self._open.done():
            self._opened.cancel()

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except asyncio.CancelledError:
            logger.info("ended before the doors were open")
        except BaseException as error:  # told by whoever started it, in the main thread
            self.failure = error
            self._failed()
        finally:
            self._closed = True
            self._begun.set()
            # What came too late for its loop to begin or to end would be waited for in vain.
            with self._lock:
                asked, self._asked = self._asked, set()
            for events in asked:
                events.put(Failed(closing()))

    async def _serve(self) -> None:
        self._loop, self._stopping = asyncio.get_running_loop(), asyncio.Event()
        self._open, self._opened = self._loop.create_future(), asyncio.current_task()
        self._begun.set()
        try:
            async with self._opening(self._busy) as invocations:
                self._open.set_result(invocations)
                self._told_open()
                self._loop.call_later(LATEST_SECONDS, collect)
                await self._stopping.wait()
        finally:
            self._opened = None  # nothing to break off any more: what it failed with is told
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    def _begin(self, asked: Asked, events: Events) -> None:
        if self._closed:
            events.put(Failed(closing()))
            return
        task = asyncio.create_task(self._answer(asked, events))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _answer(self, asked: Asked, events: Events) -> None:
        with logged(request=asked.request):
            try:
                assert self._open is not None  # noqa: S101 (it is made before the first is taken)
                invocations = await asyncio.shield(self._open)
                await invocations.answer(asked, events)
                if not isinstance(asked.payload, Health):
                    collect()  # by now all that answers need is loaded
            except RefusedError as error:
                events.put(Failed(error))
            except MemoryUnavailableError as error:
                logger.warning("cause=%s | an invocation is not kept", error.cause)
                events.put(Failed(not_kept(error)))
            except asyncio.CancelledError:
                events.put(Failed(closing()))
                raise
            except Exception:
                logger.exception("an invocation failed")
                events.put(Failed(internal()))
            finally:
                with self._lock:
                    self._asked.discard(events)


def channels_of(host: Host, settings: Settings) -> list[type[Channel]]:
    """The channels that are configured and that the ingress can forward requests of.

    Raises:
        SettingsError: one of them lacks something.
    """
    found = [
        kind
        for kind in host.channels().values()
        if kind.takes_requests() and not kind.capabilities.owner_only
        if is_configured(kind, settings)
    ]
    if wrong := [line for kind in found for line in lacking(kind, "webhook", settings)]:
        raise SettingsError("\n".join(wrong))
    return found


@asynccontextmanager
async def open_doors(
    host: Host,
    name: str,
    settings: Settings,
    owner: OwnerOptions,
    busy: Busy,
    *,
    dev: bool = False,
    clock: Clock = utc_now,
    agent: Agent | None = None,
    write: Callable[[str], None] | None = None,
) -> AsyncIterator[Invocations]:
    """Open an assistant's doors for invocations; on leaving, what runs may finish.

    Args:
        host: Where assistants and channels come from.
        name: The assistant's entry point.
        settings: The operator's.
        owner: Who sits at this machine: whom the console acts for, with ``dev``.
        busy: Is told what is under way.
        dev: True = take the local owner's words without a channel.
        clock: The present instant.
        agent: As ``open_assistant`` takes it.
        write: Takes a line of metrics; None = there are none.

    Raises:
        PluginError: the assistant cannot be loaded.
        SettingsError: a setting is missing or wrong, or another process serves a channel.
        MemoryUnavailableError: the state store is away.
    """
    kinds = channels_of(host, settings)
    requests = Requests()
    tell = [EmbeddedMetrics(name, write, clock)] if write else []
    async with opened(
        host,
        name,
        settings,
        (*kinds, DevConsole) if dev else kinds,
        owner,
        clock=clock,
        agent=agent,
        observed=lambda assistant: Observed(assistant, requests, tell),
    ) as house:
        for each, delivery in house.deliveries.items():
            delivery.watch(lambda number, each=each: busy.tell(each, number))  # type: ignore[misc]
        # A save may take longer than what follows its turn waits for it.
        house.assistant.memory.files.watch(lambda number: busy.tell("saves", number))
        # Another process may have the console open as well: what waits there is its own. So is
        # what waits in other conversations, where each has a machine of its own.
        by_place = house.assistant.memory.state.shared
        async with started(house, shared=(CONSOLE,), by_place=by_place), _reminded(house, clock):
            yield Invocations(house, settings, clock, busy, requests)


@asynccontextmanager
async def _reminded(house: House, clock: Clock) -> AsyncIterator[None]:
    """Tell what is due in the channels, unless a service hands it over.

    Raises:
        SettingsError: no service does, and this process has one conversation of many.
    """
    memory = house.assistant.memory
    if memory.state.shared and not memory.reminders.external:
        raise SettingsError(
            "CLOCHE_REMINDERS__STORE: a state store that many machines share needs a service that "
            "watches the clock, such as eventbridge; else each would tell what is due for all."
        )
    if memory.reminders.external or not house.gates:
        yield
        return
    served = replace(house, deliveries={name: house.deliveries[name] for name in house.gates})
    task = asyncio.create_task(reminders_of(served, clock).run(), name="reminders")
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
