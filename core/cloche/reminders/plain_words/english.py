"""Times in English. Patterns are for plain words: lower case, no accents, single spaces."""

from __future__ import annotations

import re
from typing import Final

from cloche.reminders.plain_words.bits import CODES, Bits, Clock, Day, Grammar, Half, Make, Part
from cloche.reminders.plain_words.pieces import amount, any_of, codes, rule

_ONES: Final = "one two three four five six seven eight nine".split()
_TEENS: Final = (
    "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
)
_TENS: Final = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "ninety": 90}
NUMBERS: Final = {
    "a": 1,
    "an": 1,
    "a couple of": 2,
    "couple of": 2,
    **{word: at for at, word in enumerate(_ONES, 1)},
    **{word: at for at, word in enumerate(_TEENS, 10)},
    **_TENS,
    **{f"{ten} {one}": n + at for ten, n in _TENS.items() for at, one in enumerate(_ONES, 1)},
}
_ORDINALS: Final = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4,
    "last": -1,
}  # fmt: skip
_STEPS: Final = {"other": 2, "second": 2, "third": 3, "fourth": 4}
_UNITS: Final = {
    "second": "TS", "sec": "TS", "minute": "TM", "min": "TM", "hour": "TH", "hr": "TH", "h": "TH",
    "day": "D", "week": "W", "month": "M", "year": "Y",
}  # fmt: skip
_FREQUENCIES: Final = {
    "minute": "MINUTELY", "min": "MINUTELY", "hour": "HOURLY", "hr": "HOURLY", "day": "DAILY",
    "week": "WEEKLY", "month": "MONTHLY", "year": "YEARLY",
}  # fmt: skip
_LY: Final = {
    "hourly": "HOURLY", "daily": "DAILY", "weekly": "WEEKLY", "monthly": "MONTHLY",
    "yearly": "YEARLY", "annually": "YEARLY",
}  # fmt: skip
_WEEKDAYS: Final = {
    name: at
    for at, names in enumerate(
        ("monday mon", "tuesday tue tues", "wednesday wed", "thursday thu thurs", "friday fri",
         "saturday sat", "sunday sun")
    )
    for name in names.split()
}  # fmt: skip
_MONTHS: Final = {
    name: at
    for at, names in enumerate(
        ("january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul",
         "august aug", "september sep sept", "october oct", "november nov", "december dec"), 1
    )
    for name in names.split()
}  # fmt: skip
_PARTS: Final[dict[str, Part]] = {
    "morning": "morning", "afternoon": "afternoon", "evening": "evening", "night": "night",
    "noon": "noon", "lunchtime": "noon",
}  # fmt: skip


NUMBER: Final = rf"(?:\d{{1,4}}|{any_of(NUMBERS)})"
_U: Final = rf"(?:{any_of(_UNITS)})"
WEEKDAY: Final = rf"(?:{any_of(_WEEKDAYS)})"
_WDS: Final = rf"{WEEKDAY}s?(?:(?: and| or)? {WEEKDAY}s?)*"
MONTH: Final = rf"(?:{any_of(_MONTHS)})"
_DAY: Final = r"(\d{1,2})(?:st|nd|rd|th)?"


def number(text: str) -> int:
    """The number that digits or words say."""
    return int(text) if text.isdigit() else NUMBERS[text]


def _after(found: re.Match[str]) -> Bits | None:
    return amount(found, number, _UNITS)


def _every(found: re.Match[str]) -> Bits | None:
    step, unit = found["step"], found["unit"]
    count = _STEPS.get(step) or number(step) if step else 1
    return rule(_FREQUENCIES[unit], count) if count else None


def _every_weekday(found: re.Match[str]) -> Bits:
    step = found["step"]
    return rule("WEEKLY", _STEPS[step] if step else 1, BYDAY=codes(found["days"], _WEEKDAYS))


def _nth(found: re.Match[str]) -> Bits:
    return rule("MONTHLY", BYDAY=f"{_ORDINALS[found['nth']]}{CODES[_WEEKDAYS[found['day']]]}")


def _part_each_day(found: re.Match[str]) -> Bits:
    return Bits(every="FREQ=DAILY", part=_PARTS[found[1]])


def _date(found: re.Match[str]) -> Bits | None:
    day, month, year = int(found["d"]), found["m"], found["y"]
    return Bits(day=Day(date=(int(year) if year else None, _MONTHS[month], day)))


def _iso(found: re.Match[str]) -> Bits:
    return Bits(day=Day(date=(int(found[1]), int(found[2]), int(found[3]))))


def _weekday(found: re.Match[str]) -> Bits:
    return Bits(day=Day(weekday=_WEEKDAYS[found["day"]]), part=_PARTS.get(found["part"] or "", ""))


def _clock(found: re.Match[str]) -> Bits | None:
    hour, minute = found["h"], int(found["m"] or 0)
    number_ = number(hour)
    half: Half = "am" if found["half"] == "a" else "pm" if found["half"] else ""
    if number_ > (12 if half else 24) or minute > 59:
        return None
    return Bits(clocks=(Clock(number_ % 24, minute, half),))


def _past(found: re.Match[str]) -> Bits | None:
    hour = number(found["h"])
    if hour > 12:
        return None
    amount = {"half": 30, "quarter": 15, "a quarter": 15}.get(found["n"]) or number(found["n"])
    if found["way"] == "past":
        return Bits(clocks=(Clock(hour, amount),))
    return Bits(clocks=(Clock(hour - 1 or 12, 60 - amount),))


def _said(bits: Bits) -> Make:
    return lambda found: bits


def _piece(pattern: str, make: Make) -> tuple[re.Pattern[str], Make]:
    return re.compile(rf"(?<![\w:])(?:{pattern})(?![\w:])"), make


_HALF: Final = r"(?: ?(?P<half>[ap]) ?m)"
GRAMMAR: Final = Grammar(
    pieces=(
        _piece("(?:in )?half an hour(?: from now)?", _said(Bits(delta=(("TM", 30),)))),
        _piece("in (?:a )?quarter of an hour", _said(Bits(delta=(("TM", 15),)))),
        _piece("in an hour and a half", _said(Bits(delta=(("TH", 1), ("TM", 30))))),
        _piece(
            rf"in (?:about )?(?P<n>{NUMBER})(?P<half> and a half)? (?P<u>{_U})s?"
            rf"(?: (?:and )?(?P<n2>{NUMBER}) (?P<u2>{_U})s?)?",
            _after,
        ),
        _piece(
            rf"(?P<n>{NUMBER})(?P<half> and a half)? (?P<u>{_U})s?"
            rf"(?: and (?P<n2>{NUMBER}) (?P<u2>{_U})s?)? from now",
            _after,
        ),
        _piece(
            rf"(?:on )?(?:the )?(?P<nth>{any_of(_ORDINALS)}) (?P<day>{WEEKDAY})"
            " of (?:every|each|the) month",
            _nth,
        ),
        _piece(
            "(?:on |every )?(?:the )?last day of (?:every|each|the) month",
            _said(rule("MONTHLY", BYMONTHDAY="-1")),
        ),
        _piece(
            rf"(?:on )?(?:the )?{_DAY} (?:day )?of (?:every|each) month",
            lambda found: rule("MONTHLY", BYMONTHDAY=str(int(found[1]))),
        ),
        _piece(
            "(?:(?:every|each) (?:week|work)day|on (?:week|work)days|(?:week|work)days)s?",
            _said(rule("WEEKLY", BYDAY="MO,TU,WE,TH,FR")),
        ),
        _piece(
            "(?:(?:every|each) weekend|on weekends|weekends)",
            _said(rule("WEEKLY", BYDAY="SA,SU")),
        ),
        _piece(rf"(?:every|each) ({any_of(_PARTS)})", _part_each_day),
        _piece(rf"(?:every|each)(?: (?P<step>{any_of(_STEPS)}))? (?P<days>{_WDS})", _every_weekday),
        _piece(
            rf"(?:on )?(?P<step>)(?P<days>(?:{WEEKDAY}s)(?:(?: and| or)? {WEEKDAY}s)*)",
            _every_weekday,
        ),
        _piece(
            rf"(?:every|each)(?: (?P<step>{any_of(_STEPS)}|{NUMBER}))?"
            rf" (?P<unit>{any_of(_FREQUENCIES)})s?",
            _every,
        ),
        _piece(rf"({any_of(_LY)})", lambda found: rule(_LY[found[1]])),
        _piece("(?:the )?day after tomorrow", _said(Bits(day=Day(plus=2)))),
        _piece("tomorrow", _said(Bits(day=Day(plus=1)))),
        _piece("today", _said(Bits(day=Day(plus=0)))),
        _piece("tonight", _said(Bits(day=Day(plus=0), part="night"))),
        _piece(
            rf"this ({any_of(_PARTS)})",
            lambda found: Bits(day=Day(plus=0), part=_PARTS[found[1]]),
        ),
        _piece("(?:a|one|next) week(?: from (?:now|today))?", _said(Bits(day=Day(plus=7)))),
        _piece(r"(?:on )?(\d{4})-(\d\d?)-(\d\d?)", _iso),
        _piece(
            rf"(?:on )?(?:the )?{_DAY.replace('(', '(?P<d>', 1)} (?:of )?(?P<m>{MONTH})"
            r"(?: (?P<y>\d{4}))?",
            _date,
        ),
        _piece(
            rf"(?:on )?(?P<m>{MONTH}) (?:the )?{_DAY.replace('(', '(?P<d>', 1)}"
            r"(?: (?P<y>\d{4}))?(?! ?[ap] ?m\b)",
            _date,
        ),
        _piece(
            r"on the (\d{1,2})(?:st|nd|rd|th)?",
            lambda found: Bits(day=Day(date=(None, None, int(found[1])))),
        ),
        _piece(
            rf"(?:(?:on|this|next|coming|this coming) )?(?P<day>{WEEKDAY})"
            rf"(?: (?P<part>{any_of(_PARTS)}))?",
            _weekday,
        ),
        _piece("(?:at )?(?:noon|midday)", _said(Bits(clocks=(Clock(12, 0, "pm"),)))),
        _piece("(?:at )?midnight", _said(Bits(clocks=(Clock(12, 0, "am"),)))),
        _piece(
            rf"(?:at )?(?P<n>half|a quarter|quarter|{NUMBER}) (?P<way>past|to) (?P<h>{NUMBER})",
            _past,
        ),
        _piece(rf"(?:at )?(?P<h>\d{{1,2}})(?:[:.](?P<m>\d\d))?{_HALF}", _clock),
        _piece(r"(?:at )?(?P<h>\d{1,2}):(?P<m>\d\d)(?P<half>)", _clock),
        _piece(rf"(?:at )?(?P<h>{NUMBER})(?P<m>)(?P<half>) oclock", _clock),
        _piece(
            rf"(?:at|and) (?P<h>\d{{1,2}}|{any_of([*_ONES, *_TEENS[:3]])})"
            rf"(?:[:.](?P<m>\d\d))?{_HALF}?",
            _clock,
        ),
        _piece(
            rf"(?:in the |at |the )?({any_of(_PARTS)})", lambda found: Bits(part=_PARTS[found[1]])
        ),
    ),
    between=re.compile(r" ?(?:(?:at|on|and|the|in) )*"),
    leading=re.compile(r"^(?:to|that|about|of|and|for)\b\s*", re.IGNORECASE),
    trailing=re.compile(r"\s*\b(?:at|on|by|every|and)$", re.IGNORECASE),
    unlike=re.compile(r" (?:for|about|of|until|since|from)$"),
)
