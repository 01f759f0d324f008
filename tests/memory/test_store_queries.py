from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from cloche.memory.store import EventQuery, Filter, FilterOp, SearchQuery

NOW = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("op", "value"),
    [
        ("equals", 2.0),
        ("contains", ("red", "blue")),
        ("any_of", "red"),
        ("less", "red"),
        ("at_most", float("nan")),
        ("greater", NOW.replace(tzinfo=None)),
        ("at_least", ("red",)),
        ("less", 10**400),
        ("less", True),
        ("greater", datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=5)))),
        ("equals", "\ud800"),
        ("contains", "a\udfffb"),
        ("any_of", ("red", 2)),
        ("any_of", ("red", "\ud800")),
        ("any_of", tuple(str(number) for number in range(40_000))),
    ],
)
def test_a_condition_on_a_value_it_cannot_compare_with_is_refused(
    op: FilterOp, value: str | tuple[str, ...] | float | datetime
) -> None:
    with pytest.raises(ValueError, match=f"{op} cannot compare 'colour'"):
        Filter("colour", op, value)


def test_a_condition_that_there_is_not_is_refused() -> None:
    with pytest.raises(ValueError, match="there is no condition 'nonsense'"):
        Filter("colour", "nonsense", 1.0)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="cannot compare"):
        Filter("\ud800", "exists")


@pytest.mark.parametrize("zone", ["Nope/X", "", "../etc/passwd", "\x00", "UTC\n"])
def test_a_time_zone_that_there_is_not_is_refused(zone: str) -> None:
    with pytest.raises(ValueError, match="there is no time zone"):
        SearchQuery("lamp", NOW, time_zone=zone)
    with pytest.raises(ValueError, match="there is no time zone"):
        EventQuery("lamp", NOW, time_zone=zone)


@pytest.mark.parametrize("limit", [-1, 0, 101])
def test_limits_no_store_serves_are_refused(limit: int) -> None:
    with pytest.raises(ValueError, match="limit"):
        SearchQuery("lamp", NOW, limit=limit)
    with pytest.raises(ValueError, match="limit"):
        EventQuery("lamp", NOW, limit=limit)


def test_more_than_five_conditions_are_refused() -> None:
    with pytest.raises(ValueError, match="at most 5"):
        SearchQuery("lamp", NOW, filters=(Filter("colour", "exists"),) * 6)
