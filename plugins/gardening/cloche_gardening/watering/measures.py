"""Water and warmth in the units that people read. Pure."""

from __future__ import annotations

from typing import Literal


def millimetres(amount: float, units: Literal["metric", "imperial"]) -> str:
    """A height of water."""
    return f"{amount / 25.4:.2f} in" if units == "imperial" else f"{amount:.0f} mm"


def degrees(celsius: float, units: Literal["metric", "imperial"]) -> str:
    """A temperature."""
    return f"{celsius * 9 / 5 + 32:.0f} °F" if units == "imperial" else f"{celsius:.0f} °C"
