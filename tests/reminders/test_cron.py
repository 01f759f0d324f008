"""Cron expressions of EventBridge Scheduler: what each field may say, and when that is due."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche.reminders.cron import Cron
from cloche.reminders.expressions import Expression, from_expression
from cloche.reminders.schedule import occurrences


def days(fields: str, count: int, after: date = date(2026, 1, 1)) -> list[str]:
    times = Cron(f"cron({fields})", "UTC").local_times(after)
    return [f"{at:%Y-%m-%d %H:%M}" for at in islice(times, count)]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ("0 9 * * ? *", ["2026-01-01 09:00", "2026-01-02 09:00"]),
        ("15,45 8-9 1 * ? *", ["2026-01-01 08:15", "2026-01-01 08:45", "2026-01-01 09:15"]),
        ("0/20 10 1 1 ? *", ["2026-01-01 10:00", "2026-01-01 10:20", "2026-01-01 10:40"]),
        ("10-40/15 10 1 1 ? *", ["2026-01-01 10:10", "2026-01-01 10:25", "2026-01-01 10:40"]),
        ("0 0 ? * MON-FRI *", ["2026-01-01 00:00", "2026-01-02 00:00", "2026-01-05 00:00"]),
        ("0 0 ? * sun *", ["2026-01-04 00:00", "2026-01-11 00:00"]),
        ("0 0 ? * 1 *", ["2026-01-04 00:00"]),
        ("0 0 ? * L *", ["2026-01-03 00:00"]),
        ("0 0 ? * 6L *", ["2026-01-30 00:00", "2026-02-27 00:00"]),
        ("0 0 ? * FRIL *", ["2026-01-30 00:00"]),
        ("0 0 ? * 3#2 *", ["2026-01-13 00:00", "2026-02-10 00:00"]),
        ("0 0 ? * TUE#5 *", ["2026-03-31 00:00", "2026-06-30 00:00"]),
        ("0 0 L * ? *", ["2026-01-31 00:00", "2026-02-28 00:00"]),
        ("0 0 L FEB ? 2028", ["2028-02-29 00:00"]),
        ("0 0 31 * ? *", ["2026-01-31 00:00", "2026-03-31 00:00"]),
        # The nearest weekday stays in its month: 1 February 2026 is a Sunday, 31 May too.
        ("0 0 1W 2 ? *", ["2026-02-02 00:00"]),
        ("0 0 1W 8 ? *", ["2026-08-03 00:00"]),
        ("0 0 31W 5 ? *", ["2026-05-29 00:00"]),
        ("0 0 15W * ? *", ["2026-01-15 00:00", "2026-02-16 00:00"]),
        ("0 0 31W 4,5 ? *", ["2026-05-29 00:00"]),
        ("0 0 1 1 ? 2027-2028", ["2027-01-01 00:00", "2028-01-01 00:00"]),
        ("0 0 1 JAN/6 ? *", ["2026-01-01 00:00", "2026-07-01 00:00"]),
        ("0 0 29 2 ? *", ["2028-02-29 00:00", "2032-02-29 00:00"]),
    ],
)
def test_each_form_of_a_field_is_due_when_it_says(fields: str, expected: list[str]) -> None:
    assert days(fields, len(expected)) == expected


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ("0 9 * * ?", "cron"),
        ("0 9 * * * *", "exactly one"),
        ("0 9 ? * ? *", "exactly one"),
        ("60 9 * * ? *", "minutes"),
        ("0 24 * * ? *", "hours"),
        ("0 9 0 * ? *", "day-of-month"),
        ("0 9 32 * ? *", "day-of-month"),
        ("0 9 32W * ? *", "day-of-month"),
        ("0 9 L-3 * ? *", "day-of-month"),
        ("0 9 * 13 ? *", "month"),
        ("0 9 * FOO ? *", "month"),
        ("0 9 ? * 8 *", "day-of-week"),
        ("0 9 ? * 3#6 *", "day-of-week"),
        ("0 9 ? * 9#1 *", "day-of-week"),
        ("0 9 ? * MON#1,TUE#2 *", "day-of-week"),
        ("0 9 * * ? 1969", "year"),
        ("0 9 * * ? 2200", "year"),
        ("5-1 9 * * ? *", "minutes"),
        ("0/0 9 * * ? *", "minutes"),
        ("0,, 9 * * ? *", "minutes"),
        ("٣ 9 * * ? *", "minutes"),
    ],
)
def test_what_no_field_can_say_is_refused_by_its_name(fields: str, named: str) -> None:
    with pytest.raises(ValueError, match=named):
        Cron(f"cron({fields})", "UTC")


def test_eventbridge_leaves_out_what_clocks_skip_and_we_do_not() -> None:
    daily = Cron("cron(30 2 * * ? *)", "Europe/Oslo")
    before = datetime(2026, 3, 28, 12, tzinfo=UTC)
    assert next(daily.instants(before)) == datetime(2026, 3, 29, 1, tzinfo=UTC)
    assert next(daily.instants(before, skip_gaps=True)) == datetime(2026, 3, 30, 0, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "due"),
    [
        ("at(2026-03-29T02:30:00)", datetime(2026, 3, 29, 1, tzinfo=UTC)),
        ("at(2026-07-01T09:00:00)", datetime(2026, 7, 1, 7, tzinfo=UTC)),
        ("rate(1 hour)", datetime(2026, 1, 1, 1, tzinfo=UTC)),
        ("rate(10 days)", datetime(2026, 1, 11, tzinfo=UTC)),
        ("cron(0 9 * * ? *)", datetime(2026, 1, 1, 8, tzinfo=UTC)),
    ],
)
def test_expressions_are_read_in_their_zone(text: str, due: datetime) -> None:
    start = datetime(2026, 1, 1, tzinfo=UTC)
    schedule = from_expression(Expression(text, "Europe/Oslo", start))
    assert occurrences(schedule, after=start, limit=1) == (due,)


@pytest.mark.parametrize(
    "text",
    ["", "at(tomorrow)", "rate(0 days)", "rate(5)", "every day", "at(2026-13-01T00:00:00)"],
)
def test_what_is_no_expression_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        from_expression(Expression(text, "UTC", datetime(2026, 1, 1, tzinfo=UTC)))


@given(
    st.integers(0, 59),
    st.integers(0, 23),
    st.integers(1, 7),
    st.integers(1, 5),
    st.dates(date(2024, 1, 1), date(2035, 1, 1)),
)
def test_the_nth_weekday_is_that_weekday_in_that_week(
    minute: int, hour: int, weekday: int, nth: int, after: date
) -> None:
    at = next(Cron(f"cron({minute} {hour} ? * {weekday}#{nth} *)", "UTC").local_times(after))
    assert at.isoweekday() % 7 + 1 == weekday
    assert (at.day - 1) // 7 + 1 == nth
    assert (at.hour, at.minute) == (hour, minute)
    assert at.date() >= after
    assert at.date() - after < timedelta(days=366)
