"""The weather service as tools use it: asked rarely, and said to be down when it is."""

from __future__ import annotations

import json
import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final, TypeVar
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from cloche.clock import Clock
from cloche.errors import ToolError
from cloche.people import Home
from cloche.state.store import Json
from cloche.texts import say
from cloche.weather.failures import Cause, WeatherError
from cloche.weather.forecast import Forecast
from cloche.weather.geocoding import (
    GEOCODING_URL,
    Found,
    coordinates,
    geocoding_parameters,
    meant,
    parts_of,
    read_places,
)
from cloche.weather.openmeteo import FORECAST_URL, forecast_parameters, read_forecast

if TYPE_CHECKING:
    import aiohttp

    from cloche.tools import ToolContext

logger = logging.getLogger(__name__)

FRESH: Final = timedelta(minutes=15)
"""Open-Meteo's "current" is of the last 15 minutes; asking sooner brings the same."""
STALE: Final = timedelta(hours=6)
"""So old a forecast is still told, with its time, when the service is down."""
PLACES_KEPT: Final = timedelta(days=1)
MAX_KEPT: Final = 256
MAX_BYTES: Final = 1_000_000
"""Nine days of hours take 20 kB."""
SECONDS: Final = 8.0
ASKED: Final = 5
"""So many places are named in a question."""

Item = TypeVar("Item")


@dataclass
class Kept:
    """What the tools of one assistant have read, on whatever threads; the newest last."""

    forecasts: OrderedDict[str, Forecast] = field(default_factory=OrderedDict)
    places: OrderedDict[str, tuple[datetime, tuple[Found, ...]]] = field(
        default_factory=OrderedDict
    )


_KEPT: WeakKeyDictionary[Callable[[], aiohttp.ClientSession], Kept] = WeakKeyDictionary()
"""Lives as long as what gives an assistant's sessions: none reads what another has asked."""
_KEEPING: Final = threading.Lock()


class Weather:
    """Asks Open-Meteo, and keeps for a while what it said."""

    def __init__(
        self,
        session: aiohttp.ClientSession,
        clock: Clock,
        *,
        forecast_url: str = FORECAST_URL,
        geocoding_url: str = GEOCODING_URL,
        seconds: float = SECONDS,
        kept: Kept | None = None,
    ) -> None:
        """Take the session, the clock, the servers, how long one may take, and what was read."""
        self._session, self._clock, self._seconds = session, clock, seconds
        self._forecast_url, self._geocoding_url = forecast_url, geocoding_url
        self._kept = kept or Kept()

    async def forecast(self, place: Home) -> Forecast:
        """The forecast of a place: at most 15 minutes old, or ``stale`` where there is no newer.

        Raises:
            WeatherError: the service gave no answer, and there is none of the last six hours.
        """
        asked = forecast_parameters(place.latitude, place.longitude)
        key = f"{self._forecast_url} {asked['latitude']} {asked['longitude']}"
        kept, now = self._kept.forecasts.get(key), self._clock()
        if kept and timedelta() <= now - kept.read_at < FRESH:
            return kept
        try:
            document = await self._ask(f"{self._forecast_url}/v1/forecast", asked)
            forecast = read_forecast(document, now)
            if not (forecast.coming_days(now, 1) and forecast.coming_hours(now, 1)):
                raise WeatherError("garbage")  # all of it is past: a forecast of another day
            return _keep(self._kept.forecasts, key, forecast)
        except WeatherError as error:
            logger.warning("weather: no forecast, %s", error.cause)
            if kept and timedelta() <= now - kept.read_at < STALE:
                return replace(kept, stale=True)
            raise

    async def places(self, written: str, language: str) -> tuple[Found, ...]:
        """The places that may be meant by a name: one, several to choose from, or none.

        Raises:
            WeatherError: the service gave no answer.
        """
        name, areas = parts_of(written)
        if len(name) < 2:
            return ()
        asked = geocoding_parameters(name, language)
        key = f"{self._geocoding_url} {asked['language']} {name.casefold()}"
        now = self._clock()
        read_at, found = self._kept.places.get(key, (None, ()))
        if read_at is None or not timedelta() <= now - read_at < PLACES_KEPT:
            document = await self._ask(f"{self._geocoding_url}/v1/search", asked)
            _, found = _keep(self._kept.places, key, (now, read_places(document)))
        return meant(found, name, areas)

    async def _ask(self, url: str, parameters: Mapping[str, str]) -> Json:
        import aiohttp

        limit = aiohttp.ClientTimeout(total=self._seconds)
        try:
            async with self._session.get(url, params=dict(parameters), timeout=limit) as response:
                if response.status != 200:
                    raise WeatherError(_meaning(response.status))
                body = await response.content.read(MAX_BYTES + 1)
                while len(body) <= MAX_BYTES and (more := await response.content.read(MAX_BYTES)):
                    body += more
        except TimeoutError as error:
            raise WeatherError("slow") from error
        except aiohttp.ClientResponseError as error:
            raise WeatherError(_meaning(error.status)) from error
        except aiohttp.ClientPayloadError as error:
            raise WeatherError("garbage") from error
        except (aiohttp.ClientError, OSError) as error:
            raise WeatherError("unreachable") from error
        try:
            if len(body) > MAX_BYTES:
                raise WeatherError("garbage")
            document: Json = json.loads(body)
            return document
        except (ValueError, RecursionError) as error:
            raise WeatherError("garbage") from error


def weather_of(ctx: ToolContext) -> WeatherForPerson:
    """The weather for the person of a tool call.

    ``forecast_url`` and ``geocoding_url`` in the skill's config name other servers than
    Open-Meteo's own, for a server of one's own or on loopback.

    Raises:
        ToolError: one of them is no address.
    """
    weather = Weather(
        ctx.http(),
        ctx.clock,
        forecast_url=_url(ctx.config, "forecast_url", FORECAST_URL),
        geocoding_url=_url(ctx.config, "geocoding_url", GEOCODING_URL),
        kept=_KEPT.setdefault(ctx.http, Kept()),
    )
    return WeatherForPerson(weather, ctx)


class WeatherForPerson:
    """The weather where one person is or asks for; what goes wrong is one sentence to them."""

    def __init__(self, weather: Weather, ctx: ToolContext) -> None:
        """Take the service and the tool call."""
        self._weather, self._ctx = weather, ctx

    async def place(self, written: str = "") -> Home:
        """The place that is named; without a name, where the person lives.

        A town they told while the service was down is looked up now, and kept.

        Raises:
            ToolError: it is not known, there are several, or the service is down.
        """
        if not written.strip():
            settings = self._ctx.settings
            if settings.place:
                return settings.place
            if settings.town:
                home, _ = await self.live_in(settings.town)
                if home:
                    return home
                error = WeatherError("unreachable")
                raise self._down(error) from error
            raise ToolError(self._say("weather_no_place"))
        return (await self.town(written))[0]

    async def town(self, written: str) -> tuple[Home, str]:
        """The place that is named, and the IANA name of its zone; "" = not known.

        Raises:
            ToolError: it is not known, there are several, or the service is down.
        """
        if home := coordinates(written):
            return home, ""
        found = await self.found(written)
        return found.home, found.zone

    async def live_in(self, written: str) -> tuple[Home | None, str]:
        """Keep where the person says that they live, with its zone where they chose none.

        Returns:
            The place, None where the service is down: then the name is kept and looked up later;
            and the IANA name of the zone that was kept with it, "" = none was.

        Raises:
            ToolError: it is not known, or there are several.
        """
        settings = self._ctx.settings
        try:
            home, zone = await self.town(written)
        except ToolError as error:
            if not isinstance(error.__cause__, WeatherError):
                raise
            await settings.set_town(written)
            return None, ""
        await settings.set_place(home)
        if settings.zone_known or not zone:
            return home, ""
        # Nobody who says where they live needs to be asked for their zone as well.
        await settings.set_time_zone(zone)
        return home, zone

    async def found(self, written: str) -> Found:
        """The place that is named.

        Raises:
            ToolError: it is not known, there are several, or the service is down.
        """
        try:
            places = await self._weather.places(written, self._ctx.language)
        except WeatherError as error:
            raise self._down(error) from error
        if not places:
            raise ToolError(self._say("weather_place_unknown", place=written.strip()))
        if len(places) > 1:
            names = list(dict.fromkeys(one.described for one in places))[:ASKED]
            listed = "\n".join(f"- {name}" for name in names)
            raise ToolError(self._say("weather_place_which", place=written.strip(), places=listed))
        return places[0]

    async def forecast(self, place: Home) -> Forecast:
        """The forecast of a place.

        Raises:
            ToolError: the service is down.
        """
        try:
            return await self._weather.forecast(place)
        except WeatherError as error:
            raise self._down(error) from error

    def _down(self, error: WeatherError) -> ToolError:
        return ToolError(self._say(f"weather_{error.cause}"))

    def _say(self, key: str, **slots: object) -> str:
        return say(key, self._ctx.language, **slots)


def _keep(kept: OrderedDict[str, Item], key: str, item: Item) -> Item:
    with _KEEPING:
        kept[key] = item
        kept.move_to_end(key)
        while len(kept) > MAX_KEPT:
            kept.popitem(last=False)
    return item


def _meaning(status: int) -> Cause:
    if status in (429, 503):
        return "busy"
    if status >= 500:
        return "failed"
    return "refused"


def _url(config: Mapping[str, Json], key: str, usual: str) -> str:
    written = config.get(key, usual)
    if not isinstance(written, str) or urlsplit(written).scheme not in ("http", "https"):
        raise ToolError(f"{key} in the skill's config is no http address.")
    return written.rstrip("/")
