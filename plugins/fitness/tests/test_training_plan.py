"""A week of training: from what is remembered, asked for now, and logged."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cloche_fitness
from cloche import SkillsManifest, ToolError
from cloche.testing import FakeToolMemory, FakeToolStorage, match, tool_context
from cloche_fitness import provide_skills, provide_vocabulary
from cloche_fitness.training.diary import Entry
from cloche_fitness.training.knowing import days_in, goal_in, is_young, joints_in, weekdays_in
from cloche_fitness.training.measures import POUND
from cloche_fitness.training.planning import Past, Planner, Session, Wishes, standing
from cloche_fitness.training.reading import Effort
from cloche_fitness.training.tables import read_words

MONDAY = datetime(2026, 3, 2, 9, tzinfo=UTC)
FIRST = MONDAY.date()
FOLDER = Path(cloche_fitness.__file__).parent / "skills" / "training-plan"
WORDS = read_words(FOLDER / "movements.toml")
PLANNER = Planner(WORDS.movements)


class Desk:
    """The tools of the skill, with one person's memory and log."""

    def __init__(self, skills: SkillsManifest) -> None:
        self.vocabulary = provide_vocabulary()
        self.memory, self.now, self.calls = FakeToolMemory(self.vocabulary), MONDAY, 0
        self.log = FakeToolStorage()
        self.storage = FakeToolStorage({"workout-log": self.log})
        names = ("workout-log", "training-plan")
        self._tools = {tool.name: (n, tool) for n in names for tool in skills[n].tools}

    async def told(self, *texts: str) -> None:
        """Remember statements as the host's rules tag them."""
        for text in texts:
            tags = {
                key: [t.label for t in tags] for key, tags in self.vocabulary.mentions(text).items()
            }
            await self.memory.remember(text, metadata=tags)

    async def call(self, name: str, language: str = "en", **arguments: object) -> str:
        self.calls += 1
        skill, tool = self._tools[name]
        ctx = tool_context(
            self.vocabulary,
            memory=self.memory,
            storage=self.log if skill == "workout-log" else self.storage,
            language=language,
            call_id=f"{self.calls:020}",
            clock=lambda: self.now,
        )
        return await tool.function(ctx, **arguments)


@pytest.fixture(scope="module")
def skills() -> SkillsManifest:
    return provide_skills()


@pytest.fixture
def desk(skills: SkillsManifest) -> Desk:
    return Desk(skills)


async def test_without_a_word_it_is_three_easy_days_and_says_what_it_does_not_know(
    desk: Desk,
) -> None:
    told = await desk.call("plan_week")
    assert told.startswith("Your week from 2 March 2026, for health: sessions 3")
    assert "- **Monday 2 Mar**: split squat 2 × 12" in told
    assert "I do not know your goal yet" in told
    assert "I do not know your days yet" in told


@pytest.mark.parametrize(
    "memories",
    [
        ["I want to get stronger", "I train on Tuesdays and Fridays", "I have two dumbbells",
         "My left knee hurts on stairs"],
        ["Quiero ponerme más fuerte", "Entreno los martes y los viernes", "Tengo dos mancuernas",
         "Me duele la rodilla izquierda"],
        ["我的目标是变强", "我周二和周五训练", "我有两个哑铃", "我左膝盖会疼"],
    ],
)  # fmt: skip
async def test_goal_days_equipment_and_aches_come_from_memory_in_any_language(
    desk: Desk, memories: list[str]
) -> None:
    await desk.told(*memories)
    told = await desk.call("plan_week")
    assert f"You told me “{memories[3]}”: I left out what loads it." in told
    assert "for strength: sessions 2" in told
    assert "**Tuesday 3 Mar**: calf raise" in told
    assert "**Friday 6 Mar**: romanian deadlift 4 × 5" in told
    assert "row 4 × 5" in told
    assert "squat" not in told
    assert "I do not know" not in told


async def test_what_is_said_now_comes_before_what_is_remembered(desk: Desk) -> None:
    await desk.told("I want to run a marathon", "I train on Tuesdays", "I have a barbell")
    told = await desk.call("plan_week", goal="strength", days=1, equipment="nothing", minutes=30)
    assert "for strength: sessions 1, each about 30 minutes" in told
    assert "**Monday 2 Mar**: split squat 4 × 8, push-up 4 × 8, bird dog 4 × 8" in told
    told = await desk.call("plan_week", on="Saturday and 星期天", avoid="my wrist")
    assert "**Saturday 7 Mar**: running" in told
    assert "I left out what loads what hurts" in told


@pytest.mark.parametrize(
    ("language", "memory", "warning"),
    [
        ("en", "I'm pregnant, 20 weeks", "Please talk to your midwife or obstetrician"),
        ("en", "I take beta blockers", "Please talk to your doctor"),
        ("es", "Me operaron del corazón en mayo", "Habla con tu médico antes"),
        ("es", "Estoy embarazada", "Habla con tu matrona u obstetra"),
        ("zh", "我怀孕了", "请先问助产士"),
        ("zh", "我在吃降压药", "请先问医生"),
    ],
)
async def test_pregnancy_heart_and_medicines_come_first_and_keep_the_week_easy(
    desk: Desk, language: str, memory: str, warning: str
) -> None:
    await desk.told(memory, "I have a barbell and a bench")
    await desk.call("log_workout", done="squat 3x8 60 kg")
    told = await desk.call("plan_week", language, goal="strength", days=3)
    first = told.splitlines()[0]
    assert memory in first
    assert warning in first
    midwife = any(word in first for word in ("midwife", "matrona", "助产士"))
    assert midwife == any(word in memory for word in ("pregnant", "embarazada", "怀孕"))
    assert "kg" not in told
    assert "4 × 5" not in told
    running = await desk.call("plan_week", language, goal="endurance", days=3)
    assert not {"running", "correr", "跑步"} & set(running.replace(" ", "|").split("|"))
    assert " × 2 " not in running


@pytest.mark.parametrize(
    ("language", "said", "gone", "first"),
    [
        ("en", "I get chest pain on stairs", "My chest pain is gone", "Call emergency services"),
        ("en", "There is pressure in my chest", "", "Call emergency services now"),
        ("es", "Me duele el pecho", "Ya no me duele el pecho", "Llama ya a emergencias"),
        ("zh", "我胸口疼", "我的胸口疼已经好了", "拨打急救电话"),
    ],
)
async def test_a_chest_that_hurts_gets_emergency_services_first_and_no_plan(
    desk: Desk, language: str, said: str, gone: str, first: str
) -> None:
    before = await desk.call("plan_week", language, days=3)
    session = before.splitlines()[1]
    now = await desk.call("plan_week", language, days=3, avoid=said)
    await desk.told(said)
    later = [
        await desk.call("plan_week", language, days=3),
        await desk.call("show_plan", language),
    ]
    for told in (now, *later):
        assert first in re.split("[.:：。]", told)[0]
        assert said in told
        assert "**" not in told
        assert session not in told
        assert not any(word in told for word in ("midwife", "matrona", "助产士"))
    if gone:
        await desk.told("I haven't recovered from the chest pain")
        assert "**" not in await desk.call("plan_week", language, days=3)
        await desk.told(gone)
        assert "**" in await desk.call("plan_week", language, days=3)


@pytest.mark.parametrize(
    "memory",
    ["I'm 15 and play basketball", "Tengo 15 años y juego al baloncesto", "我15岁，打篮球"],
)
async def test_young_people_get_a_light_week_and_no_diet(desk: Desk, memory: str) -> None:
    await desk.told(memory)
    told = await desk.call("plan_week", goal="muscle", days=3)
    assert "technique and play before load" in told
    assert "no diet" in told
    assert "2 × 10" in told


async def test_an_ache_that_healed_counts_no_more(desk: Desk) -> None:
    await desk.told("My left knee hurts on stairs", "My knee no longer hurts")
    assert "I left out" not in await desk.call("plan_week")


@pytest.mark.parametrize(
    ("ache", "well"),
    [
        ("My left knee hurts on stairs", "My knee is fine now"),
        ("Me duele la rodilla izquierda", "Mi rodilla ya no me duele"),
        ("我左膝盖疼", "我的膝盖不疼了"),
    ],
)
async def test_a_summary_of_the_talk_brings_back_no_ache(desk: Desk, ache: str, well: str) -> None:
    await desk.told(ache, well)
    desk.now += timedelta(days=1)
    await desk.memory.remember(ache, kind="summary")
    assert "I left out" not in await desk.call("plan_week")


async def test_loads_follow_the_log(desk: Desk) -> None:
    await desk.told("I have a barbell and a bench")
    await desk.call("log_workout", done="squat 4x5 60 kg; bench press 5x50 kg, 4x50 kg")
    told = await desk.call("plan_week", goal="strength", days=3)
    assert "squat 4 × 5 · 62.5 kg" in told  # all were done: a step more
    assert "bench press 4 × 5 · 50 kg" in told  # not all were done: the same again
    desk.now += timedelta(days=30)
    told = await desk.call("plan_week", goal="strength", days=3)
    assert "squat 3 × 5 · 55 kg" in told  # after a month away: a step back


async def test_the_plan_shows_what_was_done_moved_and_left_out(desk: Desk) -> None:
    with pytest.raises(ToolError, match="no plan yet"):
        await desk.call("show_plan")
    await desk.call("plan_week", goal="strength", days=4)  # Monday, Tuesday, Thursday, Friday
    await desk.call("log_workout", done="push-ups 4x8")
    desk.now += timedelta(days=2)  # Tuesday was missed
    told = (await desk.call("show_plan")).splitlines()
    assert told[0] == "Your plan today, 4 Mar:"
    assert told[1] == "- Monday 2 Mar: done"
    assert told[2].startswith("- Wednesday 4 Mar, moved from Tuesday 3 Mar: glute bridge")
    assert told[3].startswith("- Thursday 5 Mar: ")
    desk.now += timedelta(days=4)  # Sunday: three are open, one day is left
    told = (await desk.call("show_plan")).splitlines()
    assert [line for line in told if "left out; nothing is made up for" in line] == told[2:4]
    assert told[4].startswith("- Sunday 8 Mar, moved from Tuesday 3 Mar: ")
    desk.now += timedelta(days=1)
    told = await desk.call("show_plan")  # the next week is due, with as many days
    assert told.startswith("The last plan has run out; this is the next.")
    assert "Your week from 9 March 2026" in told
    assert "sessions 4" in told
    assert (await desk.call("show_plan")).startswith("Your plan today, 9 Mar:")


async def test_who_has_trained_today_gets_a_week_from_tomorrow(desk: Desk) -> None:
    await desk.call("log_workout", done="push-ups 4x8")
    told = await desk.call("plan_week", goal="strength", on="Monday, Thursday")
    assert "Your week from 3 March 2026" in told
    assert "- **Thursday 5 Mar**" in told
    assert "- **Monday 9 Mar**" in told
    assert "done" not in await desk.call("show_plan")


async def test_a_day_that_is_none_is_refused(desk: Desk) -> None:
    with pytest.raises(ToolError, match="“someday” names no day of the week"):
        await desk.call("plan_week", on="someday")


@pytest.mark.parametrize(
    ("text", "days", "weekdays"),
    [
        ("I can train three times a week", 3, ()),
        ("4 days a week", 4, ()),
        ("twice a week", 2, ()),
        ("puedo dos veces por semana", 2, ()),
        ("tres días a la semana", 3, ()),
        ("一周三次", 3, ()),
        ("每周两天", 2, ()),
        ("on Mondays and at the weekend", 0, (0, 5, 6)),
        ("entre semana", 0, (0, 1, 2, 3, 4)),
        ("周二、周四", 0, (1, 3)),
        ("whenever", 0, ()),
    ],
)
def test_days_are_read_in_three_languages(text: str, days: int, weekdays: tuple[int, ...]) -> None:
    assert (days_in(text), weekdays_in(text, WORDS)) == (days, weekdays)


@pytest.mark.parametrize(
    ("text", "joints"),
    [("my lower back and knees", {"back", "knee"}),
     ("el hombro y la muñeca", {"shoulder", "wrist"}),
     ("脚踝和脖子", {"ankle", "neck"}), ("nothing at all", set())],
)  # fmt: skip
def test_joints_are_read_in_three_languages(text: str, joints: set[str]) -> None:
    assert set(joints_in(text, WORDS)) == joints


@pytest.mark.parametrize(
    ("text", "young"),
    [("I'm 15", True), ("I am 17 years old", True), ("tengo 12 años", True), ("我今年16岁", True),
     ("I'm 18", False), ("I'm 45 and fit", False), ("in 15 weeks", False),
     ("I'm 3 kg lighter", False)],
)  # fmt: skip
def test_ages_are_read_in_three_languages(text: str, young: bool) -> None:
    assert is_young(text) is young


def test_goals_are_read() -> None:
    said = ["get stronger", "ganar masa muscular", "跑马拉松", "estar en forma", "the weather"]
    assert [goal_in(text, WORDS) for text in said] == [
        "strength", "muscle", "endurance", "health", None,
    ]  # fmt: skip


joints = st.sets(
    st.sampled_from(["knee", "ankle", "hip", "back", "shoulder", "elbow", "wrist", "neck"])
)
equipment = st.sets(st.sampled_from(sorted({need for m in WORDS.movements for need in m.needs})))
wishes = st.builds(
    Wishes,
    goal=st.sampled_from(["strength", "muscle", "endurance", "health"]),
    weekdays=st.sets(st.integers(0, 6), max_size=7).map(lambda days: tuple(sorted(days))),
    days=st.integers(1, 6),
    minutes=st.integers(15, 120),
    equipment=equipment.map(frozenset),
    aching=joints.map(frozenset),
    careful=st.booleans(),
)


@given(wishes, st.dates(date(2024, 1, 1), date(2030, 1, 1)))
def test_no_week_loads_what_aches_or_needs_what_is_not_there(asked: Wishes, first: date) -> None:
    week = PLANNER.week(asked, first)
    by_name = {movement.name: movement for movement in WORDS.movements}
    assert len(week) == (len(asked.weekdays) or asked.days)
    assert len({session.day for session in week}) == len(week)
    for session in week:
        assert session.items, session
        assert first <= session.day < first + timedelta(days=7)
        assert not asked.weekdays or session.day.weekday() in asked.weekdays
        for item in session.items:
            movement = by_name[item.name]
            assert not asked.aching & set(movement.joints)
            assert not movement.needs or asked.equipment & set(movement.needs)
            assert not (asked.careful and (item.kilos or item.name == "running"))


@given(wishes, st.lists(st.integers(0, 8), max_size=6), st.integers(0, 6))
def test_a_plan_never_asks_for_two_sessions_on_a_day(
    asked: Wishes, trained: list[int], passed: int
) -> None:
    week = PLANNER.week(asked, FIRST)
    done = [
        Entry(f"{n}", FIRST + timedelta(days=n), "squat", "squat", (Effort(5),), MONDAY)
        for n in trained
        if n <= passed
    ]
    stands = standing(week, done, FIRST + timedelta(days=passed))
    ahead = [one.day for one in stands if one.state in ("open", "moved")]
    assert len(ahead) == len(set(ahead))
    assert all(day >= FIRST + timedelta(days=passed) for day in ahead)
    assert len(stands) == len(week)


def test_steps_are_in_the_persons_own_plates() -> None:
    done = [Entry("x", FIRST, "squat", "squat", (Effort(5, 100 * POUND),) * 4, MONDAY)]
    asked = Wishes("strength", days=1, equipment=frozenset({"barbell"}))
    planner = Planner(WORDS.movements, "imperial")
    (session,) = planner.week(asked, FIRST + timedelta(days=1), Past(done))
    assert isinstance(session, Session)
    assert session.items[0].kilos == pytest.approx(105 * POUND)


def test_every_movement_is_an_exercise_of_the_vocabulary_with_a_name_in_each_language() -> None:
    vocabulary = provide_vocabulary()
    exercises = {value.id for value in vocabulary["exercises"].values}
    kit = {value.id for value in vocabulary["equipment"].values}
    for movement in WORDS.movements:
        assert movement.name in exercises
        assert set(movement.needs) <= kit
        assert all(WORDS.names[movement.name].values())
        named = [vocabulary["exercises"].mentions(n) for n in WORDS.names[movement.name].values()]
        assert all(movement.name in {tag.id for tag in tags} for tags in named), movement.name


@pytest.mark.parametrize(
    ("text", "tool", "arguments"),
    [
        ("Please plan my week", "plan_week", {}),
        (
            "Make me a strength plan for 3 days a week",
            "plan_week",
            {"goal": "strength", "days": "3"},
        ),
        (
            "Hazme un plan de fuerza de 2 días a la semana",
            "plan_week",
            {"goal": "strength", "days": "2"},
        ),
        ("请帮我做一个每周3天的跑步计划", "plan_week", {"goal": "endurance", "days": "3"}),
        ("Plan my week, my knee hurts", "plan_week", {"avoid": "my knee hurts"}),
        ("My race is on Sunday, plan my week", "plan_week", {}),
        (
            "Give me a meal plan, my knee hurts",
            "health_first",
            {"said": "Give me a meal plan, my knee hurts"},
        ),
        ("What should I train today?", "show_plan", {}),
        ("¿Qué me toca hoy?", "show_plan", {}),
        ("我今天该练什么？", "show_plan", {}),
    ],
)
def test_people_are_understood_without_a_model(
    skills: SkillsManifest, text: str, tool: str, arguments: dict[str, str]
) -> None:
    found = match([e for skill in skills.skills for e in skill.examples], text)
    assert found
    assert (found.tool, found.arguments) == (tool, arguments)


@pytest.mark.parametrize(
    ("text", "days"),
    [("每周二、四、六", (1, 3, 5)), ("周一三五", (0, 2, 4)), ("周六日", (5, 6)), ("每周三天", ()),
     ("每周三四天", ()), ("周二和周四", (1, 3)), ("每周三、四次", ())],
)  # fmt: skip
def test_several_days_stand_behind_one_word_for_them(text: str, days: tuple[int, ...]) -> None:
    assert weekdays_in(text, WORDS) == days


@pytest.mark.parametrize("said", ["show me plan.md", "给我看看计划.md", "muéstrame mi plan.pdf"])
def test_a_plan_that_is_a_file_is_not_made(said: str) -> None:
    found = match([e for skill in provide_skills().skills for e in skill.examples], said)
    assert found is not None
    assert found.tool == "read_file"


ON_THE_BACK = ("bench press", "hip thrust", "glute bridge", "dead bug")


@pytest.mark.parametrize("goal", ["strength", "muscle", "health", "endurance"])
@pytest.mark.parametrize(
    "said", ["I'm pregnant, 20 weeks", "Estoy embarazada de 8 semanas", "我怀孕了"]
)
async def test_nobody_who_is_pregnant_lies_flat_on_their_back(
    desk: Desk, said: str, goal: str
) -> None:
    await desk.told("I have a bench, a barbell and dumbbells at home", "I train at the gym")
    before = await desk.call("plan_week", goal=goal, days=5)
    await desk.told(said)
    told = await desk.call("plan_week", goal=goal, days=5)
    assert goal in ("endurance",) or any(one in before for one in ON_THE_BACK)
    assert not any(one in told for one in ON_THE_BACK)
    assert "nothing flat on your back" in told


async def test_what_is_said_of_a_pregnancy_with_the_request_holds_for_it(desk: Desk) -> None:
    told = await desk.call("plan_week", goal="strength", equipment="bench", avoid="I'm pregnant")
    assert not any(one in told for one in ON_THE_BACK)


@pytest.mark.parametrize(
    ("had", "sold"),
    [
        ("I have a bench and two dumbbells", "I sold my bench"),
        ("I have a weight bench and dumbbells", "I gave away the bench but kept the dumbbells"),
        ("I own a bench and dumbbells", "The bench is broken, the dumbbells are fine"),
        ("Tengo un banco de pesas y mancuernas", "He vendido el banco de pesas"),
        ("Tengo un banco de pesas y mancuernas", "Ya no tengo el banco de pesas, solo mancuernas"),
        ("我有卧推凳和哑铃", "我把卧推凳卖了"),
    ],
)
async def test_what_was_sold_is_planned_with_no_more(desk: Desk, had: str, sold: str) -> None:
    await desk.told(had, "I want to get stronger")
    before = await desk.call("plan_week")
    assert "bench press" in before
    desk.now += timedelta(hours=1)
    await desk.told(sold)
    plan = await desk.call("show_plan")
    assert plan.startswith("What you told me since changes the plan")
    for told in (plan, await desk.call("plan_week"), await desk.call("show_plan")):
        assert "bench press" not in told
        assert "romanian deadlift" in told  # the dumbbells are there


async def test_what_was_sold_and_bought_again_is_there(desk: Desk) -> None:
    for told in ("I have a bench", "I sold my bench", "I bought a new bench"):
        desk.now += timedelta(hours=1)
        await desk.told(told, "I want to get stronger")
    assert "bench press" in await desk.call("plan_week")


@pytest.mark.parametrize(
    "told",
    ["I don't have a bench", "I sold my car to buy a bench and dumbbells", "My gym has a bench"],
)
async def test_only_what_is_said_to_be_gone_is(desk: Desk, told: str) -> None:
    await desk.told(told, "I want to get stronger")
    assert ("bench press" in await desk.call("plan_week")) == ("don't" not in told)


async def test_what_was_named_with_an_earlier_request_and_sold_is_gone(desk: Desk) -> None:
    await desk.call("plan_week", goal="strength", equipment="bench and dumbbells")
    desk.now += timedelta(hours=1)
    await desk.told("I sold my bench")
    told = await desk.call("plan_week")
    assert "bench press" not in told
    assert "row" in told
