"""What a tool may know of how a person lives, and keep when they tell it."""

from __future__ import annotations

from typing import Protocol

from cloche.errors import ToolError
from cloche.people import Home, People, Person, PersonSettings, Units, home_of
from cloche.texts import say
from cloche.zones import zones_like


class ToolSettings(Protocol):
    """What the person of the turn chose or told; what is set holds in every later turn."""

    @property
    def language(self) -> str:
        """What answers are said in: a BCP 47 primary subtag."""
        ...

    @property
    def time_zone(self) -> str:
        """IANA name of the person's zone; the host's own where they chose none."""
        ...

    @property
    def zone_known(self) -> bool:
        """False when the zone is only the host's guess."""
        ...

    @property
    def place(self) -> Home | None:
        """Where they live; None = they did not tell."""
        ...

    @property
    def town(self) -> str:
        """Where they said they live, while it could not be looked up; "" otherwise."""
        ...

    @property
    def units(self) -> Units:
        """What they chose, else what is usual where they live."""
        ...

    async def set_place(self, place: Home | None) -> None:
        """Keep where they live; None forgets it.

        Raises:
            ToolError: the place has no name, or is not on this earth.
        """
        ...

    async def set_town(self, town: str) -> None:
        """Keep what they said of where they live until it is looked up; no place is known then."""
        ...

    async def set_units(self, units: Units) -> None:
        """Keep what they measure in."""
        ...

    async def set_time_zone(self, zone: str) -> None:
        """Keep their zone.

        Raises:
            ToolError: there is no zone of that IANA name or city, or there are several.
        """
        ...


class PersonToolSettings:
    """The settings of one person, as the tool calls of one turn see them (``ToolSettings``)."""

    def __init__(self, people: People, person: Person) -> None:
        """Take who keeps settings, and whose they are."""
        self._people, self._person = people, person
        self._settings: PersonSettings = person.settings

    @property
    def language(self) -> str:
        """What answers are said in."""
        return self._person.language

    @property
    def time_zone(self) -> str:
        """IANA name of the person's zone."""
        return self._settings.time_zone or self._person.zone.key

    @property
    def zone_known(self) -> bool:
        """False when the zone is only the host's guess."""
        return bool(self._settings.time_zone)

    @property
    def place(self) -> Home | None:
        """Where they live; None = they did not tell."""
        return home_of(self._settings)

    @property
    def town(self) -> str:
        """Where they said they live, while nobody could look it up."""
        return self._settings.town

    @property
    def units(self) -> Units:
        """What they chose, else what is usual where they live."""
        return units_of(self._settings)

    async def set_place(self, place: Home | None) -> None:
        """Keep where they live; None forgets it.

        Raises:
            ToolError: the place has no name, or is not on this earth.
            MemoryUnavailableError: the store is away; nothing was kept.
        """
        await self._live_in(checked_home(place) or Home("", 0.0, 0.0))

    async def set_town(self, town: str) -> None:
        """Keep what they said of where they live until it is looked up; no place is known then.

        Raises:
            MemoryUnavailableError: the store is away; nothing was kept.
        """
        await self._live_in(Home("", 0.0, 0.0), town)

    async def _live_in(self, home: Home, town: str = "") -> None:
        self._settings = await self._people.choose(
            self._person.actor,
            place=home.name,
            latitude=home.latitude,
            longitude=home.longitude,
            country=home.country,
            town=town,
        )

    async def set_units(self, units: Units) -> None:
        """Keep what they measure in.

        Raises:
            MemoryUnavailableError: the store is away; nothing was kept.
        """
        self._settings = await self._people.choose(self._person.actor, units=units)

    async def set_time_zone(self, zone: str) -> None:
        """Keep their zone.

        Raises:
            ToolError: there is no zone of that name or city, or there are several.
            MemoryUnavailableError: the store is away; nothing was kept.
        """
        chosen = checked_zone(zone, self._person.language)
        self._settings = await self._people.choose(
            self._person.actor, time_zone=chosen, zone_told=True
        )


def units_of(settings: PersonSettings) -> Units:
    """What a person measures in: as they chose, else as is usual in their country."""
    usual = settings.units or ("imperial" if settings.country in _IMPERIAL else "metric")
    return "imperial" if usual == "imperial" else "metric"


_IMPERIAL = frozenset({"US", "LR"})
"""Countries where people think of the weather in Fahrenheit and inches (CLDR, "US" system)."""


def checked_home(place: Home | None) -> Home | None:
    """A place that can be kept.

    Raises:
        ToolError: it has no name, or is not on this earth.
    """
    if place is not None and not (
        place.name.strip() and abs(place.latitude) <= 90 and abs(place.longitude) <= 180
    ):
        raise ToolError("A place has a name, -90 to 90 degrees north and -180 to 180 east.")
    return place


def checked_zone(written: str, language: str) -> str:
    """The IANA name of the zone that is meant.

    Raises:
        ToolError: there is none of that name or city, or there are several.
    """
    found, near = zones_like(written, language)
    if len(found) == 1:
        return found[0]
    offered = found or near
    key = "command_timezone_near" if offered else "command_timezone_unknown"
    raise ToolError(say(key, language, zone=written.strip(), near=", ".join(offered)))
