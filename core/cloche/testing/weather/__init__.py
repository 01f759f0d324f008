"""Weather for tests: places, skies that a test makes, and Open-Meteo's wire on loopback."""

from cloche.testing.weather.server import WeatherAsked, WeatherServer, offline_http
from cloche.testing.weather.world import PLACES, Place, Sky

__all__ = ["PLACES", "Place", "Sky", "WeatherAsked", "WeatherServer", "offline_http"]
