"""Weather, as tools look it up: one forecast per place, cached, from Open-Meteo."""

from cloche.weather.failures import WeatherError
from cloche.weather.forecast import Day, Forecast, Hour, Now
from cloche.weather.geocoding import Found
from cloche.weather.hazard import Hazard, hazards
from cloche.weather.service import Weather, weather_of

__all__ = [
    "Day",
    "Forecast",
    "Found",
    "Hazard",
    "Hour",
    "Now",
    "Weather",
    "WeatherError",
    "hazards",
    "weather_of",
]
