"""How a garden is read from memories, and how a week of watering is made of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche import Day, MemoryRecord, SkillsManifest, Source, Validity
from cloche.testing import match, misunderstood
from cloche_gardening import provide_skills, provide_vocabulary
from cloche_gardening.watering import (
    Kept,
    Past,
    Plan,
    Spot,
    kept_from_json,
    make_plan,
    past_from_json,
    past_to_json,
    plan_from_json,
    read_garden,
)
from cloche_gardening.watering.season import days_of_season, latitude_of

VOCABULARY = provide_vocabulary()
TODAY = date(2026, 7, 15)
START = datetime(2026, 6, 1, tzinfo=UTC)


def told(*texts: str, kind: str = "fact") -> list[MemoryRecord]:
    """Memories, a day after one another, with the metadata that their words name."""
    return [
        MemoryRecord(
            id=f"r{number}",
            actor="a",
            scope="long_term",
            kind=kind,  # type: ignore[arg-type]
            text=text,
            source=Source(type="session"),
            validity=Validity(START + timedelta(days=number), START + timedelta(days=number)),
            metadata={key.id: key.mentions(text) for key in VOCABULARY.keys if key.mentions(text)},
        )
        for number, text in enumerate(texts)
    ]


def garden(*texts: str) -> dict[str, Spot]:
    return {spot.key: spot for spot in read_garden(told(*texts), VOCABULARY)}


def days(
    *rain: float, high: float = 25, chance: int | None = 90, et0: float | None = 5.0
) -> list[Day]:
    return [
        Day(TODAY + timedelta(days=at), 14, high, mm, chance if mm else 0, 8, 1, et0)
        for at, mm in enumerate(rain)
    ]


def plan(spot: Spot, week: Sequence[Day], *, fallen: float = 0, watered: int | None = None) -> Plan:
    last = {} if watered is None else {"": TODAY - timedelta(days=watered)}
    return make_plan([spot], week, fallen=fallen, past=Past(last))


def watered_on(made: Plan) -> list[int]:
    return [(day - TODAY).days for day, found in made.days.items() if found]


@pytest.mark.parametrize(
    ("texts", "key", "expected"),
    [
        (["I planted tomatoes in the south bed.", "The south bed gets full sun.",
          "The south bed is sandy and mulched."], "tomato@south-bed",
         ("tomatoes", "south bed", "thirsty", "full", "sand", False, False, True)),
        (["Tengo tomateras en el invernadero.", "La tierra del invernadero es arcillosa."],
         "tomato@greenhouse",
         ("tomateras", "invernadero", "thirsty", "", "clay", False, True, False)),
        (["阳台上的盆里种了罗勒。", "阳台半阴。"], "basil@balcony",
         ("罗勒", "阳台", "thirsty", "half", "", True, False, False)),
        (["Soil here is heavy clay.", "Lavender along the path."], "lavender@",
         ("lavender", "", "dry", "", "clay", False, False, False)),
        (["The fig is in full sun.", "The corner by the shed is in the shade."], "fig@",
         ("fig", "", "deep", "full", "", False, False, False)),
    ],
)  # fmt: skip
def test_plant_place_sun_soil_and_pot_come_from_memories(
    texts: list[str], key: str, expected: tuple[object, ...]
) -> None:
    spot = garden(*texts)[key]
    assert (
        spot.name, spot.place, spot.need, spot.sun, spot.soil, spot.pot, spot.covered, spot.mulch,
    ) == expected  # fmt: skip


def test_the_same_plant_in_two_beds_is_two_places() -> None:
    found = garden("I have tomatoes in the south bed.", "I have tomatoes in the north bed.")
    assert set(found) == {"tomato@south-bed", "tomato@north-bed"}


def test_where_a_plant_stands_may_be_told_later() -> None:
    assert set(garden("I planted tomatoes.", "The tomatoes are in the south bed.")) == {
        "tomato@south-bed"
    }
    assert set(garden("I planted tomatoes in the south bed.", "The tomatoes look fine.")) == {
        "tomato@south-bed"
    }


@pytest.mark.parametrize(
    "gone",
    ["The basil died.", "La albahaca se murió, ya no tengo albahaca.", "罗勒死了。"],
)
def test_what_is_gone_is_not_watered(gone: str) -> None:
    assert garden("I grow basil on the balcony.", "I planted mint.", gone).keys() == {"mint@"}
    assert "basil@" in garden(gone, "I planted basil.")


def test_a_wish_a_rule_or_a_note_plants_nothing() -> None:
    for kind in ("preference", "rule", "warning", "note", "summary"):
        records = told("Tomatoes in the south bed.", kind=kind)
        assert read_garden(records, VOCABULARY) == ()


def test_dry_weather_waters_pots_daily_and_beds_now_and_then() -> None:
    week = days(0, 0, 0, 0, 0, 0, 0)
    pot = watered_on(plan(Spot("basil", "basil", need="thirsty", pot=True), week))
    bed = watered_on(plan(Spot("leek", "leek"), week))
    tree = watered_on(plan(Spot("apple", "apple", need="deep"), week))
    assert len(pot) == 7
    assert 1 <= len(bed) <= 3
    assert tree == []


def test_rain_saves_watering_but_not_under_a_roof() -> None:
    week = days(0, 20, 0, 15, 0, 0, 0)
    assert watered_on(plan(Spot("leek", "leek", soil="sand"), week)) in ([], [6])
    assert len(watered_on(plan(Spot("leek", "leek", soil="sand", covered=True), week))) >= 2


def test_rain_that_is_unlikely_is_not_counted_on() -> None:
    spot = Spot("leek", "leek", soil="sand")
    sure, unsure = days(0, 20, 0, 0), days(0, 20, 0, 0, chance=30)
    assert len(watered_on(plan(spot, sure))) < len(watered_on(plan(spot, unsure)))


def test_rain_of_the_last_day_and_the_last_watering_count() -> None:
    spot, week = Spot("basil", "basil", need="thirsty", soil="sand"), days(0, 0, 0)
    assert watered_on(plan(spot, week, watered=5))[:1] == [0]
    assert watered_on(plan(spot, week, watered=0))[:1] != [0]
    week_dry = make_plan([spot], week, fallen=25, past=Past())
    assert watered_on(week_dry)[:1] != [0]


def test_rain_since_the_last_watering_counts_on_its_day() -> None:
    spot, week = Spot("basil", "basil", need="thirsty", soil="sand"), days(0, 0, 0)
    watered = {spot.key: TODAY - timedelta(days=6)}
    dry = make_plan([spot], week, fallen=0, past=Past(watered))
    rained = Past(watered, {TODAY - timedelta(days=1): 30.0})
    wet = make_plan([spot], week, fallen=0, past=rained)
    assert watered_on(dry)[0] == 0
    assert watered_on(wet)[:1] != [0]


def test_without_evaporation_warmth_decides() -> None:
    spot = Spot("basil", "basil", need="thirsty", pot=True)
    warm, cold = days(0, 0, 0, et0=None), days(0, 0, 0, high=-10, et0=None)
    assert len(watered_on(plan(spot, warm))) > len(watered_on(plan(spot, cold)))


spots = st.builds(
    Spot,
    plant=st.sampled_from(["tomato", "fig"]),
    name=st.just("it"),
    need=st.sampled_from(["thirsty", "ordinary", "dry", "deep"]),
    sun=st.sampled_from(["full", "half", "shade", ""]),
    soil=st.sampled_from(["sand", "clay", ""]),
    pot=st.booleans(),
    covered=st.booleans(),
    mulch=st.booleans(),
)
weeks = st.lists(st.floats(0, 60), min_size=1, max_size=8).map(lambda rain: days(*rain))


@given(spots, weeks, st.floats(0, 50))
def test_every_watering_has_a_day_of_the_forecast_an_amount_and_a_reason(
    spot: Spot, week: list[Day], fallen: float
) -> None:
    made = plan(spot, week, fallen=fallen)
    assert list(made.days) == [day.date for day in week]
    for found in made.days.values():
        assert all(one.litres >= 1 and one.reasons for one in found)


@given(spots)
def test_more_sun_never_waters_later(spot: Spot) -> None:
    week = days(*[0.0] * 8)
    first = {
        sun: (watered_on(plan(replace(spot, sun=sun), week)) or [len(week)])[0]
        for sun in ("full", "half", "shade")
    }
    assert first["full"] <= first["half"] <= first["shade"]


@given(spots, weeks)
def test_a_plan_is_kept_and_read_again(spot: Spot, week: list[Day]) -> None:
    made = plan(spot, week)
    read = plan_from_json(made.to_json(lambda one: one.name))
    assert {day: list(found) for day, found in read.items()} == {
        day: [one.spot.key for one in found] for day, found in made.days.items()
    }


@given(
    st.recursive(
        st.none() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=8,
    )
)
def test_what_is_no_plan_is_read_as_none(document: object) -> None:
    assert isinstance(plan_from_json(document), dict)  # type: ignore[arg-type]
    assert isinstance(kept_from_json(document), Kept)  # type: ignore[arg-type]
    assert isinstance(past_from_json(document), Past)  # type: ignore[arg-type]


def test_the_past_is_read_again_for_a_month() -> None:
    old, new = TODAY - timedelta(days=31), TODAY - timedelta(days=30)
    past = Past({"a@b": new, "": old}, {new: 3.5, old: 2.0}, old)
    assert past_from_json(past_to_json(past, TODAY)) == Past({"a@b": new}, {new: 3.5}, old)


def test_kept_reminders_are_read_again() -> None:
    kept = Kept("07:00", {TODAY: ("id", "Water: it")})
    assert kept_from_json(kept.to_json()) == kept


@pytest.fixture(scope="module")
def skills() -> SkillsManifest:
    return provide_skills()


def test_no_example_is_taken_for_another(skills: SkillsManifest) -> None:
    assert misunderstood([one for skill in skills.skills for one in skill.examples]) == ()


@pytest.mark.parametrize(
    ("said", "tool"),
    [
        ("Do I have to water today?", "plan_watering"),
        ("¿Hay que regar mañana?", "plan_watering"),
        ("今天需要浇水吗？", "plan_watering"),
        ("Note that I watered my roses", "note_watering"),
        ("Anota que he regado las tomateras", "note_watering"),
        ("记下我今天浇了番茄", "note_watering"),
        ("Remind me to water the roses at 7", "set_reminder"),
        ("I watered the roses with rainwater.", ""),
    ],
)
def test_gardeners_are_understood(skills: SkillsManifest, said: str, tool: str) -> None:
    found = match([one for skill in skills.skills for one in skill.examples], said)
    assert (found.tool if found else "") == tool


@pytest.mark.parametrize(
    ("month", "latitude", "waterings"),
    [
        (7, 52.0, (3, 5)),
        (1, 52.0, (0, 0)),
        (7, -37.0, (0, 1)),
        (1, -37.0, (3, 7)),
        (7, 1.3, (3, 7)),
        (1, 1.3, (3, 7)),
    ],
)
def test_without_a_forecast_a_week_goes_by_the_season_of_the_place(
    month: int, latitude: float, waterings: tuple[int, int]
) -> None:
    tomatoes = Spot("tomato", "tomatoes", need="thirsty", sun="full", soil="sand")
    week = days_of_season(date(2026, month, 6), 7, latitude)
    found = [each for each in make_plan([tomatoes], week, fallen=None).days.values() if each]
    assert waterings[0] <= len(found) <= waterings[1]
    reasons = {reason.kind for each in found for one in each for reason in one.reasons}
    assert reasons <= {"sand", "thirsty", "season"}


def test_without_a_forecast_clay_and_shade_wait_longer_than_sand_and_sun() -> None:
    week = days_of_season(date(2026, 7, 6), 7, 52.0)
    sunny = Spot("tomato", "tomatoes", need="thirsty", sun="full", soil="sand")
    shaded = replace(sunny, sun="shade", soil="clay")
    often, seldom = (
        sum(bool(each) for each in make_plan([spot], week, fallen=None).days.values())
        for spot in (sunny, shaded)
    )
    assert often > seldom


@pytest.mark.parametrize(
    ("zone", "south"),
    [
        ("Europe/Oslo", False),
        ("Australia/Sydney", True),
        ("America/Santiago", True),
        ("UTC", False),
    ],
)
def test_a_time_zone_tells_the_half_of_the_earth(zone: str, south: bool) -> None:
    assert (latitude_of(zone) < 0) == south
