"""From a statement's words to the instant it ends."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final, Literal
from zoneinfo import ZoneInfo

from cloche.memory.extraction.rules.language_rules import plain
from cloche.memory.extraction.timebound.chinese import CHINESE
from cloche.memory.extraction.timebound.days import (
    after,
    dated,
    day_of,
    end_of,
    in_reach,
    month_end,
    number_of,
    unit_end,
    weekday,
)
from cloche.memory.extraction.timebound.english import ENGLISH
from cloche.memory.extraction.timebound.spanish import SPANISH
from cloche.memory.extraction.timebound.tables import TimeWords
from cloche.memory.records import Kind

_LANGUAGES: Final = (ENGLISH, SPANISH, CHINESE)
_WISHES: Final[tuple[Kind, ...]] = ("preference", "rule")
_OF_THE_DAY: Final[tuple[Kind, ...]] = ("fact", "warning", *_WISHES)
_OWN_LIFETIME: Final[tuple[Kind, ...]] = ("summary", "task_state")
_STOP: Final = r"[,;:.!?\u3001\u3002\uff0c\uff1b]"
_CLAUSE: Final = re.compile(
    rf"(?<!{_STOP}){_STOP}+(?:\s|(?=[\u2e80-\u9fff])|$)"
    r"| and (?=(?:i|we|my|our|the)\b)| y (?=(?:yo|mi|mis|nuestr[oa]s?|el|la|los|las)\b)"
)
_LENGTH: Final = re.compile(r"\d[.,:]$")
_HOURS: Final = frozenset(("noon", "midnight", "mediodia", "medianoche"))
_SIMPLIFIED: Final = str.maketrans("週禮", "周礼")
MAX_CHARS: Final = 600
"""More than a statement has; what follows is not read."""


@dataclass(frozen=True, slots=True)
class _Named:
    """A day that words name.

    Attributes:
        sort: How it is named; "month" is one without day and year, "other" a date. It and an "hour"
            only end what is said to last until then.
        last: The (last) day; it may be over.
        before: The words before it.
        after: The words behind it.
        which: "this", "next", ... where it is said.
    """

    sort: Literal["relative", "weekday", "span", "month", "hour", "other"]
    last: date
    before: str
    after: str
    which: str


def expiry_of(text: str, kind: Kind, at: datetime, zone: ZoneInfo) -> datetime | None:
    """When a statement of that kind stops being true by its own words; None = they do not tell.

    Args:
        text: The statement, in English, Spanish or Chinese; others name no end.
        kind: What it is.
        at: When it was said, aware.
        zone: Where the person was, which days are counted in.

    Returns:
        An instant in UTC, always after ``at``.
    """
    if kind in _OWN_LIFETIME:
        return None
    words = plain(text[:MAX_CHARS].translate(_SIMPLIFIED))
    ends = [end for one in _LANGUAGES for end in _named_ends(words, kind, at, zone, one)]
    if not ends and kind in _OF_THE_DAY:
        ends = [end for one in _LANGUAGES for end in _of_the_day(words, kind, at, zone, one)]
    ends = [end for end in ends if end > at]
    return max(ends, default=None)


def says_a_day(text: str) -> bool:
    """True when what words tell of is over with a day or span that they name ("today")."""
    at = datetime(2026, 1, 1, 12, tzinfo=ZoneInfo("UTC"))
    return expiry_of(text, "fact", at, ZoneInfo("UTC")) is not None


def names_an_end(text: str) -> bool:
    """True when words say how long a state holds: "until Friday", "for two weeks", "this week"."""
    # Any instant will do: whether an end is named does not depend on when, but for a date.
    at, zone = datetime(2026, 1, 1, 12, tzinfo=ZoneInfo("UTC")), ZoneInfo("UTC")
    words = plain(text[:MAX_CHARS].translate(_SIMPLIFIED))
    return any(
        any(end > at for end in _named_ends(words, "fact", at, zone, one))
        or (
            any(named.sort == "span" for named in _days(words, day_of(at, zone), one))
            and bool(one.present.search(words))
            and not any(p.search(words) for p in (one.past, one.habitual, one.recurring))
        )
        for one in _LANGUAGES
    )


def tells_what_there_is(text: str) -> bool:
    """True when words say what somebody has, where they live, what it is called: that lasts."""
    words = plain(text[:MAX_CHARS].translate(_SIMPLIFIED))
    return any(language.owning.search(words) for language in _LANGUAGES)


def _named_ends(
    words: str, kind: Kind, at: datetime, zone: ZoneInfo, language: TimeWords
) -> Iterator[datetime]:
    """Ends that are named: "until ...", "back on ...", "for ..."."""
    if language.recurring.search(words) or _tells_what_there_is(words, language):
        return
    if kind not in _WISHES and language.habitual.search(words):
        return
    today = day_of(at, zone)
    for named in _days(words, today, language):
        until = language.until_before.search(named.before)
        if not until and not (
            language.until_after.match(named.after)
            or language.back_before.search(named.before)
            or language.back_after.match(named.after)
        ):
            continue
        if _comes_again(named, words, language):
            continue
        before = named.before[: until.start()] if until else named.before
        if in_reach(named.last, today) and not _is_over(before, kind, language):
            yield end_of(named.last, zone)
    for length in language.length.finditer(words):
        if _begins_now(length, words, kind, language):
            count = number_of(length["count"], language.numbers)
            unit = language.units[length["unit"]]
            if count:
                count, unit = (count * 2, "week") if unit == "fortnight" else (count, unit)
                yield after(at, zone, count, unit)


def _comes_again(named: _Named, words: str, language: TimeWords) -> bool:
    """True for an hour of every day ("my dog sleeps until noon"), a month of every year."""
    if named.sort == "hour":
        return not language.moment.search(words)
    yearly = language.yearly.search(named.before + named.after)
    return named.sort == "month" and bool(yearly)


def _begins_now(length: re.Match[str], words: str, kind: Kind, language: TimeWords) -> bool:
    """True for a length of time that runs from now on, not one that is over or told of a habit."""
    before, behind = words[: length.start()], words[length.end() :]
    if language.no_end_after.match(behind) or _LENGTH.search(before):
        return False
    if length.groupdict().get("more") or language.ahead_before.search(before):
        return True
    if not (language.lasts_before.search(before) or language.lasts_after.match(behind)):
        return False
    if kind in (*_WISHES, "decision"):
        return kind == "decision" or not language.past.search(before)
    said = words if language is CHINESE else before
    return bool(language.present.search(said)) and not language.past.search(said)


def _of_the_day(
    words: str, kind: Kind, at: datetime, zone: ZoneInfo, language: TimeWords
) -> Iterator[datetime]:
    """The days and spans that a statement speaks of, unless what it tells outlasts them."""
    if language.recurring.search(words) or language.lasting.search(words):
        return
    if language.habitual.search(words) or _tells_what_there_is(words, language):
        return
    today = day_of(at, zone)
    for named in _days(words, today, language):
        if named.sort in ("month", "hour", "other") or (
            kind in _WISHES and (named.sort == "weekday" or named.last < today)
        ):
            continue
        if named.sort == "weekday" and language.past.search(words):
            continue  # that day is over: "I had a check-up Monday"
        # What is over was of the day it was told on: "watered yesterday" is no news tomorrow.
        yield end_of(max(named.last, today), zone)


def _is_over(before: str, kind: Kind, language: TimeWords) -> bool:
    """True when "until" ends what was, not what is: "I was ill until Friday"."""
    if kind != "fact" or language.present.search(before):
        return False
    return bool(language.past.search(before))


def _tells_what_there_is(words: str, language: TimeWords) -> bool:
    """True when one clause says what there is, and only others speak of time."""
    return any(
        language.owning.search(clause) and not any(p.search(clause) for p in language.points)
        for clause in _CLAUSE.split(words)
    )


def _days(words: str, today: date, language: TimeWords) -> Iterator[_Named]:
    """The days that words name, each by its longest name, from left to right."""
    at = 0
    while found := _next(words, at, language):
        at = found.end()
        before, behind = words[: found.start()], words[found.end() :]
        if language.no_end_before.search(before) or language.no_end_after.match(behind):
            continue
        if named := _named(found, before, behind, today, language):
            yield named


def _next(words: str, at: int, language: TimeWords) -> re.Match[str] | None:
    matches = [match for point in language.points if (match := point.search(words, at))]
    return min(matches, key=lambda match: (match.start(), -match.end()), default=None)


def _named(
    found: re.Match[str], before: str, behind: str, today: date, language: TimeWords
) -> _Named | None:
    said = {name: value for name, value in found.groupdict().items() if value}
    which = said.get("which", "")
    ahead = language.which.get(which)
    if name := said.get("weekday"):
        day = weekday(today, language.weekdays[name], ahead)
        return _Named("weekday", day, before, behind, which)
    if name := said.get("relative"):
        day = _shifted(today, language.relative[name])
        return _Named("hour" if name in _HOURS else "relative", day, before, behind, which)
    if name := said.get("unit"):
        last = unit_end(today, language.units[name], ahead or 0)
        return _Named("span" if which else "other", last, before, behind, which) if last else None
    last = _date_of(said, today, language)
    month = "month" in said and not said.keys() & {"day", "year"}
    return _Named("month" if month else "other", last, before, behind, which) if last else None


def _date_of(said: dict[str, str], today: date, language: TimeWords) -> date | None:
    if iso := said.get("iso"):
        year, month, day = (int(part) for part in iso.split("-"))
        return dated(today, day, month, year)
    year_said = int(said["year"]) if "year" in said else None
    month_said = _month(said.get("month"), language)
    if number := said.get("day"):
        found = number_of(number, language.numbers)
        return dated(today, int(found), month_said, year_said) if found else None
    if month_said:
        return month_end(today, month_said, year_said)
    return month_end(today, 12, year_said) if year_said else None


def _month(name: str | None, language: TimeWords) -> int | None:
    if not name:
        return None
    return int(name) if name.isdecimal() else language.months[name]


def _shifted(today: date, days: int) -> date:
    return date.fromordinal(today.toordinal() + days)
