"""Time comes in from outside, so that a test can say what time it is."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Final

Clock = Callable[[], datetime]
"""Returns the present instant as an aware datetime in UTC."""

DAY_STARTS: Final = timedelta(hours=4)
"""A person's day is counted from 04:00 local: who talks past midnight is still in the evening."""


def utc_now() -> datetime:
    """The system's clock."""
    return datetime.now(UTC)
