"""The console while a turn is remembered: nothing is shown twice, and nothing is left out."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from cloche.channels import OwnerOptions, Part
from cloche.messages import Reply
from cloche.turn import Remembered, Turn, nothing
from cloche_channels.console.pipe import Pipe
from cloche_channels.console.terminal import Terminal


class Seat:
    """What a screen needs of the channel."""

    def __init__(self, **options: Any) -> None:
        self.options = OwnerOptions("ana", "Tess", "en", **options)
        self.running, self.said, self.place = asyncio.Event(), set[str](), "console"
        self.running.set()


def turn(id_: str, text: str) -> Turn:
    return Turn(id_, Reply(text), "en", nothing)


async def test_what_is_told_while_a_turn_is_remembered_is_shown(
    capsys: pytest.CaptureFixture[str],
) -> None:
    screen = Terminal(Seat(interactive=True))  # type: ignore[arg-type]
    await screen.answered(turn("t1", "Noted."))
    screen.show(Part("console", "Noted.", key="t1-0"))  # the answer on its way out
    screen.show(Part("console", "It is time for tea.", key="r1-0"))
    await screen.answered(turn("t2", "Noted, too."))
    await screen.followed(Remembered())
    screen.show(Part("console", "Noted, too.", key="t2-0"))
    shown = capsys.readouterr().out
    assert [shown.count(one) for one in ("Noted.", "It is time for tea.", "Noted, too.")] == [1] * 3


async def test_turns_that_are_remembered_later_are_told_whole(
    capsys: pytest.CaptureFixture[str],
) -> None:
    pipe = Pipe(Seat(interactive=False, as_json=True))
    for one in (turn("t1", "One."), turn("t2", "Two.")):
        await pipe.answered(one)
        pipe.show(Part("console", one.reply.text, key=f"{one.id}-0"))
    pipe.show(Part("console", "It is time for tea.", key="r1-0"))
    for _ in range(2):
        await pipe.followed(Remembered())
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [one["reply"] for one in told] == ["It is time for tea.", "One.", "Two."]
