"""The load of ``delivery.py`` in a child process that is killed with SIGKILL and started again.

This process is the platform: it delivers each update until the child has taken it, and delivers
again what was not taken when the child died. The child answers, and each turn calls a tool once
for every message in it. What was sent is appended to a file, which outlives the child as a
platform's own books do.
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import ClassVar

from cloche.agents.agent import OnDelta
from cloche.channels import Channel, ChannelContext, ChannelRequest, Limits, Part
from cloche.clock import utc_now
from cloche.delivery import Delivery, OpenDoor
from cloche.delivery.rendering import render
from cloche.ids import turn_id
from cloche.llm.usage import Usage
from cloche.messages import Address, Message, Reply
from cloche.settings import DeliverySettings
from cloche.state.sqlite import SqliteStateStore
from cloche.testing import tool_context
from cloche.tools import BoundTool, ToolContext, tool
from cloche.turn import BrokenOff, Turn, nothing

TURN_SECONDS = 0.2
CONVERSATIONS = 200
SETTINGS = DeliverySettings(pacing=False, conversations=256)


class Book:
    """A file of lines that are in the system's hands when ``write`` returns."""

    def __init__(self, path: Path) -> None:
        """Open it to append."""
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def write(self, *fields: str) -> None:
        """One line."""
        os.write(self._file, ("\t".join(fields) + "\n").encode())


class Booked(Channel):
    """Writes every part into a book; its words are the numbers of the messages it answers."""

    name: ClassVar[str] = "booked"
    limits: ClassVar[Limits] = Limits(text=100_000)

    def __init__(self, book: Book) -> None:
        """Take the book."""
        super().__init__(ChannelContext({}, None, utc_now, None, {}))  # type: ignore[arg-type]
        self._book = book

    def parse(self, request: ChannelRequest) -> tuple[()]:
        """Nothing comes as a request."""
        return ()

    async def send(self, part: Part) -> None:
        """A platform takes a moment, and may be cut off before it said so."""
        self._book.write(part.conversation, part.key, part.text.replace("\n", " "))
        await asyncio.sleep(0.005)


class Acting:
    """An assistant that works for a while, calls a tool for each message, and works on."""

    def __init__(self, state: SqliteStateStore) -> None:
        """Take where the tool acts: an act is a row under the call's id."""

        @tool
        async def act(ctx: ToolContext, number: str) -> str:
            """Do something that must not be done twice."""
            # What it does and that it is done are one write: no death comes between them.
            await state.compare_and_set(f"acted/{ctx.call_id}", number, version=0)
            return "done"

        self._act = act

    async def handle(self, message: Message, on_delta: OnDelta | None = None) -> Turn:
        """Act for each line of the message."""
        id_ = turn_id(message.address, message.place, message.id)
        await asyncio.sleep(TURN_SECONDS / 2)
        bound = BoundTool(
            self._act, turn_id=id_, context=lambda call_id: tool_context(call_id=call_id)
        )
        for number in message.text.split("\n"):
            await bound.call({"number": number})
        await asyncio.sleep(TURN_SECONDS / 2)
        return Turn(id_, Reply(message.text), "en", nothing)

    async def overhear(self, message: Message) -> None:
        """Nobody writes to others here."""

    async def broken_off(self, message: Message, why: BrokenOff) -> Usage:
        """Nothing: no model is asked."""
        return Usage()

    async def language_of(self, message: Message) -> str:
        """English."""
        return "en"


async def serve(folder: Path) -> None:
    """The child: takes "number conversation" lines, says back the number of each it has kept."""
    state = SqliteStateStore(folder / "state.db", utc_now)
    channel, assistant = Booked(Book(folder / "sent")), Acting(state)
    delivery = Delivery(
        channel,
        assistant,
        OpenDoor(),
        state,
        clock=utc_now,
        settings=SETTINGS,
        render=render,
        lock=folder / "lock",
    )
    await delivery.start()
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)

    async def take(number: str, conversation: str) -> None:
        address = Address("booked", f"p{conversation}")
        await delivery.accept(Message(number, address, conversation, number))
        os.write(1, f"{number}\n".encode())

    async with asyncio.TaskGroup() as taking:
        while line := await reader.readline():
            taking.create_task(take(*line.decode().split()))
    await delivery.idle()
    await delivery.close()
    await state.close()


class Platform:
    """Delivers updates to a child until it has taken them all, whatever becomes of it."""

    def __init__(self, folder: Path, messages: int, rate: float) -> None:
        """Draw by lot where each message is written."""
        lot = random.Random(3)
        self.updates = {f"{n}": f"{lot.randrange(CONVERSATIONS)}" for n in range(messages)}
        self._folder, self._rate = folder, rate
        self._taken: set[str] = set()

    async def run(self, kills: int) -> None:
        """The whole load; the child is killed so many times on the way."""
        pending, quarter = list(self.updates), len(self.updates) // (kills + 1)
        for number in range(kills + 1):
            child = await asyncio.create_subprocess_exec(
                sys.executable,
                __file__,
                str(self._folder),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
            )
            listening = asyncio.create_task(self._listen(child))
            last = number == kills
            await self._deliver(child, pending if last else pending[:quarter])
            if last:
                assert child.stdin is not None
                child.stdin.close()
            else:
                child.kill()
            await child.wait()
            await listening
            pending = [update for update in self.updates if update not in self._taken]

    async def _deliver(self, child: asyncio.subprocess.Process, updates: list[str]) -> None:
        assert child.stdin is not None
        start = time.perf_counter()
        for number, update in enumerate(updates):
            await asyncio.sleep(max(0.0, start + number / self._rate - time.perf_counter()))
            child.stdin.write(f"{update} {self.updates[update]}\n".encode())
            await child.stdin.drain()

    async def _listen(self, child: asyncio.subprocess.Process) -> None:
        assert child.stdout is not None
        while line := await child.stdout.readline():
            if line.endswith(b"\n"):
                self._taken.add(line.decode().strip())


async def acts(folder: Path) -> list[str]:
    """The number of the message of each tool call that was made, once for each call id."""
    state, after, found = SqliteStateStore(folder / "state.db", utc_now), "", []
    while page := await state.list_items("acted/", after=after, limit=500):
        after = page[-1].key
        found += [str(item.value) for item in page]
    await state.close()
    return found


async def killed(messages: int, rate: float, kills: int = 2) -> dict[str, float]:
    """What people got and what tools did, over so many violent deaths."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        platform = Platform(folder, messages, rate)
        await platform.run(kills)
        sent = [line.split("\t") for line in (folder / "sent").read_text().splitlines()]
        acted = Counter(await acts(folder))
    times = Counter(key for _, key, _ in sent)
    answers: dict[str, set[str]] = {}
    for _, key, text in sent:
        for number in text.split():
            answers.setdefault(number, set()).add(key)
    places = Counter(place for place, key in {(p, k) for p, k, _ in sent} if times[key] > 1)
    return {
        "messages": messages,
        "per_second": rate,
        "kills": kills,
        "unanswered": sum(number not in answers for number in platform.updates),
        "answered_in_two_turns": sum(len(keys) > 1 for keys in answers.values()),
        "parts_twice": sum(count == 2 for count in times.values()),
        "parts_more_often": sum(count > 2 for count in times.values()),
        "most_parts_twice_in_one_conversation": max(places.values(), default=0),
        "tool_calls": sum(acted.values()),
        "tool_calls_twice": sum(count > 1 for count in acted.values()),
    }


if __name__ == "__main__":
    asyncio.run(serve(Path(sys.argv[1])))
