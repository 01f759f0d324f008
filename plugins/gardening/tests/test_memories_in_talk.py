"""Memories looked up, kept, corrected and forgotten in a gardener's own words, turn by turn."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from cloche.assembly import open_assistant
from cloche.assistant import Assistant
from cloche.messages import Address, Message
from cloche.plugins import Host
from cloche.settings import EmbeddingSettings, Settings

Say = Callable[[str], Awaitable[str]]
_NUMBERS = itertools.count()


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 3, 3, 9, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def sprout(tmp_path: Path, clock: Clock, installed: Host) -> AsyncIterator[Assistant]:
    settings = Settings(
        home=tmp_path, time_zone="UTC", embeddings=EmbeddingSettings(provider="none")
    )
    assistant = await open_assistant(installed, "gardening", settings, clock=clock)
    yield assistant
    await assistant.close()


@pytest.fixture
def say(sprout: Assistant, clock: Clock) -> Say:
    async def say_(text: str) -> str:
        clock.now += timedelta(minutes=1)
        message = Message(f"{next(_NUMBERS)}", Address("console", "ana"), "ana", text)
        turn = await sprout.handle(message)
        await turn.afterwards()
        return turn.reply.text

    return say_


async def current(sprout: Assistant) -> list[str]:
    records = await sprout.memory.store.iterate("console_-ana")
    return sorted(r.text for r in records if r.validity.archived_at is None)


@pytest.mark.parametrize(
    ("words", "statement", "again"),
    [
        ("Remember that I have a quince.", "I have a quince", "Forget that I have a quince."),
        ("Recuerda que tengo un membrillo.", "tengo un membrillo", "Olvida que tengo un membrillo"),
        ("请记住：我有一棵榅桲", "我有一棵榅桲", "请忘掉我有一棵榅桲"),
    ],
)
async def test_said_once_it_is_one_memory_and_forgotten_it_is_gone_with_its_message(
    sprout: Assistant, say: Say, words: str, statement: str, again: str
) -> None:
    assert statement in await say(words)
    (record,) = await sprout.memory.store.iterate("console_-ana")
    assert (record.text, record.trust.confirmations) == (statement, 0)
    told = await say(again)
    assert "2026" in told
    assert statement not in told
    assert await current(sprout) == []
    events = await sprout.memory.store.recent_events("console_-ana", limit=9)
    assert words not in [event.user_text for event in events]


@pytest.mark.parametrize(
    ("words", "wish", "question"),
    [
        (["The fig stands by the wall.", "The fig has three fruits."],
         "Forget what I told you about the fig", "Which one do you mean?"),
        (["La higuera está junto al muro.", "La higuera tiene tres frutos."],
         "Olvida lo que te conté sobre la higuera", "¿A cuál te refieres?"),
        (["我的无花果树在墙边。", "我的无花果树结了三个果。"], "请忘掉无花果树",
         "你指的是哪一条？"),
    ],
)  # fmt: skip
async def test_where_several_memories_fit_none_is_forgotten_until_one_is_named(
    sprout: Assistant, say: Say, words: list[str], wish: str, question: str
) -> None:
    for one in words:
        await say(one)
    before = await current(sprout)
    assert len(before) == 2
    told = await say(wish)
    assert question in told
    assert all(text in told for text in before)
    assert await current(sprout) == before
    await say(
        {"F": "Forget that ", "O": "Olvida que ", "请": "请忘记这条记忆："}[wish[0]] + words[1]
    )
    assert await current(sprout) == [words[0]]


@pytest.mark.parametrize(
    ("words", "wish", "now"),
    [
        ("The fig stands in the north bed.",
         "Correct what you remember about the fig: The fig stands in the south bed.",
         "The fig stands in the south bed"),
        ("La higuera está en el bancal norte.",
         "Corrige lo que recuerdas de la higuera: La higuera está en el bancal sur.",
         "La higuera está en el bancal sur"),
        ("无花果树在北边的花坛。", "请把关于无花果树的记忆改成：无花果树在南边的花坛。",
         "无花果树在南边的花坛"),
    ],
)  # fmt: skip
async def test_a_correction_leaves_one_memory_and_the_old_one_as_history(
    sprout: Assistant, say: Say, words: str, wish: str, now: str
) -> None:
    await say(words)
    assert now in await say(wish)
    assert await current(sprout) == [now]
    records = await sprout.memory.store.iterate("console_-ana")
    assert words in [r.text for r in records if r.validity.archived_at]


@pytest.mark.parametrize(
    ("words", "question", "day"),
    [
        ("I have a quince by the pond.", "What have I told you about the quince?",
         "(3 March 2026)"),
        ("Podé mucho el membrillo.", "¿Qué te he contado sobre el membrillo?",
         "(3 de marzo de 2026)"),
        ("我给榅桲重剪了一次。", "关于榅桲我告诉过你什么？", "（2026年3月3日）"),
    ],
)  # fmt: skip
async def test_a_look_shows_what_was_told_with_its_day(
    say: Say, clock: Clock, words: str, question: str, day: str
) -> None:
    await say(words)
    clock.now += timedelta(days=30)
    told = await say(question)
    assert words in told
    assert day in told


@pytest.mark.parametrize(
    ("decided", "question", "answered"),
    [
        ("I've decided to wait with fertilizer for the fig tree.",
         "What did I decide last time we discussed the fig tree?",
         "On 3 March 2026 you decided: “I've decided to wait with fertilizer for the fig tree.”"),
        ("He decidido esperar con el abono de la higuera.",
         "¿Qué decidí la última vez que hablamos de la higuera?",
         "El 3 de marzo de 2026 decidiste: «He decidido esperar con el abono de la higuera.»"),
        ("我决定先不给无花果树施肥。", "上次我们聊无花果树，我决定了什么？",
         "你在2026年3月3日决定：“我决定先不给无花果树施肥。”"),
    ],
)  # fmt: skip
async def test_last_time_we_discussed_the_fig_tree(
    say: Say, clock: Clock, decided: str, question: str, answered: str
) -> None:
    await say(decided)
    clock.now += timedelta(days=20)
    assert (await say(question)).endswith(answered)


@pytest.mark.parametrize(
    "asked", ["mis notas sobre la higuera", "无花果的笔记", "notes on the fig"]
)
async def test_a_look_at_notes_is_no_memory_of_its_own(
    sprout: Assistant, say: Say, asked: str
) -> None:
    await say("note for the fig: first leaf")
    assert "first leaf" in await say(asked)
    assert await current(sprout) == ["first leaf"]
