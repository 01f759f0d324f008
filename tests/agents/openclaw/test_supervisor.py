"""The life of a gateway, with programs in its place that end at once, or are ready at once."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from cloche.agents.openclaw.client import Address, GatewayClient
from cloche.agents.openclaw.installation import Installation
from cloche.agents.openclaw.stderr import MOST_BYTES
from cloche.agents.openclaw.supervisor import Supervisor
from cloche.agents.openclaw.workspace import Quarters, make_quarters

from .conftest import processes_of


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
        errors=tmp_path / "stderr.log",
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
            errors=tmp_path / "stderr.log",
            port=port,
        )
        try:
            supervisor.start()
            async with asyncio.timeout(60):
                while len(caplog.records) < 4:
                    await asyncio.sleep(0.001)
        finally:
            await supervisor.close()
            await client.close()
    (told,) = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert f"CLOCHE_OPENCLAW__PORT: port {port} of this machine cannot be listened on" in told
    assert supervisor.starts == 0


class Kept:
    """A supervisor of programs that are ready at once."""

    def __init__(self, folder: Path, port: int = 0, **options: Any) -> None:
        self.folder, self.options = folder, options
        self.client = GatewayClient()
        self.groups: set[int] = set()
        self.turns = 0
        self.supervisor = Supervisor(
            Installation(Path(sys.executable), Path(__file__).with_name("stand_in.py"), "0"),
            self.client,
            quarters=lambda: make_quarters(folder),
            configure=self.configure,
            first_turn=self.first_turn,
            errors=folder / "openclaw" / "stderr.log",
            port=port,
        )

    async def configure(self, quarters: Quarters, address: Address) -> None:
        told = {"gateway": {"port": address.port, "auth": {"token": address.token}}}
        quarters.config.write_text(json.dumps(told))
        quarters.config.with_name("orders.json").write_text(json.dumps(self.options))

    async def first_turn(self, address: Address) -> None:
        self.turns += 1
        self.note()

    def note(self) -> int:
        """Its process group, which is remembered."""
        group = self.supervisor.process_group
        assert group
        self.groups.add(group)
        return group

    async def ready(self) -> Address:
        async with asyncio.timeout(30):
            while (address := await self.supervisor.ensure_ready()) is None:
                await asyncio.sleep(0.01)
        self.note()
        return address

    @property
    def running(self) -> list[int]:
        return [group for group in self.groups if processes_of(group)]

    @property
    def folders(self) -> list[str]:
        return [path.name for path in (self.folder / "openclaw").glob("gateway-*/")]


@asynccontextmanager
async def kept(folder: Path, port: int = 0, **options: Any) -> AsyncIterator[Kept]:
    """One that is closed in the end, and has left nothing then."""
    kept = Kept(folder, port, **options)
    try:
        yield kept
    finally:
        await kept.supervisor.close()
        await kept.client.close()
    assert not kept.running
    assert not kept.folders


async def test_one_is_kept_however_often_and_whenever_it_begins_anew(tmp_path: Path) -> None:
    """A turn that asks meanwhile whether it is ready starts no second one, nor gets the old one."""
    async with kept(tmp_path) as gateway:
        supervisor = gateway.supervisor
        await gateway.ready()
        for number in range(1, 4):
            before = gateway.note()
            is_ready, anew = gateway.client.is_ready, []

            async def told_meanwhile(url: str, ask: Any = is_ready, anew: Any = anew) -> bool:
                ready = await ask(url)
                if not anew:
                    anew += [asyncio.create_task(supervisor.begin_anew()) for _ in range(2)]
                    await asyncio.sleep(0)
                return bool(ready)

            gateway.client.is_ready = told_meanwhile  # type: ignore[method-assign]
            assert await supervisor.ensure_ready() is None
            gateway.client.is_ready = is_ready  # type: ignore[method-assign]
            while not all(task.done() for task in anew):
                supervisor.start()
                await supervisor.ensure_ready()
                await asyncio.sleep(0)
            assert not processes_of(before)
            await gateway.ready()
            assert supervisor.starts == number + 1
            assert gateway.running == [gateway.note()] != [before]
            assert gateway.folders == ["gateway-0"]


@pytest.mark.parametrize("steps", [0, 1, 2, 3, 5, 8, 13, 21, 34, 55])
async def test_it_can_be_closed_at_any_moment_of_beginning_anew(tmp_path: Path, steps: int) -> None:
    async with kept(tmp_path) as gateway:
        await gateway.ready()
        anew = asyncio.create_task(gateway.supervisor.begin_anew())
        for _ in range(steps):
            await asyncio.sleep(0.002)
            if gateway.supervisor.process_group:
                gateway.note()
        await gateway.supervisor.close()
        async with asyncio.timeout(60):
            await anew
        gateway.supervisor.start()
        assert await gateway.supervisor.ensure_ready() is None
    assert gateway.supervisor.starts <= 2


@pytest.mark.parametrize("then", ["close", "begin_anew"])
async def test_one_that_is_slow_to_end_is_waited_for_whatever_is_asked_meanwhile(
    tmp_path: Path, then: str
) -> None:
    async with kept(tmp_path, stays=True) as gateway:
        await gateway.ready()
        group = gateway.note()
        gateway.supervisor.suspect()
        async with asyncio.timeout(60):
            while gateway.supervisor.process_group is not None:
                await asyncio.sleep(0)
        assert processes_of(group)
        await getattr(gateway.supervisor, then)()
        assert not processes_of(group)


@pytest.mark.parametrize("steps", range(6))
async def test_it_can_be_closed_just_when_it_is_suspected(tmp_path: Path, steps: int) -> None:
    async with kept(tmp_path) as gateway:
        await gateway.ready()
        gateway.supervisor.suspect()
        for _ in range(steps):
            await asyncio.sleep(0)
        async with asyncio.timeout(30):
            await gateway.supervisor.close()


async def test_one_that_was_never_started_begins_nothing(tmp_path: Path) -> None:
    async with kept(tmp_path) as gateway:
        await gateway.supervisor.begin_anew()
        assert gateway.supervisor.starts == 0


async def test_one_that_is_killed_is_started_anew_in_the_same_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cloche.agents.openclaw.supervisor.FIRST_WAIT", 0.001)
    async with kept(tmp_path) as gateway:
        await gateway.ready()
        before = gateway.note()
        os.killpg(before, signal.SIGKILL)
        async with asyncio.timeout(60):
            while gateway.supervisor.process_group == before:
                await asyncio.sleep(0.001)
        await gateway.ready()
        assert gateway.running == [gateway.note()] != [before]


async def test_another_program_on_its_port_gets_no_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """One that is ready and takes any token is not ours, and is told nothing that is said."""
    monkeypatch.setattr("cloche.agents.openclaw.supervisor.FIRST_WAIT", 0.001)
    async with kept(tmp_path, lets_in=True) as gateway:
        async with asyncio.timeout(30):
            while "another program answers" not in caplog.text:
                assert await gateway.supervisor.ensure_ready() is None
                if gateway.supervisor.process_group:
                    gateway.note()
                await asyncio.sleep(0.005)
        assert gateway.turns == 0


async def test_a_port_that_becomes_free_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cloche.agents.openclaw.supervisor.FIRST_WAIT", 0.01)
    monkeypatch.setattr("cloche.agents.openclaw.supervisor.LONGEST_WAIT", 0.01)
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        gateway = Kept(tmp_path, port)
        gateway.supervisor.start()
        await asyncio.sleep(0.05)
        assert gateway.supervisor.starts == 0
    try:
        assert (await gateway.ready()).port == port
    finally:
        await gateway.supervisor.close()
        await gateway.client.close()
    assert not gateway.running


async def test_what_a_run_said_is_kept_beside_the_next_and_emptied_with_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("cloche.agents.openclaw.supervisor.FIRST_WAIT", 0.001)
    async with kept(tmp_path, says="a module is missing\n", ends=True) as gateway:
        here = tmp_path / "openclaw" / "stderr.log"
        gateway.supervisor.start()
        async with asyncio.timeout(30):
            while gateway.supervisor.starts < 2:
                await asyncio.sleep(0.001)
        before = here.with_name("stderr.1.log")
        assert before.read_text() == "a module is missing\n"
        assert str(here) in caplog.text
        assert str(before) in caplog.text
        del gateway.options["ends"]
        gateway.options["says"] = ""
        await gateway.ready()
        assert before.read_text() == "a module is missing\n"
        await gateway.supervisor.begin_anew()
        await gateway.ready()
        assert [path.read_text() for path in (here, before)] == ["", ""]


async def test_of_one_that_says_much_the_last_part_is_kept(tmp_path: Path) -> None:
    says = "".join(f"line {number} 光\n" for number in range(200_000))
    async with kept(tmp_path, says=says) as gateway:
        await gateway.ready()
    kept_part = (tmp_path / "openclaw" / "stderr.log").read_bytes()
    assert MOST_BYTES / 2 < len(kept_part) <= MOST_BYTES
    assert says.encode().endswith(kept_part)
