from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche.memory.lifecycle import Action, lifetime_for, plan, validity_for
from cloche.memory.records import KINDS, Kind, MemoryRecord, Source, Validity
from cloche.namespaces import MemoryScope

NOW = datetime(2026, 5, 3, 12, tzinfo=UTC)
DAY = timedelta(days=1)
ENDLESS = MemoryScope("long_term", "x/{actorId}/long_term/")
WEEKLY = MemoryScope("project", "x/{actorId}/project/{project}/", timedelta(days=7))


def record(id_: str, **validity: datetime) -> MemoryRecord:
    return MemoryRecord(
        id=id_,
        actor="ada",
        scope="long_term",
        kind="fact",
        text="I own a harp.",
        source=Source(),
        validity=Validity(NOW - 900 * DAY, NOW - 900 * DAY, **validity),
    )


def test_a_kinds_lifetime_counts_before_the_scopes() -> None:
    assert lifetime_for("task_state", ENDLESS) == timedelta(days=30)
    assert lifetime_for("summary", WEEKLY) == timedelta(days=180)
    assert lifetime_for("fact", WEEKLY) == timedelta(days=7)
    assert lifetime_for("fact", ENDLESS) is None


def test_an_explicit_lifetime_counts_before_both() -> None:
    validity = validity_for("task_state", WEEKLY, NOW, lifetime=timedelta(days=1))
    assert validity.expires_at == NOW + DAY


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scope", [ENDLESS, WEEKLY])
def test_whatever_has_no_end_is_looked_at_again(kind: Kind, scope: MemoryScope) -> None:
    validity = validity_for(kind, scope, NOW)
    assert (validity.expires_at is None) is (validity.review_after is not None)
    assert (validity.created_at, validity.updated_at) == (NOW, NOW)
    assert (validity.expires_at or validity.review_after or NOW) > NOW


def test_what_has_ended_is_archived_and_what_is_old_is_reviewed() -> None:
    records = [
        record("holds", expires_at=NOW + DAY),
        record("ends-now", expires_at=NOW),
        record("ended", expires_at=NOW - 9 * DAY, review_after=NOW - 20 * DAY),
        record("old", review_after=NOW - 2 * DAY),
        record("gone", expires_at=NOW - DAY, archived_at=NOW - DAY),
        record("endless"),
    ]
    assert plan(records, NOW) == (
        Action("ended", "archive", NOW - 9 * DAY),
        Action("old", "review", NOW - 2 * DAY),
        Action("ends-now", "archive", NOW),
    )


@given(
    st.lists(
        st.tuples(
            st.integers(0, 99),
            st.none() | st.integers(-50, 50),
            st.none() | st.integers(-50, 50),
        ),
        unique_by=lambda item: item[0],
    ),
    st.randoms(use_true_random=False),
)
def test_a_plan_does_not_depend_on_the_order_of_the_records(
    items: list[tuple[int, int | None, int | None]], shuffle: Random
) -> None:
    records = []
    for number, expires, review in items:
        validity = {}
        if expires is not None:
            validity["expires_at"] = NOW + expires * DAY
        if review is not None:
            validity["review_after"] = NOW + review * DAY
        records.append(record(f"r{number}", **validity))
    planned = plan(records, NOW)
    mixed = list(records)
    shuffle.shuffle(mixed)
    assert plan(mixed, NOW) == planned
    assert len({action.record_id for action in planned}) == len(planned)
    assert all(action.since <= NOW for action in planned)
