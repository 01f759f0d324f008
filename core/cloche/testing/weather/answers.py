"""What Open-Meteo answers, in the shape that its pages show and its server sends."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from cloche.state.store import Json
from cloche.testing.weather.world import Place, Sky
from cloche.vocabulary import fold
from cloche.zones import find_zone

Skies = Callable[[date], Sky]

_FORECAST: Final = frozenset(
    {
        "latitude", "longitude", "elevation", "hourly", "daily", "current", "minutely_15",
        "temperature_unit", "wind_speed_unit", "precipitation_unit", "timeformat", "timezone",
        "past_days", "forecast_days", "past_hours", "forecast_hours", "start_date", "end_date",
        "models", "cell_selection", "apikey",
    }
)  # fmt: skip
_SEARCH: Final = frozenset({"name", "count", "format", "language", "apikey", "countryCode"})
_UNITS: Final = {
    "temperature_2m": "°C",
    "apparent_temperature": "°C",
    "relative_humidity_2m": "%",
    "is_day": "",
    "precipitation": "mm",
    "precipitation_probability": "%",
    "weather_code": "wmo code",
    "wind_speed_10m": "km/h",
    "wind_gusts_10m": "km/h",
    "temperature_2m_max": "°C",
    "temperature_2m_min": "°C",
    "precipitation_sum": "mm",
    "precipitation_probability_max": "%",
    "wind_speed_10m_max": "km/h",
    "et0_fao_evapotranspiration": "mm",
}
_CURRENT: Final = frozenset(
    {
        "temperature_2m", "apparent_temperature", "relative_humidity_2m", "is_day",
        "precipitation", "weather_code", "wind_speed_10m", "wind_gusts_10m",
    }
)  # fmt: skip
_HOURLY: Final = _CURRENT | {"precipitation_probability", "et0_fao_evapotranspiration"}
_DAILY: Final = frozenset(
    {
        "weather_code", "temperature_2m_max", "temperature_2m_min", "precipitation_sum",
        "precipitation_probability_max", "wind_speed_10m_max", "et0_fao_evapotranspiration",
    }
)  # fmt: skip


class RefusedError(Exception):
    """The service answers this with an error."""

    def __init__(self, reason: str, status: int = 400) -> None:
        """Take the service's words."""
        self.status = status
        super().__init__(reason)


def search_answer(query: Mapping[str, str], places: Iterable[Place]) -> dict[str, Json]:
    """Places of a name; "results" is left out when there are none, as empty fields are.

    Raises:
        RefusedError: the service would not answer this.
    """
    _known(query, _SEARCH)
    if "name" not in query:
        raise RefusedError("Parameter 'name' is required")
    count = _whole(query, "count", 10)
    if not 1 <= count <= 100:
        raise RefusedError("Parameter count must be between 1 and 100.")
    language, wanted = query.get("language", "en"), fold(query["name"].strip())
    found = [place for place in places if _fits(place, wanted)][:count]
    answer: dict[str, Json] = {"generationtime_ms": 0.71}
    if found:
        answer = {"results": [_place(place, language) for place in found], **answer}
    return answer


def _fits(place: Place, wanted: str) -> bool:
    """One character fits nothing, two only the same name, three and more a beginning, too."""
    names = {fold(name) for name in place.names.values()}
    if len(wanted) < 2:
        return False
    return wanted in names or (len(wanted) > 2 and any(n.startswith(wanted) for n in names))


def _place(place: Place, language: str) -> dict[str, Json]:
    answer: dict[str, Json] = {
        "id": place.id,
        "name": place.names.get(language, place.names["en"]),
        "latitude": place.latitude,
        "longitude": place.longitude,
        "elevation": place.elevation,
        "feature_code": place.feature,
        "country_code": place.country,
        "timezone": place.zone,
        "population": place.population,
        "country": place.countries.get(language, place.countries["en"]),
        "admin1": place.region,
    }
    return {key: value for key, value in answer.items() if value not in ("", 0)}


def forecast_answer(
    query: Mapping[str, str], now: datetime, skies: Skies, places: Iterable[Place]
) -> dict[str, Json]:
    """The weather of one place.

    Raises:
        RefusedError: the service would not answer this.
    """
    _known(query, _FORECAST)
    latitude, longitude = _degrees(query, "latitude", 90), _degrees(query, "longitude", 180)
    zone = _zone(query.get("timezone", "GMT"), latitude, longitude, places)
    unix = _one_of(query, "timeformat", ("iso8601", "unixtime")) == "unixtime"
    for name, first, other in (
        ("temperature_unit", "celsius", "fahrenheit"),
        ("wind_speed_unit", "kmh", "mph"),
        ("precipitation_unit", "mm", "inch"),
    ):
        if _one_of(query, name, (first, other)) != first:
            raise RefusedError(f"{name} is not played here", 501)
    past = _days(query, "past_days", 0, 92, "Past days")
    coming = _days(query, "forecast_days", 7, 16, "Forecast days")
    today = now.astimezone(zone).date()
    days = [today + timedelta(days=number) for number in range(-past, coming)]
    offset = now.astimezone(zone).utcoffset() or timedelta()
    answer: dict[str, Json] = {
        "latitude": round(latitude * 8) / 8,
        "longitude": round(longitude * 8) / 8,
        "generationtime_ms": 0.19,
        "utc_offset_seconds": int(offset.total_seconds()),
        "timezone": zone.key,
        "timezone_abbreviation": now.astimezone(zone).tzname() or "",
        "elevation": 23.0,
    }
    clock = _Clock(offset, unix)
    blocks: dict[str, tuple[frozenset[str], Callable[[list[str]], dict[str, Json]]]] = {
        "current": (_CURRENT, lambda names: _now(names, now, clock, skies)),
        "hourly": (_HOURLY, lambda names: _hours(names, days, clock, skies)),
        "daily": (_DAILY, lambda names: _daily(names, days, clock, skies)),
    }
    for name, (there, made) in blocks.items():
        names = _variables(query, name, there)
        if names:
            units: dict[str, Json] = {each: _UNITS[each] for each in names}
            answer[f"{name}_units"] = {"time": "unixtime" if unix else "iso8601", **units}
            answer[name] = made(names)
    return answer


class _Clock:
    """Times as they are asked for. All of an answer have the offset of its moment."""

    def __init__(self, offset: timedelta, unix: bool) -> None:
        self.offset, self._unix = offset, unix

    def write(self, local: datetime) -> Json:
        if self._unix:
            return int((local - self.offset).replace(tzinfo=UTC).timestamp())
        return local.isoformat(timespec="minutes")

    def day(self, day: date) -> Json:
        return self.write(datetime.combine(day, time())) if self._unix else day.isoformat()


def _now(names: list[str], now: datetime, clock: _Clock, skies: Skies) -> dict[str, Json]:
    quarter = now.replace(minute=now.minute // 15 * 15, second=0, microsecond=0)
    local = (quarter.astimezone(UTC) + clock.offset).replace(tzinfo=None)
    sky = skies(local.date())
    values = {name: _at(name, local.hour, sky) for name in names}
    return {"time": clock.write(local), "interval": 900, **values}


def _hours(names: list[str], days: list[date], clock: _Clock, skies: Skies) -> dict[str, Json]:
    hours = [datetime.combine(day, time(hour)) for day in days for hour in range(24)]
    made: dict[str, Json] = {"time": [clock.write(hour) for hour in hours]}
    for name in names:
        made[name] = [_hourly(name, hour, skies) for hour in hours]
    return made


def _hourly(name: str, hour: datetime, skies: Skies) -> Json:
    if name == "precipitation":  # of the hour before, which at midnight is yesterday's
        before = hour - timedelta(hours=1)
        return skies(before.date()).rain_before(before.hour + 1)
    return _at(name, hour.hour, skies(hour.date()))


def _at(name: str, hour: int, sky: Sky) -> Json:
    warm = sky.temperature(hour)
    values: dict[str, Json] = {
        "temperature_2m": warm,
        "apparent_temperature": round(warm - sky.wind / 8, 1),
        "relative_humidity_2m": 65,
        "is_day": int(6 <= hour < 20),
        "precipitation": sky.rain_before(hour),
        "precipitation_probability": sky.chance,
        "weather_code": sky.code,
        "wind_speed_10m": sky.wind,
        "wind_gusts_10m": round(sky.wind * 1.8, 1),
        "et0_fao_evapotranspiration": sky.evaporation and round(sky.evaporation / 24, 2),
    }
    return values[name]


def _daily(names: list[str], days: list[date], clock: _Clock, skies: Skies) -> dict[str, Json]:
    made: dict[str, Json] = {"time": [clock.day(day) for day in days]}
    for name in names:
        made[name] = [_of_day(name, skies(day)) for day in days]
    return made


def _of_day(name: str, sky: Sky) -> Json:
    values: dict[str, Json] = {
        "weather_code": sky.code,
        "temperature_2m_max": sky.high,
        "temperature_2m_min": sky.low,
        "precipitation_sum": sky.rain,
        "precipitation_probability_max": sky.chance,
        "wind_speed_10m_max": sky.wind,
        "et0_fao_evapotranspiration": sky.evaporation,
    }
    return values[name]


def _known(query: Mapping[str, str], names: frozenset[str]) -> None:
    for name in query:
        if name not in names:
            raise RefusedError(f"Parameter '{name}' is not documented")


def _variables(query: Mapping[str, str], name: str, there: frozenset[str]) -> list[str]:
    names = [each for each in query.get(name, "").split(",") if each]
    for each in names:
        if each not in there:
            raise RefusedError(
                f"Data corrupted at path ''. Cannot initialize ForecastVariable{name.title()} "
                f"from invalid String value {each}."
            )
    return names


def _degrees(query: Mapping[str, str], name: str, most: int) -> float:
    if not query.get(name):
        raise RefusedError("Parameter 'latitude' and 'longitude' must not be empty")
    try:
        value = float(query[name])
    except ValueError as error:
        raise RefusedError(f"Value of type 'Float' required for key '{name}'.") from error
    if not -most <= value <= most:
        raise RefusedError(
            f"{name.title()} must be in range of -{most} to {most}°. Given: {value}."
        )
    return value


def _days(query: Mapping[str, str], name: str, usual: int, most: int, told: str) -> int:
    value = _whole(query, name, usual)
    if not 0 <= value <= most:
        raise RefusedError(f"{told} is invalid. Allowed range 0 to {most}. Given {value}.")
    return value


def _whole(query: Mapping[str, str], name: str, usual: int) -> int:
    try:
        return int(query.get(name, usual))
    except ValueError as error:
        raise RefusedError(f"Value of type 'Int' required for key '{name}'.") from error


def _one_of(query: Mapping[str, str], name: str, values: tuple[str, ...]) -> str:
    value = query.get(name, values[0])
    if value not in values:
        raise RefusedError(
            f"Data corrupted at path '{name}'. Cannot initialize from invalid String value {value}."
        )
    return value


def _zone(name: str, latitude: float, longitude: float, places: Iterable[Place]) -> ZoneInfo:
    """The zone of that name; ``auto`` is that of the nearest place that is known."""
    if name == "auto":
        nearest = min(
            places, key=lambda p: (p.latitude - latitude) ** 2 + (p.longitude - longitude) ** 2
        )
        name = nearest.zone
    zone = find_zone(name)
    if zone is None:
        raise RefusedError("Invalid timezone")
    return zone
