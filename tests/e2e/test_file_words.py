"""Words that may be about anything are for a file only where one is called so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cloche.documents import shared_resource
from cloche.messages import Attachment

SKILL = Path(str(shared_resource("skills", "files")))


async def fetch(channel: str, attachment: Attachment) -> bytes:
    return b"Two lutes by May."


@pytest.mark.parametrize(
    ("told", "asked", "answer", "other"),
    [
        ("My kiln is in the shed.", "What is in the shed?", "My kiln", "What is in the plan?"),
        (
            "Mi horno está en la caseta.",
            "¿Qué hay en la caseta?",
            "Mi horno",
            "¿Qué hay en el plan?",
        ),
        ("我的窑在棚子里。", "看看棚子", "", "plan.txt给我"),
    ],
)
async def test_what_is_for_no_file_is_answered_as_ever(
    open_luthier: Callable[..., Any], chat: Any, told: str, asked: str, answer: str, other: str
) -> None:
    assistant = await open_luthier(fetch=fetch, extra_skills=(SKILL,))
    ana = chat(assistant, "ana")
    await ana.say(told, "plan.txt")
    reply = (await ana.say(asked)).reply.text
    assert answer in reply
    assert not any(word in reply for word in ("Done", "Hecho", "file", "archivo", "文件", "lutes"))
    turn = await ana.say(other)
    assert "lutes" in turn.reply.text or turn.reply.files


@pytest.mark.parametrize(
    ("before", "words", "told"),
    [
        *(
            ("Hello there!", "", "received `a & b.txt`"),
            ("Hello.", "Here", "received"),
        ),
        *(("Hola, buenos días.", "", "recibido `a & b.txt`"), ("Hola.", "Aquí", "He recibido")),
        *(("你好，早上好。", "", "收到了`a & b.txt`"), ("你好。", "给", "收到了")),
    ],
)
async def test_a_file_with_hardly_a_word_is_said_to_have_come(
    open_luthier: Callable[..., Any], chat: Any, before: str, words: str, told: str
) -> None:
    ana = chat(await open_luthier(fetch=fetch, extra_skills=(SKILL,)), "ana")
    await ana.say(before)
    assert told in (await ana.say(words, "a & b.txt")).reply.text
