"""Times in English. Patterns are for plain words: lower case, no accents, single spaces."""

from __future__ import annotations

import re
from typing import Final

from cloche.reminders.plain_words.bits import CODES, Bits, Clock, Day, Grammar, Half, Make, Part

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


def _any(words: object) -> str:
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))  # type: ignore[call-overload]


NUMBER: Final = rf"(?:\d{{1,4}}|{_any(NUMBERS)})"
_U: Final = rf"(?:{_any(_UNITS)})"
WEEKDAY: Final = rf"(?:{_any(_WEEKDAYS)})"
_WDS: Final = rf"{WEEKDAY}s?(?:(?: and| or)? {WEEKDAY}s?)*"
MONTH: Final = rf"(?:{_any(_MONTHS)})"
_DAY: Final = r"(\d{1,2})(?:st|nd|rd|th)?"


def number(text: str) -> int:
    """The number that digits or words say."""
    return int(text) if text.isdigit() else NUMBERS[text]


def _after(found: re.Match[str]) -> Bits | None:
    amount, unit = number(found["n"]), _UNITS[found["u"]]
    delta = [(unit, amount)]
    if found["half"]:
        smaller = {"TH": ("TM", 30), "TM": ("TS", 30), "D": ("TH", 12)}.get(unit)
        if smaller is None:
            return None
        delta.append(smaller)
    if found["n2"]:
        second = _UNITS[found["u2"]]
        if _ORDER.index(second) <= _ORDER.index(unit):
            return None
        delta.append((second, number(found["n2"])))
    return Bits(delta=tuple(delta))


_ORDER: Final = ("Y", "M", "W", "D", "TH", "TM", "TS")


def _rule(freq: str, step: int = 1, **more: str) -> Bits:
    interval = {"INTERVAL": str(step)} if step > 1 else {}
    parts = {"FREQ": freq, **interval, **more}
    return Bits(every=";".join(f"{name}={value}" for name, value in parts.items()))


def _codes(text: str) -> str:
    days = [_WEEKDAYS.get(word, _WEEKDAYS.get(word.removesuffix("s"))) for word in text.split()]
    return ",".join(CODES[day] for day in dict.fromkeys(days) if day is not None)


def _every(found: re.Match[str]) -> Bits | None:
    step, unit = found["step"], found["unit"]
    count = _STEPS.get(step) or number(step) if step else 1
    return _rule(_FREQUENCIES[unit], count) if count else None


def _every_weekday(found: re.Match[str]) -> Bits:
    step = found["step"]
    return _rule("WEEKLY", _STEPS[step] if step else 1, BYDAY=_codes(found["days"]))


def _nth(found: re.Match[str]) -> Bits:
    return _rule("MONTHLY", BYDAY=f"{_ORDINALS[found['nth']]}{CODES[_WEEKDAYS[found['day']]]}")


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
            rf"(?:on )?(?:the )?(?P<nth>{_any(_ORDINALS)}) (?P<day>{WEEKDAY})"
            " of (?:every|each|the) month",
            _nth,
        ),
        _piece(
            "(?:on |every )?(?:the )?last day of (?:every|each|the) month",
            _said(_rule("MONTHLY", BYMONTHDAY="-1")),
        ),
        _piece(
            rf"(?:on )?(?:the )?{_DAY} (?:day )?of (?:every|each) month",
            lambda found: _rule("MONTHLY", BYMONTHDAY=str(int(found[1]))),
        ),
        _piece(
            "(?:(?:every|each) (?:week|work)day|on (?:week|work)days|(?:week|work)days)s?",
            _said(_rule("WEEKLY", BYDAY="MO,TU,WE,TH,FR")),
        ),
        _piece(
            "(?:(?:every|each) weekend|on weekends|weekends)",
            _said(_rule("WEEKLY", BYDAY="SA,SU")),
        ),
        _piece(rf"(?:every|each) ({_any(_PARTS)})", _part_each_day),
        _piece(rf"(?:every|each)(?: (?P<step>{_any(_STEPS)}))? (?P<days>{_WDS})", _every_weekday),
        _piece(
            rf"(?:on )?(?P<step>)(?P<days>(?:{WEEKDAY}s)(?:(?: and| or)? {WEEKDAY}s)*)",
            _every_weekday,
        ),
        _piece(
            rf"(?:every|each)(?: (?P<step>{_any(_STEPS)}|{NUMBER}))?"
            rf" (?P<unit>{_any(_FREQUENCIES)})s?",
            _every,
        ),
        _piece(rf"({_any(_LY)})", lambda found: _rule(_LY[found[1]])),
        _piece("(?:the )?day after tomorrow", _said(Bits(day=Day(plus=2)))),
        _piece("tomorrow", _said(Bits(day=Day(plus=1)))),
        _piece("today", _said(Bits(day=Day(plus=0)))),
        _piece("tonight", _said(Bits(day=Day(plus=0), part="night"))),
        _piece(
            rf"this ({_any(_PARTS)})",
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
            rf"(?: (?P<part>{_any(_PARTS)}))?",
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
            rf"(?:at|and) (?P<h>\d{{1,2}}|{_any([*_ONES, *_TEENS[:3]])})"
            rf"(?:[:.](?P<m>\d\d))?{_HALF}?",
            _clock,
        ),
        _piece(
            rf"(?:in the |at |the )?({_any(_PARTS)})", lambda found: Bits(part=_PARTS[found[1]])
        ),
    ),
    between=re.compile(r" ?(?:(?:at|on|and|the|in) )*"),
    leading=re.compile(r"^(?:to|that|about|of|and|for)\b\s*", re.IGNORECASE),
    trailing=re.compile(r"\s*\b(?:at|on|by|every|and)$", re.IGNORECASE),
    unlike=re.compile(r" (?:for|about|of|until|since|from)$"),
)
