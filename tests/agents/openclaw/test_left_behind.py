"""What gateways leave on this machine when they, or who started them, end badly."""

from __future__ import annotations

import asyncio
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
        program = Installation(Path(sys.executable), Path(sys.argv[2]), "0")
        child = await start_child(program, quarters, folder / "openclaw" / "stderr.log")
        print(child.group, flush=True)
        await asyncio.sleep(60)

    asyncio.run(main())
"""


class Host:
    """A process with a gateway, which is another program here."""

    def __init__(self, process: asyncio.subprocess.Process, group: int) -> None:
        self.process, self.group = process, group
        status = Path(f"/proc/{group}/status").read_text()
        self.guard = int(status.partition("PPid:")[2].split()[0])

    async def until_running(self) -> None:
        async with asyncio.timeout(60):
            while b"become" in Path(f"/proc/{self.group}/cmdline").read_bytes():
                await asyncio.sleep(0.001)

    async def until_gone(self) -> None:
        async with asyncio.timeout(60):
            while processes_of(self.group):
                await asyncio.sleep(0.01)

    async def kill(self) -> None:
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()


async def host_in(folder: Path) -> Host:
    stand_in = Path(__file__).with_name("stand_in.py")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", textwrap.dedent(HOST), str(folder), str(stand_in)),
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
    host = await host_in(tmp_path)
    (words,) = tmp_path.rglob("talk.txt")
    try:
        await sweep(tmp_path)
        assert words.exists()
    finally:
        await host.kill()
    await host.until_gone()
    assert words.exists()
    await sweep(tmp_path)
    assert not words.exists()
    assert [path.name for path in (tmp_path / "openclaw").glob("gateway-*/")] == []
    await sweep(tmp_path / "nowhere")


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
