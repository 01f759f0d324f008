"""What gateways leave on this machine when they, or who started them, end badly."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import textwrap
from pathlib import Path

import pytest

from cloche.agents.openclaw import stderr
from cloche.agents.openclaw.forgetting import forget_left_behind, sweep
from cloche.agents.openclaw.workspace import make_quarters

from .conftest import processes_of

HOST = """
    import asyncio, json, sys
    from pathlib import Path
    from cloche.agents.openclaw.child import start_child
    from cloche.agents.openclaw.installation import Installation
    from cloche.agents.openclaw.workspace import make_quarters

    async def main():
        folder = Path(sys.argv[1])
        quarters = make_quarters(folder)
        (quarters.workspace / "talk.txt").write_text("I have two lutes.")
        quarters.config.write_text(json.dumps({"gateway": {"port": 0}}))
        quarters.config.with_name("orders.json").write_text(sys.argv[3])
        program = Installation(Path(sys.executable), Path(sys.argv[2]), "0")
        child = await start_child(program, quarters, folder / "openclaw" / "stderr.log")
        print(child.group, flush=True)
        await asyncio.sleep(110)

    asyncio.run(main())
"""


class Host:
    """A process with a gateway, which is another program here."""

    def __init__(self, process: asyncio.subprocess.Process, group: int) -> None:
        self.process, self.group = process, group
        status = Path(f"/proc/{group}/status").read_text()
        self.guard = int(status.partition("PPid:")[2].split()[0])

    async def until_running(self, *, stays: bool = False) -> None:
        """Wait until it is the program, or one that has seen to it that it stays."""
        async with asyncio.timeout(60):
            while b"become" in Path(f"/proc/{self.group}/cmdline").read_bytes() or (
                stays and not catches(self.group, signal.SIGTERM)
            ):
                await asyncio.sleep(0.001)

    async def until_gone(self) -> None:
        async with asyncio.timeout(60):
            while processes_of(self.group):
                await asyncio.sleep(0.01)

    async def until_guard_has_ended(self) -> None:
        async with asyncio.timeout(60):
            while Path(f"/proc/{self.guard}/cmdline").exists():
                if not Path(f"/proc/{self.guard}/cmdline").read_bytes():
                    break  # nobody reaps it here
                await asyncio.sleep(0.01)

    async def kill(self) -> None:
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()


def catches(process: int, number: signal.Signals) -> bool:
    status = Path(f"/proc/{process}/status").read_text()
    return bool(int(status.partition("SigCgt:")[2].split()[0], 16) >> (number - 1) & 1)


async def host_in(folder: Path, **orders: bool) -> Host:
    stand_in = Path(__file__).with_name("stand_in.py")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", textwrap.dedent(HOST), str(folder), str(stand_in)),
        json.dumps(orders),
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout
    async with asyncio.timeout(30):
        return Host(process, int(await process.stdout.readline()))


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux")
@pytest.mark.parametrize("running", [True, False], ids=["running", "just started"])
async def test_host_and_guard_that_are_killed_together_leave_no_gateway_running(
    tmp_path: Path, running: bool
) -> None:
    host = await host_in(tmp_path)
    try:
        if running:
            await host.until_running()
        os.kill(host.process.pid, signal.SIGSTOP)  # it can do no more for it
        os.kill(host.guard, signal.SIGKILL)
        await host.until_gone()
    finally:
        await host.kill()


async def test_what_a_killed_host_left_goes_and_what_belongs_to_one_that_lives_stays(
    tmp_path: Path,
) -> None:
    """Killed with its guard, so that nobody is left to take it away at once."""
    host = await host_in(tmp_path)
    (words,) = tmp_path.rglob("talk.txt")
    try:
        await sweep(tmp_path)
        assert words.exists()
        os.kill(host.process.pid, signal.SIGSTOP)
        os.kill(host.guard, signal.SIGKILL)
    finally:
        await host.kill()
    await host.until_gone()
    assert words.exists()
    await sweep(tmp_path)
    assert not words.exists()
    assert [path.name for path in (tmp_path / "openclaw").glob("gateway-*/")] == []
    await sweep(tmp_path / "nowhere")


async def test_what_people_said_is_gone_soon_after_a_host_that_is_killed(tmp_path: Path) -> None:
    """And nothing else: neither what a link in it points to, nor what lies beside it."""
    elsewhere, beside = tmp_path / "elsewhere", tmp_path / "openclaw" / "gateway-1"
    host = await host_in(tmp_path)
    (words,) = tmp_path.rglob("talk.txt")
    try:
        await host.until_running()
        for folder in (elsewhere, beside):
            folder.mkdir()
            (folder / "kept.txt").touch()
        (words.parent / "link").symlink_to(elsewhere)
    finally:
        await host.kill()
    await host.until_guard_has_ended()
    assert not processes_of(host.group)
    assert not words.parents[1].exists()
    assert [(folder / "kept.txt").exists() for folder in (elsewhere, beside)] == [True, True]
    assert (tmp_path / "openclaw" / stderr.NAME).exists()


@pytest.mark.parametrize("by", ["a link", "another folder"])
async def test_another_folder_in_the_place_of_a_killed_hosts_stays(tmp_path: Path, by: str) -> None:
    host = await host_in(tmp_path)
    (words,) = tmp_path.rglob("talk.txt")
    root = words.parents[1]
    elsewhere = tmp_path / "elsewhere"
    try:
        await host.until_running()
        root.rename(elsewhere)
        if by == "a link":
            root.symlink_to(elsewhere)
        else:
            root.mkdir()
            (root / "kept.txt").touch()
    finally:
        await host.kill()
    await host.until_guard_has_ended()
    assert (elsewhere / "workspace" / "talk.txt").exists()
    assert root.is_symlink() or (root / "kept.txt").exists()


async def test_where_the_next_host_lives_already_nothing_is_taken_away(tmp_path: Path) -> None:
    """A gateway that is slow to end is outlived by the next start."""
    host = await host_in(tmp_path, stays=True)
    await host.until_running(stays=True)
    await host.kill()
    quarters = make_quarters(tmp_path)
    assert processes_of(host.group)
    (quarters.workspace / "talk.txt").write_text("I have two lutes.")
    await host.until_guard_has_ended()
    assert (quarters.workspace / "talk.txt").exists()
    quarters.remove()


async def test_a_forget_empties_what_gateways_said_on_their_way_out(tmp_path: Path) -> None:
    """Also while another one runs, which goes on to say there what it says."""
    quarters = make_quarters(tmp_path)
    path = tmp_path / "openclaw" / stderr.NAME
    for words in (b"Ann has a cello.\n", b"Ann has two lutes.\n"):
        running = stderr.open_for_run(path)
        os.write(running, words)
    await forget_left_behind(tmp_path, "ann")
    assert [path.read_bytes(), stderr.before(path).read_bytes()] == [b"", b""]
    os.write(running, b"out of memory\n")
    assert path.read_bytes() == b"out of memory\n"
    os.close(running)
    quarters.remove()
    await forget_left_behind(tmp_path / "nowhere", "ann")
    assert path.stat().st_mode & 0o077 == 0
