"""Whether a gateway that takes turns, and did not answer once, is busy or hangs.

Once may be anything: a machine that was frozen, one that is busy. So it is asked again, and again;
it hangs when it has not answered for some seconds. Nobody asks it while nobody doubts it.
"""

from __future__ import annotations

import asyncio
from typing import Final

from cloche.agents.openclaw.client import GatewayClient

ASKED_AGAIN: Final = 4
"""How often; with the limit of each question and the pauses that is 4 to 12 seconds."""
PAUSE_SECONDS: Final = 1.0
PROBE_SECONDS: Final = 2.0
"""How long one question waits: nobody waits for it, and busy machines are slow."""


class Doubts:
    """What is held against the gateway that runs now."""

    def __init__(self, client: GatewayClient) -> None:
        """Hold nothing against it."""
        self._client, self._raised = client, asyncio.Event()

    @property
    def are_there(self) -> bool:
        """True while it has not answered since it was last asked."""
        return self._raised.is_set()

    def raise_(self) -> None:
        """It did not answer."""
        self._raised.set()

    def drop(self) -> None:
        """Hold nothing against it: it answers, or it is another one."""
        self._raised.clear()

    async def until_sure(self, url: str) -> None:
        """Return when it surely hangs; wait, without asking it anything, while nobody doubts it."""
        while True:
            await self._raised.wait()
            for _ in range(ASKED_AGAIN):
                await asyncio.sleep(PAUSE_SECONDS)
                if await self._client.is_ready(url, PROBE_SECONDS):
                    self.drop()
                    break
            else:
                return
