"""One run of the gateway's program, with everything that it starts."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from cloche.agents.openclaw.installation import Installation
from cloche.agents.openclaw.stderr import MOST_BYTES, open_for_run
from cloche.agents.openclaw.workspace import Quarters
from cloche.errors import SettingsError
from cloche.settings import variable

GUARD: Final = Path(__file__).with_name("guard.py")
STOP_SECONDS: Final = 1.0
"""How long a gateway that is told to end may take; what it keeps survives being killed."""
NICE: Final = 5
"""It never takes the processor from the host, which a person may be talking to."""


class Child:
    """A gateway that was started and has not been waited for.

    Attributes:
        ended: Set when it has ended, with all it started.
        code: Its exit code then.
    """

    def __init__(self, guard: asyncio.subprocess.Process, group: int) -> None:
        """Take the guard and the group it watches; see ``start_child``."""
        self._guard, self.group = guard, group
        self.ended = asyncio.Event()
        self.code: int | None = None
        self._waiting = asyncio.create_task(self._wait())

    async def stop(self) -> None:
        """Have it end, by force where it takes too long; returns when nothing is left of it."""
        _tell(self._guard)
        try:
            async with asyncio.timeout(STOP_SECONDS + 2):
                await self.ended.wait()
        except TimeoutError:
            self._kill()
            await self.ended.wait()

    def _kill(self) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.group, signal.SIGKILL)
        with suppress(ProcessLookupError):
            self._guard.kill()

    async def _wait(self) -> None:
        self.code = await self._guard.wait()
        self._kill()  # where the guard was killed, its group is still there
        self.ended.set()


async def start_child(installation: Installation, quarters: Quarters, stderr: Path) -> Child:
    """Start the gateway's program.

    Raises:
        OSError: it cannot be started, or the files cannot be written.
    """
    command = [
        *("nice", "-n", str(NICE)),
        *(str(installation.node), str(installation.script), "gateway", "run"),
    ]
    errors = open_for_run(stderr)
    try:
        guard = await asyncio.create_subprocess_exec(
            *(sys.executable, "-I", "-S", str(GUARD), str(STOP_SECONDS), str(MOST_BYTES)),
            *(str(quarters.root), quarters.lock.lock_file),
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=errors,
            env=environment(installation, quarters),
            cwd=quarters.workspace,
            start_new_session=True,
        )
    finally:
        os.close(errors)
    try:
        line = await guard.stdout.readline() if guard.stdout else b""
    except BaseException:
        await asyncio.shield(_let_go(guard))
        raise
    if not line.strip().isdigit():
        await _let_go(guard)
        raise OSError("the gateway's program cannot be started")
    return Child(guard, int(line))


async def _let_go(guard: asyncio.subprocess.Process) -> None:
    _tell(guard)
    await guard.wait()


def _tell(guard: asyncio.subprocess.Process) -> None:
    """Have the guard end, and leave the folder to us; one whose host says nothing removes it."""
    if guard.stdin is not None:
        guard.stdin.write(b"\n")
        guard.stdin.close()


def environment(installation: Installation, quarters: Quarters) -> Mapping[str, str]:
    """All that the gateway sees of the environment: no credential, no setting of the host's."""
    return {
        "PATH": os.pathsep.join([str(installation.node.parent), "/usr/bin", "/bin"]),
        "HOME": str(quarters.home),
        "TMPDIR": str(quarters.temporary),
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "OPENCLAW_HOME": str(quarters.home),
        "OPENCLAW_STATE_DIR": str(quarters.state),
        "OPENCLAW_CONFIG_PATH": str(quarters.config),
        "OPENCLAW_NO_RESPAWN": "1",
        "OPENCLAW_DISABLE_BONJOUR": "1",
        "OPENCLAW_SKIP_CHANNELS": "1",
        "OPENCLAW_EXEC_SHELL_SNAPSHOT": "0",
        "OPENCLAW_NO_AUTO_UPDATE": "1",
    }


def free_port(wanted: int) -> int:
    """A port of this machine that nobody listens on; 0 = whichever.

    Raises:
        SettingsError: the one that is wanted is taken, or is not for everybody.
    """
    with socket.socket() as probe:
        # As servers bind: a port that somebody has just left may be taken again.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", wanted))
        except OSError as error:
            raise SettingsError(
                f"{variable('openclaw.port')}: port {wanted} of this machine cannot be listened "
                f"on: {error.strerror}. End the program that has it, or unset the setting: any "
                "port that is free does."
            ) from error
        return int(probe.getsockname()[1])
