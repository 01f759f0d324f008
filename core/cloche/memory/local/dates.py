"""The date a question speaks of, as days: absolute or counted from today. Pure.

English, Spanish and Chinese. One date per question, the first absolute one before any relative
one. Seasons are left out: when summer is depends on where the person lives.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable
from datetime import date, timedelta
from typing import Final

from cloche.memory.local.date_words import (
    COUNTS,
    DAYS_BACK,
    LAST_YEAR,
    MONTHS,
    THIS_YEAR,
    UNITS,
    WEEKDAYS,
    YEAR_BEFORE_LAST,
    Unit,
    han_number,
)
from cloche.memory.local.scripts import fold

Span = tuple[date, date]
"""First and last day, both inside."""

_NOT_BEFORE, _NOT_AFTER = r"(?<![^\W\d_])", r"(?![^\W\d_])"


def _any_of(words: Iterable[str]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


_HAN_DIGITS: Final = "〇零一二三四五六七八九十两"
_MONTH: Final = _any_of(MONTHS)
_DAY_MONTH: Final = re.compile(
    rf"\b(?:(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+|de\s+)?)?({_MONTH})\b"
    r"(?:\s+(\d{1,2})(?:st|nd|rd|th)?(?!\d))?"
)
_YEAR: Final = re.compile(
    r"(?<!\d)(?:19|20)\d\d(?!\d)|[一二][九〇零][〇零一二三四五六七八九]{2}(?=年)"
)
_ISO: Final = re.compile(r"(?<!\d)((?:19|20)\d\d)[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")
_HAN_DATE: Final = re.compile(
    rf"(?<![个\d{_HAN_DIGITS}])(\d{{1,2}}|[{_HAN_DIGITS}]{{1,3}})\s*月(?!前|以前|之前)"
    rf"(?:份)?(?:\s*(\d{{1,2}}|[{_HAN_DIGITS}]{{1,3}})\s*[日号])?"
)
_MAY_IS_A_MONTH: Final = re.compile(
    r"\b(?:in|on|of|early|late|mid|since|until|before|after|during|last|this|next)[\s-]+may\b"
    r"|\d(?:st|nd|rd|th)?\s+may\b|\bmay,?\s+\d"
)

_SPACED_COUNT: Final = _any_of(w for w in COUNTS if w.isascii())
_SPACED_UNIT: Final = "day|week|month|year|dia|semana|mes|ano"
_HAN_UNIT: Final = "天|日|周|星期|礼拜|月|年"
_AGO: Final = re.compile(
    rf"\b(?:hace\s+(?:un\s+)?)?(\d{{1,3}}|{_SPACED_COUNT})\s+(?:of\s+|de\s+)?({_SPACED_UNIT})(?:e?s)?\b"
)
_HAN_AGO: Final = re.compile(
    rf"(\d{{1,3}}|[{_HAN_DIGITS}几]{{1,3}})\s*个?({_HAN_UNIT})(?:以|之)?前"
)
_DAY_BACK: Final = re.compile(
    "|".join(
        rf"{_NOT_BEFORE}{word}{_NOT_AFTER}" if word.isascii() else word
        for word in sorted(DAYS_BACK, key=len, reverse=True)
    )
)
_LAST: Final = re.compile(
    r"\b(?:last|past|previous)\s+(day|week(?:end)?|month|year)\b"
    r"|\b(?:the\s+)?(week)\s+before\s+this\b"
    r"|\b(fin de semana|semana|mes|ano)\s+(?:pasad[oa]|anterior)\b"
    r"|\b(?:pasad[oa])\s+(fin de semana|semana|mes|ano)\b"
    r"|上一?个?(周|星期|礼拜|月)"
)
_THIS: Final = re.compile(
    r"\bthis\s+(week(?:end)?|month|year)\b|\beste?a?\s+(fin de semana|semana|mes|ano)\b"
    r"|(?:这一?个?|本)(周|星期|礼拜|月)"
)
_WEEKDAY: Final = re.compile(
    rf"\b(?:last|this|on|past)\s+({_any_of(w for w in WEEKDAYS if w.isascii() and w[-1] == 'y')})\b"
    rf"|\bel\s+(?:pasado\s+)?({_any_of(w for w in WEEKDAYS if w.isascii() and w[-1] != 'y')})\b"
    r"|(上上|上|这)?一?个?(?:周|星期|礼拜)([一二三四五六日天末])"
)
_LAST_MONTH_NAME: Final = re.compile(
    rf"\b(?:last|past)\s+({_MONTH})\b|\b({_MONTH})\s+pasado\b|\bpasado\s+({_MONTH})\b"
)


def spans_asked(text: str, today: date, years: Iterable[int]) -> tuple[Span, ...]:
    """The days a question speaks of; empty when it names no date.

    Args:
        text: The question.
        today: The asker's day.
        years: Years in which there is something to find: a date without a year is of any of them.
    """
    folded = fold(text)
    return _absolute(folded, today, sorted(set(years))) or _relative(folded, today)


def _absolute(text: str, today: date, years: list[int]) -> tuple[Span, ...]:
    if match := _ISO.search(text):
        return _spans([int(match[1])], int(match[2]), int(match[3]))
    year = _year(text, today)
    if match := _LAST_MONTH_NAME.search(text):
        month = MONTHS[match[1] or match[2] or match[3]]
        return _spans([today.year - (month >= today.month)], month, None)
    month_day = _month_and_day(text)
    if month_day is not None:
        return _spans(years if year is None else [year], *month_day)
    return () if year is None else _spans([year], None, None)


def _year(text: str, today: date) -> int | None:
    if match := _YEAR.search(text):
        return han_number(match[0])
    for words, back in ((YEAR_BEFORE_LAST, 2), (LAST_YEAR, 1), (THIS_YEAR, 0)):
        if any(word in text for word in words):
            return today.year - back
    return None


def _month_and_day(text: str) -> tuple[int, int | None] | None:
    if match := _HAN_DATE.search(text):
        month, day = han_number(match[1]), han_number(match[2]) if match[2] else None
        if month is not None:
            return month, day
    for match in _DAY_MONTH.finditer(text):
        if match[2] != "may" or _MAY_IS_A_MONTH.search(text):
            number = match[1] or match[3]
            return MONTHS[match[2]], int(number) if number else None
    return None


def _spans(years: list[int], month: int | None, day: int | None) -> tuple[Span, ...]:
    """The date in each of the years; one that is in no calendar is left out."""
    spans = []
    for year in years:
        try:
            if month is None:
                spans.append((date(year, 1, 1), date(year, 12, 31)))
            elif day is None:
                spans.append(_month(date(year, month, 1)))
            else:
                spans.append((date(year, month, day), date(year, month, day)))
        except ValueError:
            continue
    return tuple(spans)


def _relative(text: str, today: date) -> tuple[Span, ...]:
    try:
        span = (
            _days_back(text, today)
            or _weekday(text, today)
            or _ago(text, today)
            or _last_or_this(text, today)
        )
    except (OverflowError, ValueError):  # before the first year there is
        return ()
    return (span,) if span else ()


def _days_back(text: str, today: date) -> Span | None:
    if match := _DAY_BACK.search(text):
        day = today - timedelta(DAYS_BACK[match[0]])
        return day, day
    return None


def _weekday(text: str, today: date) -> Span | None:
    """The last day of that name; 上周五 is of the calendar week before, 这周五 of this one."""
    match = _WEEKDAY.search(text)
    if match is None:
        return None
    name, which = match[1] or match[2] or match[4], match[3]
    weeks = {"上上": 2, "上": 1, "这": 0}.get(which or "")
    monday = today - timedelta(today.weekday())
    if name == "末":
        return _weekend(today, weeks or 0)
    if weeks is not None:
        day = monday + timedelta(WEEKDAYS[name] - 7 * weeks)
    else:
        day = today - timedelta((today.weekday() - WEEKDAYS[name] - 1) % 7 + 1)
    return day, day


def _ago(text: str, today: date) -> Span | None:
    match = _HAN_AGO.search(text)
    if match is None:
        match = next((m for m in _AGO.finditer(text) if _points_back(text, m)), None)
    if match is None:
        return None
    count = COUNTS.get(match[1]) or han_number(match[1])
    return None if count is None else _back(UNITS[match[2]], count, today)


def _points_back(text: str, match: re.Match[str]) -> bool:
    return match[0].startswith("hace") or bool(re.match(r"\s+(?:ago|atras)\b", text[match.end() :]))


def _last_or_this(text: str, today: date) -> Span | None:
    for pattern, count in ((_LAST, 1), (_THIS, 0)):
        if match := pattern.search(text):
            word = next(group for group in match.groups() if group)
            before = 1 if match[0].startswith("上") and text[: match.start()].endswith("上") else 0
            return _calendar(UNITS[word], count + before, today)
    return None


def _back(unit: Unit, count: int, today: date) -> Span:
    """About so long ago: the day; the week around it; the month or the year it was in."""
    if unit == "week":
        day = today - timedelta(7 * count)
        return day - timedelta(3), day + timedelta(3)
    return _calendar(unit, count, today)


def _calendar(unit: Unit, count: int, today: date) -> Span:
    """The calendar unit ``count`` before the one that today is in, not beyond today."""
    if unit == "day":
        return today - timedelta(count), today - timedelta(count)
    if unit == "weekend":
        return _weekend(today, count)
    if unit == "week":
        monday = today - timedelta(today.weekday() + 7 * count)
        return monday, monday + timedelta(6)
    if unit == "year":
        return date(today.year - count, 1, 1), date(today.year - count, 12, 31)
    months = today.year * 12 + today.month - 1 - count
    return _month(date(months // 12, months % 12 + 1, 1))


def _weekend(today: date, weeks: int) -> Span:
    saturday = today - timedelta(today.weekday() + 7 * weeks) + timedelta(5)
    return saturday, saturday + timedelta(1)


def _month(first: date) -> Span:
    return first, first.replace(day=monthrange(first.year, first.month)[1])
