"""Files that go out with replies: after the words, once, as they are when their time comes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from cloche.channels import Capabilities, FileToSend, Limits, PartFile, SendRefusedError
from cloche.errors import MemoryUnavailableError
from cloche.messages import Reply, ReplyFile

ABLE = Capabilities(files=True)
PLAN = ReplyFile("doorway_-ann", "made/plan.txt", "plan.txt", 4, "I cannot send `plan.txt` here.")
LIST = ReplyFile("doorway_-ann", "sent/list.csv", "list.csv", 9, "I cannot send `list.csv` here.")


class Shelf:
    """What is kept, by key; a test may have it fail."""

    def __init__(self) -> None:
        self.files = {"made/plan.txt": b"plan", "sent/list.csv": b"list"}
        self.failures: list[Exception] = []

    async def __call__(self, file: PartFile) -> FileToSend | None:
        assert file.owner == "doorway_-ann"
        if self.failures:
            raise self.failures.pop(0)
        content = self.files.get(file.key)
        return None if content is None else FileToSend(file.name, "text/plain", content)


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


@pytest.fixture
def made(build: Any, state: Any, clock: Any, shelf: Shelf) -> Callable[..., Any]:
    """A process whose assistant answers with two files."""

    def make(**how: Any) -> Any:
        world = build(state, clock, **{"capabilities": ABLE, "files": shelf, **how})
        world.assistant.answer = lambda message: Reply("Here.", files=(PLAN, LIST))
        return world

    return make


async def test_files_follow_the_words_in_order(made: Any) -> None:
    world = made()
    await world.delivery.start()
    await world.say("both, please")
    await world.delivery.idle()
    assert world.channel.said[0] == "Here."
    assert [(file.name, file.content) for file in world.channel.given] == [
        ("plan.txt", b"plan"),
        ("list.csv", b"list"),
    ]
    assert len({part.key for part in world.channel.sent}) == 3
    await world.delivery.close(seconds=1)


async def test_a_reply_of_files_alone_is_one(made: Any) -> None:
    world = made()
    world.assistant.answer = lambda message: Reply("", files=(PLAN,))
    await world.delivery.start()
    await world.say("the plan")
    await world.delivery.idle()
    assert [file.name for file in world.channel.given] == ["plan.txt"]
    await world.delivery.close(seconds=1)


@pytest.mark.parametrize(
    "how",
    [
        {"capabilities": Capabilities()},
        {"limits": Limits(sent_file_bytes=3)},
    ],
)
async def test_where_a_file_cannot_go_out_the_reply_says_so(made: Any, how: Any) -> None:
    world = made(**how)
    await world.delivery.start()
    await world.say("both, please")
    await world.delivery.idle()
    assert world.channel.given == []
    assert world.channel.said == [
        "Here.\n\nI cannot send `plan.txt` here.\n\nI cannot send `list.csv` here."
    ]
    await world.delivery.close(seconds=1)


async def test_a_file_the_platform_refuses_is_said_instead_and_the_next_goes_out(made: Any) -> None:
    world = made()
    await world.delivery.start()
    world.channel.failures += [ConnectionResetError(), SendRefusedError("no such kind")]
    held = world.channel.failures[:]
    world.channel.failures.clear()
    send = world.channel.send

    async def then_fail(part: Any) -> None:
        await send(part)
        if part.text == "Here.":
            world.channel.failures += held

    world.channel.send = then_fail
    await world.say("both, please")
    await world.delivery.idle()
    assert world.channel.said[:2] == ["Here.", 'I cannot send "plan.txt" here.']
    assert [file.name for file in world.channel.given] == ["list.csv"]
    await world.delivery.close(seconds=1)


async def test_what_was_forgotten_meanwhile_is_neither_sent_nor_named(
    made: Any, shelf: Shelf
) -> None:
    world = made()
    await world.delivery.start()
    del shelf.files["made/plan.txt"]
    await world.say("both, please")
    await world.delivery.idle()
    assert [file.name for file in world.channel.given] == ["list.csv"]
    assert not any("plan" in said for said in world.channel.said)
    await world.delivery.close(seconds=1)


async def test_a_store_that_is_away_is_waited_for(made: Any, shelf: Shelf) -> None:
    world = made()
    await world.delivery.start()
    shelf.failures += [MemoryUnavailableError("away", cause="io")] * 2
    await world.say("both, please")
    await world.delivery.idle()
    assert [file.name for file in world.channel.given] == ["plan.txt", "list.csv"]
    await world.delivery.close(seconds=1)


async def test_the_next_process_sends_what_is_left_as_it_is_then(made: Any, shelf: Shelf) -> None:
    first = made()
    hanging = asyncio.Event()

    async def hang(part: Any, file: Any) -> None:
        hanging.set()
        await asyncio.Event().wait()

    first.channel.send_file = hang
    await first.delivery.start()
    await first.say("both, please")
    await hanging.wait()
    await first.delivery.close(seconds=0.01)
    shelf.files["made/plan.txt"] = b"new plan"
    second = made()
    await second.delivery.start()
    await second.delivery.idle()
    assert second.assistant.asked == []
    assert [file.content for file in second.channel.given] == [b"new plan", b"list"]
    assert "Here." not in second.channel.said
    await second.delivery.close(seconds=1)
