"""Updates too large for any row: what is behind them is answered all the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from cloche.channels import ChannelRequest, Incoming, Left, Moved
from cloche.delivery.receiving import read_request
from cloche.messages import Address, Attachment, Message, Quoted

LONG = "n" * 310_000
FILE = Attachment("ref", size=5)


@pytest.mark.parametrize(
    "about",
    [
        {"attachments": (replace(FILE, name=LONG),)},
        {"attachments": (replace(FILE, media_type=LONG),)},
        {"attachments": tuple(replace(FILE, ref=f"{n}" * 500) for n in range(1000))},
        {"sender_name": LONG},
        {"sender_name": "😀\u0001" * 200_000},
        {"language": LONG},
        {"quoted": (Quoted("words", author=LONG),)},
        {"quoted": (Quoted("文" * 300_000),)},
    ],
    ids=lambda about: next(iter(about)),
)
async def test_a_message_with_too_much_of_something_is_answered(world: Any, about: Any) -> None:
    await world.say("one", **about)
    await world.say("two", conversation="c2")
    await world.delivery.idle()
    assert len(world.channel.sent) == 2
    assert world.channel.said[-1] == "re: two" or world.channel.said[0] == "re: two"


@pytest.mark.parametrize("words", ["word ", "文字", "\u0001"])
async def test_of_a_long_message_the_words_count_before_their_formatting(
    world: Any, words: str
) -> None:
    text = words * (150_000 // len(words.encode()) // (6 if words == "\u0001" else 1))
    await world.say(text, formatted=f"**{text}**")
    await world.delivery.idle()
    (message,) = world.assistant.messages
    assert (message.text, message.formatted) == (text, "")


async def test_what_nobody_foresaw_is_lost_alone(world: Any) -> None:
    keys = {f"{number}": "v" * 4000 for number in range(100)}
    large = world.message("one", scope_keys=keys, conversation="c2")
    await world.delivery.accept(large, world.message("two"))
    await world.delivery.idle()
    assert world.channel.said == ["re: two"]


@pytest.mark.parametrize(
    "large",
    [
        Message(LONG, Address("doorway", "ann"), "c", "x"),
        Message("1", Address("doorway", LONG), "c", "x"),
        Message("1", Address("doorway", "ann"), LONG, "x"),
        Message("1", Address("doorway", "ann"), "c", "x", thread=LONG),
        Message("1", Address("doorway", "ann"), "c", "x", ref=LONG),
        Message("1", Address("doorway", "ann"), "c", "x", burst=LONG),
        Message("1", Address("doorway", "ann"), "c", "x", attachments=(Attachment(LONG),)),
        Message("1", Address("doorway", "ann"), "c", "x", scope_keys={"k": LONG}),
        Left("1", LONG),
        Moved("1", "c", LONG),
    ],
    ids=range(10),
)
async def test_ids_longer_than_any_count_as_unreadable(world: Any, large: Incoming) -> None:
    def parse(request: ChannelRequest) -> Sequence[Incoming]:
        return (large, world.message("two"))

    world.channel.parse = parse
    incoming = read_request(world.channel, ChannelRequest(b"{}"))
    await world.delivery.accept(*incoming)
    await world.delivery.idle()
    assert world.channel.said == ["re: two"]


@pytest.mark.parametrize(
    ("empty", "named"),
    [
        (Message("", Address("doorway", "ann"), "c", "x"), "id"),
        (Message("1", Address("doorway", ""), "c", "x"), "sender"),
        (Message("1", Address("doorway", "ann"), "", "x"), "conversation"),
        (Left("", "c"), "update"),
        (Left("1", ""), "conversation"),
        (Moved("", "c", "d"), "update"),
        (Moved("1", "", "d"), "old"),
        (Moved("1", "c", ""), "new"),
    ],
    ids=lambda one: one if isinstance(one, str) else type(one).__name__,
)
async def test_what_names_nobody_or_nowhere_counts_as_unreadable_and_says_so(
    world: Any, empty: Incoming, named: str, caplog: pytest.LogCaptureFixture
) -> None:
    world.channel.parse = lambda request: (empty, world.message("two"))
    world.channel.__class__.name = f"doorway{named}{type(empty).__name__}".lower()  # told once each
    await world.delivery.accept(*read_request(world.channel, ChannelRequest(b"{}")))
    await world.delivery.idle()
    assert world.channel.said == ["re: two"]
    assert f"unread: {named}: is empty" in caplog.text
