"""Quiet hours: written in many ways, over midnight, and on days when clocks change."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche.reminders.quiet import Quiet, parse_quiet

OSLO = ZoneInfo("Europe/Oslo")


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("22:00-07:00", "22:00-07:00"),
        ("22-7", "22:00-07:00"),
        ("22 to 7", "22:00-07:00"),
        ("de 22 a 7", None),
        ("22:30 a 7:15", "22:30-07:15"),
        ("22点到7点", None),
        ("22:00到7:00", "22:00-07:00"),
        ("24:00-06:00", "00:00-06:00"),
        ("7-7", None),
        ("25-7", None),
        ("22:61-7", None),
        ("", None),
    ],
)
def test_hours_are_read(written: str, kept: str | None) -> None:
    quiet = parse_quiet(written)
    assert (str(quiet) if quiet else None) == kept


@pytest.mark.parametrize(
    ("at", "over"),
    [
        ("2026-03-02T22:30", "2026-03-03T06:00"),
        ("2026-03-02T21:00", "2026-03-03T06:00"),
        ("2026-03-02T20:59", None),
        ("2026-03-03T05:59", "2026-03-03T06:00"),
        ("2026-03-03T06:00", None),
        ("2026-03-28T23:00", "2026-03-29T05:00"),  # the night that lacks an hour
        ("2026-10-24T22:00", "2026-10-25T06:00"),  # the night that has one more
    ],
)
def test_quiet_over_midnight_ends_in_the_morning(at: str, over: str | None) -> None:
    quiet = parse_quiet("22-7")
    assert quiet
    end = quiet.end_of(datetime.fromisoformat(at).replace(tzinfo=UTC), OSLO)
    assert end == (datetime.fromisoformat(over).replace(tzinfo=UTC) if over else None)


@given(st.times(), st.times(), st.datetimes(datetime(2024, 1, 1), datetime(2035, 1, 1)))
def test_the_end_is_never_before_and_is_not_quiet(start: object, end: object, at: datetime) -> None:
    quiet = Quiet(start, end)  # type: ignore[arg-type]
    if start == end:
        return
    instant = at.replace(tzinfo=UTC)
    over = quiet.end_of(instant, OSLO)
    assert over is None or over > instant
