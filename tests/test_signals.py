"""A process that is told to end hears it in its event loop, as far as its system can."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys

import pytest

from cloche.signals import on_signals


async def test_a_signal_is_heard_until_it_is_released() -> None:
    before, heard = signal.getsignal(signal.SIGTERM), asyncio.Queue[signal.Signals]()
    with on_signals(("SIGTERM", "SIGOFANOTHERSYSTEM"), heard.put_nowait) as release:
        signal.raise_signal(signal.SIGTERM)
        assert await heard.get() == signal.SIGTERM
        release()
        assert signal.getsignal(signal.SIGTERM) == before
    assert signal.getsignal(signal.SIGTERM) == before


async def test_where_none_can_be_set_everything_else_goes_on() -> None:
    async def elsewhere() -> str:
        with on_signals(("SIGTERM",), lambda _: None):
            return "done"

    assert await asyncio.to_thread(asyncio.run, elsewhere()) == "done"


LATE = """
import os, signal, sys

class Told:
    def find_spec(self, name, *_):
        if name == "cloche.cli.app":  # all that takes long comes with it
            os.kill(os.getpid(), signal.SIGTERM)

sys.meta_path.insert(0, Told())
from cloche.__main__ import main
main()
"""


@pytest.mark.parametrize(("command", "code"), [("runtime", 0), ("serve", 0), ("--help", -15)])
def test_who_serves_ends_well_while_it_still_loads(command: str, code: int) -> None:
    told = subprocess.run(
        [sys.executable, "-c", LATE, command], capture_output=True, timeout=60, check=False
    )
    assert (told.returncode, told.stderr) == (code, b"")
