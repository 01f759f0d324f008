"""No garbage is collected until the first answer, and from then on it is."""

from __future__ import annotations

import gc
import platform
import subprocess
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from cloche.runtime.collecting import collect_nothing

if TYPE_CHECKING:
    from conftest import Opened, Runtime


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    collect_nothing()
    yield
    gc.enable()
    gc.unfreeze()


async def test_it_is_collected_after_the_first_answer(runtime: Runtime) -> None:
    await runtime.ping()
    await runtime.invoke({"kind": "health"})
    assert not gc.isenabled()
    await runtime.said("hello")
    await runtime.until(gc.isenabled)
    assert gc.get_freeze_count() > 10_000


async def test_a_refused_invocation_changes_nothing(runtime: Runtime) -> None:
    await runtime.post("r", "hello", id_="1", secret="wrong", status=401)
    assert not gc.isenabled()


async def test_whom_nobody_asks_collects_in_the_end(
    running: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cloche.runtime.host.LATEST_SECONDS", 0.05)
    async with running() as runtime:
        await runtime.until(gc.isenabled)


SCRIPT = """
import re
from pathlib import Path
from cloche.runtime.collecting import collect, collect_nothing

def megabytes():
    return int(re.search("VmRSS:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024

collect_nothing()
taken = [bytes(3000) for _ in range(20_000)]
kept = taken[::20]
del taken
before = megabytes()
collect()
print(before - megabytes())
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="glibc alone is told to")
def test_what_a_start_took_and_freed_is_given_back() -> None:
    given = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=120, check=True
    )
    assert float(given.stdout) > 10
