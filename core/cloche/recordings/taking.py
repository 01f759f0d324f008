"""Takes a platform's real requests: at an address, or by asking for them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from cloche.channels import Channel, ChannelRequest, Incoming
from cloche.delivery.webhooks import webhook_app

Take = Callable[[ChannelRequest], bool]
"""Is given each request; False = no more are wanted."""


async def record_by_address(
    channel: Channel, take: Take, *, host: str, port: int, tell: Callable[[str], None]
) -> None:
    """Listen where the host would; returns when no more are wanted. Forged requests are refused.

    Args:
        channel: Whose requests.
        take: Is given each authentic request.
        host: Address to listen on.
        port: Port to listen on; 0 = any that is free.
        tell: Is told where it listens.

    Raises:
        OSError: it cannot listen there.
        SettingsError: the channel's secret is missing.
    """
    from aiohttp import web

    enough = asyncio.Event()

    def parse(request: ChannelRequest) -> Sequence[Incoming]:
        if not take(request):
            enough.set()
        return ()

    channel.parse = parse  # type: ignore[method-assign] # takes the place of the author's
    app = webhook_app({channel.name: _Drops(channel)})
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, host, port).start()
        told = runner.addresses[0]
        tell(f"http://{told[0]}:{told[1]}/channels/{channel.name}")
        await enough.wait()
    finally:
        await runner.cleanup()


async def record_by_polling(channel: Channel, take: Take) -> None:
    """Ask for updates; returns when no more are wanted. The platform forgets what was taken.

    Raises:
        SendError: the platform cannot be asked.
    """
    cursor = ""
    while True:
        polled = await channel.poll(cursor)
        for request in polled.requests:
            if not take(request):
                return
        cursor = polled.cursor


class _Drops:
    """The host's side: nothing is kept, nobody is answered."""

    def __init__(self, channel: Channel) -> None:
        self.channel = channel

    async def accept(self, *messages: Incoming) -> None:
        """Nothing comes here: ``parse`` gives nothing."""
