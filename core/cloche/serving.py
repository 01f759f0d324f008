"""Serves an assistant through its channels until the process is told to end."""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Final

from cloche.channels import Channel, OwnerOptions
from cloche.clock import Clock, utc_now
from cloche.delivery import Delivery
from cloche.delivery.polling import reason
from cloche.delivery.waits import back_off
from cloche.errors import SettingsError
from cloche.house import House, opened, reminders_of
from cloche.logs import UntilBack, reason_of
from cloche.signals import on_signals
from cloche.ways import Way, choose_channels, ways_of

if TYPE_CHECKING:
    from cloche.agents.agent import Agent
    from cloche.plugins import Host
    from cloche.settings import ServeSettings, Settings

logger = logging.getLogger(__name__)

Tell = Callable[[str], None]
"""Shows the operator one line."""

CLOSE_SECONDS: Final = 20.0
"""How long turns and sendings under way may take at the end; the rest is done by the next start."""
_FIRST_WAIT: Final = 1.0
_LONGEST_WAIT: Final = 60.0


async def serve(
    host: Host,
    name: str,
    settings: Settings,
    channels: Sequence[str],
    owner: OwnerOptions,
    *,
    tell: Tell,
    stopping: asyncio.Event | None = None,
    clock: Clock = utc_now,
    agent: Agent | None = None,
) -> None:
    """Serve until ``stopping`` is set, or until Ctrl-C or SIGTERM; what runs may finish then.

    Args:
        host: Where assistants and channels come from.
        name: The assistant's entry point.
        settings: The operator's.
        channels: Names of the channels; () = those that are configured.
        owner: Who sits at this machine: whom its own doors act for.
        tell: Shows what is served where, and the code that makes somebody the owner.
        stopping: Ends it; None = signals alone do.
        clock: The present instant.
        agent: As ``open_assistant`` takes it.

    Raises:
        PluginError: the assistant cannot be loaded.
        SettingsError: a setting is missing or wrong, the port is taken, or another process serves
            a channel.
        SendError: a platform would not deliver here.
        MemoryUnavailableError: the state store is away: nothing could be kept.
    """
    kinds = choose_channels(host.channels(), channels, settings)
    ways = ways_of(kinds, settings)
    stopping = stopping or asyncio.Event()
    async with opened(
        host, name, settings, tuple(kinds.values()), owner, clock=clock, agent=agent
    ) as house:
        with _stopped_by_signals(stopping):
            async with started(house), _webhooks(house, ways, settings.serve, clock, tell):
                tasks = [
                    *_tasks(house, ways, tell),
                    *_reminders(house, clock),
                    asyncio.create_task(_end(stopping)),
                ]
                try:
                    await _opened(house, ways, tasks)
                    await _tell_of_owners(house, tell)
                    tell(f"{owner.persona or name} is served. Ctrl-C ends.")
                    done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                    for task in done:
                        task.result()  # a channel that cannot go on ends the process, and says why
                finally:
                    for task in tasks:
                        task.cancel()
                    await asyncio.gather(*tasks, return_exceptions=True)


@asynccontextmanager
async def started(
    house: House, *, shared: Collection[str] = (), by_place: bool = False
) -> AsyncIterator[None]:
    """Every channel open and what was left under way; at the end they close side by side.

    Args:
        house: Whose channels.
        shared: Those that other processes may have open, too: what is left there is not touched.
        by_place: True = what was left in a place is gone on with once something comes for it.

    Raises:
        SettingsError: another process serves a channel.
        MemoryUnavailableError: the store is away.
    """
    running: list[Delivery] = []
    try:
        for name, delivery in house.deliveries.items():
            await delivery.start(recovering=name not in shared, by_place=by_place)
            running.append(delivery)
        yield
    finally:
        closing = (delivery.close(seconds=CLOSE_SECONDS) for delivery in running)
        for failure in await asyncio.gather(*closing, return_exceptions=True):
            if isinstance(failure, Exception):
                logger.error("a channel did not close well: %s", type(failure).__name__)


@asynccontextmanager
async def _webhooks(
    house: House, ways: Mapping[str, Way], settings: ServeSettings, clock: Clock, tell: Tell
) -> AsyncIterator[None]:
    """The server that platforms deliver to, where a channel needs one.

    Platforms are asked to deliver here once it listens. They are not asked to stop at the end:
    what they keep meanwhile comes with the next start.

    Raises:
        SettingsError: the address cannot be listened on, or a channel has no secret.
        SendError: a platform refused.
    """
    hooked = {name: one for name, one in house.deliveries.items() if ways[name] == "webhook"}
    if not hooked:
        yield
        return
    from cloche.delivery.webhooks import webhook_app
    from cloche.listening import listening

    app = webhook_app(hooked, clock=clock)
    async with AsyncExitStack() as stack:
        try:
            port = await stack.enter_async_context(listening(app, settings.host, settings.port))
        except OSError as error:
            raise SettingsError(
                f"CLOCHE_SERVE__PORT={settings.port}: {settings.host} cannot be listened on: "
                f"{error.strerror}."
            ) from error
        for name, delivery in hooked.items():
            local = f"http://{settings.host}:{port}/channels/{name}"
            public = f"{settings.public_url}/channels/{name}" if settings.public_url else ""
            if public:
                await delivery.channel.register(public)
            tell(f"{name}: webhook at {public or local}" + (f" ({local})" if public else ""))
        yield


def _tasks(house: House, ways: Mapping[str, Way], tell: Tell) -> Iterator[asyncio.Task[None]]:
    """What runs as long as the process does, for each channel that is not delivered to."""
    for name, delivery in house.deliveries.items():
        if ways[name] == "polling":
            tell(f"{name}: polled")
            yield asyncio.create_task(_poll(house, delivery), name=name)
        elif ways[name] == "loop":
            yield asyncio.create_task(_loop(delivery), name=name)


def _reminders(house: House, clock: Clock) -> Iterator[asyncio.Task[None]]:
    """What watches the clock, unless a service does."""
    if not house.assistant.memory.reminders.external:
        yield asyncio.create_task(reminders_of(house, clock).run(), name="reminders")


async def _opened(
    house: House, ways: Mapping[str, Way], tasks: Sequence[asyncio.Task[None]]
) -> None:
    """Return once people reach every channel with a loop of its own, or something has ended."""
    loops = [one.channel.ready() for name, one in house.deliveries.items() if ways[name] == "loop"]
    ready = asyncio.ensure_future(asyncio.gather(*loops))
    try:
        waiting: list[asyncio.Future[None] | asyncio.Future[list[None]]] = [ready, *tasks]
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            if task.done():
                task.result()
    finally:
        ready.cancel()
        await asyncio.gather(ready, return_exceptions=True)


async def _poll(house: House, delivery: Delivery) -> None:
    from cloche.delivery.polling import Poller

    if delivery.channel.takes_requests():
        await _until_unregistered(delivery.channel)
    await Poller(delivery, house.assistant.memory.state).run()


async def _until_unregistered(channel: Channel) -> None:
    """Have a platform that delivered to an address before give updates to those who ask."""
    notices = UntilBack(logger)
    for seconds in back_off(_FIRST_WAIT, _LONGEST_WAIT):
        try:
            await channel.unregister()
        except Exception as error:  # the network's, or the platform's, which may pass
            told = "channel=%s | not polled yet: %s; tried again until it works"
            notices.failed(reason_of(reason(error)), told, channel.name, reason(error))
            await asyncio.sleep(seconds)
        else:
            return notices.works("channel=%s | is polled now", channel.name)


async def _loop(delivery: Delivery) -> None:
    await delivery.channel.run(delivery)


async def _end(stopping: asyncio.Event) -> None:
    await stopping.wait()


async def _tell_of_owners(house: House, tell: Tell) -> None:
    """For each channel without an owner, the code that makes one.

    Raises:
        MemoryUnavailableError: the store is away.
    """
    for name, gate in house.gates.items():
        if code := await gate.owner_code():
            tell(f"{name} has no owner yet. Whoever sends it this code within a day is: {code}")


@contextmanager
def _stopped_by_signals(stopping: asyncio.Event) -> Iterator[None]:
    """End well at Ctrl-C and SIGTERM; a second one ends at once."""

    def stop(_: signal.Signals) -> None:
        stopping.set()
        release()

    with on_signals(("SIGINT", "SIGTERM"), stop) as release:
        yield
