"""Time zones: by their IANA names, by the cities that people name, and the system's own."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from cloche.texts import languages
from cloche.vocabulary import fold

NEAR: Final = 3
"""Zones that are offered where none is named so."""
_LARGE: Final = {
    "Asia/Shanghai": "beijing pekin 北京 广州 深圳 成都 杭州 武汉 西安 重庆 天津 南京",
    "Asia/Tokyo": "osaka 大阪 京都 kyoto",
    "Asia/Kolkata": "delhi new_delhi nueva_delhi 德里 新德里 mumbai bombay 孟买",
    "America/New_York": "washington 华盛顿 boston 波士顿 miami 迈阿密 montreal 蒙特利尔",
    "America/Los_Angeles": "san_francisco 旧金山 seattle 西雅图",
    "America/Sao_Paulo": "rio_de_janeiro 里约热内卢",
    "America/Bogota": "medellin",
    "Europe/Madrid": "barcelona 巴塞罗那 valencia sevilla seville",
    "Europe/Berlin": "munich munchen 慕尼黑 hamburg hamburgo 汉堡 frankfurt 法兰克福",
    "Europe/Rome": "milan milano 米兰",
}
"""Large cities, as folded, whose zone is named after another one."""


def find_zone(name: str) -> ZoneInfo | None:
    """The zone of an IANA name, or None when there is no such zone."""
    try:
        return ZoneInfo(name) if name else None
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


@cache
def system_zone() -> str:
    """IANA name of the system's zone, "UTC" when it has none that is known."""
    import tzlocal

    try:
        name = tzlocal.get_localzone_name()
    except (LookupError, ValueError, OSError):
        return "UTC"
    return name if name and find_zone(name) else "UTC"


def zones_like(written: str, language: str) -> tuple[list[str], list[str]]:
    """The zone of that name, else those of that city, in any case; and else a few near names.

    Cities are known by their English names and by those of the languages that the host speaks, as
    Unicode's CLDR has them, and of "Lima, Perú" what comes first.

    Args:
        written: A zone's IANA name or a city.
        language: The person's; only its cities are offered as near ones.
    """
    names = {fold(name): name for name in sorted(available_timezones())}
    for wanted in (written, re.split(r"[,，(（]", written)[0]):
        if found := names.get(_bare(wanted)):
            return [found], []
        if cities := _zones_of_cities().get(_bare(wanted), frozenset()):
            return _apart(cities), []
    near = {**names, **{city: zone for zone, city in _cities(language).items()}}
    close = difflib.get_close_matches(_bare(written), near, n=NEAR, cutoff=0.6)
    return [], list(dict.fromkeys(near[name] for name in close))


def _apart(zones: frozenset[str]) -> list[str]:
    """Of zones that are one by several names, such as Kiev and Kyiv, the last name."""
    found = {tuple(_offsets(name)): name for name in sorted(zones)}
    return sorted(found.values())


def _offsets(name: str) -> list[object]:
    zone = ZoneInfo(name)
    return [datetime(2026, month, 15, tzinfo=UTC).astimezone(zone).utcoffset() for month in (1, 7)]


def _bare(written: str) -> str:
    return re.sub(r"\s+", "_", fold(written).strip())


@cache
def _zones_of_cities() -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for name in available_timezones():
        if "/" in name:
            found.setdefault(fold(name.rsplit("/", 1)[-1]), set()).add(name)
    for language in languages():
        for zone, city in _cities(language).items():
            found.setdefault(city, set()).add(zone)
    for zone, large in _LARGE.items():
        for city in large.split():
            found.setdefault(city, set()).add(zone)
    return {city: frozenset(zones) for city, zones in found.items()}


@cache
def _cities(language: str) -> Mapping[str, str]:
    """By zone, the city it is named after in a language; only where that is not its own name."""
    from babel import Locale, UnknownLocaleError

    try:
        zones = Locale.parse(language, sep="-").time_zones
    except (UnknownLocaleError, ValueError):
        return {}
    known = available_timezones()
    return {
        zone: _bare(names["city"])
        for zone, names in zones.items()
        if zone in known and "city" in names
    }
