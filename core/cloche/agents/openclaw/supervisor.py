"""Keeps one gateway running: starts it, knows whether it takes turns, starts it again.

It starts in the background, so nobody ever waits for a boot. Ready is what says so on ``/ready``,
takes our token and has gone through one turn of nobody's, because the first turn after a start
takes seconds. A start that fails is tried again, each time after a longer wait.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from contextvars import Context
from pathlib import Path
from typing import Final

from cloche.agents.openclaw import stderr
from cloche.agents.openclaw.child import Child, free_port, start_child
from cloche.agents.openclaw.client import Address, GatewayClient, GatewayError
from cloche.agents.openclaw.doubts import Doubts
from cloche.agents.openclaw.installation import Installation
from cloche.agents.openclaw.waiting import either, until_done
from cloche.agents.openclaw.workspace import Quarters
from cloche.errors import SettingsError
from cloche.logs import OncePerCause
from cloche.tracing import span

READY_SECONDS: Final = 120.0
"""A start that takes longer is given up; quiet machines take 10 to 20."""
FIRST_WAIT: Final = 1.0
LONGEST_WAIT: Final = 60.0
STEADY_SECONDS: Final = 60.0
"""A gateway that ran so long was well: the next wait is short again."""

_log = logging.getLogger(__name__)


Configure = Callable[[Quarters, Address], Awaitable[None]]
"""Writes the configuration and all it names."""
FirstTurn = Callable[[Address], Awaitable[None]]
"""Makes a gateway that has just started go through a turn; raises where it does not."""


class Supervisor:
    """The one place that starts and stops a gateway.

    One task does both, from the first start to the end, and owns the folder: what others want of it
    (another start, an empty folder, the end) they ask of that task. So there is one gateway at
    most, and none that is not known.

    Attributes:
        starts: How many times its program was started.
    """

    def __init__(
        self,
        installation: Installation,
        client: GatewayClient,
        *,
        quarters: Callable[[], Quarters],
        configure: Configure,
        first_turn: FirstTurn,
        errors: Path,
        port: int = 0,
    ) -> None:
        """Take the parts; nothing starts yet.

        Args:
            installation: What to run.
            client: Asks the gateway how it is.
            quarters: Makes the folder it lives in.
            configure: Writes its configuration.
            first_turn: Takes it through its first turn.
            errors: File for what it says on its way out.
            port: Where it shall listen; 0 = anywhere.
        """
        self._installation, self._client, self._stderr = installation, client, errors
        self._make_quarters, self._configure, self._first_turn = quarters, configure, first_turn
        self._port = port
        self._quarters: Quarters | None = None
        self._child: Child | None = None
        self._address: Address | None = None
        self._keeping: asyncio.Task[None] | None = None
        self._restart, self._anew = asyncio.Event(), asyncio.Event()
        self._asked: list[asyncio.Future[None]] = []
        self._closed = False
        self._notices, self._doubts = OncePerCause(_log), Doubts(client)
        self.starts = 0

    @property
    def process_group(self) -> int | None:
        """The gateway's process group; None while there is none."""
        return self._child.group if self._child else None

    def start(self) -> None:
        """Have it started and kept running, in the background; again does nothing."""
        if self._keeping is None and not self._closed:
            # Not in the context of whoever asks first: it serves everybody's turns.
            self._keeping = asyncio.create_task(self._keep(), context=Context())

    async def ensure_ready(self) -> Address | None:
        """Where to send a turn now; None while there is nowhere, which starts it if need be.

        One that does not answer is asked again in the background, and started anew if it hangs.
        """
        self.start()
        address = self._address
        if address is None or self._child is None or self._child.ended.is_set():
            return None
        if self._doubts.are_there:
            return None  # no turn waits for it while it is asked again
        if await self._client.is_ready(address.url):
            return self._address  # it may have been told to end meanwhile
        if self._address is address:
            self._doubts.raise_()
        return None

    @property
    def away(self) -> GatewayError:
        """Why there is nowhere to send a turn."""
        if self._doubts.are_there:
            return GatewayError("it does not answer.", cause="hung")
        return GatewayError("it is starting, or was ended.", cause="starting")

    def suspect(self) -> None:
        """Something is wrong with it: have it started anew."""
        self._address = None
        self._restart.set()

    async def begin_anew(self) -> None:
        """Have it started anew with an empty folder; returns when all that was in it is gone."""
        self._address = None
        if self._keeping is None or self._keeping.done():
            return
        gone = asyncio.get_running_loop().create_future()
        self._asked.append(gone)
        self._anew.set()
        await gone

    async def close(self) -> None:
        """Stop it; nothing of it is left on return."""
        self._closed = True
        if self._keeping is not None:
            self._keeping.cancel()
            await asyncio.wait({self._keeping})

    async def _keep(self) -> None:
        """Keep it running until cancelled; whoever asks for that gets an empty folder."""
        try:
            while True:
                running = asyncio.create_task(self._run())
                try:
                    await self._anew.wait()
                finally:
                    running.cancel()
                    await until_done(running)
                self._anew.clear()
                stderr.empty(self._stderr)
                await self._move_out()
        finally:
            await self._move_out()

    async def _run(self) -> None:
        """Run it again and again, until cancelled."""
        wait = FIRST_WAIT
        loop = asyncio.get_running_loop()
        while True:
            began = loop.time()
            try:
                await self._run_once(await self._move_in())
            except SettingsError as error:
                self._notices.warn(str(error), "cause=gateway_start | not started: %s", error)
            except Exception as error:  # an operating system's, a disk's, a library's
                _log.warning("cause=gateway_start | not started: %s", _why(error))
            if loop.time() - began > STEADY_SECONDS:
                wait = FIRST_WAIT
            await asyncio.sleep(wait)
            wait = min(wait * 2, LONGEST_WAIT)

    async def _run_once(self, quarters: Quarters) -> None:
        """Start it, and return when it has ended, hangs or is suspected.

        Raises:
            GatewayError: another program answers in its place, or it loses its first turn.
            OSError: it cannot be started.
            SettingsError: its port is taken.
            TimeoutError: it does not get ready.
        """
        self._restart.clear()
        address = Address(free_port(self._port), secrets.token_urlsafe(32))
        await self._configure(quarters, address)
        self.starts += 1
        began = asyncio.get_running_loop().time()
        async with self._started(quarters) as child:
            with span("start_gateway"):
                if not await self._got_ready(child, address):
                    return
            self._address = address
            seconds = asyncio.get_running_loop().time() - began
            _log.info("the gateway is ready after %.1f s", seconds)
            hangs = self._doubts.until_sure(address.url)
            await either(child.ended.wait(), self._restart.wait(), hangs)
            if child.ended.is_set():
                _log.warning("cause=gateway_exit | it ended with %s", child.code)
            elif self._restart.is_set():
                _log.warning("cause=gateway_stuck | it is started anew")
            else:
                _log.warning("cause=gateway_hung | it does not answer, and is started anew")

    async def _got_ready(self, child: Child, address: Address) -> bool:
        """Wait until it takes turns; False when it has ended instead.

        Raises:
            GatewayError: see ``_run_once``.
            TimeoutError: see ``_run_once``.
        """
        async with asyncio.timeout(READY_SECONDS):
            while not await self._client.is_ready(address.url):
                if child.ended.is_set():
                    _log.warning(
                        "cause=gateway_exit | it ended with %s before it was ready; what it said "
                        "is in %s, and in %s once it is started anew",
                        *(child.code, self._stderr, stderr.before(self._stderr)),
                    )
                    return False
                await asyncio.sleep(0.2)
            if not await self._client.knows_us(address.url, address.token):
                told = f"another program answers on its port, {address.port}."
                raise GatewayError(told, cause="refused")
            await self._first_turn(address)
        return True

    @asynccontextmanager
    async def _started(self, quarters: Quarters) -> AsyncIterator[Child]:
        """Its program, until the block ends; whenever that is, nothing of it is left."""
        starting = asyncio.create_task(start_child(self._installation, quarters, self._stderr))
        try:
            self._child = await asyncio.shield(starting)
            yield self._child
        finally:
            self._address = self._child = None
            self._doubts.drop()
            await until_done(asyncio.create_task(_stop(starting)))

    async def _move_in(self) -> Quarters:
        """The folder, made where there is none.

        Raises:
            OSError: it cannot be made.
        """
        if self._quarters is None:
            making = asyncio.create_task(asyncio.to_thread(self._make_quarters))
            try:
                await until_done(making)
            finally:  # what was made meanwhile goes with the rest
                if making.exception() is None:
                    self._quarters = making.result()
            return making.result()
        return self._quarters

    async def _move_out(self) -> None:
        """Take the folder away, and tell who asked for that."""
        asked, self._asked = self._asked, []
        try:
            if self._quarters is not None:
                await until_done(asyncio.create_task(asyncio.to_thread(self._quarters.remove)))
                self._quarters = None
        finally:
            for gone in asked:
                if not gone.done():
                    gone.set_result(None)


async def _stop(starting: asyncio.Task[Child]) -> None:
    """End what was started, or is just about to be."""
    with suppress(OSError):
        child = await starting
        await child.stop()


def _why(error: Exception) -> str:
    """What an operator is told: of an error that is not ours its kind, without path or words."""
    kind = type(error).__name__
    if isinstance(error, TimeoutError):
        return f"it was not ready within {READY_SECONDS:.0f} s"
    if isinstance(error, OSError) and error.strerror:
        return f"{kind}: {error.strerror}"
    return str(error) if isinstance(error, GatewayError) else kind
