"""Kilos, metres and seconds, as people with either system of units read them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Units = Literal["metric", "imperial"]

POUND: Final = 0.45359237
"""Kilograms (exact; international yard and pound agreement of 1959)."""
MILE: Final = 1609.344
"""Metres (exact; the same agreement)."""
_IN_METRES_BELOW: Final = 1_000.0


@dataclass(frozen=True, slots=True)
class Writing:
    """How a language writes numbers: the mark before decimals and the one between thousands."""

    decimal: str = "."
    thousands: str = ","


def number(value: float, writing: Writing = Writing(), places: int = 1) -> str:
    """A number with at most ``places`` decimals, none of them a useless zero."""
    text = f"{value:,.{places}f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    swapped = {",": writing.thousands, ".": writing.decimal}
    return "".join(swapped.get(char, char) for char in text)


def mass(kilos: float, units: Units, writing: Writing = Writing()) -> str:
    """``62.5 kg`` or ``137.8 lb``."""
    if units == "imperial":
        return f"{number(kilos / POUND, writing)} lb"
    return f"{number(kilos, writing)} kg"


def distance(metres: float, units: Units, writing: Writing = Writing()) -> str:
    """``400 m``, ``5.2 km`` or ``3.1 mi``."""
    if metres < _IN_METRES_BELOW:
        return f"{number(metres, writing, 0)} m"
    if units == "imperial":
        return f"{number(metres / MILE, writing, 2)} mi"
    return f"{number(metres / 1000, writing, 2)} km"


def duration(seconds: float) -> str:
    """``45 s``, ``27:30`` or ``1:02:05``."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    hours, rest = divmod(whole, 3600)
    minutes, left = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"


def pace(seconds: float, metres: float, units: Units) -> str:
    """``5:30 /km`` or ``8:51 /mi``."""
    per, name = (MILE, "mi") if units == "imperial" else (1000.0, "km")
    return f"{duration(seconds * per / metres)} /{name}"
