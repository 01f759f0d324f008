"""Places by name, as Open-Meteo's geocoding finds them, and which of them is meant.

The wire is that of https://open-meteo.com/en/docs/geocoding-api: names of one character find
nothing, of two only exact matches, longer ones similar names too; without a match "results" is
missing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from cloche.people import Home
from cloche.state.store import Json
from cloche.vocabulary import fold
from cloche.weather.failures import WeatherError

GEOCODING_URL: Final = "https://geocoding-api.open-meteo.com"
COUNT: Final = 20
MUCH_LARGER: Final = 10
"""A place with so many times the people of the next one of its name is the one people mean."""
_COORDINATES: Final = re.compile(r"\s*(-?\d{1,2}(?:\.\d+)?)\s*[,;]\s*(-?\d{1,3}(?:\.\d+)?)\s*")
_PARTS: Final = re.compile(r"(?:(?<!\s)\s+)?[,，、;；]\s*|(?<!\s)\s+\(|\)")


@dataclass(frozen=True, slots=True)
class Found:
    """One place of that name.

    Attributes:
        name: In the language that was asked in, where it has a name there.
        areas: What it lies in, smallest first, the country last.
        latitude: Degrees north.
        longitude: Degrees east.
        country: ISO 3166-1 alpha-2 code; "" = none.
        zone: IANA name of its zone; "" = not known.
        population: How many live there; 0 = not known.
    """

    name: str
    areas: tuple[str, ...]
    latitude: float
    longitude: float
    country: str
    zone: str
    population: int

    @property
    def described(self) -> str:
        """The name with what tells it from others of that name: "Springfield, Illinois, USA"."""
        shown = [area for area in self.areas[-2:] if area and area != self.name]
        return ", ".join(dict.fromkeys([self.name, *shown]))

    @property
    def home(self) -> Home:
        """The place as a person's."""
        return Home(self.described, self.latitude, self.longitude, self.country)


def geocoding_parameters(name: str, language: str) -> dict[str, str]:
    """What ``/v1/search`` is asked for a name."""
    return {
        "name": name,
        "count": str(COUNT),
        "language": language.split("-", maxsplit=1)[0].lower(),
        "format": "json",
    }


def coordinates(written: str) -> Home | None:
    """The place of a text like "59.91, 10.75"; None when it is none."""
    if not (found := _COORDINATES.fullmatch(written)):
        return None
    latitude, longitude = float(found[1]), float(found[2])
    if abs(latitude) > 90 or abs(longitude) > 180:
        return None
    return Home(written.strip(), latitude, longitude)


def parts_of(written: str) -> tuple[str, tuple[str, ...]]:
    """The name that is searched for, and what the place is said to lie in."""
    name, *areas = [part for part in _PARTS.split(written.strip()) if part] or [""]
    return name, tuple(areas)


def read_places(document: Json) -> tuple[Found, ...]:
    """The places of an answer, in its order.

    Raises:
        WeatherError: it is none.
    """
    if not isinstance(document, dict):
        raise WeatherError("garbage")
    results = document.get("results", [])
    if not isinstance(results, list):
        raise WeatherError("garbage")
    try:
        return tuple(_found(one) for one in results)
    except (KeyError, TypeError, ValueError) as error:
        raise WeatherError("garbage") from error


def meant(found: Sequence[Found], name: str, areas: Sequence[str]) -> tuple[Found, ...]:
    """Which of these may be meant: one = that one, several = ask, none = there is none.

    A name that is the same counts before similar ones, what lies in all the areas before what
    does not, and a place with many times the people of the others before these.
    """
    same = [one for one in found if fold(one.name) == fold(name)] or list(found)
    inside = [one for one in same if all(_lies_in(one, area) for area in areas)]
    if areas:
        if not inside:
            return tuple(same)  # the area may be written another way: better asked than guessed
        same = inside
    ranked = sorted(_distinct(same), key=lambda one: -one.population)
    if len(ranked) < 2 or ranked[0].population >= MUCH_LARGER * max(ranked[1].population, 1):
        return tuple(ranked[:1])
    return tuple(ranked)


def _distinct(found: Sequence[Found]) -> list[Found]:
    """A city and the district of its name, a few kilometres apart, have one weather."""
    kept: list[Found] = []
    for one in sorted(found, key=lambda each: -each.population):
        if all(
            abs(one.latitude - other.latitude) > 0.2 or abs(one.longitude - other.longitude) > 0.4
            for other in kept
        ):
            kept.append(one)
    return kept


def _lies_in(place: Found, area: str) -> bool:
    wanted = fold(area)
    return wanted == fold(place.country) or any(fold(each) == wanted for each in place.areas)


def _found(document: Json) -> Found:
    if not isinstance(document, dict):
        raise TypeError("no object")
    latitude, longitude = _degrees(document, "latitude", 90), _degrees(document, "longitude", 180)
    name, population = document["name"], document.get("population", 0)
    if not isinstance(name, str) or not name.strip():
        raise ValueError("no name")
    areas = (_text(document, key) for key in ("admin4", "admin3", "admin2", "admin1", "country"))
    return Found(
        name=name.strip(),
        areas=tuple(area for area in areas if area),
        latitude=latitude,
        longitude=longitude,
        country=_text(document, "country_code"),
        zone=_text(document, "timezone"),
        population=population if isinstance(population, int) else 0,
    )


def _text(document: Mapping[str, Json], key: str) -> str:
    value = document.get(key, "")
    return value.strip() if isinstance(value, str) else ""


def _degrees(document: Mapping[str, Json], key: str, most: float) -> float:
    value = document[key]
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{key} is no number")
    if not math.isfinite(value) or abs(value) > most:
        raise ValueError(f"{key} is not on this earth")
    return float(value)
