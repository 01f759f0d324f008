"""Times in English. Patterns are for plain words: lower case, no accents, single spaces."""

from __future__ import annotations

import re
from typing import Final

from cloche.reminders.plain_words.bits import CODES, Bits, Clock, Grammar, Half, Make, Part
from cloche.reminders.plain_words.days import Day
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


_MINUTES: Final = {word: n for word, n in NUMBERS.items() if 10 <= n < 60}
_AT: Final = "(?:(?:at|by|before|around|about|at around|at about) )?"
NUMBER: Final = rf"(?:\d{{1,4}}|{any_of(NUMBERS)})"
_U: Final = rf"(?:{any_of(_UNITS)})"
_HOUR: Final = rf"(?:\d{{1,2}}|{any_of([*_ONES, *_TEENS[:3]])})"
WEEKDAY: Final = rf"(?:{any_of(_WEEKDAYS)})"
_MON: Final = "mon(?:day)?"
_FRI: Final = "fri(?:day)?"
_WDS: Final = rf"{WEEKDAY}s?(?:(?: and| or)? {WEEKDAY}s?)*"
MONTH: Final = rf"(?:{any_of(_MONTHS)})"
_DAY: Final = r"(\d{1,2})(?:st|nd|rd|th)?"


def number(text: str) -> int:
    """The number that digits or words say."""
    return int(text) if text.isdigit() else NUMBERS[text]


def _after(found: re.Match[str]) -> Bits | None:
    return amount(found, number, _UNITS)


def _decimal(found: re.Match[str]) -> Bits:
    return Bits(delta=(("TH", int(found["n"])), ("TM", int(found["tenths"]) * 6)))


def _every(found: re.Match[str]) -> Bits | None:
    step, unit = found["step"], found["unit"]
    count = _STEPS.get(step) or number(step) if step else 1
    return rule(_FREQUENCIES[unit], count) if count else None


def _every_weekday(found: re.Match[str]) -> Bits:
    step = found["step"]
    return rule("WEEKLY", _STEPS[step] if step else 1, BYDAY=codes(found["days"], _WEEKDAYS))


def _once_a(found: re.Match[str]) -> Bits:
    if found["unit"]:
        return rule(_FREQUENCIES[found["unit"]])
    days = {"BYDAY": codes(found["days"], _WEEKDAYS)} if found["days"] else {}
    return rule("WEEKLY", 1, **days)


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
    this = (found["which"] or "").startswith("this")
    day = Day(weekday=_WEEKDAYS[found["day"]], this=this)
    return Bits(day=day, part=_PARTS.get(found["part"] or "", ""))


def _of_next_week(found: re.Match[str]) -> Bits:
    return Bits(day=Day(weekday=_WEEKDAYS[found["day"]], weeks=1))


def _of_next_month(found: re.Match[str]) -> Bits:
    return Bits(day=Day(date=(None, None, int(found[1])), months=1))


def _clock(found: re.Match[str]) -> Bits | None:
    said, minutes = found["h"], found["m"] or "0"
    hour, minute = number(said), number(minutes)
    half: Half = "am" if found["half"] == "a" else "pm" if found["half"] else ""
    if hour > (12 if half else 24) or minute > 59 or (hour == 24 and minute):
        return None
    exact = bool(found["m"]) and said.startswith("0")
    return Bits(clocks=(Clock(hour, minute, half, exact),))


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
        _piece("(?:(?:in|after) )?half an hour(?: from now)?", _said(Bits(delta=(("TM", 30),)))),
        _piece("in (?:a )?quarter of an hour", _said(Bits(delta=(("TM", 15),)))),
        _piece("in three quarters of an hour", _said(Bits(delta=(("TM", 45),)))),
        _piece(r"in (?P<n>\d)[.](?P<tenths>\d) h(?:ou)?rs?", _decimal),
        _piece("in (?:a )?fortnight", _said(Bits(delta=(("W", 2),)))),
        _piece("in an hour and a half", _said(Bits(delta=(("TH", 1), ("TM", 30))))),
        _piece(
            rf"(?:in|after) (?:about )?(?P<n>{NUMBER})(?P<half> and a half)? ?(?P<u>{_U})s?"
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
            "(?:on )?(?:the )?first (?:day )?of (?:every|each) month",
            _said(rule("MONTHLY", BYMONTHDAY="1")),
        ),
        _piece(
            f"(?:(?:every|from|on) )?{_MON} (?:to|through|till?|until) {_FRI}",
            _said(rule("WEEKLY", BYDAY="MO,TU,WE,TH,FR")),
        ),
        _piece(
            rf"once (?:a|every|each) (?:(?P<unit>day|month)|week(?: on (?P<days>{WEEKDAY})s?)?)",
            _once_a,
        ),
        _piece("(?:every|each) half(?: an| a)? hour", _said(rule("MINUTELY", 30))),
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
        _piece("tomorrow|tmrw|tmr|tmw|tomorow|tommorow", _said(Bits(day=Day(plus=1)))),
        _piece(
            "first thing(?= tomorrow| on)|(?<=tomorrow )first thing(?! in)"
            "|first thing in the morning",
            _said(Bits(part="morning")),
        ),
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
        _piece(rf"(?:on )?(?:the )?{_DAY} of next month", _of_next_month),
        _piece(rf"next month (?:on )?(?:the )?{_DAY}(?! ?[ap] ?m\b|:)", _of_next_month),
        _piece(rf"(?:on )?(?P<day>{WEEKDAY}) (?:of )?next week", _of_next_week),
        _piece(rf"next week (?:on )?(?P<day>{WEEKDAY})", _of_next_week),
        _piece(
            rf"(?:(?P<which>on|this|next|coming|this coming) )?(?P<day>{WEEKDAY})"
            rf"(?: (?P<part>{any_of(_PARTS)}))?",
            _weekday,
        ),
        _piece(f"{_AT}(?:12 )?(?:noon|midday)", _said(Bits(clocks=(Clock(12, 0, "pm"),)))),
        _piece(f"{_AT}(?:12 )?midnight", _said(Bits(clocks=(Clock(24),)))),
        _piece(
            rf"{_AT}(?P<n>half|a quarter|quarter|{NUMBER}) (?P<way>past|to) (?P<h>{NUMBER})",
            _past,
        ),
        _piece(rf"{_AT}(?P<h>\d{{1,2}})(?:[:.](?P<m>\d\d))?{_HALF}(?: sharp)?", _clock),
        _piece(rf"{_AT}(?P<h>\d{{1,2}}):(?P<m>\d\d)(?P<half>)(?: sharp)?", _clock),
        _piece(rf"{_AT}(?P<h>{NUMBER})(?P<m>)(?P<half>) (?:oclock|o clock)(?: sharp)?", _clock),
        _piece(
            rf"(?:at|by|before|at around|at about|and) (?P<h>{_HOUR})"
            rf"(?:[:.](?P<m>\d\d))?{_HALF}?(?: sharp)?",
            _clock,
        ),
        _piece(
            rf"(?:at|by|before|at around|at about) (?P<h>{_HOUR}) (?P<m>{any_of(_MINUTES)})"
            rf"{_HALF}?(?! {_U}s?\b)",
            _clock,
        ),
        _piece(
            rf"(?:in the |at |the )?({any_of(_PARTS)})", lambda found: Bits(part=_PARTS[found[1]])
        ),
    ),
    between=re.compile(r" ?(?:(?:at|on|and|the|in) )*"),
    leading=re.compile(r"^(?:to|that|about|of|and|for)\b\s*", re.IGNORECASE),
    trailing=re.compile(r"\b(?:at|on|by|every|and)$", re.IGNORECASE),
    unlike=re.compile(r" (?:for|about|of|until|since|from|the|is|are|starts|begins|opens|closes)$"),
)
