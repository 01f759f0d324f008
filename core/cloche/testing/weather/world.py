"""Places that the loopback weather server knows, and the days that a test makes there."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True, slots=True)
class Sky:
    """The weather of one day.

    Attributes:
        low: Lowest temperature in degrees Celsius, at five in the morning.
        high: Highest, at three in the afternoon.
        rain: Of the whole day in mm; None = the model does not tell (null).
        hours: First and last hour of the rain: (0, 24) = all day long.
        chance: Of rain in percent; None = the model does not tell (null).
        code: WMO weather code.
        wind: In km/h, all day long.
        evaporation: FAO reference evapotranspiration in mm; None = the model does not tell.
    """

    low: float = 9.0
    high: float = 19.0
    rain: float | None = 0.0
    hours: tuple[int, int] = (0, 24)
    chance: int | None = 10
    code: int = 2
    wind: float = 8.0
    evaporation: float | None = 3.0

    def temperature(self, hour: int) -> float:
        """At an hour of the day."""
        middle, half = (self.low + self.high) / 2, (self.high - self.low) / 2
        if 5 <= hour <= 15:
            return round(middle - half * math.cos((hour - 5) / 10 * math.pi), 1)
        return round(middle + half * math.cos((hour - 15) % 24 / 14 * math.pi), 1)

    def rain_before(self, hour: int) -> float | None:
        """Rain of the hour that ends at ``hour`` (1-24)."""
        if self.rain is None:
            return None
        first, last = self.hours
        return round(self.rain / (last - first), 2) if first < hour <= last else 0.0


@dataclass(frozen=True, slots=True)
class Place:
    """A place as GeoNames has it.

    Attributes:
        id: Of GeoNames.
        names: By language; English is always there.
        country: ISO 3166-1 alpha-2 code.
        countries: The country's name by language.
        region: The first administrative level; "" = none.
        latitude: Degrees north.
        longitude: Degrees east.
        zone: IANA name.
        population: 0 = not known: the field is left out.
        feature: GeoNames feature code.
    """

    id: int
    names: Mapping[str, str]
    country: str
    countries: Mapping[str, str]
    region: str
    latitude: float
    longitude: float
    zone: str
    population: int = 0
    feature: str = "PPL"
    elevation: float = field(default=23.0)


def _by_language(en: str, es: str = "", zh: str = "") -> Mapping[str, str]:
    return MappingProxyType({"en": en, "es": es or en, "zh": zh or en})


_NORWAY = _by_language("Norway", "Noruega", "挪威")
_SPAIN = _by_language("Spain", "España", "西班牙")
_CHINA = _by_language("China", "China", "中国")
_USA = _by_language("United States", "Estados Unidos", "美国")
_GERMANY = _by_language("Germany", "Alemania", "德国")
_NEW_ZEALAND = _by_language("New Zealand", "Nueva Zelanda", "新西兰")
_COLOMBIA = _by_language("Colombia", "Colombia", "哥伦比亚")
_VENEZUELA = _by_language("Venezuela", "Venezuela", "委内瑞拉")

PLACES: Final = (
    Place(3143244, _by_language("Oslo", "Oslo", "奥斯陆"), "NO", _NORWAY, "Oslo",
          59.91273, 10.74609, "Europe/Oslo", 580_000, "PPLC"),
    Place(2510911, _by_language("Seville", "Sevilla", "塞维利亚"), "ES", _SPAIN, "Andalusia",
          37.38283, -5.97317, "Europe/Madrid", 684_234, "PPLA"),
    Place(1796236, _by_language("Shanghai", "Shanghái", "上海"), "CN", _CHINA, "Shanghai",
          31.22222, 121.45806, "Asia/Shanghai", 24_874_500, "PPLA"),
    Place(2193733, _by_language("Auckland", "Auckland", "奥克兰"), "NZ", _NEW_ZEALAND, "Auckland",
          -36.84853, 174.76349, "Pacific/Auckland", 417_910, "PPLA"),
    Place(2950159, _by_language("Berlin", "Berlín", "柏林"), "DE", _GERMANY, "State of Berlin",
          52.52437, 13.41053, "Europe/Berlin", 3_426_354, "PPLC"),
    Place(5083330, _by_language("Berlin"), "US", _USA, "New Hampshire",
          44.46867, -71.18508, "America/New_York", 9_367),
    Place(4250542, _by_language("Springfield"), "US", _USA, "Illinois",
          39.80172, -89.64371, "America/Chicago", 116_565, "PPLA"),
    Place(4409896, _by_language("Springfield"), "US", _USA, "Missouri",
          37.21533, -93.29824, "America/Chicago", 166_810, "PPLA2"),
    Place(4951788, _by_language("Springfield"), "US", _USA, "Massachusetts",
          42.10148, -72.58981, "America/New_York", 154_341, "PPLA2"),
    Place(3674453, _by_language("Merida", "Mérida"), "VE", _VENEZUELA, "Mérida",
          8.59952, -71.14344, "America/Caracas", 300_000, "PPLA"),
    Place(2513917, _by_language("Merida", "Mérida"), "ES", _SPAIN, "Extremadura",
          38.91611, -6.34366, "Europe/Madrid", 57_127, "PPLA"),
    Place(3688689, _by_language("Bogota", "Bogotá", "波哥大"), "CO", _COLOMBIA, "Bogota D.C.",
          4.60971, -74.08175, "America/Bogota", 7_674_366, "PPLC"),
)  # fmt: skip
"""Some with names of their own in each language, some with a namesake."""
