"""Open-Meteo's forecast: what is asked for, and how its answer is read.

The wire is that of https://open-meteo.com/en/docs (parameters, units, "JSON Return Object",
"Errors"). Times are asked for as Unix seconds, which are UTC whatever a zone's clocks do; a day's
is its local midnight, so that its date needs ``utc_offset_seconds``, as the page says.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, TypeVar

from cloche.state.store import Json
from cloche.weather.failures import WeatherError
from cloche.weather.forecast import Day, Forecast, Hour, Now

FORECAST_URL: Final = "https://api.open-meteo.com"
DAYS: Final = 8
"""Today and the seven that follow it."""
_NOW: Final = (
    "temperature_2m", "apparent_temperature", "relative_humidity_2m", "weather_code",
    "wind_speed_10m", "wind_gusts_10m",
)  # fmt: skip
_HOURLY: Final = (
    "temperature_2m", "precipitation", "precipitation_probability", "weather_code",
    "wind_speed_10m",
)  # fmt: skip
_DAILY: Final = (
    "weather_code", "temperature_2m_max", "temperature_2m_min", "precipitation_sum",
    "precipitation_probability_max", "wind_speed_10m_max", "et0_fao_evapotranspiration",
)  # fmt: skip

Series = Mapping[str, Sequence[Json]]
Item = TypeVar("Item")


def forecast_parameters(latitude: float, longitude: float) -> dict[str, str]:
    """What ``/v1/forecast`` is asked for a place, metric, in its own zone."""
    return {
        "latitude": f"{latitude:.2f}",
        "longitude": f"{longitude:.2f}",
        "current": ",".join(_NOW),
        "hourly": ",".join(_HOURLY),
        "daily": ",".join(_DAILY),
        "timezone": "auto",
        "timeformat": "unixtime",
        "past_days": "1",
        "forecast_days": str(DAYS),
    }


def read_forecast(document: Json, read_at: datetime) -> Forecast:
    """The forecast of an answer; hours and days with gaps where it matters are left out.

    Raises:
        WeatherError: it is none.
    """
    try:
        body = _object(document)
        offset = timedelta(seconds=_number(body["utc_offset_seconds"]))
        forecast = Forecast(
            zone=str(body["timezone"]),
            offset=offset,
            now=_now(_object(body["current"])),
            hours=_rows(_series(body["hourly"], _HOURLY), _hour),
            days=_rows(_series(body["daily"], _DAILY), lambda row: _day(row, offset)),
            read_at=read_at,
        )
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise WeatherError("garbage") from error
    if not forecast.hours or not forecast.days or abs(offset) > timedelta(hours=26):
        raise WeatherError("garbage")
    return forecast


def _now(current: Mapping[str, Json]) -> Now:
    return Now(
        at=_instant(current["time"]),
        temperature=_degrees(current["temperature_2m"]),
        feels_like=_degrees(current["apparent_temperature"]),
        humidity=round(_number(current["relative_humidity_2m"])),
        wind=_number(current["wind_speed_10m"]),
        gusts=_number(current["wind_gusts_10m"]),
        code=round(_number(current["weather_code"])),
    )


def _hour(row: Mapping[str, Json]) -> Hour:
    return Hour(
        at=_instant(row["time"]),
        temperature=_degrees(row["temperature_2m"]),
        rain=_or_none(row["precipitation"]),
        chance=_percent(row["precipitation_probability"]),
        wind=_number(row["wind_speed_10m"]),
        code=round(_number(row["weather_code"])),
    )


def _day(row: Mapping[str, Json], offset: timedelta) -> Day:
    return Day(
        date=(_instant(row["time"]) + offset).date(),
        low=_degrees(row["temperature_2m_min"]),
        high=_degrees(row["temperature_2m_max"]),
        rain=_or_none(row["precipitation_sum"]),
        chance=_percent(row["precipitation_probability_max"]),
        wind=_number(row["wind_speed_10m_max"]),
        code=round(_number(row["weather_code"])),
        evaporation=_or_none(row["et0_fao_evapotranspiration"]),
    )


def _rows(series: Series, read: Callable[[Mapping[str, Json]], Item]) -> tuple[Item, ...]:
    made: list[Item] = []
    for values in zip(*series.values(), strict=True):
        row = dict(zip(series, values, strict=True))
        if all(row[name] is not None for name in row if name not in _MAY_LACK):
            made.append(read(row))
    return tuple(made)


_MAY_LACK: Final = frozenset(
    {
        "precipitation",
        "precipitation_sum",
        "precipitation_probability",
        "precipitation_probability_max",
        "et0_fao_evapotranspiration",
    }
)
"""Not every weather model tells these; the answer then holds null."""


def _series(value: Json, names: Sequence[str]) -> Series:
    found = _object(value)
    columns = {name: found[name] for name in ("time", *names)}
    if not all(isinstance(column, list) for column in columns.values()):
        raise ValueError("a series is no list")
    return {name: column for name, column in columns.items() if isinstance(column, list)}


def _object(value: Json) -> Mapping[str, Json]:
    if not isinstance(value, dict):
        raise TypeError("no object")
    return value


def _number(value: Json) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError("no number")
    return float(value)


def _degrees(value: Json) -> float:
    found = _number(value)
    if not -100 <= found <= 70:  # beyond what was ever measured: something else is told
        raise ValueError("no temperature")
    return found


def _or_none(value: Json) -> float | None:
    return None if value is None else _number(value)


def _percent(value: Json) -> int | None:
    return None if value is None else round(_number(value))


def _instant(value: Json) -> datetime:
    return datetime.fromtimestamp(_number(value), UTC)
