"""A file that comes with its question is read by the tools of that very turn."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cloche.documents import shared_resource
from cloche.messages import Attachment

SKILL = Path(str(shared_resource("skills", "files")))
TEXTS = {"herbs.txt": b"Basil: three pots", "mints.txt": b"Mint: one pot"}
BASIL, MINT = (text.decode() for text in TEXTS.values())


async def fetch(channel: str, attachment: Attachment) -> bytes:
    return TEXTS[attachment.ref]


@pytest.mark.parametrize(
    "question",
    [
        "What is in herbs.txt?", "What is in this file?", "Read this", "Can you read me this list?",
        "What does this file say?",
        "¿Qué hay en herbs.txt?", "¿Qué dice este archivo?", "Lee esto, por favor",
        "herbs.txt里写了什么？", "这个文件里有什么？", "请读一下这个", "附件里写了什么？",
    ],
)  # fmt: skip
async def test_a_file_is_read_in_the_turn_it_came_with(
    open_luthier: Callable[..., Any], chat: Callable[..., Any], question: str
) -> None:
    ana = chat(await open_luthier(fetch=fetch, extra_skills=(SKILL,)), "ana")
    assert BASIL in (await ana.say(question, "herbs.txt")).reply.text


async def test_what_came_now_is_meant_rather_than_what_came_before(
    open_luthier: Callable[..., Any], chat: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    assistant = await open_luthier(fetch=fetch, extra_skills=(SKILL,))
    ana = chat(assistant, "ana")
    await ana.say("A list.", "herbs.txt")
    assert MINT in (await ana.say("Read this", "mints.txt")).reply.text
    monkeypatch.setitem(TEXTS, "herbs.txt", b"Basil: all gone")
    assert "all gone" in (await ana.say("What is in herbs.txt?", "herbs.txt")).reply.text
    kept = [one.key for one in await assistant.memory.files.list("console_-ana")]
    assert kept == ["sent/herbs (2).txt", "sent/herbs.txt", "sent/mints.txt"]
    listed = (await ana.say("list my files", "herbs.txt")).reply.text
    assert listed.count("herbs (2).txt") == 1  # sent again, it is the one that is there


async def test_without_a_file_there_is_none_to_read(
    open_luthier: Callable[..., Any], chat: Callable[..., Any]
) -> None:
    ana = chat(await open_luthier(fetch=fetch, extra_skills=(SKILL,)), "ana")
    assert BASIL not in (await ana.say("Read this")).reply.text


@pytest.mark.parametrize(
    "words",
    ["Here is my list.", "Here are my notes", "Aquí está mi lista.", "Te mando mi lista",
     "这是我的清单。", "给你我的清单"],
)  # fmt: skip
async def test_words_that_only_hand_a_file_over_are_no_memory(
    open_luthier: Callable[..., Any], chat: Callable[..., Any], words: str
) -> None:
    assistant = await open_luthier(fetch=fetch, extra_skills=(SKILL,))
    turn = await chat(assistant, "ana").say(words, "herbs.txt")
    assert "`herbs.txt`" in turn.reply.text
    assert not list(await assistant.memory.store.iterate("console_-ana"))
