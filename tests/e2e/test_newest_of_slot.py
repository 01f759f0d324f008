"""Where two statements of one slot both hold, a question is answered with the newest first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


@pytest.mark.parametrize(
    ("told", "question", "first", "then"),
    [
        (
            ("My name is Ana and I live in Oslo.", "I moved to Bergen."),
            "Where do I live?",
            "Bergen",
            "Oslo",
        ),
        (
            ("Me llamo Ana y vivo en Madrid.", "Me mudé a Sevilla."),
            "¿Dónde vivo?",
            "Sevilla",
            "Madrid",
        ),
        (("我叫安娜，我住在上海。", "我搬到北京了。"), "我住在哪里？", "北京", "上海"),
    ],
)
async def test_the_newest_home_comes_first(
    open_luthier: Callable[..., Any],
    chat: Callable[..., Any],
    told: tuple[str, ...],
    question: str,
    first: str,
    then: str,
) -> None:
    ana = chat(await open_luthier(), "ana")
    for words in told:
        await ana.say(words)
        ana.clock.pass_(hours=1)
    text = (await ana.say(question)).reply.text
    assert first in text
    assert then not in text or text.index(first) < text.index(then)
