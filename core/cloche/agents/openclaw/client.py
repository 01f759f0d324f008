"""One turn over the gateway's HTTP: the person's message in, and whether it was done."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from cloche.agents.openclaw.config import AGENT, PROVIDER
from cloche.errors import AwayError

if TYPE_CHECKING:
    import aiohttp

CONNECT_SECONDS: Final = 2.0
PROBE_SECONDS: Final = 1.0
MAX_LINE_BYTES: Final = 4 * 1024 * 1024
_DATA: Final = b"data:"


@dataclass(frozen=True, slots=True)
class Address:
    """Where a gateway listens, and what it takes."""

    port: int
    token: str

    @property
    def url(self) -> str:
        """On loopback."""
        return f"http://127.0.0.1:{self.port}"


class GatewayError(AwayError):
    """The gateway did not do a turn; ``cause`` is a stable short code.

    Codes: ``unreachable``, ``refused`` (it does not know us), ``status``, ``reply`` (an error in
    the stream), ``cut``, ``stuck``, ``empty``, ``starting``, ``hung``.
    """


class GatewayClient:
    """Speaks to a gateway that is on this machine."""

    def __init__(self) -> None:
        """Connect when it is first needed."""
        self._session: aiohttp.ClientSession | None = None

    async def is_ready(self, url: str, seconds: float = PROBE_SECONDS) -> bool:
        """True when it says, within so many seconds, that it takes turns."""
        import aiohttp

        try:
            limit = aiohttp.ClientTimeout(total=seconds)
            async with self._http().get(f"{url}/ready", timeout=limit) as response:
                told = await response.json()
                return response.status == 200 and told.get("ready") is True
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError, AttributeError):
            return False

    async def knows_us(self, url: str, token: str) -> bool:
        """True when it is ours: it takes our token and no other."""
        import aiohttp

        async def status(shown: str) -> int:
            headers = {"Authorization": f"Bearer {shown}"}
            limit = aiohttp.ClientTimeout(total=PROBE_SECONDS * 5)
            async with self._http().get(
                f"{url}/v1/models", headers=headers, timeout=limit
            ) as response:
                return response.status

        try:
            return await status(token) == 200 and await status("not-the-token") == 401
        except (aiohttp.ClientError, TimeoutError, OSError):
            return False

    async def converse(self, url: str, token: str, *, key: str, model_id: str, text: str) -> None:
        """One turn, until the gateway has done with it; cancelling it gives the turn up.

        What it replies is not read: the turn has heard the model's own words by then.

        Args:
            url: The gateway's.
            token: What it takes.
            key: The session of the gateway.
            model_id: What it shall call the model.
            text: The message.

        Raises:
            GatewayError: it did not do the turn.
        """
        import aiohttp

        body = {
            "model": f"openclaw/{AGENT}",
            "messages": [{"role": "user", "content": text}],
            "stream": True,
        }
        headers = {
            "Authorization": f"Bearer {token}",
            "x-openclaw-session-key": key,
            "x-openclaw-model": f"{PROVIDER}/{model_id}",
        }
        limit = aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECONDS)
        try:
            async with self._http().post(
                f"{url}/v1/chat/completions", json=body, headers=headers, timeout=limit
            ) as response:
                if response.status != 200:
                    cause = "refused" if response.status in (401, 403) else "status"
                    raise GatewayError(f"it answered {response.status}.", cause=cause)
                await _until_done(response.content)
        except (aiohttp.ClientError, OSError, ValueError) as error:
            cause = "unreachable" if isinstance(error, aiohttp.ClientConnectorError) else "cut"
            raise GatewayError(f"{type(error).__name__}.", cause=cause) from error

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    def _http(self) -> aiohttp.ClientSession:
        import aiohttp

        if self._session is None or self._session.closed:
            # Loopback alone: no proxy of the environment is asked.
            self._session = aiohttp.ClientSession(
                trust_env=False,
                connector=aiohttp.TCPConnector(limit=0),
                read_bufsize=MAX_LINE_BYTES,
            )
        return self._session


async def _until_done(content: aiohttp.StreamReader) -> None:
    async for line in content:
        if not line.startswith(_DATA):
            continue
        data = line[len(_DATA) :].strip()
        if data == b"[DONE]":
            return
        if "error" in json.loads(data):
            raise GatewayError("its stream had an error in it.", cause="reply")
    raise GatewayError("its stream never ended.", cause="cut")
