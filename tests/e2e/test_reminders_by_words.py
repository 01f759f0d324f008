"""Reminders as people speak of them: one that is over, those that were listed, two at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cloche.documents import shared_resource

SKILL = Path(str(shared_resource("skills", "reminders")))


@pytest.fixture
async def ana(open_luthier: Callable[..., Any], chat: Callable[..., Any]) -> Any:
    talk = chat(await open_luthier(extra_skills=(SKILL,)), "ana")
    await talk.say("/timezone Europe/Oslo")
    return talk


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ("Remind me yesterday at 5 to eat", "That time is over"),
        ("Remind me to eat yesterday at 5", "That time is over"),
        ("Recuérdame ayer a las 5 comer", "Ese momento ya pasó"),
        ("昨天下午五点提醒我吃饭", "已经过去了"),
    ],
)
async def test_what_is_over_sets_nothing_and_says_why(ana: Any, asked: str, why: str) -> None:
    told = (await ana.say(asked)).reply.text
    assert why in told
    assert "⏰" not in told


@pytest.mark.parametrize(
    ("listing", "words", "cancelled"),
    [
        ("list my reminders", "Delete the rent one", "Cancelled: “pay the rent”"),
        ("list my reminders", "Delete them all", "Cancelled: “pay the rent”"),
        ("Muéstrame mis recordatorios", "Bórralos todos", "Cancelado: «pay the rent»"),
        ("列出我的提醒", "把它们都删掉", "pay the rent"),
    ],
)
async def test_those_that_were_listed_are_cancelled(
    ana: Any, listing: str, words: str, cancelled: str
) -> None:
    await ana.say("Remind me to pay the rent on Friday at 10")
    assert "pay the rent" in (await ana.say(listing)).reply.text
    assert cancelled in (await ana.say(words)).reply.text
    assert "pay the rent" not in (await ana.say("list my reminders")).reply.text


async def test_one_is_cancelled_and_another_moved_in_one_sentence(ana: Any) -> None:
    await ana.say("Remind me to pay the rent on Friday at 10")
    await ana.say("Remind me to oil the lute on Sunday at 9")
    told = (await ana.say("cancel the Friday one and move the lute to Monday")).reply.text
    assert "Cancelled: “pay the rent”" in told
    assert "Changed: “oil the lute”: Monday" in told


async def test_of_yesterday_may_be_spoken_in_a_reminder(ana: Any) -> None:
    told = (await ana.say("Remind me tomorrow at 10 to send yesterday's report")).reply.text
    assert "send yesterday's report" in told
    assert "⏰" in told
