"""The training log: what is told, what is kept, and what comes out of it."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche import SkillsManifest, ToolError
from cloche.testing import FakeToolStorage, match, misunderstood, tool_context
from cloche_fitness import provide_skills, provide_vocabulary
from cloche_fitness.training.diary import Entry, bests, monday_of, weeks, weeks_in_a_row
from cloche_fitness.training.reading import Effort

WEDNESDAY = datetime(2026, 3, 4, 9, tzinfo=UTC)


class Log:
    """The tools of the skill, one person's log, and a clock that is set by hand."""

    def __init__(self, skills: SkillsManifest) -> None:
        self.storage, self.now, self.calls = FakeToolStorage(), WEDNESDAY, 0
        self._tools = {tool.name: tool for tool in skills["workout-log"].tools}

    async def call(
        self,
        name: str,
        language: str = "en",
        zone: str = "Etc/UTC",
        call_id: str = "",
        **arguments: str,
    ) -> str:
        self.calls += 1
        ctx = tool_context(
            provide_vocabulary(),
            storage=self.storage,
            language=language,
            time_zone=zone,
            call_id=call_id or f"{self.calls:020}",
            clock=lambda: self.now,
        )
        return await self._tools[name].function(ctx, **arguments)

    async def log(self, done: str, **arguments: str) -> str:
        self.now += timedelta(minutes=1)
        return await self.call("log_workout", done=done, **arguments)


@pytest.fixture(scope="module")
def skills() -> SkillsManifest:
    return provide_skills()


@pytest.fixture
def log(skills: SkillsManifest) -> Log:
    return Log(skills)


@pytest.mark.parametrize(
    ("language", "done", "told"),
    [
        ("en", "squat 3x8 62.5 kg", "Logged for today:\n- squat: 3 × 8 · 62.5 kg"),
        ("es", "sentadilla 3x8 62,5 kg", "Apuntado para hoy:\n- sentadilla: 3 × 8 · 62,5 kg"),
        ("zh", "深蹲3组8次62.5公斤", "已记录（今天）：\n- 深蹲：3 × 8 · 62.5 kg"),
        ("fr", "squat 3x8 62.5 kg", "Logged for today:\n- squat: 3 × 8 · 62.5 kg"),
    ],
)
async def test_what_was_done_is_told_back_as_it_was_understood(
    log: Log, language: str, done: str, told: str
) -> None:
    assert await log.log(done, language=language) == told


async def test_a_new_best_is_told_with_the_old_one_in_any_name_of_the_exercise(log: Log) -> None:
    await log.log("squat 3x8 60 kg", day="2026-02-17")
    assert "best" not in await log.log("squat 3x6 60 kg", day="2026-02-19")
    told = await log.log("深蹲3组5次65公斤", language="zh")
    assert told.endswith("深蹲新纪录：65 kg（之前：60 kg，2026年2月17日）。")
    assert "best" not in await log.log("squat 3x5 60 kg")


@pytest.mark.parametrize(
    ("language", "first", "better", "told"),
    [
        ("en", "squat 3x8 60 kg", "squat 3x8 65 kg", "65 kg (before: 60 kg, today)."),
        ("es", "sentadilla 3x8 60 kg", "sentadilla 3x8 65 kg", "65 kg (antes: 60 kg, hoy)."),
        ("zh", "深蹲3组8次60公斤", "深蹲3组8次65公斤", "65 kg（之前：60 kg，今天）。"),
    ],
)
async def test_a_best_of_today_is_of_today_in_plain_words(
    log: Log, language: str, first: str, better: str, told: str
) -> None:
    await log.log(first, language=language)
    assert told in await log.log(better, language=language)


async def test_more_repetitions_with_the_same_load_are_a_best_by_estimate(log: Log) -> None:
    await log.log("bench press 3x5 60 kg", day="2026-02-17")
    told = await log.log("bench press 3x8 60 kg")
    assert "by this set about 76 kg once (before: 70 kg, 17 February 2026)" in told


async def test_runs_have_distance_and_pace_and_holds_have_time(log: Log) -> None:
    await log.log("run 5 km in 27:30; plank 3x45 s; pull-ups 8, 7, 6", day="2026-02-20")
    told = await log.log("run 5 km in 26:00; plank 60 s; pull-ups 9")
    assert "New best for run: 5:12 /km (before: 5:30 /km, 20 February 2026)." in told
    assert "New best for plank: 1:00 (before: 45 s" in told
    assert "New best for pull-ups: 9 repetitions in one set (before: 8" in told
    assert "- run: farthest 5 km (20 February 2026); fastest 5:12 /km" in await log.call(
        "show_bests"
    )


async def test_pounds_and_miles_are_kept_as_said_and_shown_in_the_persons_units(
    log: Log, skills: SkillsManifest
) -> None:
    from cloche.testing.tool_fakes import FakeToolSettings

    tools = {tool.name: tool for tool in skills["workout-log"].tools}
    ctx = tool_context(
        provide_vocabulary(),
        storage=log.storage,
        settings=FakeToolSettings(units="imperial"),
        clock=lambda: WEDNESDAY,
    )
    told = await tools["log_workout"].function(ctx, done="squat 3x5 135; run 3 miles in 27:00")
    assert "squat: 3 × 5 · 135 lb" in told
    assert "run: 3 mi · 27:00 · 9:00 /mi" in told
    assert "3 × 5 · 61.2 kg" in await log.call("list_workouts")


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("Please use pounds", "imperial"),
        ("usa kilos, por favor", "metric"),
        ("请以后都用磅", "imperial"),
    ],
)
async def test_units_are_chosen_in_words_and_hold(
    skills: SkillsManifest, text: str, units: str
) -> None:
    found = match([e for skill in skills.skills for e in skill.examples], text)
    assert found
    assert (found.tool, found.arguments) == ("choose_units", {"units": units})
    tools = {tool.name: tool for tool in skills["workout-log"].tools}
    ctx = tool_context(provide_vocabulary(), clock=lambda: WEDNESDAY)
    told = await tools["choose_units"].function(ctx, units=units)
    assert ("pounds" in told) is (units == "imperial")
    assert ctx.settings.units == units


async def test_the_day_is_the_persons_own(log: Log) -> None:
    log.now = datetime(2026, 3, 4, 13, tzinfo=UTC)  # two in the morning of the 5th over there
    await log.call("log_workout", zone="Pacific/Auckland", done="squat 3x8 60 kg")
    assert next(iter(log.storage.documents)).startswith("entry/2026-03-05/")


@pytest.mark.parametrize("day", ["2026-03-05", "2012-01-01", "Tuesday", "2026-02-30"])
async def test_a_day_that_cannot_be_logged_is_refused_and_nothing_kept(log: Log, day: str) -> None:
    with pytest.raises(ToolError, match="is no day to log"):
        await log.log("squat 3x8 60 kg", day=day)
    assert log.storage.documents == {}


@pytest.mark.parametrize(
    ("done", "sentence"),
    [
        ("squat", "How much was it?"),
        ("3x8 60 kg", "Which exercise was it?"),
        ("squat 3x8 with chains of steel", "I cannot read “chains of steel”"),
        ("squat 3x8 6000 kg", "cannot be right"),
        ("squat 3x8 60 kg; bench", "How much was it?"),
    ],
)
async def test_what_cannot_be_read_is_told_and_nothing_of_it_kept(
    log: Log, done: str, sentence: str
) -> None:
    with pytest.raises(ToolError, match=sentence):
        await log.log(done)
    assert log.storage.documents == {}


async def test_a_turn_that_runs_again_logs_once(log: Log) -> None:
    for _ in range(2):
        await log.call("log_workout", call_id="the same call" * 3, done="squat 3x8 60 kg; run 5 km")
    assert len(log.storage.documents) == 2


async def test_taking_back_removes_what_was_logged_last(log: Log) -> None:
    await log.log("run 5 km in 27:30")
    await log.log("squat 3x8 60 kg", day="2026-02-20")
    assert await log.call("undo_workout") == "Taken back: squat, 3 × 8 · 60 kg (20 February 2026)."
    assert await log.call("undo_workout", exercise="跑步") == (
        "Taken back: run, 5 km · 27:30 · 5:30 /km (today)."
    )
    with pytest.raises(ToolError, match="nothing in the log"):
        await log.call("undo_workout")


async def test_progress_is_a_row_of_weeks_and_a_chart_of_each(log: Log) -> None:
    await log.log("squat 4x10 60 kg", day="2026-02-17")
    await log.log("squat 4x5 60 kg", day="2026-02-24")
    await log.log("squat 3x10 80 kg", day="2026-03-02")
    assert await log.call("show_progress") == (
        "Weeks in a row with training: 3.\n"
        "This week: days 1, sets 3.\n"
        "\n"
        "Lifted per week:\n"
        "```\n"
        " 9 Feb            -\n"
        "16 Feb ██████████ 2,400 kg\n"
        "23 Feb █████      1,200 kg\n"
        " 2 Mar ██████████ 2,400 kg\n"
        "```"
    )
    assert "16 feb ██████████ 2.400 kg" in await log.call("show_progress", "es")
    assert "2/16 ██████████ 2,400 kg" in await log.call("show_progress", "zh")


async def test_what_is_neither_lifted_nor_far_is_counted_in_sets(log: Log) -> None:
    await log.log("yoga 45 min; plank 3x45 s")
    told = await log.call("show_progress")
    assert "Sets per week:" in told
    assert "2 Mar ██████████ 4" in told


@pytest.mark.parametrize("tool", ["list_workouts", "show_bests", "show_progress", "undo_workout"])
async def test_an_empty_log_says_so(log: Log, tool: str) -> None:
    with pytest.raises(ToolError, match="nothing in the log yet"):
        await log.call(tool)


async def test_a_long_log_shows_the_newest_and_says_that_there_is_more(log: Log) -> None:
    for day in range(1, 21):
        await log.log(f"run {day} km", day=f"2026-02-{day:02}")
    told = await log.call("list_workouts")
    assert "20 February 2026, run: 20 km" in told.splitlines()[1]
    assert told.endswith("... and older ones.")
    assert len(told.splitlines()) == 17


def test_examples_of_all_skills_are_told_apart(skills: SkillsManifest) -> None:
    examples = [example for skill in skills.skills for example in skill.examples]
    assert misunderstood(examples) == ()


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        ("Could you log bench press 5x60 kg, 5x65 kg?", "log_workout"),
        ("Please log yesterday's workout: run 5 km in 27:30", "log_workout"),
        ("today I did 3 sets of 12 lunges", "log_workout"),
        ("apunta peso muerto 3x5 con 100 kg", "log_workout"),
        ("hoy corrí 8 km en 45:00", "log_workout"),
        ("请帮我记录卧推3组8次60公斤", "log_workout"),
        ("今天跑了8公里，用时45:00", "log_workout"),
        ("What's my best deadlift?", "show_bests"),
        ("¿Cuál es mi mejor marca en sentadilla?", "show_bests"),
        ("我深蹲的最好成绩是多少？", "show_bests"),
        ("How long is my streak?", "show_progress"),
        ("¿Cuántas semanas seguidas llevo?", "show_progress"),
        ("我连续训练了几周？", "show_progress"),
        ("Undo the last entry, please", "undo_workout"),
    ],
)
def test_people_are_understood_without_a_model(
    skills: SkillsManifest, text: str, tool: str
) -> None:
    found = match([e for skill in skills.skills for e in skill.examples], text)
    assert found
    assert found.tool == tool


@pytest.mark.parametrize(
    "text",
    ["I did my taxes today", "How do I log out?", "today I did nothing", "Hoy no hice nada",
     "Do you remember my knee?", "我今天什么都没做"],
)  # fmt: skip
def test_other_sentences_are_no_log(skills: SkillsManifest, text: str) -> None:
    found = match(skills["workout-log"].examples, text)
    assert found is None


days = st.dates(date(2024, 1, 1), date(2030, 1, 1))
efforts = st.builds(
    Effort, reps=st.integers(1, 30), kilos=st.none() | st.floats(1, 300, allow_nan=False)
)
entries = st.lists(
    st.builds(
        lambda day, sets: Entry("x", day, "squat", "squat", tuple(sets), WEDNESDAY),
        days,
        st.lists(efforts, min_size=1, max_size=4),
    ),
    max_size=20,
)


@given(entries, days)
def test_weeks_hold_all_that_was_done_in_them_and_a_row_is_never_longer_than_there_are_weeks(
    done: list[Entry], today: date
) -> None:
    shown = weeks(done, today, 4)
    assert [week.monday for week in shown][-1] == monday_of(today)
    inside = [e for e in done if shown[0].monday <= e.day < monday_of(today) + timedelta(days=7)]
    assert sum(week.sets for week in shown) == sum(len(e.efforts) for e in inside)
    assert sum(week.lifted for week in shown) == pytest.approx(sum(e.lifted for e in inside))
    assert weeks_in_a_row(done, today) <= len({monday_of(e.day) for e in done if e.day <= today})


@given(entries)
def test_no_set_is_better_than_the_best(done: list[Entry]) -> None:
    best = bests(done)
    loads = [e.kilos for entry in done for e in entry.efforts if e.kilos and e.reps]
    assert (best["load"].value if "load" in best else None) == (
        pytest.approx(max(loads)) if loads else None
    )
