"""A long reply holds up nobody: it is set out beside the event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from dataclasses import replace

import pytest

from cloche.channels import Channel, Formatting, Limits, Part
from cloche.delivery.replies import RenderedText
from cloche.delivery.setting_out import AT_ONCE_CHARS, set_out
from cloche.messages import Address, Message, Reply

MESSAGE = Message("1", Address("doorway", "ann"), "room", "hi", ref="1")


class Hall(Channel):
    name = "doorway"

    def __init__(self) -> None:
        pass

    def parse(self, request: object) -> Sequence[Message]:
        return ()

    async def send(self, part: Part) -> None: ...


@pytest.mark.parametrize("sentence", ["Water it. ", "Riégala. ", "浇水。"])
async def test_while_a_long_reply_is_set_out_everything_else_goes_on(sentence: str) -> None:
    going_on = threading.Event()

    def render(markdown: str, limits: Limits, formatting: Formatting) -> Sequence[RenderedText]:
        assert going_on.wait(5), "the loop stood still"
        return [Part("", markdown, plain=markdown)]

    text = sentence * (AT_ONCE_CHARS // len(sentence) + 1)
    asyncio.get_running_loop().call_later(0.01, going_on.set)
    (part,) = await set_out(Reply(text), MESSAGE, "turn", Hall(), render)
    assert replace(part, text="", plain="") == Part("room", "", key="turn-0")
    assert part.text == text
