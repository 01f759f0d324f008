"""A person talks with Coach where no model is configured: what is logged, remembered, warned of."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from cloche.assembly import open_assistant
from cloche.assistant import Assistant
from cloche.memory.holdings import read_holdings
from cloche.messages import Address, Message
from cloche.plugins import Host
from cloche.settings import EmbeddingSettings, Settings

Say = Callable[[str], Awaitable[str]]
_NUMBERS = itertools.count()


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 3, 2, 9, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def coach(tmp_path: Path, clock: Clock, installed: Host) -> AsyncIterator[Assistant]:
    settings = Settings(
        home=tmp_path, time_zone="UTC", embeddings=EmbeddingSettings(provider="none")
    )
    assistant = await open_assistant(installed, "fitness", settings, clock=clock)
    yield assistant
    await assistant.close()


@pytest.fixture
def say(coach: Assistant, clock: Clock) -> Say:
    return _chat(coach, clock, "ana")


@pytest.fixture
def say_in_group(coach: Assistant, clock: Clock) -> Say:
    return _chat(coach, clock, "club", group=True)


def _chat(coach: Assistant, clock: Clock, conversation: str, *, group: bool = False) -> Say:
    async def say_(text: str) -> str:
        clock.now += timedelta(minutes=1)
        address = Address("console", "ana")
        message = Message(f"{next(_NUMBERS)}", address, conversation, text, group=group)
        turn = await coach.handle(message)
        await turn.afterwards()
        return turn.reply.text

    return say_


async def remembered(coach: Assistant) -> list[str]:
    records = await coach.memory.store.iterate("console_-ana")
    return sorted(r.text for r in records if r.kind not in ("summary", "task_state"))


@pytest.mark.parametrize(
    ("workout", "logged"),
    [
        ("I ran 5k in 27 minutes.", "- running: 5 km · 27:00"),
        ("Hoy corrí 5 km en 27 minutos.", "- correr: 5 km · 27:00"),
        ("我今天跑了五公里，用时27分钟。", "- 跑步：5 km · 27:00"),
        ("Did 5x5 squats at 80 kg.", "- squats: 5 × 5 · 80 kg"),
    ],
)
async def test_what_is_in_the_log_is_not_remembered_as_a_fact_as_well(
    coach: Assistant, say: Say, workout: str, logged: str
) -> None:
    assert logged in await say(workout)
    assert await remembered(coach) == []


@pytest.mark.parametrize("asked", ["planifica mi semana", "plan my week", "帮我安排这周的训练"])
async def test_what_only_asks_for_something_is_not_remembered(
    coach: Assistant, say: Say, asked: str
) -> None:
    assert "2026" in await say(asked)
    assert await remembered(coach) == []


async def test_what_is_told_beside_a_workout_is_remembered(coach: Assistant, say: Say) -> None:
    assert "- running: 5 km" in await say("I ran 5k in 27 minutes. I have a kettlebell at home.")
    assert await remembered(coach) == ["I have a kettlebell at home."]


async def test_words_that_the_log_cannot_read_are_remembered(coach: Assistant, say: Say) -> None:
    await say("I ran 5 km in 27 minutes until my knee gave way near the old bridge.")
    assert len(await remembered(coach)) == 1


async def test_a_minor_who_said_so_once_gets_no_diet_later(say: Say, clock: Clock) -> None:
    await say("I'm 15 years old")
    clock.now += timedelta(days=3)
    await say("hello")
    assert (await say("Which diet is best?")).startswith("No diets, calorie targets")
    assert "no diet goes with it" in await say("plan my week")


async def test_what_a_midwife_decides_comes_before_the_plan_that_is_asked_for(say: Say) -> None:
    told = await say("I'm pregnant, 20 weeks. Plan my week")
    assert "Please talk to your midwife" in told
    assert "Your week" not in told


async def test_pregnancy_told_once_holds_in_the_plan_of_another_day(
    coach: Assistant, say: Say, clock: Clock
) -> None:
    await say("I'm pregnant, 20 weeks")
    assert await remembered(coach) != []
    clock.now += timedelta(days=3)
    told = await say("plan my week")
    assert "Please talk to your midwife or obstetrician before you train" in told


async def test_a_group_is_told_nothing_private_and_changes_nothing_private(
    coach: Assistant, say: Say, say_in_group: Say
) -> None:
    await say("I am pregnant, 20 weeks")
    await say("squat 3x8 60 kg")
    await say("plan my week")
    careful = await say("show my plan")
    asked = (
        "show my bests",
        "what did I train?",
        "show my plan",
        "muéstrame mi plan",
        "我的训练计划",
    )
    answers = [await say_in_group(one) for one in asked]
    await say_in_group("plan my week")
    assert not [answer for answer in answers if "60" in answer or " 2026" in answer]
    assert await say("show my plan") == careful

    await say_in_group("bench press 3x8 40 kg")
    assert "bench press" in await say_in_group("show my bests")
    assert "bench press" not in await say("show my bests")
    memory = coach.memory
    kept = await read_holdings("console_-ana", memory.store, memory.state)
    assert [key for key, _ in kept.state if key.startswith("group-storage/") and "/entry/" in key]

    await say("/groups on")
    assert "squat" in await say_in_group("show my bests")
    await memory.forgetter.everything("console_-ana")
    assert not await memory.state.list_items("person/console_-ana/group-storage/")


@pytest.mark.parametrize(
    ("request_", "again", "told", "spared"),
    [
        (
            "Make me a training plan: goal 10k, 3 days a week, no equipment, my knee hurts",
            "plan my week",
            ["“my knee hurts”", "for endurance: sessions 3"],
            ["squat", "running"],
        ),
        (
            "Plan my week, my knee hurts",
            "plan my week",
            ["“my knee hurts”"],
            ["squat", "running"],
        ),
        (
            "My knee hurts. Plan my week please",
            "plan my week",
            ["“My knee hurts”"],
            ["squat", "running"],
        ),
        (
            "Give me a plan for 4 days, my shoulder hurts",
            "plan my week",
            ["“my shoulder hurts”", "sessions 4"],
            ["push-up"],
        ),
        (
            "Hazme un plan de fuerza: 4 días a la semana, sin material, me duele la rodilla",
            "planifica mi semana",
            ["«me duele la rodilla»", "para fuerza: sesiones 4"],
            ["sentadilla", "correr"],
        ),
        (
            "给我做一个力量训练计划：每周四天，没有器材，膝盖疼",
            "帮我安排这周的训练",
            ["“膝盖疼”", "目标：力量，共4次"],
            ["蹲", "跑步"],
        ),
    ],
)
async def test_what_is_told_with_a_request_holds_for_it_and_for_the_next_one(
    say: Say, clock: Clock, request_: str, again: str, told: list[str], spared: list[str]
) -> None:
    first = await say(request_)
    clock.now += timedelta(days=8)
    for answer in (first, await say(again)):
        assert all(one in answer for one in told), answer
        assert not any(one in answer for one in spared), answer


@pytest.mark.parametrize(
    ("request_", "again", "first"),
    [
        ("Plan my week, I'm pregnant", "plan my week", "First: you told me “I'm pregnant”"),
        ("I feel dizzy when I lift", "plan my week", "First: you told me “I feel dizzy"),
        ("Planifica mi semana, tengo una arritmia", "planifica mi semana", "«tengo una arritmia»"),
        ("帮我安排这周的训练，我心脏不好", "帮我安排这周的训练", "“我心脏不好”"),
    ],
)
async def test_what_a_doctor_has_to_know_is_kept_where_a_plan_was_asked_for(
    say: Say, request_: str, again: str, first: str
) -> None:
    await say(request_)
    assert first in await say(again)


@pytest.mark.parametrize(
    ("told", "again", "week"),
    [
        ("My sessions are 60 minutes", "plan my week", "each about 60 minutes"),
        ("Mis sesiones duran una hora", "planifica mi semana", "de unos 60 minutos"),
        ("我每次训练60分钟", "帮我安排这周的训练", "每次约60分钟"),
        ("我每周二、四、六训练", "帮我安排这周的训练", "共3次"),
        ("I train Tue/Thu/Sat/Sun", "plan my week", "sessions 4"),
    ],
)
async def test_days_and_length_of_sessions_are_planned_for_as_they_were_told(
    say: Say, clock: Clock, told: str, again: str, week: str
) -> None:
    await say(told)
    clock.now += timedelta(days=20)
    assert week in await say(again)


@pytest.mark.parametrize(
    ("said", "logged", "cared"),
    [
        ("bench 3x5 60 kg, my shoulder hurt", "bench press: 3 × 5 · 60 kg", "what hurts"),
        ("I ran 5 km in 30 min and my knee hurts", "running: 5 km · 30:00", "what hurts"),
        ("Squats 3x5 80 kg. My back hurts now.", "Squats: 3 × 5 · 80 kg", "what hurts"),
        ("I squatted 3x5 80 kg and now I have chest pain", "squat: 3 × 5", "emergency services"),
        ("press de banca 3x5 60 kg, me dolía el hombro", "press de banca: 3 × 5", "lo que duele"),
        ("corrí 5 km en 30 minutos y me duele la rodilla", "correr: 5 km", "lo que duele"),
        ("卧推3x5 60公斤，肩膀疼", "卧推：3 × 5 · 60 kg", "会疼的动作先不做"),
        ("我跑了5公里，用时30分钟，膝盖疼", "跑步：5 km · 30:00", "会疼的动作先不做"),
    ],
)
async def test_a_set_that_hurt_is_logged_and_cared_for(
    say: Say, said: str, logged: str, cared: str
) -> None:
    told = await say(said)
    assert logged in told
    assert cared in told


@pytest.mark.parametrize(
    ("said", "logged", "call"),
    [
        (
            "Bench 3x5 60 kg, and I have chest pain and my arm is numb.",
            "3 × 5 · 60 kg",
            "Call emergency services now",
        ),
        ("Ran 5 km in 30 min. Now my chest hurts.", "5 km", "Call emergency services now"),
        (
            "Press de banca 3x5 60 kg, y me duele el pecho y tengo el brazo dormido.",
            "3 × 5 · 60 kg",
            "Llama ya a emergencias",
        ),
        ("卧推3x5 60公斤，我胸口疼，手臂发麻。", "3 × 5 · 60 kg", "请马上拨打急救电话"),
    ],
)
async def test_emergency_services_stand_before_what_was_logged(
    say: Say, said: str, logged: str, call: str
) -> None:
    await say("hi")
    told = await say(said)
    assert told.startswith(call)
    assert logged in told


@pytest.mark.parametrize(
    ("told", "done", "asked"),
    [
        ("I'm pregnant, 20 weeks", "bench press 3x5 40 kg", "flat on your back"),
        ("Estoy embarazada de 20 semanas", "press de banca 3x5 40 kg", "boca arriba"),
        ("我怀孕20周了", "卧推3x5 40公斤", "平躺的动作请先问"),
    ],
)
async def test_who_is_pregnant_and_lay_on_the_back_is_sent_to_the_midwife(
    say: Say, told: str, done: str, asked: str
) -> None:
    assert asked not in await say(done)
    await say(told)
    answer = await say(done)
    assert "3 × 5" in answer
    assert asked in answer


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("What did I log today?", ("12", "5 km")),
        ("What have I logged this week?", ("12", "5 km")),
        ("What was my last workout?", ("12",)),
        ("What is my best 5 km?", ("27:30",)),
        ("What is my push-up best?", ("12",)),
        ("How many push-ups did I do this week?", ("12",)),
        ("How many kilometres did I run this week?", ("5 km",)),
        ("¿Qué he apuntado hoy?", ("12", "5 km")),
        ("¿Cuál fue mi último entreno?", ("12",)),
        ("¿Cuántas flexiones he hecho esta semana?", ("12",)),
        ("¿Cuántos kilómetros he corrido esta semana?", ("5 km",)),
        ("¿Cuál es mi mejor 5 km?", ("27:30",)),
        ("本周我做了多少个俯卧撑？", ("12",)),
        ("我今天记录了什么？", ("12", "5")),
        ("我上次训练是什么时候？", ("12",)),
        ("这周我跑了多少公里？", ("5",)),
        ("我最好的5公里成绩是多少？", ("27:30",)),
    ],
)
async def test_what_is_in_the_log_is_told_of_it(
    say: Say, asked: str, told: tuple[str, ...]
) -> None:
    await say("I ran 5 km in 27:30")
    await say("I did 12 push-ups")
    answer = await say(asked)
    assert all(piece in answer for piece in told), answer
