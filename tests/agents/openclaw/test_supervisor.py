"""How often a gateway that does not start is started, with a program that ends at once."""

from __future__ import annotations

import asyncio
import socket
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


async def test_a_port_that_is_taken_is_told_once_with_the_setting_that_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("cloche.agents.openclaw.supervisor.FIRST_WAIT", 0.001)
    monkeypatch.setattr("cloche.agents.openclaw.supervisor.LONGEST_WAIT", 0.001)
    client = GatewayClient()
    caplog.set_level("DEBUG", logger="cloche")
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        supervisor = Supervisor(
            Installation(Path("/bin/false"), tmp_path / "none.mjs", "0"),
            client,
            quarters=lambda: make_quarters(tmp_path),
            configure=nothing,
            first_turn=nothing,
            stderr=tmp_path / "stderr.log",
            port=port,
        )
        try:
            supervisor.start()
            async with asyncio.timeout(10):
                while len(caplog.records) < 4:
                    await asyncio.sleep(0.001)
        finally:
            await supervisor.close()
            await client.close()
    (told,) = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert f"CLOCHE_OPENCLAW__PORT: port {port} of this machine cannot be listened on" in told
    assert supervisor.starts == 0
