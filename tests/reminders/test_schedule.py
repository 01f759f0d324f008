"""When something is due, in zones whose clocks change, against independent libraries."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
import whenever
from dateutil.rrule import rrulestr
from hypothesis import given
from hypothesis import strategies as st

from cloche.reminders.codec import schedule_from_json, schedule_to_json
from cloche.reminders.cron import Cron
from cloche.reminders.expressions import Expression, from_expression, to_expression
from cloche.reminders.instants import exists, instant_of, local_of
from cloche.reminders.schedule import Calendar, Every, Once, occurrences

ZONES = (
    "Europe/Oslo",
    "America/New_York",
    "Australia/Lord_Howe",
    "Asia/Kathmandu",
    "Africa/Casablanca",
    "Pacific/Apia",
)
FIRST, LAST = datetime(2024, 1, 1), datetime(2035, 12, 31, 23, 59)
WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")

zones = st.sampled_from(ZONES)
locals_ = st.datetimes(FIRST, LAST).map(lambda at: at.replace(second=0, microsecond=0))
instants = locals_.map(lambda at: at.replace(tzinfo=UTC))


def listed(values: list[int]) -> str:
    return ",".join(str(value) for value in sorted(set(values)))


times = st.builds(
    lambda hours, minutes: f"BYHOUR={listed(hours)};BYMINUTE={listed(minutes)};BYSECOND=0",
    st.lists(st.integers(0, 23), min_size=1, max_size=3),
    st.lists(st.sampled_from([0, 1, 15, 30, 45, 59]), min_size=1, max_size=2),
)
weekdays = st.lists(st.sampled_from(WEEKDAYS), min_size=1, max_size=3, unique=True).map(",".join)
rules = st.one_of(
    st.just("FREQ=DAILY"),
    weekdays.map(lambda days: f"FREQ=WEEKLY;BYDAY={days}"),
    st.integers(2, 5).map(lambda n: f"FREQ=DAILY;INTERVAL={n}"),
    st.tuples(st.integers(2, 4), weekdays).map(
        lambda of: f"FREQ=WEEKLY;INTERVAL={of[0]};BYDAY={of[1]}"
    ),
    st.lists(st.integers(1, 31), min_size=1, max_size=3).map(
        lambda days: f"FREQ=MONTHLY;BYMONTHDAY={listed(days)}"
    ),
    st.just("FREQ=MONTHLY;BYMONTHDAY=-1"),
    st.tuples(st.sampled_from([1, 2, 3, 4, 5, -1]), st.sampled_from(WEEKDAYS)).map(
        lambda of: f"FREQ=MONTHLY;BYDAY={of[0]}{of[1]}"
    ),
    st.tuples(st.sampled_from([2, 3, 4, 6, 12]), st.integers(1, 28)).map(
        lambda of: f"FREQ=MONTHLY;INTERVAL={of[0]};BYMONTHDAY={of[1]}"
    ),
    st.tuples(st.integers(1, 12), st.integers(1, 31)).map(
        lambda of: f"FREQ=YEARLY;BYMONTH={of[0]};BYMONTHDAY={of[1]}"
    ),
    st.just("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29"),
)


def by_whenever(local: datetime, zone: str) -> datetime | None:
    """What an independent library says an instant is; None where clocks skip the time."""
    try:
        zoned = whenever.PlainDateTime(
            local.year, local.month, local.day, local.hour, local.minute
        ).assume_tz(zone, disambiguation="earlier")
    except whenever.SkippedTime:
        return None
    shown = zoned.to_plain()
    skipped = (shown.hour, shown.minute) != (local.hour, local.minute)
    return None if skipped else datetime.fromtimestamp(zoned.timestamp(), UTC)


@given(locals_, zones)
def test_a_local_time_is_the_instant_that_another_library_says(local: datetime, zone: str) -> None:
    expected = by_whenever(local, zone)
    assert exists(local, ZoneInfo(zone)) is (expected is not None)
    if expected is not None:
        assert instant_of(local, ZoneInfo(zone)) == expected


@pytest.mark.parametrize(
    ("zone", "skipped", "first"),
    [
        ("Europe/Oslo", datetime(2026, 3, 29, 2, 30), datetime(2026, 3, 29, 1, tzinfo=UTC)),
        ("America/New_York", datetime(2026, 3, 8, 2), datetime(2026, 3, 8, 7, tzinfo=UTC)),
        # Half an hour is skipped here.
        (
            "Australia/Lord_Howe",
            datetime(2026, 10, 4, 2, 5),
            datetime(2026, 10, 3, 15, 30, tzinfo=UTC),
        ),
        ("Africa/Casablanca", datetime(2026, 3, 22, 2, 59), datetime(2026, 3, 22, 2, tzinfo=UTC)),
        # A whole day was skipped here.
        ("Pacific/Apia", datetime(2011, 12, 30, 12), datetime(2011, 12, 30, 10, tzinfo=UTC)),
    ],
)
def test_a_time_that_clocks_skip_is_the_first_instant_after_the_gap(
    zone: str, skipped: datetime, first: datetime
) -> None:
    assert not exists(skipped, ZoneInfo(zone))
    assert instant_of(skipped, ZoneInfo(zone)) == first


def test_a_time_that_clocks_show_twice_is_the_first_of_both_and_due_once() -> None:
    daily = Calendar("FREQ=DAILY;BYHOUR=2;BYMINUTE=30;BYSECOND=0", FIRST, "Europe/Oslo")
    due = occurrences(daily, after=datetime(2026, 10, 24, 12, tzinfo=UTC), limit=2)
    assert due == (
        datetime(2026, 10, 25, 0, 30, tzinfo=UTC),
        datetime(2026, 10, 26, 1, 30, tzinfo=UTC),
    )


def test_after_the_first_of_two_equal_times_the_second_is_not_due_too() -> None:
    daily = Calendar("FREQ=DAILY;BYHOUR=2;BYMINUTE=30;BYSECOND=0", FIRST, "Europe/Oslo")
    between = datetime(2026, 10, 25, 0, 45, tzinfo=UTC)
    assert occurrences(daily, after=between, limit=1)[0].day == 26


@given(rules, times, locals_, zones, instants)
def test_a_rule_is_due_when_the_independent_library_says(
    rule: str, at: str, start: datetime, zone: str, after: datetime
) -> None:
    schedule = Calendar(f"{rule};{at}", start, zone)
    due = occurrences(schedule, after=after, limit=4)
    expected: list[datetime] = []
    for local in rrulestr(f"{rule};{at}", dtstart=start).xafter(
        max(start, local_of(after, ZoneInfo(zone)) - timedelta(days=2)), inc=True
    ):
        if len(expected) == 4:
            break
        instant = by_whenever(local, zone) or instant_of(local, ZoneInfo(zone))
        if instant > after and instant not in expected:
            expected.append(instant)
    assert list(due) == expected[:4]
    assert all(a < b for a, b in pairwise((after, *due)))


@given(rules, times, locals_, zones, instants)
def test_what_an_expression_can_say_is_due_at_the_same_instants(
    rule: str, at: str, start: datetime, zone: str, after: datetime
) -> None:
    schedule = Calendar(f"{rule};{at}", start, zone)
    expression = to_expression(schedule)
    assert (expression is None) is ("INTERVAL" in rule and "MONTHLY" not in rule)
    if expression is not None:
        later = max(after, start.replace(tzinfo=UTC) + timedelta(days=1))
        said = from_expression(expression)
        assert occurrences(said, after=later, limit=4) == occurrences(
            schedule, after=later, limit=4
        )


@given(st.timedeltas(timedelta(minutes=1), timedelta(days=400)), instants, instants, zones)
def test_every_so_often_goes_by_elapsed_time(
    interval: timedelta, first: datetime, after: datetime, zone: str
) -> None:
    whole = timedelta(minutes=interval // timedelta(minutes=1))
    schedule = Every(first, whole, zone)
    due = occurrences(schedule, after=after, limit=3)
    assert len(due) == 3
    assert due[0] > after
    assert due[0] - after <= whole or due[0] == first
    assert {(at - first) % whole for at in due} == {timedelta(0)}
    assert all(b - a == whole for a, b in pairwise(due))
    expression = to_expression(schedule)
    assert expression is not None
    back = from_expression(Expression(expression.text, zone, expression.start))
    assert back == schedule


@given(instants, zones, instants)
def test_once_is_due_once(at: datetime, zone: str, after: datetime) -> None:
    schedule = Once(at, zone)
    assert occurrences(schedule, after=after, limit=5) == ((at,) if at > after else ())
    expression = to_expression(schedule)
    assert expression is not None
    assert occurrences(from_expression(expression), after=after, limit=5) == occurrences(
        schedule, after=after, limit=5
    )


@given(rules, times, locals_, zones, instants)
def test_a_schedule_survives_being_kept(
    rule: str, at: str, start: datetime, zone: str, first: datetime
) -> None:
    for schedule in (
        Calendar(f"{rule};{at}", start, zone),
        Once(first, zone),
        Every(first, timedelta(minutes=7), zone),
        Cron("cron(0 9 ? * 2#1 *)", zone),
    ):
        assert schedule_from_json(schedule_to_json(schedule)) == schedule


@pytest.mark.parametrize(
    ("rule", "after", "days"),
    [
        # Months that lack the day are passed over; the last day is always there.
        ("FREQ=MONTHLY;BYMONTHDAY=31", date(2026, 1, 31), [(3, 31), (5, 31), (7, 31)]),
        ("FREQ=MONTHLY;BYMONTHDAY=-1", date(2026, 1, 31), [(2, 28), (3, 31), (4, 30)]),
        ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29", date(2024, 2, 29), [(2, 29), (2, 29)]),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=SU", date(2026, 11, 30), [(12, 6), (12, 20), (1, 3)]),
        ("FREQ=DAILY;COUNT=2", date(2024, 1, 1), [(1, 2)]),
    ],
)
def test_months_ends_and_leap_days(rule: str, after: date, days: list[tuple[int, int]]) -> None:
    start = datetime(2024, 1, 1) if "INTERVAL" not in rule else datetime(2026, 11, 30)
    schedule = Calendar(f"{rule};BYHOUR=9;BYMINUTE=0;BYSECOND=0", start, "UTC")
    at_noon = datetime(after.year, after.month, after.day, 12, tzinfo=UTC)
    due = occurrences(schedule, after=at_noon, limit=len(days))
    assert [(at.month, at.day) for at in due] == days


def test_a_rule_ends_at_the_end_of_its_last_local_day_or_at_an_instant() -> None:
    day = Calendar("FREQ=DAILY;UNTIL=20260103;BYHOUR=23;BYMINUTE=0", datetime(2026, 1, 1), "Asia/Kathmandu")  # fmt: skip  # noqa: E501
    assert len(occurrences(day, after=datetime(2025, 12, 31, tzinfo=UTC), limit=9)) == 3
    instant = Calendar("FREQ=DAILY;UNTIL=20260103T000000Z;BYHOUR=5;BYMINUTE=44", datetime(2026, 1, 1), "Asia/Kathmandu")  # fmt: skip  # noqa: E501
    assert len(occurrences(instant, after=datetime(2025, 12, 31, tzinfo=UTC), limit=9)) == 3


def test_a_rule_of_many_years_ago_is_answered_at_once() -> None:
    hourly = Calendar("FREQ=HOURLY;BYMINUTE=5;BYSECOND=0", datetime(1990, 1, 1), "UTC")
    (due,) = occurrences(hourly, after=datetime(2035, 1, 1, tzinfo=UTC), limit=1)
    assert due == datetime(2035, 1, 1, 0, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    "rule",
    ["", "FREQ=SECONDLY", "FREQ=DAILY;FREQ=DAILY", "BYHOUR=9", "FREQ=DAILY;INTERVAL=0",
     "FREQ=DAILY;BYHOUR=25", "FREQ=DAILY;BYDAY=XX", "FREQ=DAILY;X=1", "FREQ=DAILY;UNTIL=soon",
     "FREQ=DAILY;COUNT=1;UNTIL=20260101", "FREQ=DAILY;BYHOUR=", "每天"],
)  # fmt: skip
def test_a_rule_that_cannot_be_read_is_refused(rule: str) -> None:
    with pytest.raises(ValueError, match="rule"):
        Calendar(rule, FIRST, "UTC")
