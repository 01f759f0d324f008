"""A real gateway and the process it belongs to: its start, its surroundings, its end."""

from __future__ import annotations

import asyncio
import json
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cloche.agents.agent import AgentAwayError
from cloche.agents.openclaw.config import GatewayConfig, GatewayPlan
from cloche.testing.script import say

from .conftest import BOOT_SECONDS, opened, processes_of, prompt, there
from .outbound import watchers

pytestmark = [
    pytest.mark.gateway,
    pytest.mark.timeout(400),
    pytest.mark.asyncio(loop_scope="module"),
]


async def test_a_port_that_is_taken_is_waited_for_and_nobody_waits(tmp_path: Path) -> None:
    installation = there()
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        async with opened(tmp_path, installation, lambda _: say("Hm."), port=port) as (agent, _, _):
            for _ in range(5):
                with pytest.raises(AgentAwayError):
                    await agent.ask(prompt("Hello"), ())
                await asyncio.sleep(0.05)
            assert agent.supervisor.starts == 0
    assert not [path for path in (tmp_path / "openclaw").iterdir() if path.is_dir()]


async def test_a_broken_configuration_is_told_and_nobody_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    installation = there()
    render = GatewayConfig.render
    monkeypatch.setattr(
        GatewayConfig, "render", lambda it: re.sub(r'"port": \d+', '"port": "four"', render(it))
    )
    async with opened(tmp_path, installation, lambda _: say("Hm.")) as (agent, _, _):
        agent.start()
        async with asyncio.timeout(BOOT_SECONDS):
            while "gateway_exit" not in caplog.text:
                with pytest.raises(AgentAwayError):
                    await agent.ask(prompt("Hello"), ())
                await asyncio.sleep(0.1)
        assert "ended with 78" in caplog.text
        said = [path.read_text() for path in (tmp_path / "openclaw").glob("stderr*.log")]
        assert "gateway.port" in "".join(said)  # it may be on its way to its next start
    assert "Hello" not in caplog.text


async def test_a_disk_that_is_full_at_the_start_costs_no_answer(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with opened(tmp_path, there(), lambda _: say("Hm.")) as (agent, _, embedded):
        with full_disk():
            agent.start()
            async with asyncio.timeout(20):
                while "gateway_start" not in caplog.text:
                    with pytest.raises(AgentAwayError):
                        await agent.ask(prompt("Hello"), ())
                    await asyncio.sleep(0.02)
        assert "OSError" in caplog.text
        assert agent.supervisor.starts == 0
        assert (await embedded.ask(prompt("Hello"), ())).text == "Hm."


@contextmanager
def full_disk() -> Iterator[None]:
    """Nothing can be written to any file of this process: every write fails, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


async def test_openclaw_itself_finds_the_configuration_valid(tmp_path: Path) -> None:
    installation = there()
    plan = GatewayPlan(
        port=1234,
        token="t" * 43,
        model_url="http://127.0.0.1:1/v1",
        model_secret="m" * 43,
        tools_url="http://127.0.0.1:2/mcp",
        tools_secret="s" * 43,
        workspace=tmp_path / "workspace",
        skills_folder=tmp_path / "skills",
        skills=("words",),
        log=tmp_path / "log",
    )
    config = tmp_path / "openclaw.json"
    config.write_text(GatewayConfig.of(plan).render())
    result = await asyncio.to_thread(
        subprocess.run,
        [installation.node, installation.script, "config", "validate", "--json"],
        env={
            "PATH": f"{installation.node.parent}:/usr/bin:/bin",
            "HOME": str(tmp_path),
            "OPENCLAW_CONFIG_PATH": str(config),
            "OPENCLAW_STATE_DIR": str(tmp_path / "state"),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert json.loads(result.stdout)["valid"] is True, result.stdout


HOST = """
    import asyncio, logging, os, socket, sys
    logging.basicConfig(level=logging.INFO)
    from pathlib import Path
    sys.path.insert(0, {tests!r})
    from conftest import opened, prompt, there, until_ready
    from cloche.testing.script import say

    async def main():
        async with opened(Path({folder!r}), there(), lambda _: say("All right.")) as (agent, _, _):
            agent.start()
            await until_ready(agent)
            answer = await agent.ask(prompt("Hello"), ())
            print(os.getpid(), agent.supervisor.process_group, answer.text, flush=True)
            told = asyncio.StreamReader()
            protocol = lambda: asyncio.StreamReaderProtocol(told)
            await asyncio.get_running_loop().connect_read_pipe(protocol, sys.stdin)
            await told.readline()
            socket.socket(type=socket.SOCK_DGRAM).connect_ex(("192.0.2.1", 80))
            print("tried", flush=True)
            await asyncio.sleep(60)

    asyncio.run(main())
"""


class Started:
    """A process of its own that has a gateway and has answered a turn."""

    def __init__(self, process: asyncio.subprocess.Process, pid: int, group: int) -> None:
        self.process, self.pid, self.group = process, pid, group

    async def try_to_go_out(self) -> None:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(b"now\n")
        assert await self.process.stdout.readline() == b"tried\n"

    async def end(self, how: signal.Signals) -> None:
        """End it, and wait until nothing is left of it and its gateway."""
        assert processes_of(self.group)
        os.kill(self.pid, how)
        await self.process.wait()
        async with asyncio.timeout(60):
            while processes_of(self.group):
                await asyncio.sleep(0.1)


async def started(folder: Path, *watched_by: str) -> Started:
    there()
    code = textwrap.dedent(HOST).format(tests=str(Path(__file__).parent), folder=str(folder))
    errors = (folder / "stderr").open("wb")
    process = await asyncio.create_subprocess_exec(
        *(*watched_by, sys.executable, "-c", code),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=errors,
        env={**os.environ, "AWS_SECRET_ACCESS_KEY": "none-of-its-business"},
    )
    assert process.stdout is not None
    try:
        async with asyncio.timeout(BOOT_SECONDS):
            line = (await process.stdout.readline()).decode()
        assert line.rstrip().endswith("All right."), (folder / "stderr").read_text()
    except BaseException:
        process.kill()  # and so its gateway
        raise
    finally:
        errors.close()
    pid, group, _ = line.split(" ", 2)
    return Started(process, int(pid), int(group))


@pytest.mark.parametrize(
    ("way", "how"), [(0, signal.SIGKILL), (-1, signal.SIGINT)], ids=["killed", "interrupted"]
)
async def test_it_answers_with_loopback_alone_and_nothing_is_left_when_its_host_is(
    tmp_path: Path, way: int, how: signal.Signals
) -> None:
    """A machine that allows both ways of watching shows it by both."""
    if not watchers():
        pytest.skip("network namespaces, or strace")
    watching = watchers()[way]
    host = await started(tmp_path, *watching.command(tmp_path))
    assert watching.attempts(tmp_path, host.pid) == 0
    await host.try_to_go_out()
    assert watching.attempts(tmp_path, host.pid) == 1  # so an attempt would have been seen
    await host.end(how)
    async with asyncio.timeout(60):  # of a host that is killed, its guard takes the folder away
        while [path for path in (tmp_path / "openclaw").iterdir() if path.is_dir()]:
            await asyncio.sleep(0.05)
