"""``cloche runtime`` in a process of its own, a platform that posts, and an agent that waits."""

from __future__ import annotations

import base64
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cloche.runtime.session import SESSION_HEADER, runtime_session_id

if TYPE_CHECKING:
    from conftest import Site

SECRET = "correct horse battery"
PLUGIN = '''
import asyncio
import gc
import logging
import os
import threading
import time
import warnings
from pathlib import Path

from cloche import hookimpl
from cloche.agents.agent import Answer
from cloche.channels import Channel, Pointers, Secret, SharedSecret
from cloche.messages import Address, Message

FOLDER, WAITS = Path(os.environ["TEST_FOLDER"]), os.environ.get("TEST_WAITS")

class Posted(Channel):
    """Posts JSON with a shared secret."""

    name = "posted"
    secrets = (Secret("secret", "what the platform sends along", "webhook"),)
    authentication = SharedSecret("x-secret", "secret")
    pointers = Pointers(("/id",), ("/room",), ("/room",))

    def parse(self, request):
        told = request.document()
        return (Message(told["id"], Address(self.name, told["room"]), told["room"], told["text"]),)

    async def send(self, part):
        with (FOLDER / "sent").open("a") as file:
            file.write(part.text.replace("\\n", " ") + "\\n")

    async def open(self):
        if WAITS == "opening":
            waiting()
            await asyncio.sleep(3600)

def waiting():
    (FOLDER / WAITS).write_text("waits")

if WAITS == "loading":
    waiting()
    time.sleep(3600)

class Slow:
    name = "slow"

    async def ask(self, prompt, tools, on_delta=None):
        with (FOLDER / "asked").open("a") as file:
            file.write(prompt.words + "\\n")
        while "wait" in prompt.words and not (FOLDER / "let").exists():
            await asyncio.sleep(0.02)
        seconds = [float(word) for word in prompt.words.split() if word.replace(".", "").isdigit()]
        await asyncio.sleep(sum(seconds))
        if "leak" in prompt.words:
            leak(prompt.words)
            await asyncio.sleep(0.05)
            gc.collect()
        return Answer("You said: " + prompt.words)

    async def close(self):
        pass

def leak(words):
    def fail(*given):
        raise ValueError(words)

    async def failing():
        fail()

    class Deleted:
        __del__ = fail

    Deleted()
    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()
    asyncio.get_running_loop().call_soon(fail, words)
    asyncio.get_running_loop().create_task(failing())
    warnings.warn(words)
    logging.getLogger("slowly").error(f"it was {words}")
    logging.getLogger("slowly").error("it was %d", words)

@hookimpl
def provide_channels():
    return [Posted]

@hookimpl
def provide_agents():
    return {"slow": lambda context: Slow()}
'''


class Process:
    """One process, and how to invoke it."""

    def __init__(self, folder: Path, port: int, environ: dict[str, str], *arguments: str) -> None:
        self.folder, self.url = folder, f"http://127.0.0.1:{port}"
        self.process = subprocess.Popen(
            [sys.executable, "-m", "cloche", "runtime", "tea", "--port", str(port), *arguments],
            env=environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def ready(self) -> Process:
        until(lambda: self.invoke({"kind": "health"})[0] == 200, 60)
        return self

    def get(self, path: str) -> dict[str, Any]:
        with urllib.request.urlopen(self.url + path, timeout=30) as response:
            return dict(json.load(response))

    def invoke(self, payload: object, session: str = "") -> tuple[int, dict[str, Any]]:
        """Status and body; 0 = nobody listens."""
        headers = {"Content-Type": "application/json"} | (
            {SESSION_HEADER: session} if session else {}
        )
        request = urllib.request.Request(
            f"{self.url}/invocations", json.dumps(payload).encode(), headers
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return response.status, json.load(response)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.load(error)
        except OSError:
            return 0, {}

    def post(self, text: str, id_: str, room: str = "r") -> tuple[int, dict[str, Any]]:
        body = json.dumps({"id": id_, "room": room, "text": text}).encode()
        request = {"headers": {"x-secret": SECRET}, "body": base64.b64encode(body).decode()}
        payload = {"kind": "channel", "channel": "posted", "requests": [request]}
        return self.invoke(payload, runtime_session_id("posted", room))

    def let(self) -> None:
        """What waits goes on."""
        (self.folder / "let").touch()

    def lines(self, name: str) -> list[str]:
        path = self.folder / name
        return path.read_text().splitlines() if path.exists() else []

    def end(self, how: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(how)
        return self.process.wait(60)


def port_to_keep() -> int:
    """A port that is free, and stays so until it is listened on.

    It is below those that systems give to whoever asks for any, as all that runs beside it does.
    """
    while True:
        port = random.randint(20_000, 32_000)
        with socket.socket() as free, suppress(OSError):
            free.bind(("0.0.0.0", port))
            return port


def until(holds: Callable[[], object], seconds: float = 60, *, every: float = 0.05) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it took too long"
        time.sleep(every)


@contextmanager
def starting(site: Site, tmp_path: Path) -> Iterator[Callable[..., Process]]:
    """Gives what starts a process; its port stays the same. In the end all are killed."""
    site.assistant("tea")
    site.plugin("slowly", PLUGIN)
    port = port_to_keep()
    started: list[Process] = []

    def run(*arguments: str, **more: str) -> Process:
        environ = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(site.folder),
            "HOME": str(tmp_path),
            "CLOCHE_HOME": str(tmp_path / "process-home"),
            "CLOCHE_AGENT": "slow",
            "CLOCHE_ACCESS__OPEN": "true",
            "CLOCHE_CHANNELS__POSTED__SECRET": SECRET,
            "TEST_FOLDER": str(tmp_path),
            **more,
        }
        started.append(Process(tmp_path, port, environ, *arguments))
        return started[-1]

    try:
        yield run
    finally:
        for one in started:
            if one.process.poll() is None:
                one.process.send_signal(signal.SIGCONT)
                one.process.kill()
            one.process.communicate(timeout=10)
