"""What nobody does in a day: more than this, or faster, is a slip of the finger and asked back."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import takewhile
from typing import Final, Literal

Kind = Literal["sets", "reps", "kilos", "metres", "seconds"]

LIMITS: Final[Mapping[Kind, float]] = {
    "sets": 50,
    "reps": 2_000,
    "kilos": 1_000,
    "metres": 500_000,
    "seconds": 172_800,
}
"""More than this is beyond any record of one day, or of one set."""

_RUNNING: Final = (
    (0, 12.5), (100, 10.5), (400, 9.4), (800, 8.0), (1_500, 7.35), (3_000, 6.9), (5_000, 6.65),
    (10_000, 6.4), (21_097, 6.25), (42_195, 5.9),
)  # fmt: skip
_FASTEST: Final[Mapping[str, tuple[tuple[float, float], ...]]] = {
    "running": _RUNNING,
    "walk": ((0, 5.0),),
    "hiking": ((0, 5.0),),
    "swimming": ((0, 2.6), (100, 2.3), (200, 2.05), (400, 1.9), (1_500, 1.8)),
    "rowing": ((0, 8.0), (500, 7.3), (2_000, 6.1)),
    "cycling": ((0, 30.0),),
}
"""From a distance in metres on, the metres a second of no world record so far."""
_ANY: Final = ((0.0, 40.0),)


def is_too_fast(exercise: str, metres: float, seconds: float) -> bool:
    """True for a pace beyond any world record.

    Args:
        exercise: An id of the vocabulary; of one that is not known only what no sport reaches.
        metres: How far.
        seconds: In what time; above 0.
    """
    table = _FASTEST.get(exercise, _ANY)
    speed = list(takewhile(lambda row: row[0] <= metres, table))[-1][1]
    return metres / seconds > speed
