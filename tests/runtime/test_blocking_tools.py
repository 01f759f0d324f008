"""A tool that blocks: ``/ping`` and other conversations are answered meanwhile."""

from __future__ import annotations

import asyncio
import importlib
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from .processes import Process

if TYPE_CHECKING:
    from conftest import Opened, Site

    from cloche.settings import Settings

KETTLE = """
import threading

BOILING, LET = threading.Event(), threading.Event()
"""
TOOLS = '''
import kettle
from cloche import ToolContext, tool

@tool(timeout_seconds=60)
async def brew(ctx: ToolContext, leaf: str) -> str:
    """Note what was brewed."""
    if leaf == "lapsang":
        kettle.BOILING.set()
        assert kettle.LET.wait(60)
    await ctx.memory.remember(f"Brewed {leaf}.", kind="note", subject=leaf)
    return f"Noted: {leaf}"
'''

NEVER = '''
import asyncio
import time

from cloche import ToolContext, tool

@tool(timeout_seconds=0.5)
async def brew(ctx: ToolContext, leaf: str) -> str:
    """Wait for ever."""
    if leaf == "lapsang":
        time.sleep(3600)
    await asyncio.to_thread(time.sleep, 3600)
    return "never"
'''


@pytest.fixture
def kettle(site: Site, settings: Settings) -> Any:
    (site.folder / "kettle.py").write_text(KETTLE)
    (site.folder / "cloche_tea/skills/brewing/tools.py").write_text(TOOLS)
    return importlib.import_module("kettle")


async def test_ping_and_other_conversations_are_answered_meanwhile(
    running: Opened, kettle: Any
) -> None:
    async with running(commanded=False) as runtime:
        slow = asyncio.create_task(runtime.post("ana", "brew some lapsang", id_="1"))
        assert await asyncio.to_thread(kettle.BOILING.wait, 60)
        for number in range(3):
            assert (await runtime.ping())["status"] == "HealthyBusy"
            await runtime.post("luis", "brew some oolong", id_=f"2-{number}")
        assert (await runtime.said("hello"))["text"]
        assert not slow.done()
        kettle.LET.set()
        await slow
        await runtime.until_idle()
        told = [(room, text.splitlines()[-1]) for room, text in runtime.sent if "Noted" in text]
        assert told == [("luis", "Noted: oolong")] * 3 + [("ana", "Noted: lapsang")]


def test_a_tool_that_never_returns_is_told_so_and_holds_no_process(
    start: Callable[..., Process], site: Site
) -> None:
    (site.folder / "cloche_tea/skills/brewing/tools.py").write_text(NEVER)
    one = start(CLOCHE_AGENT="embedded").ready()
    for number, leaf in enumerate(("lapsang", "sencha")):
        assert one.post(f"brew some {leaf}", f"{number}")[0] == 200
    assert [line.count("longer than 0.5 seconds") for line in one.lines("sent")] == [1, 1]
    began = time.monotonic()
    assert one.end() == 0
    assert time.monotonic() - began < 30
    out, err = one.process.communicate()
    assert "Traceback" not in out + err
    assert err.count("tool brew: something of it does not end") == 2
