"""A real gateway's life: killed, in the way of others, badly configured, cut off, ended."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import textwrap
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from cloche.agents.agent import AgentAwayError
from cloche.agents.openclaw.child import environment
from cloche.agents.openclaw.config import GatewayConfig, GatewayPlan
from cloche.agents.routing import Router
from cloche.logs import OncePerCause
from cloche.prompt import Exchange
from cloche.testing.script import Asked, call, say

from .conftest import BOOT_SECONDS, World, opened, prompt, there, tools_for, until_ready

pytestmark = [
    pytest.mark.gateway,
    pytest.mark.timeout(300),
    pytest.mark.asyncio(loop_scope="module"),
]


def processes_of(group: int) -> list[int]:
    """Processes of a group that are not only waiting to be reaped."""
    found = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[2]) == group and fields[0] != "Z":
            found.append(int(folder.name))
    return found


def router(world: World) -> Router:
    import logging

    notices = OncePerCause(logging.getLogger("test"))
    return Router(world.agent, world.embedded, notices, world.embedded)


async def ask(router: Router, words: str, history: list[Exchange], called: list[str]) -> str:
    tools = tools_for("ann", words, called)
    async with asyncio.timeout(30):
        routed = await router.ask(prompt(words, "ann/life", history), tools, None)
    assert not routed.failure
    history.append(Exchange(words, routed.answer.text))
    return routed.answer.text


async def test_killed_before_during_and_after_a_turn(world: World) -> None:
    asking, history, called = router(world), [], []
    group = world.agent.supervisor.process_group
    assert group

    # Before: a person who writes just then is answered by the stand-by, at once.
    os.kill(group, signal.SIGKILL)
    assert await ask(asking, "One", history, called) == "All right."
    await until_ready(world.agent)
    assert processes_of(group) == []

    # During: while a tool's result is on its way back. What the tool did has the same id again.
    group = world.agent.supervisor.process_group
    assert group

    def script(asked: Asked) -> Any:
        if not asked.results:
            return call("look_up", word="sun")
        if len(called) == 1:
            os.killpg(group, signal.SIGKILL)
        return say(f"I read: {asked.results[-1]}")

    world.model.script = script
    assert "sun means light" in await ask(asking, "Two", history, called)
    world.model.script = lambda _: say("All right.")
    await until_ready(world.agent)

    # After: the next turn is answered, and the gateway is told what it missed.
    world.model.server.requests.clear()
    assert await ask(asking, "Three", history, called) == "All right."
    told = json.dumps(world.model.bodies[0])
    assert "They: One" in told
    assert "They: Two" in told
    group = world.agent.supervisor.process_group
    assert group
    os.killpg(group, signal.SIGKILL)
    assert await ask(asking, "Four", history, called) == "All right."
    await until_ready(world.agent)


async def test_a_gateway_that_stands_still_costs_a_turn_some_seconds(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cloche.agents.openclaw.agent.STUCK_SECONDS", 1.0)
    group = world.agent.supervisor.process_group
    assert group
    stopped: list[int] = []

    def script(_: Asked) -> Any:
        if not stopped:
            stopped.append(group)
            os.killpg(group, signal.SIGSTOP)
        return call("look_up", word="x") if len(stopped) == 1 and not world_asked() else say("Ok.")

    def world_asked() -> bool:
        return len(world.model.bodies) > 1

    world.model.script = script
    history: list[Exchange] = []
    assert await ask(router(world), "Hello?", history, []) == "Ok."
    world.model.script = lambda _: say("All right.")
    await until_ready(world.agent)
    assert processes_of(group) == []


async def test_the_gateway_sees_no_credential(world: World) -> None:
    group = world.agent.supervisor.process_group
    assert group
    seen = Path(f"/proc/{group}/environ").read_bytes().decode().split("\0")
    names = {entry.partition("=")[0] for entry in seen if entry}
    assert not any(name.startswith(("AWS_", "CLOCHE_", "ANTHROPIC", "OPENAI")) for name in names)
    quarters = world.agent.supervisor._quarters
    assert quarters is not None
    assert names <= set(environment(there(), quarters)) | {"OPENCLAW_GATEWAY_PORT", "NODE_OPTIONS"}
    assert quarters.root.stat().st_mode & 0o077 == 0
    assert quarters.config.stat().st_mode & 0o077 == 0


async def test_what_is_forgotten_is_in_none_of_its_files(world: World) -> None:
    chat = world.chat("ann/to-forget")
    await chat.say("My secret is QUINCE-9")
    quarters = world.agent.supervisor._quarters
    assert quarters is not None

    def holds() -> bool:
        with suppress(FileNotFoundError):  # something went just now
            kept = (quarters.state, quarters.workspace, quarters.home)
            files = [path for each in kept for path in each.rglob("*") if path.is_file()]
            files += [path for path in (quarters.log,) if path.exists()]
            return any(b"QUINCE-9" in path.read_bytes() for path in files)
        return True

    assert holds()
    await world.agent.forget("nobody-it-knows")
    assert holds()
    await world.agent.forget("ann")
    with pytest.raises(AgentAwayError):
        await chat.say("Are you there?")
    async with asyncio.timeout(20):
        while holds():
            await asyncio.sleep(0.05)
    await until_ready(world.agent)


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
        assert "gateway.port" in (tmp_path / "openclaw" / "stderr.log").read_text()
    assert "Hello" not in caplog.text


async def test_a_disk_that_is_full_costs_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("cloche.agents.openclaw.agent.furnish", full)
    async with opened(tmp_path, there(), lambda _: say("Hm.")) as (agent, _, _):
        agent.start()
        await asyncio.sleep(0.2)
        with pytest.raises(AgentAwayError):
            await agent.ask(prompt("Hello"), ())


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
    import asyncio, sys
    from pathlib import Path
    sys.path.insert(0, {tests!r})
    from conftest import opened, prompt, there, until_ready
    from cloche.testing.script import say

    async def main():
        async with opened(Path({folder!r}), there(), lambda _: say("All right.")) as (agent, _, _):
            agent.start()
            await until_ready(agent)
            answer = await agent.ask(prompt("Hello"), ())
            print("GROUP", agent.supervisor.process_group, answer.text, flush=True)
            {then}

    asyncio.run(main())
"""


def host(folder: Path, then: str) -> list[str]:
    """A process of its own that has a gateway, and what it does after a turn."""
    code = textwrap.dedent(HOST).format(
        tests=str(Path(__file__).parent), folder=str(folder), then=then
    )
    return [sys.executable, "-c", code]


async def _group(process: asyncio.subprocess.Process) -> int:
    assert process.stdout is not None
    async with asyncio.timeout(BOOT_SECONDS):
        line = (await process.stdout.readline()).decode()
    assert line.startswith("GROUP"), line
    assert line.rstrip().endswith("All right.")
    return int(line.split()[1])


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
async def test_nothing_is_left_when_the_host_ends(tmp_path: Path, how: signal.Signals) -> None:
    there()
    process = await asyncio.create_subprocess_exec(
        *host(tmp_path, "await asyncio.sleep(60)"),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env={**os.environ, "AWS_SECRET_ACCESS_KEY": "none-of-its-business"},
    )
    group = await _group(process)
    assert processes_of(group)
    process.send_signal(how)
    await process.wait()
    async with asyncio.timeout(10):
        while processes_of(group):
            await asyncio.sleep(0.1)


@pytest.mark.skipif(
    shutil.which("unshare") is None
    or subprocess.run(
        ["unshare", "--net", "--map-root-user", "true"], check=False, capture_output=True
    ).returncode,
    reason="network namespaces",
)
async def test_it_starts_and_answers_with_loopback_alone_and_tries_nothing_else(
    tmp_path: Path,
) -> None:
    there()
    counters = "Path('/proc/self/net/snmp').read_text()"
    again = (
        f"print({counters}, flush=True); import socket; s = socket.socket(); "
        f"s.connect_ex(('192.0.2.1', 80)); print('CONTROL', {counters}, flush=True)"
    )
    process = await asyncio.create_subprocess_exec(
        *("unshare", "--net", "--map-root-user", "sh", "-c", 'ip link set lo up && exec "$@"'),
        *("sh", *host(tmp_path, again)),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    await _group(process)
    told, errors = await process.communicate()
    text = told.decode()
    assert "CONTROL" in text, errors.decode()[-2000:]
    before, _, after = text.partition("CONTROL")
    assert no_route(before) == 0
    assert no_route(after) == 1  # an attempt would have been counted


def no_route(snmp: str) -> int:
    """How often this namespace tried to send where no way leads."""
    names, values = (line.split() for line in snmp.splitlines() if "Ip: " in line)
    return int(values[names.index("OutNoRoutes") - len(names)])
