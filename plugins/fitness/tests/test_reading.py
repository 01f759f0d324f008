"""What somebody did, read from their own words; whatever is not understood is refused."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cloche_fitness.training.limits import LIMITS
from cloche_fitness.training.measures import POUND
from cloche_fitness.training.reading import Effort, Told, UnreadableError, read_work


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
    assert (told := read(text).day, told and told.ago)[1] == days


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
        ("squat 99x99x8", "limit", "squat 99x99x8"),
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


@pytest.mark.parametrize(
    "text",
    [
        "yesterday at 7:30 I ran 5 km",
        "ran 5 km at 7:30",
        "ran 5 km at 7:30 am",
        "ran 5 km at 7am",
        "yesterday 7:30 I ran 5 km",
        "yesterday 17:30 run 5 km",
        "ran 5 km @ 18:30",
        "昨天17:30跑步5公里",
        "I ran 5 km from 7:00 to 7:30",
        "I ran 5 km between 7:00 and 7:30",
        "I ran 5 km 7:00-7:30",
        "ayer a las 7:30 corrí 5 km",
        "corrí 5 km a las 8:00",
        "corrí 5 km a las 8",
        "corrí 5 km de 7:00 a 7:30",
        "corrí 5 km desde las 7:00 hasta las 7:30",
        "昨天7:30跑了5公里",
        "早上7:30跑了5公里",
        "从7:00到7:30跑了5公里",
        "昨天早上7点半跑了5公里",
        "我七点跑了5公里",
    ],
)
def test_an_hour_of_the_day_is_no_duration(text: str) -> None:
    assert read(text).efforts == sets(1, metres=5000)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("at 6:30 am I ran 5 km in 28:10", 1690),
        ("ran 5 km in 27:30", 1650),
        ("27:30 for a 5 km run", 1650),
        ("corrí 5 km en 27:30 a las 8:00", 1650),
        ("5公里27:30跑完", 1650),
    ],
)
def test_a_duration_beside_an_hour_counts(text: str, seconds: int) -> None:
    assert read(text).efforts == sets(1, metres=5000, seconds=seconds)


@pytest.mark.parametrize(
    ("text", "metres"),
    [
        ("corrí 1.000 m", 1000),
        ("corrí 10.000 metros", 10000),
        ("nadé 1.234,5 m", 1234.5),
        ("swam 1,000 m", 1000),
        ("ran 1.125 km", 1125),
        ("corrí 1,5 km", 1500),
        ("跑了1,500米", 1500),
    ],
)
def test_thousands_are_no_fractions(text: str, metres: float) -> None:
    assert read(text).efforts == sets(1, metres=metres)


@pytest.mark.parametrize(
    ("text", "efforts"),
    [
        ("squat 5x5 62,5", sets(5, reps=5, kilos=62.5)),
        ("sentadilla 3x8 a 62,5", sets(3, reps=8, kilos=62.5)),
        ("深蹲 3x8x62,5", sets(3, reps=8, kilos=62.5)),
        ("bench 80 8,8,6", (*sets(2, reps=8, kilos=80), Effort(6, 80))),
        ("60kg*8*3 squat", sets(3, reps=8, kilos=60)),
        ("深蹲60公斤×8×3", sets(3, reps=8, kilos=60)),
        ("squat 60 kg, 3x8", sets(3, reps=8, kilos=60)),
        ("squat 60kgx8", sets(1, reps=8, kilos=60)),
    ],
)
def test_loads_are_told_from_repetitions(text: str, efforts: tuple[Effort, ...]) -> None:
    assert read(text).efforts == efforts


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("squat 3x8 at -5 kg", "limit"),
        ("sentadilla 3x8 -5 kg", "limit"),
        ("深蹲3组8次 -5公斤", "limit"),
        ("bench 80 8", "amount"),
        ("ran 5 km in 7:30", "limit"),
        ("corrí 10 km en 20:00", "limit"),
        ("跑了5公里用时5分钟", "limit"),
        ("swam 1 km in 5 min", "limit"),
        ("walked 5 km in 10 min", "limit"),
        ("I did not run 5 km", "words"),
        ("I almost ran 5 km", "words"),
        ("hoy no corrí 5 km", "words"),
        ("casi corrí 5 km", "words"),
        ("没跑5公里", "words"),
        ("我差点跑了5公里", "words"),
    ],
)
def test_what_cannot_be_or_was_not_done_is_asked_back(text: str, reason: str) -> None:
    with pytest.raises(UnreadableError) as refused:
        read_work(text)
    assert refused.value.reason == reason


@pytest.mark.parametrize(
    "text",
    ["ran 100 m in 9.58 s", "ran 5 km in 12:36", "marathon 42.195 km in 2:00:35",
     "swam 50 m in 20.91 s", "walked 20 km in 1:16:36", "rowed 2000 m in 5:35"],
)  # fmt: skip
def test_a_world_record_is_still_a_log(text: str) -> None:
    assert read(text).efforts[0].seconds


@pytest.mark.parametrize("text", ["squat {} reps", "sentadillas {} repeticiones", "深蹲{}次"])
def test_a_number_without_end_is_over_every_limit(text: str) -> None:
    with pytest.raises(UnreadableError) as caught:
        read_work(text.format("9" * 400))
    assert caught.value.reason == "limit"
