"""What tools reach instead of the internet while their examples run."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from cloche.clock import Clock, utc_now

if TYPE_CHECKING:
    from aiohttp import ClientSession


@asynccontextmanager
async def offline(clock: Clock = utc_now) -> AsyncIterator[Callable[[], ClientSession]]:
    """Opens sessions that reach the loopback servers of ``cloche.testing`` and nothing else."""
    from cloche.testing.weather import WeatherServer, offline_http

    async with WeatherServer(clock=clock) as weather:
        yield lambda: offline_http(weather)
