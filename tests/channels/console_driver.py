"""A program for the console's tests: the console before an assistant that is a script.

Arguments: the options as JSON, and a folder for what is to be seen from outside.
"""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import sys
import termios
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Never

from cloche.agents.agent import OnDelta, ToolUse
from cloche.channels import ChannelContext, Document, OwnerOptions
from cloche.clock import utc_now
from cloche.delivery import Delivery, OpenDoor
from cloche.delivery.rendering import render
from cloche.llm.usage import Usage
from cloche.memory.recall import Recalled, Trimmed
from cloche.memory.records import MemoryRecord, Source, Validity
from cloche.memory.remembered import Remembered
from cloche.messages import Button, Message, Reply
from cloche.settings import DeliverySettings
from cloche.state.sqlite import SqliteStateStore
from cloche.turn import BrokenOff, Turn, TurnReport, nothing
from cloche_channels.console import ConsoleChannel

NOON = datetime(2026, 3, 3, 12, tzinfo=UTC)
RECORD = MemoryRecord(
    "mem-12345678",
    "console_-ana",
    "long_term",
    "fact",
    "Una nota\nde dos líneas",
    Source(),
    Validity(NOON, NOON),
)


ESCAPES = replace(RECORD, text="\x1b[31mred\x1b[0m")


class Script:
    """Answers by what was said."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.channel: ConsoleChannel

    async def handle(self, message: Message, on_delta: OnDelta | None = None) -> Turn:
        self.note(f"heard {message.address.channel}:{message.address.sender} {message.text!r}")
        self.note(f"conversation {message.conversation}, id {message.id}")
        for attachment in message.attachments:
            data = await self.channel.fetch(attachment)
            self.note(f"picture {attachment.name} {len(data)} bytes")
        if message.text == "break":
            raise RuntimeError("secret detail")
        if message.text == "wait":
            self.note("waiting")
            try:
                await asyncio.Event().wait()
            finally:
                self.note("stopped")
        if message.text == "stream":
            return await self.streamed(on_delta)
        if message.text == "fail":
            return Turn("t", Reply("Sorry."), "en", nothing, TurnReport(failure="timeout"))
        return self.turn(message, f"You said: {message.text}")

    async def overhear(self, message: Message) -> None:
        raise AssertionError("nobody is overheard at a console")

    async def broken_off(self, message: Message, why: BrokenOff) -> Usage:
        return Usage()

    async def language_of(self, message: Message) -> str:
        return self.channel.options.language

    async def streamed(self, on_delta: OnDelta | None) -> Turn:
        pieces = ["# Head\n\nfirst *wo", "rd* \x1b[2J\n\n", "- one\n- two\n\nsecond"]
        for number, piece in enumerate(pieces):
            if on_delta:
                await on_delta(piece)
            await self.released(f"release{number}")
        return self.turn(None, "".join(pieces))

    def turn(self, message: Message | None, text: str) -> Turn:
        said = message.text if message else "stream"

        async def afterwards() -> Remembered:
            if said == "slow memory":
                await self.released("remember")
            if said == "broken memory":
                raise OSError("secret detail")
            self.note(f"followed {said!r}")
            return Remembered(usage=Usage("model-x", 300, 20, calls=1, cost_usd=0.0004))

        report = TurnReport(
            agent="embedded",
            away="starting",
            usage=Usage("model-x", 1200, 34, 1000, 0, 1, 0.00125),
            recalled=(Recalled(ESCAPES if said == "recall escapes" else RECORD, "fits", 0.5),),
            trimmed=(
                Trimmed("memory", "mem-12345678", True, "long"),
                Trimmed("earlier", "turn-9", False, "budget"),
                Trimmed("earlier", "turn-9/answer", False, "budget"),
            ),
            tool_uses=(ToolUse("brew", '{"leaf":"oolong"}', True),),
            seconds={"recall": 0.0031, "model": 1.2},
        )
        buttons = (Button("Sí", "yes"),) if said == "buttons" else ()
        return Turn("t1", Reply(text, buttons), "es", afterwards, report)

    async def released(self, name: str) -> None:
        while not (self.folder / name).exists():  # the test is another process
            await asyncio.sleep(0.01)

    def note(self, line: str) -> None:
        with (self.folder / "log").open("a", encoding="utf-8") as log:
            log.write(f"{line}\n")


def main() -> int:
    if os.isatty(0):
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)  # Ctrl-C comes to whom the terminal belongs to
    given = json.loads(sys.argv[1])
    options = OwnerOptions(
        owner=given.get("owner", "ana"),
        persona="Tess",
        language=given.get("language", "en"),
        interactive=given.get("interactive", False),
        once=given.get("once"),
        images=tuple(map(Path, given.get("images", ()))),
        as_json=given.get("as_json", False),
        verbose=given.get("verbose", False),
    )
    return asyncio.run(chat(options, Path(sys.argv[2])))


class NothingKept:
    """Keepsakes of a channel that keeps none."""

    async def get(self, key: str) -> Document:
        return None

    async def put(self, key: str, value: Document) -> None:
        raise AssertionError("the console keeps nothing")


async def chat(options: OwnerOptions, folder: Path) -> int:
    script, state = Script(folder), SqliteStateStore(folder / "state.db", utc_now)
    script.channel = ConsoleChannel(
        ChannelContext({}, http=no_http, clock=utc_now, keepsakes=NothingKept(), commands={},
                       owner=options)
    )  # fmt: skip
    delivery = Delivery(
        script.channel,
        script,
        OpenDoor(),
        state,
        clock=utc_now,
        settings=DeliverySettings(),
        render=render,
    )
    await delivery.start(only=script.channel.place)
    try:
        return await script.channel.run(delivery)
    finally:
        await delivery.close()
        await state.close()


def no_http() -> Never:
    raise AssertionError("the console needs no network")


if __name__ == "__main__":
    sys.exit(main())
