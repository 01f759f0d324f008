"""Who sends a hundred thousand characters of whatever kind holds up nobody else."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from cloche.settings import EmbeddingSettings

if TYPE_CHECKING:
    from conftest import Chat, Open

CHARS = 100_000
STILL_SECONDS = 4.0
"""So long no other task waits, and mostly a tenth of a second, by what the process works: a machine
that is busy with much else lets it wait longer. Before, each of these texts took the loop, or all
of Python, for ten and more."""
TEXTS = {
    "one letter": "a" * CHARS,
    "spaces": " \n" * (CHARS // 2) + "x",
    "stops": "." * CHARS + "x",
    "a secret without end": "password: x" + " " * CHARS + "y",
    "pins": "pin:" * (CHARS // 4),
    "tokens": "eyJ-" * (CHARS // 4),
    "Spanish": "Tengo un chelo en la habitación del norte. " * (CHARS // 44),
    "Chinese": "我上周买了一把小提琴。" * (CHARS // 11),
}


class Heart:
    """Beats on the running loop, and knows its longest pause."""

    def __init__(self) -> None:
        self.longest = 0.0

    async def beat(self) -> None:
        while True:
            began = time.process_time()
            await asyncio.sleep(0.01)
            self.longest = max(self.longest, time.process_time() - began)


@pytest.mark.parametrize("kind", TEXTS)
async def test_nobody_waits_for_a_long_text(
    open_luthier: Open, chat: Callable[..., Chat], kind: str
) -> None:
    assistant = await open_luthier(embeddings=EmbeddingSettings(provider="none"))
    ana = chat(assistant, "ana")
    await ana.say("I have a cello.")
    heart = Heart()
    beating = asyncio.create_task(heart.beat())
    try:
        turn = await ana.say(TEXTS[kind])
    finally:
        beating.cancel()
    assert turn.reply.text
    assert heart.longest < STILL_SECONDS
