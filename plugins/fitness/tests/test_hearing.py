"""What people say they trained is logged without an order to log it, and nothing else is."""

from __future__ import annotations

import re
import tomllib
from datetime import UTC, date, datetime
from hashlib import sha256
from pathlib import Path

import pytest

from cloche import ToolError
from cloche.testing import FakeToolStorage, match, tool_context
from cloche_fitness import provide_skills, provide_vocabulary
from cloche_fitness.training.hearing import heard_workout

MONDAY = datetime(2026, 3, 2, 18, tzinfo=UTC)
SAID = tomllib.loads(Path(__file__).with_name("told_workouts.toml").read_text(encoding="utf-8"))
TOLD = [(language, said) for language in ("en", "es", "zh") for said in SAID[language]]
SKILLS = provide_skills()
EXAMPLES = [example for skill in SKILLS.skills for example in skill.examples]
TOOLS = {tool.name: tool for skill in SKILLS.skills for tool in skill.tools}


async def answer(said: str, language: str = "en", storage: FakeToolStorage | None = None) -> str:
    """What the tool that the words are for answers."""
    found = match(EXAMPLES, said)
    assert found is not None
    assert found.tool in ("log_workout", "show_bests", "list_workouts")
    ctx = tool_context(
        provide_vocabulary(),
        storage=storage or FakeToolStorage(),
        language=language,
        call_id=sha256(said.encode()).hexdigest(),
        clock=lambda: MONDAY,
    )
    return await TOOLS[found.tool].function(ctx, **found.arguments)


@pytest.mark.parametrize(("language", "said"), TOLD)
async def test_everyday_words_are_logged_as_they_were_meant(language: str, said: str) -> None:
    lines = (await answer(said, language)).splitlines()[1:]
    wanted = SAID[language][said].split("|")
    if language == "en":
        assert lines == [f"- {one}" for one in wanted]
        return
    decimal = "," if language == "es" else "."
    for line, one in zip(lines, wanted, strict=True):
        name, work = one.split(": ", 1)
        assert line.startswith(f"- {name}")
        assert line.endswith(work.replace(".", decimal))


@pytest.mark.parametrize("said", SAID["no"])
def test_wishes_plans_habits_and_questions_are_not_logged(said: str) -> None:
    assert heard_workout(said) is None
    found = match(EXAMPLES, said)
    assert found is None or found.tool != "log_workout"


@pytest.mark.parametrize(
    "said",
    [
        "I benched 190 for 5", "swam 40 laps", "squat 40x5", "bench 1500 kg 5 reps",
        "nadé 40 largos", "sentadilla 40x5", "游了40趟", "深蹲40x5",
    ],
)  # fmt: skip
async def test_numbers_that_leave_a_doubt_are_asked_back(said: str) -> None:
    storage = FakeToolStorage()
    with pytest.raises(ToolError):
        await answer(said, storage=storage)
    assert storage.documents == {}


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("on Saturday I ran 5 km", date(2026, 2, 28)),
        ("el sábado corrí 5 km", date(2026, 2, 28)),
        ("星期六跑了5公里", date(2026, 2, 28)),
        ("on Monday I ran 5 km", date(2026, 2, 23)),
        ("ran 5 km 3 days ago", date(2026, 2, 27)),
        ("hace 3 días corrí 5 km", date(2026, 2, 27)),
        ("3天前跑了5公里", date(2026, 2, 27)),
        ("今天早上跑了5公里", date(2026, 3, 2)),
    ],
)
async def test_the_day_that_is_named_is_the_day_it_is_logged_for(said: str, day: date) -> None:
    storage = FakeToolStorage()
    await answer(said, storage=storage)
    (key,) = await storage.items("entry/")
    assert key.startswith(f"entry/{day.isoformat()}/")


@pytest.mark.parametrize(
    ("language", "asked", "names"),
    [
        ("en", "what are my personal bests?", ["squat", "running"]),
        ("es", "¿cuáles son mis marcas personales?", ["sentadilla", "correr"]),
        ("es", "¿Qué marcas personales tengo?", ["sentadilla", "correr"]),
        ("zh", "我的个人最佳纪录是多少？", ["深蹲", "跑步"]),
    ],
)
async def test_bests_have_their_names_in_the_language_of_who_asks(
    language: str, asked: str, names: list[str]
) -> None:
    storage, others = FakeToolStorage(), [one for one in ("en", "es", "zh") if one != language]
    for spoken in others:
        await answer(SQUATTED[spoken], spoken, storage)
        await answer(RAN[spoken], spoken, storage)
    told = await answer(asked, language, storage)
    assert [name for name in names if re.search(f"^- {name}[:：]", told, re.MULTILINE)] == names


SQUATTED = {
    "en": "did 5x5 squats at 185 lb",
    "es": "hice 3 series de 10 sentadillas con 60 kg",
    "zh": "今天深蹲 5组5次 80公斤",
}
RAN = {
    "en": "ran 5k in 27 minutes",
    "es": "corrí 5 km en 27 minutos",
    "zh": "跑了五公里用时27分钟",
}
