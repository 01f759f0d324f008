from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloche.memory.local.dates import Span, spans_asked
from cloche.memory.local.questions import asked_days
from cloche.sqlite import to_micros

TODAY = date(2026, 11, 25)  # a Wednesday
YEARS = (2025, 2026)

days = st.dates(date(1950, 1, 1), date(2090, 12, 31))


def day(month: int, number: int, year: int = 2026) -> Span:
    return date(year, month, number), date(year, month, number)


@pytest.mark.parametrize(
    ("texts", "span"),
    [
        (("What did I say today?", "¿Qué dije hoy?", "我今天说了什么?"), day(11, 25)),
        (("What did we do yesterday?", "¿Qué hicimos ayer?", "昨天我们做了什么?"), day(11, 24)),
        (("last night's call", "la llamada de anoche", "昨晚的电话"), day(11, 24)),
        (("the day before yesterday", "anteayer", "前天"), day(11, 23)),
        (("three days ago", "hace tres días", "三天前"), day(11, 22)),
        (("12 days ago", "hace 12 días", "12天前"), day(11, 13)),
        (("last Friday", "el viernes pasado", "上周五"), day(11, 20)),
        (("on Tuesday", "el martes", "星期二"), day(11, 24)),
        (("last week", "la semana pasada", "上周"), (date(2026, 11, 16), date(2026, 11, 22))),
        (("this week", "esta semana", "这个星期"), (date(2026, 11, 23), date(2026, 11, 29))),
        (
            ("two weeks ago", "hace dos semanas", "两周前"),
            (date(2026, 11, 8), date(2026, 11, 14)),
        ),
        (
            ("last weekend", "el fin de semana pasado", "上周末"),
            (date(2026, 11, 21), date(2026, 11, 22)),
        ),
        (("last month", "el mes pasado", "上个月"), (date(2026, 10, 1), date(2026, 10, 31))),
        (("this month", "este mes", "这个月"), (date(2026, 11, 1), date(2026, 11, 30))),
        (
            ("a couple of months ago", "hace un par de meses", "两个月前"),
            (date(2026, 9, 1), date(2026, 9, 30)),
        ),
        (("last year", "el año pasado", "去年"), (date(2025, 1, 1), date(2025, 12, 31))),
        (("this year", "este año", "今年"), (date(2026, 1, 1), date(2026, 12, 31))),
        (("five years ago", "hace cinco años", "五年前"), (date(2021, 1, 1), date(2021, 12, 31))),
        (
            ("in March last year", "en marzo del año pasado", "去年三月"),
            (date(2025, 3, 1), date(2025, 3, 31)),
        ),
        (("on 3 March 2026", "el 3 de marzo de 2026", "2026年3月3日"), day(3, 3)),
        (("March 3rd, 2026", "2026-03-03", "二〇二六年三月三号"), day(3, 3)),
        (("in May 2025", "en mayo de 2025", "2025年5月"), (date(2025, 5, 1), date(2025, 5, 31))),
        (("in 2025", "en 2025", "2025年"), (date(2025, 1, 1), date(2025, 12, 31))),
        (("last March", "marzo pasado"), (date(2026, 3, 1), date(2026, 3, 31))),
        (("last December", "diciembre pasado"), (date(2025, 12, 1), date(2025, 12, 31))),
    ],
)
def test_a_date_is_understood_in_three_languages(texts: tuple[str, ...], span: Span) -> None:
    for text in texts:
        assert spans_asked(text, TODAY, YEARS) == (span,), text


@pytest.mark.parametrize("text", ["in June", "en junio", "六月", "六月份"])
def test_a_month_without_a_year_is_of_every_year_there_is(text: str) -> None:
    june = [(date(year, 6, 1), date(year, 6, 30)) for year in YEARS]
    assert spans_asked(text, TODAY, YEARS) == tuple(june)


@pytest.mark.parametrize("text", ["on 29 February", "el 29 de febrero", "二月二十九号"])
def test_a_day_that_only_some_years_have_is_of_those(text: str) -> None:
    assert spans_asked(text, TODAY, (2023, 2024, 2025)) == (day(2, 29, 2024),)


@pytest.mark.parametrize(
    "text",
    [
        "", "?", "Where is the lamp?", "¿Dónde está la lámpara?", "灯在哪里?",
        "May I ask you this?",
        "How many days does it take?", "Two weeks in the tower", "¿Cuántos días dura?",
        "三个月大的猫",
        "2026-02-31", "on 45 March 2026", "十三月", "the year 99999999", "antepasados", "mañana",
    ],
)  # fmt: skip
def test_what_is_no_date_is_none(text: str) -> None:
    assert spans_asked(text, TODAY, YEARS) == ()


def test_an_absolute_date_is_stronger_than_a_relative_one() -> None:
    text = "What did I say last week, as told on November 6, 2025?"
    assert spans_asked(text, TODAY, YEARS) == (day(11, 6, 2025),)


@settings(deadline=None)
@given(days, st.integers(2, 12))
def test_three_languages_count_the_same_way(today: date, count: int) -> None:
    for unit in (("days", "días", "天"), ("weeks", "semanas", "周"), ("months", "meses", "个月")):
        asked = (f"{count} {unit[0]} ago", f"hace {count} {unit[1]}", f"{count}{unit[2]}前")
        spans = {spans_asked(text, today, ()) for text in asked}
        assert len(spans) == 1
        ((first, last),) = spans.pop()
        assert first <= last < today


@settings(deadline=None)
@given(days)
def test_relative_days_are_before_today_and_weeks_are_whole(today: date) -> None:
    assert spans_asked("ayer", today, ()) == ((today - timedelta(1),) * 2,)
    ((first, last),) = spans_asked("上周", today, ())
    assert (first.weekday(), (last - first).days) == (0, 6)
    assert last < today <= last + timedelta(7)
    for name in ("last monday", "el domingo", "上周五"):
        ((only, same),) = spans_asked(name, today, ())
        assert only == same < today


@settings(deadline=None)
@given(st.text(), days)
def test_any_text_has_sound_spans_or_none(text: str, today: date) -> None:
    for first, last in spans_asked(text, today, (2024, 2025)):
        assert first <= last


@settings(deadline=None)
@given(st.dates(date(1, 1, 1), date(9999, 12, 31)))
def test_no_day_of_the_calendar_is_too_early_or_too_late(today: date) -> None:
    for text in (
        "last year",
        "999 years ago",
        "去年三月",
        "el mes pasado",
        "上上周",
        "99 weeks ago",
    ):
        spans_asked(text, today, (today.year,))


def test_days_are_those_of_the_askers_zone() -> None:
    # In Tokyo it is the 26th already; the 25th there is "yesterday".
    now = datetime(2026, 11, 25, 16, 0, tzinfo=UTC)
    for zone, offset, yesterday in (("UTC", 0, 24), ("Asia/Tokyo", 9, 25)):
        (days_,) = asked_days("yesterday", now, ZoneInfo(zone), YEARS)
        start = datetime(2026, 11, yesterday, tzinfo=UTC) - timedelta(hours=offset)
        assert (days_.start, days_.end) == (
            to_micros(start),
            to_micros(start + timedelta(days=1)),
        )


def test_a_day_of_23_hours_has_23_hours() -> None:
    now = datetime(2026, 3, 30, 12, 0, tzinfo=UTC)
    (days_,) = asked_days("yesterday", now, ZoneInfo("Europe/Madrid"), YEARS)
    assert days_.end - days_.start == 23 * 3_600_000_000
