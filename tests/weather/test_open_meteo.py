"""How Open-Meteo's answers are read, and what becomes of everything that is none."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any, cast

import aiohttp
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche import Home
from cloche.state.store import Json
from cloche.testing import Sky, WeatherServer, fault
from cloche.testing.weather.answers import RefusedError, forecast_answer, search_answer
from cloche.testing.weather.world import PLACES
from cloche.weather import Day, Weather, WeatherError, hazards
from cloche.weather.geocoding import (
    COUNT,
    Found,
    coordinates,
    geocoding_parameters,
    meant,
    parts_of,
    read_places,
)
from cloche.weather.openmeteo import forecast_parameters, read_forecast

NOW = datetime(2026, 7, 15, 10, 20, tzinfo=UTC)
OSLO = Home("Oslo", 59.91, 10.75)


def answer(now: datetime = NOW, place: Home = OSLO, sky: Sky | None = None) -> dict[str, Json]:
    asked = forecast_parameters(place.latitude, place.longitude)
    return forecast_answer(asked, now, lambda day: sky or Sky(rain=24.0), PLACES)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(json_values)
def test_any_other_answer_is_no_forecast(document: Json) -> None:
    with pytest.raises(WeatherError, match="garbage"):
        read_forecast(document, NOW)


@given(st.data())
def test_a_forecast_with_one_thing_wrong_is_read_or_refused(data: st.DataObject) -> None:
    document = cast("dict[str, Any]", answer())
    block = data.draw(st.sampled_from(["", "current", "hourly", "daily"]))
    target = document[block] if block else document
    key = data.draw(st.sampled_from(sorted(target)))
    if data.draw(st.booleans()):
        del target[key]
    else:
        target[key] = data.draw(json_values)
    try:
        read = read_forecast(document, NOW)
    except WeatherError:
        return  # nothing else is raised
    assert read.hours
    assert all(-100 <= hour.temperature <= 70 for hour in read.hours)


def test_hours_with_gaps_are_left_out_and_unknown_rain_stays_unknown() -> None:
    document = cast("dict[str, Any]", answer())
    document["hourly"]["temperature_2m"][0] = None
    document["hourly"]["precipitation"][1] = None
    document["daily"]["et0_fao_evapotranspiration"][0] = None
    read = read_forecast(document, NOW)
    assert len(read.hours) == 9 * 24 - 1
    assert read.hours[0].rain is None
    assert read.days[0].evaporation is None


@pytest.mark.parametrize(
    ("place", "now", "first"),
    [
        (Home("Auckland", -36.85, 174.76), datetime(2026, 7, 15, 21, tzinfo=UTC), "2026-07-16"),
        (Home("Bogota", 4.61, -74.08), datetime(2026, 7, 16, 3, tzinfo=UTC), "2026-07-15"),
        (OSLO, datetime(2026, 3, 29, 0, 30, tzinfo=UTC), "2026-03-29"),  # clocks go forward
        (OSLO, datetime(2026, 10, 25, 0, 30, tzinfo=UTC), "2026-10-25"),  # and back
    ],
)
def test_days_are_those_of_the_place(place: Home, now: datetime, first: str) -> None:
    read = read_forecast(answer(now, place), now)
    days = [day.date for day in read.coming_days(now, 7)]
    assert days == [date.fromisoformat(first) + timedelta(days=each) for each in range(7)]


def test_rain_is_of_the_hours_before() -> None:
    read = read_forecast(answer(), NOW)
    assert read.rain_of_last(24, NOW) == pytest.approx(24)
    assert read.rain_of_last(3, NOW) == pytest.approx(3)
    assert read.rain(NOW, NOW + timedelta(hours=2)) == pytest.approx(2)
    assert read.rain(NOW, NOW) is None
    assert read.rain_of_last(24 * 5, NOW) is None  # further back than the answer goes


def test_on_the_hour_rain_belongs_to_what_was_not_to_what_comes() -> None:
    noon = datetime(2026, 7, 15, 10, tzinfo=UTC)  # noon in Oslo
    read = read_forecast(answer(noon, sky=Sky(rain=6.0, hours=(11, 12))), noon)
    assert read.rain_of_last(1, noon) == pytest.approx(6)
    assert read.rain(noon, noon + timedelta(hours=1)) == 0


@given(st.floats(-90, 90), st.floats(-180, 180))
def test_every_place_on_earth_can_be_asked_for(latitude: float, longitude: float) -> None:
    asked = forecast_parameters(latitude, longitude)
    assert forecast_answer(asked, NOW, lambda day: Sky(), PLACES)["hourly"]


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"latitude": "91"}, "Latitude must be in range of -90 to 90°. Given: 91.0."),
        ({"longitude": "-181"}, "Longitude must be in range of -180 to 180°. Given: -181.0."),
        ({"latitude": ""}, "must not be empty"),
        ({"latitude": "north"}, "Value of type 'Float' required"),
        ({"forecast_days": "17"}, "Forecast days is invalid. Allowed range 0 to 16. Given 17."),
        ({"past_days": "93"}, "Past days is invalid"),
        ({"past_days": "one"}, "Value of type 'Int' required"),
        ({"timezone": "Europe/Trondheim"}, "Invalid timezone"),
        ({"hourly": "temperature"}, "invalid String value temperature"),
        ({"current": "precipitation_probability"}, "invalid String value"),
        ({"daily": "temperature_2m"}, "invalid String value"),
        ({"timeformat": "rfc3339"}, "invalid String value rfc3339"),
        ({"days": "7"}, "not documented"),
    ],
)
def test_the_loopback_service_refuses_what_the_real_one_does(
    changed: Mapping[str, str], reason: str
) -> None:
    with pytest.raises(RefusedError) as caught:
        forecast_answer({**forecast_parameters(1, 2), **changed}, NOW, lambda day: Sky(), PLACES)
    assert reason in str(caught.value)


async def test_errors_have_the_shape_of_the_service(plain_session: aiohttp.ClientSession) -> None:
    async with WeatherServer() as server:
        async with plain_session.get(f"{server.url}/v1/forecast?latitude=0") as response:
            assert response.status == 400
            assert await response.json() == {
                "error": True,
                "reason": "Parameter 'latitude' and 'longitude' must not be empty",
            }
        async with plain_session.get(f"{server.url}/v1/search?name=Oslo&count=0") as response:
            assert (await response.json())["reason"].startswith("Parameter count must be")
        async with plain_session.get(f"{server.url}/v2/forecast") as response:
            assert response.status == 404


def test_times_are_local_text_unless_seconds_are_asked_for() -> None:
    asked = {"latitude": "59.9", "longitude": "10.7", "daily": "weather_code",
             "hourly": "temperature_2m", "timezone": "auto"}  # fmt: skip
    made = cast("dict[str, Any]", forecast_answer(asked, NOW, lambda day: Sky(), PLACES))
    assert made["daily"]["time"][0] == "2026-07-15"
    assert made["hourly"]["time"][0] == "2026-07-15T00:00"
    assert made["hourly_units"] == {"time": "iso8601", "temperature_2m": "°C"}
    assert made["utc_offset_seconds"] == 7200
    assert "current" not in made


async def test_a_service_that_does_not_answer_in_time_is_given_up(
    plain_session: aiohttp.ClientSession,
) -> None:
    async with WeatherServer(faults={1: fault("slow"), 2: fault("cut")}) as server:
        weather = Weather(plain_session, lambda: NOW, forecast_url=server.url, seconds=0.05)
        with pytest.raises(WeatherError) as caught:
            await weather.forecast(OSLO)
        assert caught.value.cause == "slow"
        # As long as it takes: what is asked here is what a torn answer is called.
        patient = Weather(plain_session, lambda: NOW, forecast_url=server.url)
        with pytest.raises(WeatherError) as caught:
            await patient.forecast(OSLO)
        assert caught.value.cause in ("garbage", "unreachable")


async def test_a_body_without_end_is_given_up(plain_session: aiohttp.ClientSession) -> None:
    async with WeatherServer(bodies={1: b" " * 2_000_000 + b"{}"}) as server:
        weather = Weather(plain_session, lambda: NOW, forecast_url=server.url)
        with pytest.raises(WeatherError, match="garbage"):
            await weather.forecast(OSLO)


async def test_a_name_is_looked_up_once_a_day(plain_session: aiohttp.ClientSession) -> None:
    now = NOW
    async with WeatherServer() as server:
        weather = Weather(plain_session, lambda: now, geocoding_url=server.url)
        for written in ("Oslo", "oslo", "Oslo, Norway"):
            assert [one.name for one in await weather.places(written, "en")] == ["Oslo"]
        assert len(server.requests) == 1
        await weather.places("Oslo", "zh")
        now += timedelta(days=1)
        await weather.places("Oslo", "en")
        assert len(server.requests) == 3


@given(json_values)
def test_any_other_answer_is_no_list_of_places(document: Json) -> None:
    try:
        found = read_places(document)
    except WeatherError:
        return  # nothing else is raised
    assert found == ()


@given(st.text())
def test_any_text_can_be_looked_for(written: str) -> None:
    name, areas = parts_of(written)
    asked = geocoding_parameters(name, "en")
    search_answer(asked, PLACES)
    assert int(asked["count"]) == COUNT
    assert all(areas)


@given(st.text())
def test_coordinates_are_read_only_where_they_are_on_this_earth(written: str) -> None:
    found = coordinates(written)
    assert found is None or (abs(found.latitude) <= 90 and abs(found.longitude) <= 180)


@pytest.mark.parametrize(
    ("written", "place"),
    [
        ("59.9, 10.7", (59.9, 10.7)),
        ("-36.85;174.76", (-36.85, 174.76)),
        ("91, 10", None),
        ("59.9", None),
        ("Oslo, 1", None),
    ],
)
def test_a_place_may_be_told_by_its_coordinates(
    written: str, place: tuple[float, float] | None
) -> None:
    found = coordinates(written)
    assert (found and (found.latitude, found.longitude)) == place


def town(name: str, population: int, *areas: str, at: float = 0.0) -> Found:
    return Found(name, areas, at, at, "XX", "Etc/UTC", population)


@pytest.mark.parametrize(
    ("found", "wanted"),
    [
        ([town("Ash", 900, at=1), town("Ash", 90, at=2)], [900]),
        ([town("Ash", 900, at=1), town("Ash", 91, at=2)], [900, 91]),
        ([town("Ash", 0, at=1), town("Ash", 0, at=2)], [0, 0]),
        ([town("Ash", 900, at=1), town("Ash", 800, at=1.1)], [900]),  # a city and its district
        ([town("Ashford", 9000, at=1), town("Ash", 9, at=2)], [9]),  # the same name before others
        ([town("Ashford", 9000, at=1), town("Ashby", 9, at=2)], [9000]),
        ([], []),
    ],
)
def test_which_place_is_meant(found: list[Found], wanted: list[int]) -> None:
    assert [one.population for one in meant(found, "ash", ())] == wanted


def test_an_area_that_fits_none_is_asked_about() -> None:
    found = [town("Ash", 900, "Kent", at=1), town("Ash", 9, "Ohio", at=2)]
    assert [one.population for one in meant(found, "Ash", ("Ohio",))] == [9]
    assert len(meant(found, "Ash", ("OH",))) == 2


@pytest.mark.parametrize(
    ("low", "kinds"),
    [(-0.1, ["frost"]), (0.0, ["frost"]), (2.0, ["ground_frost"]), (2.1, [])],
)
def test_frost_is_told_from_frost_at_the_ground(low: float, kinds: list[str]) -> None:
    day = Day(date(2026, 4, 1), low, 12.0, 0.0, 0, 5.0, 0, 2.0)
    assert [one.kind for one in hazards([day])] == kinds


@given(st.floats(-60, 55), st.floats(-60, 55))
def test_a_days_dangers_are_at_most_one_of_cold_and_one_of_heat(low: float, high: float) -> None:
    kinds = [one.kind for one in hazards([Day(date(2026, 4, 1), low, high, 0, 0, 5, 0, 2)])]
    assert ("heat" in kinds) == (high >= 30)
    assert len(kinds) == len(set(kinds)) <= 2
