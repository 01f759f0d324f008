"""What a tool may know of how a person lives, and what it keeps for later turns."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cloche.errors import ToolError
from cloche.logs import OncePerCause
from cloche.messages import Address, Message
from cloche.people import Home, People, PersonSettings, settings_from_json
from cloche.state.sqlite import SqliteStateStore
from cloche.texts import say
from cloche.tools.settings import PersonToolSettings, units_of

NOW = datetime(2026, 7, 15, 10, tzinfo=UTC)
OSLO = Home("Oslo", 59.91, 10.75, "NO")


class House:
    """People of one host."""

    def __init__(self, people: People) -> None:
        self.people = people

    async def settings(self, who: str = "ana", text: str = "hello there") -> PersonToolSettings:
        message = Message("1", Address("console", who), who, text)
        return PersonToolSettings(self.people, await self.people.of(message))


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    import logging

    state = SqliteStateStore(tmp_path / "state.db", lambda: NOW)
    notices = OncePerCause(logging.getLogger("test"))
    yield House(People(state, lambda: NOW, default_zone="Europe/Oslo", notices=notices))
    await state.close()


async def test_nothing_is_known_of_somebody_new_but_the_hosts_zone(house: House) -> None:
    settings = await house.settings()
    assert (settings.place, settings.units, settings.language) == (None, "metric", "en")
    assert (settings.time_zone, settings.zone_known) == ("Europe/Oslo", False)


async def test_what_is_told_holds_in_the_turn_and_in_later_ones(house: House) -> None:
    first = await house.settings()
    await first.set_place(OSLO)
    await first.set_units("imperial")
    await first.set_time_zone("auckland")
    for settings in (first, await house.settings()):
        assert (settings.place, settings.units) == (OSLO, "imperial")
        assert (settings.time_zone, settings.zone_known) == ("Pacific/Auckland", True)


async def test_what_one_person_told_is_not_anothers(house: House) -> None:
    await (await house.settings("ana")).set_place(OSLO)
    assert (await house.settings("ben")).place is None


async def test_a_place_can_be_forgotten(house: House) -> None:
    settings = await house.settings()
    await settings.set_place(OSLO)
    await settings.set_place(None)
    assert settings.place is None
    assert (await house.settings()).place is None


@pytest.mark.parametrize(
    "place",
    [Home(" ", 0, 0), Home("Moon", 91, 0), Home("Mars", 0, -181), Home("?", float("nan"), 0)],
)
async def test_a_place_that_is_none_is_not_kept(house: House, place: Home) -> None:
    settings = await house.settings()
    with pytest.raises(ToolError):
        await settings.set_place(place)
    assert (await house.settings()).place is None


@pytest.mark.parametrize(
    ("text", "language"),
    [("hello there, how are you?", "en"), ("¿cómo estás hoy, amigo mío?", "es"), ("你好吗", "zh")],
)
async def test_a_zone_that_is_none_is_told_in_the_persons_language(
    house: House, text: str, language: str
) -> None:
    settings = await house.settings(text=text)
    with pytest.raises(ToolError) as caught:
        await settings.set_time_zone("Qqqqq/Zzzzz")
    assert str(caught.value) == say("command_timezone_unknown", language, zone="Qqqqq/Zzzzz")
    assert not settings.zone_known


@pytest.mark.parametrize(
    ("chosen", "country", "units"),
    [
        ("", "", "metric"),
        ("", "NO", "metric"),
        ("", "US", "imperial"),
        ("metric", "US", "metric"),
        ("imperial", "NO", "imperial"),
        ("cubits", "NO", "metric"),
    ],
)
def test_units_are_those_chosen_else_those_of_the_country(
    chosen: str, country: str, units: str
) -> None:
    assert units_of(PersonSettings(units=chosen, country=country)) == units


def test_settings_of_before_places_were_kept_can_still_be_read() -> None:
    old = {"language": "es", "time_zone": "", "zone_told": True, "private_in_groups": False}
    assert settings_from_json(old) == PersonSettings(language="es", zone_told=True)


def test_a_place_on_a_whole_degree_is_read_from_a_store_that_gives_whole_numbers() -> None:
    read = settings_from_json({"place": "Here", "latitude": 60, "longitude": 10.5})
    assert (read.latitude, read.longitude) == (60.0, 10.5)
    assert not settings_from_json({"zone_told": 1}).zone_told


async def test_a_town_that_is_not_looked_up_yet_stands_until_a_place_is_known(
    house: House,
) -> None:
    settings = await house.settings()
    await settings.set_place(OSLO)
    await settings.set_town("Sevilla")
    later = await house.settings()
    assert (later.place, later.town) == (None, "Sevilla")
    await later.set_place(OSLO)
    assert ((await house.settings()).place, (await house.settings()).town) == (OSLO, "")
