"""How often a gateway that does not start is started, with a program that ends at once."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from cloche.agents.openclaw.client import GatewayClient
from cloche.agents.openclaw.installation import Installation
from cloche.agents.openclaw.supervisor import Address, Supervisor
from cloche.agents.openclaw.workspace import Quarters, make_quarters


async def nothing(*_: Quarters | Address) -> None:
    pass


async def test_each_start_that_fails_is_followed_by_a_longer_wait_up_to_a_minute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    real = asyncio.sleep

    async def sleep(seconds: float) -> None:
        if seconds >= 1:
            waits.append(seconds)
        await real(0.01)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    client = GatewayClient()
    supervisor = Supervisor(
        Installation(Path("/bin/false"), tmp_path / "none.mjs", "0"),
        client,
        quarters=lambda: make_quarters(tmp_path),
        configure=nothing,
        first_turn=nothing,
        stderr=tmp_path / "stderr.log",
    )
    try:
        async with asyncio.timeout(60):
            while len(waits) < 8:
                assert await supervisor.ensure_ready() is None
                await real(0.01)
    finally:
        await supervisor.close()
        await client.close()
    assert waits[:8] == [1, 2, 4, 8, 16, 32, 60, 60]
    assert supervisor.starts >= 8
    assert not (tmp_path / "openclaw" / "gateway-0").exists()
