"""What passes with time, through whole turns in three languages, told by the stand-in model."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from cloche.memory.for_tools import PersonMemory
from cloche.messages import Address, Message

MONDAY = datetime(2026, 3, 2, 9, tzinfo=UTC)

PASSING = {
    # said on a Monday, asked, days on which it holds and no longer holds
    "en until": ("I'm on holiday until Friday.", "Am I on holiday?", 4, 5),
    "en week": ("I'm ill this week.", "Am I ill?", 6, 7),
    "en day": ("I tuned the cello today.", "Did I tune the cello?", 0, 1),
    "en length": ("I'm away for two weeks.", "Am I away?", 14, 15),
    "en back": ("I'm back on Monday.", "When am I back?", 7, 8),
    "es until": ("Estoy de vacaciones hasta el viernes.", "¿Estoy de vacaciones?", 4, 5),
    "es week": ("Estoy enferma esta semana.", "¿Estoy enferma?", 6, 7),
    "es day": ("Hoy afiné el chelo.", "¿Afiné el chelo?", 0, 1),
    "es length": ("Estoy fuera durante dos semanas.", "¿Estoy fuera?", 14, 15),
    "es back": ("Vuelvo el lunes.", "¿Cuándo vuelvo?", 7, 8),
    "zh until": ("我休假到周五为止。", "我在休假吗？", 4, 5),
    "zh week": ("我这周生病了。", "我生病了吗？", 6, 7),
    "zh day": ("今天擦过大提琴了", "我擦过大提琴吗？", 0, 1),
    "zh length": ("我要出差两周。", "我在出差吗？", 14, 15),
    "zh back": ("我下周一回来。", "我什么时候回来？", 7, 8),
}


@pytest.mark.parametrize(("said", "asked", "holds", "is_over"), PASSING.values(), ids=PASSING)
async def test_what_is_bound_to_time_is_answered_until_its_end_and_not_after(
    said: str,
    asked: str,
    holds: int,
    is_over: int,
    open_luthier: Callable[..., Any],
    chat: Callable[..., Any],
    clock: Any,
) -> None:
    clock.now = MONDAY
    ana = chat(await open_luthier(), "ana")
    await ana.say(said)
    clock.pass_(days=holds, hours=12)
    assert said in (await ana.say(asked)).reply.text
    clock.pass_(days=is_over - holds)
    assert said not in (await ana.say(asked)).reply.text


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("I bought a cello today.", "Do I have a cello?"),
        ("Hoy compré un chelo.", "¿Tengo un chelo?"),
        ("我今天买了一把大提琴。", "我有大提琴吗？"),
        ("From today on I only play the cello.", "Do I play the cello?"),
        ("Desde el lunes toco el chelo.", "¿Toco el chelo?"),
        ("我从周一开始学大提琴。", "我在学大提琴吗？"),
    ],
)
async def test_what_was_done_once_for_good_stays(
    said: str,
    asked: str,
    open_luthier: Callable[..., Any],
    chat: Callable[..., Any],
    clock: Any,
) -> None:
    ana = chat(await open_luthier(), "ana")
    await ana.say(said)
    clock.pass_(days=40)
    assert said in (await ana.say(asked)).reply.text


async def test_today_is_the_persons_own(
    open_luthier: Callable[..., Any], chat: Callable[..., Any], clock: Any
) -> None:
    clock.now = datetime(2026, 3, 2, 20, tzinfo=UTC)  # Tuesday morning in Auckland
    ana = chat(await open_luthier(), "ana")
    await ana.say("/timezone Pacific/Auckland")
    await ana.say("I tuned the cello today.")
    asked, answer = "Did I tune the cello?", "I tuned the cello today."
    clock.pass_(hours=18)  # three in the night on Wednesday
    assert answer in (await ana.say(asked)).reply.text
    clock.pass_(hours=2)  # past four
    assert answer not in (await ana.say(asked)).reply.text


LAST_TIME = {
    "en": (
        ("My cello buzzes on the C string.", "I decided to wait with the new strings."),
        "Last time we talked about the strings, what did I decide?",
        "I decided to wait with the new strings.",
    ),
    "es": (
        ("Mi chelo zumba en la cuerda de do.", "Decidí esperar con las cuerdas nuevas."),
        "La última vez que hablamos de las cuerdas, ¿qué decidí?",
        "Decidí esperar con las cuerdas nuevas.",
    ),
    "zh": (
        ("我的大提琴C弦有杂音。", "我决定先不换琴弦。"),
        "上次我们聊琴弦的时候，我决定了什么？",
        "我决定先不换琴弦。",
    ),
}


@pytest.mark.parametrize(("told", "asked", "decided"), LAST_TIME.values(), ids=LAST_TIME)
async def test_what_was_decided_last_time_comes_back_with_its_date(
    told: tuple[str, ...],
    asked: str,
    decided: str,
    open_luthier: Callable[..., Any],
    chat: Callable[..., Any],
    clock: Any,
) -> None:
    clock.now = MONDAY
    assistant = await open_luthier()
    ana = chat(assistant, "ana")
    for words in told:
        await ana.say(words)
    clock.pass_(days=20)
    await ana.say("Hello / ¡Hola! / 你好")
    clock.pass_(days=20)
    turn = await ana.say(asked)
    assert decided in turn.reply.text
    kinds = {recalled.record.kind for recalled in turn.report.recalled}
    assert "summary" in kinds
    summary = next(r.record for r in turn.report.recalled if r.record.kind == "summary")
    assert summary.validity.created_at.date() == MONDAY.date()
    assert decided in summary.text


async def test_without_looking_back_summaries_stay_out_of_a_turn(
    open_luthier: Callable[..., Any], chat: Callable[..., Any], clock: Any
) -> None:
    ana = chat(await open_luthier(), "ana")
    await ana.say("The cello is in the hall.")
    clock.pass_(days=1)
    await ana.say("No, the cello is in the attic.")
    clock.pass_(days=1)
    turn = await ana.say("Where is the cello?")
    assert "in the attic" in turn.reply.text
    assert "in the hall" not in turn.reply.text
    assert {recalled.record.kind for recalled in turn.report.recalled} == {"fact"}


async def test_what_a_tool_keeps_or_corrects_ends_by_its_own_words_too(
    open_luthier: Callable[..., Any], chat: Callable[..., Any], clock: Any
) -> None:
    clock.now = MONDAY
    assistant = await open_luthier()
    ana = chat(assistant, "ana")
    await ana.say("Hello")
    person = await assistant.people.of(
        Message(id="x", address=Address("console", "ana"), conversation="ana", text="")
    )
    memory = PersonMemory(assistant.memory, person, "call-1", "turn-1")
    kept = await memory.remember("On holiday until Friday.")
    assert kept.validity.expires_at == datetime(2026, 3, 7, 4, tzinfo=UTC)
    corrected = await memory.correct(kept.id, "On holiday until Sunday.")
    assert corrected.validity.expires_at == datetime(2026, 3, 9, 4, tzinfo=UTC)
    assert corrected.validity.supersedes == (kept.id,)
    lasting = await memory.correct(corrected.id, "Has retired.")
    assert lasting.validity.expires_at is None
    assert lasting.validity.review_after is not None
