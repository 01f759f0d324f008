"""What somebody did, read from their own words; whatever is not understood is refused."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cloche_fitness.training.measures import POUND
from cloche_fitness.training.reading import LIMITS, Effort, Told, UnreadableError, read_work


def read(text: str) -> Told:
    (told,) = read_work(text)
    return told


def sets(count: int, **effort: float) -> tuple[Effort, ...]:
    return (Effort(**effort),) * count  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "name", "efforts"),
    [
        ("squat 3x8 60 kg", "squat", sets(3, reps=8, kilos=60)),
        ("squat 3×8×60", "squat", sets(3, reps=8, kilos=60)),
        ("Squats: 3 sets of 8 at 60 kg", "Squats", sets(3, reps=8, kilos=60)),
        ("three sets of eight pull-ups", "pull-ups", sets(3, reps=8)),
        ("20 push-ups", "push-ups", sets(1, reps=20)),
        ("pull-ups 8,7", "pull-ups", (Effort(8), Effort(7))),
        ("deadlift 8, 8, 6 at 100 kg", "deadlift", (*sets(2, reps=8, kilos=100), Effort(6, 100))),
        ("bench press 5x60kg, 3x80kg", "bench press", (Effort(5, 60), Effort(3, 80))),
        ("press de banca 3x8 con 62,5 kg", "press de banca", sets(3, reps=8, kilos=62.5)),
        ("3 series de 8 sentadillas con 60 kilos", "sentadillas", sets(3, reps=8, kilos=60)),
        ("深蹲3组8次60公斤", "深蹲", sets(3, reps=8, kilos=60)),
        ("卧推做了三组每组十次六十公斤", "卧推", sets(3, reps=10, kilos=60)),
        ("做了4组引体向上，每组6次", "引体向上", sets(4, reps=6)),
        ("硬拉5次200斤", "硬拉", sets(1, reps=5, kilos=100)),
        ("run 5 km in 27:30", "run", sets(1, seconds=1650, metres=5000)),
        ("run 5 km, 28 min", "run", sets(1, seconds=1680, metres=5000)),
        ("correr 10,5 km en 1:02:05", "correr", sets(1, seconds=3725, metres=10500)),
        ("跑步5公里用时28分30秒", "跑步", sets(1, seconds=1710, metres=5000)),
        ("walk 2 miles", "walk", sets(1, metres=3218.688)),
        ("6x400 m in 1:30 sprints", "sprints", sets(6, seconds=90, metres=400)),
        ("plank 3x45s", "plank", sets(3, seconds=45)),
        ("plancha 3 series de 45 segundos", "plancha", sets(3, seconds=45)),
        ("平板支撑三组每组四十五秒", "平板支撑", sets(3, seconds=45)),
        ("yoga media hora", "yoga", sets(1, seconds=1800)),
        ("骑车一个半小时", "骑车", sets(1, seconds=5400)),
        ("walk 1 h 20 min", "walk", sets(1, seconds=4800)),
    ],
)
def test_plain_words_are_read_in_three_languages(
    text: str, name: str, efforts: tuple[Effort, ...]
) -> None:
    told = read(text)
    assert (told.name, told.efforts) == (name, efforts)


def test_a_bare_load_is_in_the_persons_own_units() -> None:
    (told,) = read_work("squat 3x8x135", "imperial")
    assert told.efforts == sets(3, reps=8, kilos=135 * POUND)
    assert read("squat 3x8 135 lb").efforts == told.efforts


@pytest.mark.parametrize(
    ("text", "days"),
    [("I ran 5 km yesterday", 1), ("ayer corrí 5 km", 1), ("昨天跑了5公里", 1), ("run 5 km", None),
     ("hoy corrí 5 km", 0), ("anteayer corrí 5 km", 2)],
)  # fmt: skip
def test_a_day_among_the_words_counts(text: str, days: int | None) -> None:
    assert read(text).days_ago == days


def test_several_exercises_stand_between_semicolons_or_on_lines() -> None:
    told = read_work("squat 3x8 60 kg; 卧推3组5次50公斤\ncorrer 5 km")
    assert [one.name for one in told] == ["squat", "卧推", "correr"]


@pytest.mark.parametrize(
    ("text", "reason", "rest"),
    [
        ("squat", "amount", "squat"),
        ("", "amount", ""),
        ("squat 100 kg", "amount", "squat 100 kg"),
        ("squat 3x8 at 60 kg with pauses", "words", "pauses"),
        ("3x10 squats at 2x15 kg", "words", "2"),
        ("squat 3x8 1200 kg", "limit", "squat 3x8 1200 kg"),
        ("squat 0x8", "limit", "squat 0x8"),
        ("squat 3.5x8", "limit", "squat 3.5x8"),
        ("squat 99x8", "limit", "squat 99x8"),
        ("squat 3x8 60 kg 70 kg", "amount", "70"),
        ("squat 3x8 ✓", "words", "✓"),
    ],
)
def test_what_is_not_understood_is_refused_by_name(text: str, reason: str, rest: str) -> None:
    with pytest.raises(UnreadableError) as refused:
        read_work(text)
    assert (refused.value.reason, refused.value.rest) == (reason, rest)


@given(
    st.integers(1, 50),
    st.integers(1, 2000),
    st.integers(1, 4000).map(lambda quarters: quarters / 4),
    st.sampled_from(
        ["squat {s}x{r} {k} kg", "squat {s} x {r} x {k}", "{s} sets of {r} squats at {k} kg",
         "{s} series de {r} sentadillas con {k} kilos", "深蹲{s}组{r}次{k}公斤",
         "深蹲{s}组每组{r}次，{k}公斤"]
    ),
)  # fmt: skip
def test_sets_repetitions_and_load_survive_every_way_of_writing_them(
    count: int, reps: int, kilos: float, form: str
) -> None:
    told = read(form.format(s=count, r=reps, k=f"{kilos:g}"))
    assert told.efforts == sets(count, reps=reps, kilos=kilos)


@given(st.text(max_size=80))
@example("squat ٣x8")
@example("½ km run")
@example("一百二组")
@example("²x3")
@example("İ 3x8")
def test_any_text_is_read_or_refused_and_nothing_beyond_the_limits_gets_in(text: str) -> None:
    try:
        told = read_work(text)
    except UnreadableError:
        return
    for effort in (effort for one in told for effort in one.efforts):
        for kind, value in (
            ("reps", effort.reps),
            ("kilos", effort.kilos),
            ("metres", effort.metres),
            ("seconds", effort.seconds),
        ):
            assert value is None or 0 < value <= LIMITS[kind]  # type: ignore[index]
