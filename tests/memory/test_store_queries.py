from __future__ import annotations

from datetime import UTC, datetime

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
    ],
)
def test_a_condition_on_a_value_it_cannot_compare_with_is_refused(
    op: FilterOp, value: str | tuple[str, ...] | float | datetime
) -> None:
    with pytest.raises(ValueError, match=f"{op} cannot compare 'colour'"):
        Filter("colour", op, value)


@pytest.mark.parametrize("limit", [-1, 0, 101])
def test_limits_no_store_serves_are_refused(limit: int) -> None:
    with pytest.raises(ValueError, match="limit"):
        SearchQuery("lamp", NOW, limit=limit)
    with pytest.raises(ValueError, match="limit"):
        EventQuery("lamp", NOW, limit=limit)


def test_more_than_five_conditions_are_refused() -> None:
    with pytest.raises(ValueError, match="at most 5"):
        SearchQuery("lamp", NOW, filters=(Filter("colour", "exists"),) * 6)
