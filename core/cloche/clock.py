"""Time comes in from outside, so that a test can say what time it is."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]
"""Returns the present instant as an aware datetime in UTC."""


def utc_now() -> datetime:
    """The system's clock."""
    return datetime.now(UTC)
