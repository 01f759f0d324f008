"""Why there is no weather."""

from __future__ import annotations

from typing import Literal, TypeAlias

from cloche.errors import ClocheError

Cause: TypeAlias = Literal["unreachable", "slow", "busy", "failed", "refused", "garbage"]


class WeatherError(ClocheError):
    """The service gave no usable answer. Nothing of what it said is in the message.

    Attributes:
        cause: ``unreachable``, ``slow``, ``busy`` (too many requests, overloaded), ``failed``,
            ``refused`` (it did not take the request) or ``garbage`` (its answer makes no sense).
    """

    def __init__(self, cause: Cause) -> None:
        """Take the cause."""
        super().__init__(f"the weather service: {cause}")
        self.cause: Cause = cause
