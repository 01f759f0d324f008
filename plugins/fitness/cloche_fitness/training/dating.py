"""On which day something was done, as people say it: "last Tuesday", "hace dos semanas"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final


@dataclass(frozen=True, slots=True)
class Day:
    """A day that was named, before it is known which day today is.

    Attributes:
        ago: How many days ago; None where it is not said so.
        weekday: The last such day that is past, Monday 0; None where none is named.
        of_last_week: True where that is the day of the week before this one.
        month: 1-12; 0 where no date is named.
        day: Of the month.
        year: 0 = the last such date that is past.
    """

    ago: int | None = None
    weekday: int | None = None
    of_last_week: bool = False
    month: int = 0
    day: int = 0
    year: int = 0

    def before(self, today: date) -> date:
        """The day itself; a date of a year that is not named is not in the future.

        Args:
            today: The person's own day.

        Raises:
            ValueError: there is no such date.
        """
        if self.month:
            if self.year:
                return date(self.year, self.month, self.day)
            # A leap day may be some years past.
            years = [today.year - back for back in range(9)]
            return next(found for found in self._of(years) if found <= today)
        if self.weekday is None:
            return today - timedelta(days=self.ago or 0)
        if self.of_last_week:
            return today - timedelta(days=today.weekday() + 7 - self.weekday)
        # "today, Monday" is today; "on Monday" said on a Monday is a week ago.
        same = 0 if self.ago is not None else 7
        return today - timedelta(days=(today.weekday() - self.weekday) % 7 or same)

    def _of(self, years: list[int]) -> Iterator[date]:
        found = False
        for year in years:
            try:
                yield date(year, self.month, self.day)
                found = True
            except ValueError:
                continue
        if not found:
            raise ValueError(f"{self.month}-{self.day}")


def _numbered(*rows: str, first: int) -> dict[str, int]:
    """Each name with its row's number."""
    return {name: number for number, row in enumerate(rows, first) for name in row.split()}


_MONTHS: Final = _numbered(
    "january jan enero", "february feb febrero", "march mar marzo", "april apr abril",
    "may mayo", "june jun junio", "july jul julio", "august aug agosto",
    "september sept sep septiembre setiembre", "october oct octubre",
    "november nov noviembre", "december dec diciembre",
    first=1,
)  # fmt: skip
_DAYS: Final = _numbered(
    "monday lunes 一", "tuesday martes 二", "wednesday miercoles 三", "thursday jueves 四",
    "friday viernes 五", "saturday sabado 六", "sunday domingo 日 天",
    first=0,
)  # fmt: skip
_COUNTS: Final = _numbered(
    "a one un una uno 一", "two dos 二 两", "three tres 三", "four cuatro 四",
    "five cinco 五", "six seis 六", "seven siete 七",
    first=1,
)  # fmt: skip


def _any(names: dict[str, int], *, latin: bool = True) -> str:
    chosen = [name for name in names if name.isascii() == latin]
    return "|".join(sorted(chosen, key=len, reverse=True))


_COUNT: Final = rf"(?:\d{{1,3}}|{_any(_COUNTS)})"
_YEAR: Final = r"(?:,? (?:de |del )?(?P<year>20\d\d)(?!\d))?"
_MONTH: Final = _any(_MONTHS)
_AMOUNT: Final = r"(?![\d:.]|\s*(?:x|×|sets|reps|kg|km|lbs?|miles?|min|series|times)\b)"
_FORMS: Final = tuple(
    re.compile(form)
    for form in (
        r"(?:on )?(?P<year>20\d\d)-(?P<month>\d{1,2})-(?P<day>\d{1,2})(?!\d)",
        rf"(?:on |el )?(?:the )?(?P<day>\d{{1,2}})(?:st|nd|rd|th)? (?:of |de )?(?P<month>{_MONTH})"
        rf"(?![^\W_])\.?{_YEAR}",
        rf"(?:on )?(?P<month>{_MONTH})\.? (?:the )?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?{_AMOUNT}"
        rf"{_YEAR}",
        r"(?:(?P<year>20\d\d)年)?(?P<month>\d{1,2})月(?P<day>\d{1,2})[日号]",
        rf"(?P<days>{_COUNT}) days? ago(?![^\W_])|hace (?P<dias>{_COUNT}) dias?(?![^\W_])"
        rf"|(?P<tian>\d{{1,3}}|{_any(_COUNTS, latin=False)}) ?天(?:以)?前",
        rf"(?P<weeks>{_COUNT}) weeks? ago(?![^\W_])|hace (?P<semanas>{_COUNT}) semanas?(?![^\W_])"
        rf"|(?P<zhou>\d{{1,2}}|{_any(_COUNTS, latin=False)}) ?(?:周|个?星期|个?礼拜)(?:以)?前",
        rf"(?:on )?(?:last|this past) (?P<past>{_any(_DAYS)})(?![^\W_])",
        rf"(?:el )?(?:pasado (?P<pasado>{_any(_DAYS)})|(?P<dia>{_any(_DAYS)}) pasado)(?![^\W_])",
        rf"(?:el )?(?P<week_es>{_any(_DAYS)}) de la semana pasada(?![^\W_])",
        rf"(?P<week_en>{_any(_DAYS)}) (?:of )?last week(?![^\W_])",
        r"上个?(?:周|星期|礼拜)(?P<week_zh>[一二三四五六日天])",
    )
)


def day_at(folded: str, at: int) -> tuple[Day, int] | None:
    """The day that is named from a place of a folded text on, and where its words end."""
    if at and folded[at - 1].isascii() and folded[at - 1].isalnum():
        return None
    for form in _FORMS:
        if found := form.match(folded, at):
            return _day_of(found), found.end()
    return None


def without_days(folded: str) -> str:
    """A folded text without the days it names: "last week" among them is no word of a plan."""
    for form in _FORMS:
        folded = form.sub(" ", folded)
    return folded


def _day_of(found: re.Match[str]) -> Day:
    said = {name: text for name, text in found.groupdict().items() if text}
    if month := said.get("month"):
        number = int(month) if month.isdigit() else _MONTHS[month]
        return Day(month=number, day=int(said["day"]), year=int(said.get("year", "0")))
    name, text = next(iter(said.items()))
    if text in _DAYS and name not in ("days", "dias", "tian", "weeks", "semanas", "zhou"):
        return Day(weekday=_DAYS[text], of_last_week=name.startswith("week_"))
    count = int(text) if text.isdigit() else _COUNTS[text]
    return Day(ago=count * (7 if name in ("weeks", "semanas", "zhou") else 1))
