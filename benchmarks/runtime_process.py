"""`cloche runtime` in a process of its own, with a model on loopback: for benchmarks/runtime.py."""

from __future__ import annotations

import asyncio
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
from aiohttp import web

from cloche.runtime.session import SESSION_HEADER
from cloche.testing import BedrockEndpoint, TelegramServer

BOOT_SECONDS = 180.0
SECRET = "a-secret-of-the-webhook"


class Timed(BedrockEndpoint):
    """A model that answers at once or after a delay.

    Attributes:
        seconds: How long it took over all answers so far.
        delay: Seconds before it answers.
    """

    def __init__(self) -> None:
        """Begin with no answer, and answer at once."""
        super().__init__()
        self.seconds, self.delay = 0.0, 0.0

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answer."""
        began = time.perf_counter()
        await asyncio.sleep(self.delay)
        try:
            return await super().handle(request)
        finally:
            self.seconds += time.perf_counter() - began


class Process:
    """One `cloche runtime` that listens."""

    def __init__(self, url: str, pid: int, http: aiohttp.ClientSession) -> None:
        """Take where it listens."""
        self.url, self.pid, self.http = url, pid, http

    async def invoke(self, payload: object, session: str = "") -> Any:
        """The answer; 200 it must be."""
        headers = {SESSION_HEADER: session} if session else {}
        async with self.http.post(
            f"{self.url}/invocations", json=payload, headers=headers
        ) as response:
            body = await response.json()
            if response.status != 200:
                sys.exit(f"the runtime answered {response.status}: {body}")
            return body

    async def say(self, text: str) -> Any:
        """The owner's words."""
        return await self.invoke({"kind": "message", "text": text})

    async def ping(self) -> float:
        """Milliseconds until it is answered."""
        began = time.perf_counter()
        async with self.http.get(f"{self.url}/ping") as response:
            await response.read()
        return (time.perf_counter() - began) * 1000

    async def idle(self) -> None:
        """Return when nothing is under way."""
        while True:
            async with self.http.get(f"{self.url}/ping") as response:
                if (await response.json())["status"] == "Healthy":
                    return
            await asyncio.sleep(0.02)

    def cpu_seconds(self) -> float:
        """What it took of processors so far, which other work on the machine does not change."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def megabytes(self) -> float:
        """What it holds in memory: RSS, so with shared pages, and without its children."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) / 1024  # type: ignore[index]


@asynccontextmanager
async def process(
    name: str,
    home: Path,
    model: str,
    endpoint: str,
    telegram: TelegramServer | None = None,
    *,
    agent: str = "embedded",
) -> AsyncIterator[Process]:
    """A runtime in a process of its own; it listens, and may not be open yet."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environ = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("CLOCHE_", "AWS_"))
        and not key.endswith("MODEL_ID")
        # As in an image, which holds compiled modules: else each start compiles them anew.
        and key != "PYTHONDONTWRITEBYTECODE"
    } | {
        "CLOCHE_HOME": str(home),
        "CLOCHE_AGENT": agent,
        "CLOCHE_EMBEDDINGS__PROVIDER": "none",
        "CLOCHE_MODEL__PROVIDER": "bedrock",
        "CLOCHE_MODEL__REGION": "eu-west-1",
        "CLOCHE_ACCESS__OPEN": "true",
        "CLOCHE_ACCESS__MESSAGES_PER_MINUTE": "1000",
        "CLOCHE_ACCESS__DAILY_USD": "0",
        "CLOCHE_DELIVERY__PACING": "false",
        "CLOCHE_LOG_LEVEL": "error",
        "MODEL_ID": model,
        "AWS_ACCESS_KEY_ID": "x",
        "AWS_SECRET_ACCESS_KEY": "x",
        "AWS_ENDPOINT_URL_BEDROCK_RUNTIME": endpoint,
    }
    if telegram:
        environ |= {
            "CLOCHE_CHANNELS__TELEGRAM__TOKEN": telegram.token,
            "CLOCHE_CHANNELS__TELEGRAM__API_URL": telegram.url,
            "CLOCHE_CHANNELS__TELEGRAM__SECRET": SECRET,
        }
    arguments = ["runtime", name, "--dev", "--port", str(port)]
    child = subprocess.Popen(  # noqa: ASYNC220 (at the start there is nothing beside it)
        [sys.executable, "-m", "cloche", *arguments], env=environ, stdout=subprocess.DEVNULL
    )
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector) as http:
        try:
            one = Process(f"http://127.0.0.1:{port}", child.pid, http)
            while True:
                try:
                    await one.ping()
                    break
                except aiohttp.ClientConnectionError:
                    if child.poll() is not None:
                        sys.exit("the runtime did not start")
                    await asyncio.sleep(0.01)
            yield one
        finally:
            child.terminate()
            await asyncio.to_thread(child.wait, 60)


async def warm(one: Process, agent: str, model: Timed) -> None:
    """Return once an agent has answered five times itself; while a gateway boots another does."""
    until, own = time.perf_counter() + BOOT_SECONDS, 0
    while own < 5:
        if time.perf_counter() > until:
            sys.exit(f"{agent} did not answer within {BOOT_SECONDS:.0f} s")
        calls = len(model.requests)
        await one.say("Hello again.")
        own += agent == "embedded" or "OpenClaw" in str(model.requests[calls].body.get("system"))
        await one.idle()
        await asyncio.sleep(0.0 if own else 1.0)
