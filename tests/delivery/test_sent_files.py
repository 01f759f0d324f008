"""Files that go out with replies: after the words, once, as they are when their time comes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from cloche.channels import Capabilities, FileToSend, Limits, PartFile, SendRefusedError
from cloche.delivery import sending
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


async def test_a_file_without_an_answer_is_said_instead_before_long(made: Any) -> None:
    """The platform may have taken it each time: nobody gets it over and over, nor waits a day."""
    world = made()
    taken: list[str] = []

    async def take_and_say_nothing(part: Any, file: Any) -> None:
        taken.append(file.name)
        if file.name == "plan.txt":
            raise TimeoutError
        world.channel.given.append(file)

    world.channel.send_file = take_and_say_nothing
    await world.delivery.start()
    await world.say("both, please")
    await world.delivery.idle()
    world.assistant.answer = lambda message: Reply("And this.")
    await world.say("and then?")
    await world.delivery.idle()
    assert taken == ["plan.txt", "plan.txt", "list.csv"]
    assert world.channel.said == ["Here.", 'I cannot send "plan.txt" here.', "And this."]
    assert sum(world.slept) < 10
    await world.delivery.close(seconds=1)


async def test_a_channel_that_never_comes_back_with_a_file_is_left(
    made: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "SEND_SECONDS", 0.01)
    monkeypatch.setattr(sending, "BREAK_OFF_SECONDS", 0.01)
    world = made()
    taken: list[str] = []

    async def hang(part: Any, file: Any) -> None:
        taken.append(file.name)
        await asyncio.Event().wait()

    world.channel.send_file = hang
    await world.delivery.start()
    await world.say("both, please")
    await world.delivery.idle()
    assert taken == ["plan.txt"] * 2 + ["list.csv"] * 2
    assert world.channel.said[1:] == [
        PLAN.instead.replace("`", '"'),
        LIST.instead.replace("`", '"'),
    ]
    await world.delivery.close(seconds=1)


async def test_a_large_file_has_the_time_a_slow_line_takes(
    made: Any, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """10 MB at 1 Mbit/s are 80 s: no total cuts them off."""
    given: list[float] = []
    wait = asyncio.wait

    async def noted(tasks: Any, *, timeout: float | None = None, **how: Any) -> Any:
        if timeout is not None:
            given.append(timeout)
        return await wait(tasks, timeout=timeout, **how)

    shelf.files["made/plan.txt"] = bytes(10_000_000)
    world = made()
    world.assistant.answer = lambda message: Reply("", files=(PLAN,))
    await world.delivery.start()
    monkeypatch.setattr(asyncio, "wait", noted)
    await world.say("the plan")
    await world.delivery.idle()
    assert max(given) > 600
    await world.delivery.close(seconds=1)


async def test_what_fails_with_files_alone_holds_up_the_words_for_an_hour_at_most(
    made: Any,
) -> None:
    world = made()

    async def fail(part: Any, file: Any) -> None:
        world.clock.pass_(seconds=50)  # attempts take their time too
        raise ConnectionResetError

    world.channel.send_file = fail
    world.assistant.answer = lambda message: Reply("Here.", files=(PLAN,))
    await world.delivery.start()
    begun = world.clock()
    await world.say("the plan")
    await world.delivery.idle()
    assert world.channel.said == ["Here.", 'I cannot send "plan.txt" here.']
    assert (world.clock() - begun).total_seconds() < 3900
    await world.delivery.close(seconds=1)
