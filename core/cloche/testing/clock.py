"""A clock for tests."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


class FakeClock:
    """Stands still until it is moved."""

    def __init__(self, now: datetime = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)) -> None:
        """Take the instant it shows."""
        self.now = now

    def __call__(self) -> datetime:
        """The instant it shows."""
        return self.now

    def pass_(self, **time: float) -> None:
        """Move it on: ``clock.pass_(hours=2)``, in the units of ``timedelta``."""
        self.now += timedelta(**time)
