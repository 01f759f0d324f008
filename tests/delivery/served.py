"""A process that serves a channel: reads "id conversation" lines, says back what it has kept.

What it sends goes into a file, what its tools do into the store.
``python served.py FOLDER NAME LOCK``.
"""

from __future__ import annotations

import asyncio
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from cloche.channels import Channel, ChannelContext, ChannelRequest, Part
from cloche.clock import utc_now
from cloche.delivery import Delivery, OpenDoor
from cloche.ids import turn_id
from cloche.llm.usage import Usage
from cloche.messages import Address, Message, Reply
from cloche.settings import DeliverySettings
from cloche.state.sqlite import SqliteStateStore
from cloche.turn import BrokenOff, Turn, nothing


@dataclass(frozen=True)
class Whole:
    text: str
    entities: tuple[()] = ()
    plain: str = ""


def append(path: Path, line: str) -> None:
    with path.open("ab", buffering=0) as file:
        file.write(f"{line}\n".encode())


class Line(Channel):
    name = "line"

    def __init__(self, folder: Path) -> None:
        super().__init__(ChannelContext({}, None, utc_now, None, {}))  # type: ignore[arg-type]
        self.folder = folder

    def parse(self, request: ChannelRequest) -> tuple[()]:
        return ()

    async def send(self, part: Part) -> None:
        append(self.folder / "sent", f"{part.key}\t{part.text}".replace("\n", " "))


class Acts:
    def __init__(self, state: SqliteStateStore) -> None:
        self.state = state

    async def handle(self, message: Message, on_delta: object = None) -> Turn:
        id_ = turn_id(message.address, message.place, message.id)
        for word in message.text.split():
            # What a tool does and that it was done are one write here: a death cannot part them.
            await self.state.compare_and_set(f"did/{id_}/{word}", True, version=0)
        await asyncio.sleep(0.02)
        return Turn(id_, Reply(message.text), "en", nothing)

    async def overhear(self, message: Message) -> None:
        raise AssertionError("nobody writes to others here")

    async def broken_off(self, message: Message, why: BrokenOff) -> Usage:
        return Usage()

    async def language_of(self, message: Message) -> str:
        return "en"


async def serve(folder: Path, name: str, lock: str) -> None:
    state = SqliteStateStore(folder / "state.db", utc_now)
    delivery = Delivery(
        Line(folder),
        Acts(state),
        OpenDoor(),
        state,
        clock=utc_now,
        settings=DeliverySettings(),
        render=lambda text, *_: [Whole(text, plain=text)],
        lock=folder / lock if lock else None,
    )
    await delivery.start(recovering=bool(lock))
    os.write(1, b"open\n")
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        id_, conversation = line.decode().split()
        await delivery.accept(Message(id_, Address("line", conversation), conversation, id_))
        os.write(1, f"{id_}\n".encode())
    await delivery.idle()
    await delivery.close()
    await state.close()


if __name__ == "__main__":
    asyncio.run(serve(Path(sys.argv[1]), *sys.argv[2:]))
