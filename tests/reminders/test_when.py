"""What a model fills in for a time: durations, local times, rules, and what is none of them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche.reminders.schedule import WhenError, occurrences
from cloche.reminders.when import parse_when

NOW = datetime(2026, 11, 30, 8, 30, 12, tzinfo=UTC)  # a Monday, 09:30 in Oslo
OSLO = "Europe/Oslo"


def first(text: str, now: datetime = NOW, zone: str = OSLO) -> datetime:
    return occurrences(parse_when(text, now=now, zone=zone), after=now, limit=1)[0]


@pytest.mark.parametrize(
    ("text", "due"),
    [
        ("PT20M", datetime(2026, 11, 30, 8, 50, 12, tzinfo=UTC)),
        ("pt2m", datetime(2026, 11, 30, 8, 32, 12, tzinfo=UTC)),
        ("P1D", datetime(2026, 12, 1, 8, 30, 12, tzinfo=UTC)),
        ("P1DT2H", datetime(2026, 12, 1, 10, 30, 12, tzinfo=UTC)),
        ("P2W", datetime(2026, 12, 14, 8, 30, 12, tzinfo=UTC)),
        ("P3M", datetime(2027, 2, 28, 8, 30, 12, tzinfo=UTC)),
        ("2026-12-01T08:00", datetime(2026, 12, 1, 7, tzinfo=UTC)),
        (" 2026-12-01 08:00:00 ", datetime(2026, 12, 1, 7, tzinfo=UTC)),
        ("2026-12-01T08:00Z", datetime(2026, 12, 1, 8, tzinfo=UTC)),
        ("2027-03-28T02:30", datetime(2027, 3, 28, 1, tzinfo=UTC)),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=SU;BYHOUR=9", datetime(2026, 12, 6, 8, tzinfo=UTC)),
        ("RRULE:FREQ=WEEKLY;BYDAY=MO;BYHOUR=7;BYMINUTE=0", datetime(2026, 12, 7, 6, tzinfo=UTC)),
        ("freq=daily;byhour=19;byminute=26", datetime(2026, 11, 30, 18, 26, tzinfo=UTC)),
        ("FREQ=HOURLY;INTERVAL=3", datetime(2026, 11, 30, 11, 30, 12, tzinfo=UTC)),
        ("FREQ=MINUTELY;INTERVAL=90", datetime(2026, 11, 30, 10, 0, 12, tzinfo=UTC)),
    ],
)
def test_times_are_read_in_the_persons_zone(text: str, due: datetime) -> None:
    assert first(text) == due


@pytest.mark.parametrize("zone", ["Asia/Bangkok", "Asia/Shanghai", "America/New_York"])
def test_a_time_of_day_is_that_time_where_the_person_is(zone: str) -> None:
    local = first("FREQ=DAILY;BYHOUR=7;BYMINUTE=26", zone=zone).astimezone(ZoneInfo(zone))
    assert (local.hour, local.minute) == (7, 26)
    assert first("PT2M", zone=zone) - NOW == timedelta(minutes=2)


def test_in_twenty_minutes_is_so_also_while_clocks_are_set_back() -> None:
    for minute in range(0, 180, 7):
        now = datetime(2026, 10, 25, 0, 0, tzinfo=UTC) + timedelta(minutes=minute)
        assert first("PT20M", now=now) == now + timedelta(minutes=20)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "unreadable"),
        ("tomorrow at eight", "unreadable"),
        ("mañana a las ocho", "unreadable"),
        ("明天早上八点", "unreadable"),
        ("P", "unreadable"),
        ("PT", "unreadable"),
        ("P1DT", "unreadable"),
        ("PT-5M", "unreadable"),
        ("2026-02-30T09:00", "unreadable"),
        ("2026-12-01T25:00", "unreadable"),
        ("2026-12-01", "no_time"),
        ("FREQ=WEEKLY;BYDAY=SU", "no_time"),
        ("FREQ=DAILY;BYHOUR=99", "unreadable"),
        ("FREQ=SECONDLY", "no_time"),
        ("FREQ=DAILY;BYHOUR=9;BYSECOND=0,30", "too_often"),
        ("FREQ=MINUTELY", "too_often"),
        ("FREQ=MINUTELY;INTERVAL=4", "too_often"),
        ("FREQ=HOURLY;BYMINUTE=0,1,30", "too_often"),
        ("FREQ=DAILY;BYHOUR=9;BYMINUTE=0,20,22,40", "too_often"),
        ("FREQ=DAILY;BYHOUR=9;UNTIL=20200101", "never"),
        ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30;BYHOUR=9", "never"),
        ("2020-01-01T09:00", "past"),
        ("2026-11-30T09:30", "past"),
        ("PT0S", "past"),
        ("P99Y", "too_far"),
        ("9999-12-31T23:59", "too_far"),
        ("P999Y", "too_far"),
    ],
)
def test_what_says_no_time_to_come_is_refused_with_its_reason(text: str, fault: str) -> None:
    with pytest.raises(WhenError) as caught:
        parse_when(text, now=NOW, zone=OSLO)
    assert caught.value.fault == fault
    assert str(caught.value)


@given(st.text(max_size=40) | st.from_regex(r"(P|FREQ=|2026-)[\dA-Z=;:,T+-]{0,30}", fullmatch=True))
def test_whatever_is_written_gives_a_schedule_to_come_or_a_reason(text: str) -> None:
    try:
        schedule = parse_when(text, now=NOW, zone=OSLO)
    except WhenError:
        return
    assert occurrences(schedule, after=NOW, limit=1)[0] > NOW


@pytest.mark.parametrize(
    "rule",
    [
        "FREQ=MINUTELY;INTERVAL=5",
        "FREQ=HOURLY;BYMINUTE=0,30",
        "FREQ=HOURLY;BYMINUTE=1",
        "FREQ=DAILY;BYHOUR=2,3;BYMINUTE=1",
    ],
)
def test_clocks_that_skip_an_hour_make_no_rule_too_frequent(rule: str) -> None:
    first(rule, now=datetime(2026, 3, 28, 22, 0, tzinfo=UTC))
