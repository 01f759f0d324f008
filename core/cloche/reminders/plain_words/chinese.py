"""Times in Chinese. Patterns are for plain words: half width, simplified as far as they need."""

from __future__ import annotations

import re
from typing import Final

from cloche.reminders.plain_words.bits import CODES, Bits, Clock, Grammar, Make, Part
from cloche.reminders.plain_words.days import Day
from cloche.reminders.plain_words.pieces import any_of, rule

_DIGITS: Final = {
    "零": 0,
    "〇": 0,
    **{char: at for at, char in enumerate("一二三四五六七八九", 1)},
    "两": 2,
    "兩": 2,
}
_UNITS: Final = {
    "秒": "TS", "分钟": "TM", "分鐘": "TM", "分": "TM", "小时": "TH", "小時": "TH", "钟头": "TH",
    "鐘頭": "TH", "天": "D", "日": "D", "周": "W", "週": "W", "星期": "W", "礼拜": "W", "禮拜": "W",
    "月": "M", "年": "Y",
}  # fmt: skip
_FREQUENCIES: Final = {
    "分钟": "MINUTELY", "分鐘": "MINUTELY", "小时": "HOURLY", "小時": "HOURLY", "钟头": "HOURLY",
    "天": "DAILY", "日": "DAILY", "周": "WEEKLY", "週": "WEEKLY", "星期": "WEEKLY",
    "礼拜": "WEEKLY", "禮拜": "WEEKLY", "月": "MONTHLY", "年": "YEARLY",
}  # fmt: skip
_PARTS: Final[dict[str, Part]] = {
    "凌晨": "dawn", "清晨": "dawn", "早上": "morning", "早晨": "morning", "上午": "morning",
    "清早": "morning", "大清早": "morning", "一早": "morning", "早": "morning", "中午": "noon",
    "正午": "noon", "下午": "afternoon", "午后": "afternoon", "午後": "afternoon",
    "傍晚": "evening", "晚上": "night", "晚间": "night", "晚間": "night", "夜晚": "night",
    "深夜": "night", "半夜": "night", "大半夜": "night", "晚": "night", "夜里": "night",
    "夜裡": "night",
}  # fmt: skip
_DAYS: Final = {
    "今天": 0, "今日": 0, "今": 0, "明天": 1, "明日": 1, "明": 1, "后天": 2, "後天": 2, "大后天": 3,
    "大後天": 3,
}  # fmt: skip
_WEEKDAYS: Final = {**{char: at for at, char in enumerate("一二三四五六")}, "日": 6, "天": 6}


NUMBER: Final = r"(?:\d{1,4}|[零〇一二两兩三四五六七八九十百]{1,5})"
WEEK: Final = r"(?:周|週|星期|礼拜|禮拜)"
_HALF_HOUR: Final = "半[个個]?(?:小?[时時]|[钟鐘][头頭])"
_LATER: Final = "(?:之后|以后|后|後)"
_MORE: Final = rf"(?:一刻|三刻|{NUMBER}(?:分[钟鐘]?)?)"
UNIT: Final = rf"(?:{any_of(_UNITS)})"
_P: Final = rf"(?:{any_of(_PARTS)})"


def number(text: str) -> int:
    """The number that digits or characters say, below a thousand; -1 = none."""
    if text.isdigit():
        return int(text)
    hundreds, has_hundred, rest = text.partition("百")
    total = 0
    if has_hundred:
        total = 100 * (_DIGITS.get(hundreds, 1) if hundreds else 1)
    else:
        rest = text
    rest = rest.lstrip("零〇")
    tens, has_ten, ones = rest.partition("十")
    if has_ten:
        total += 10 * (_DIGITS.get(tens, 1) if tens else 1)
    else:
        ones = rest
    if len(ones) > 1:
        return -1
    return total + (_DIGITS[ones] if ones else 0)


def _after(found: re.Match[str]) -> Bits | None:
    amount, unit = number(found["n"]), _UNITS[found["u"]]
    if amount < 0:
        return None
    delta = [(unit, amount)]
    if found["half"]:
        smaller = {"TH": ("TM", 30), "TM": ("TS", 30)}.get(unit)
        if smaller is None:
            return None
        delta.append(smaller)
    return Bits(delta=tuple(delta))


def _every(found: re.Match[str]) -> Bits | None:
    count = number(found["n"]) if found["n"] else 1
    if count < 1:
        return None
    # "Every one day apart" leaves one out.
    return rule(_FREQUENCIES[found["unit"]], count + (1 if found["apart"] and count == 1 else 0))


def _codes(text: str) -> str:
    days = dict.fromkeys(_WEEKDAYS[char] for char in text if char in _WEEKDAYS)
    return ",".join(CODES[day] for day in sorted(days))


def _weekdays(found: re.Match[str]) -> Bits | None:
    step = 1
    if found["apart"]:
        step = 2
    elif found["n"]:
        step = number(found["n"])
    return (
        rule("WEEKLY", step, BYDAY=_codes(re.sub(r"星期|礼拜|禮拜", "", found["days"])))
        if step > 0
        else None
    )


def _nth(found: re.Match[str]) -> Bits | None:
    nth = -1 if found["nth"] == "最后一" else number(found["nth"].removeprefix("第"))
    return (
        rule("MONTHLY", BYDAY=f"{nth}{CODES[_WEEKDAYS[found['day']]]}")
        if 0 < nth < 6 or nth == -1
        else None
    )


def _month_day(found: re.Match[str]) -> Bits | None:
    return rule("MONTHLY", BYMONTHDAY=str(number(found["d"])))


def _year_day(found: re.Match[str]) -> Bits | None:
    return rule("YEARLY", BYMONTH=str(number(found["m"])), BYMONTHDAY=str(number(found["d"])))


def _date(found: re.Match[str]) -> Bits:
    year, month = found["y"], found["m"]
    return Bits(
        day=Day(
            date=(int(year) if year else None, number(month) if month else None, number(found["d"]))
        )
    )


def _weekday(found: re.Match[str]) -> Bits:
    which = found["which"]
    weeks = len(which) if which and which[0] == "下" else 0 if which else None
    return Bits(day=Day(weekday=_WEEKDAYS[found["day"]], weeks=weeks))


def _clock(found: re.Match[str]) -> Bits | None:
    hour, more = number(found["h"]), found["more"] or ""
    minute = _minutes(more)
    if less := found["less"] or found["less2"]:
        hour, minute = (hour - 1 or 12), 60 - _minutes(less)
    if not 0 <= hour <= 24 or not 0 <= minute < 60 or (hour == 24 and minute):
        return None
    exact = found["h"].startswith("0") and len(found["h"]) == 2
    return Bits(
        clocks=(Clock(hour, minute, exact=exact),), part=_PARTS.get(found["part"] or "", "")
    )


def _both(found: re.Match[str]) -> Bits | None:
    """The same hour of morning and evening: "早晚八点"."""
    hour, minute = number(found["h"]), 30 if found["half"] else 0
    if not 1 <= hour < 12:
        return None
    return Bits(clocks=(Clock(hour, minute, "am"), Clock(hour, minute, "pm")))


def _minutes(words: str) -> int:
    minute = {"半": 30, "一刻": 15, "三刻": 45, "": 0}.get(words)
    return number(words.removesuffix("分钟").removesuffix("分")) if minute is None else minute


def _of_next_month(found: re.Match[str]) -> Bits:
    return Bits(day=Day(date=(None, None, number(found["d"])), months=len(found["which"])))


def _said(bits: Bits) -> Make:
    return lambda found: bits


def _piece(pattern: str, make: Make) -> tuple[re.Pattern[str], Make]:
    return re.compile(pattern), make


_LIST: Final = (
    rf"[一二三四五六日天](?:[、,和及与 ]*{WEEK}?[一二三四五六日天](?![点點时時:天分个個号號月]))*"
)
GRAMMAR: Final = Grammar(
    pieces=(
        _piece(
            f"(?:再?过)?{_HALF_HOUR}{_LATER}|再?过{_HALF_HOUR}", _said(Bits(delta=(("TM", 30),)))
        ),
        _piece(f"(?:再?过)?一刻[钟鐘]{_LATER}|再?过一刻[钟鐘]", _said(Bits(delta=(("TM", 15),)))),
        _piece(f"(?:再?过)?三刻[钟鐘]{_LATER}|再?过三刻[钟鐘]", _said(Bits(delta=(("TM", 45),)))),
        _piece(f"每[隔个個]?{_HALF_HOUR}", _said(rule("MINUTELY", 30))),
        _piece(
            rf"(?:再?过)?(?P<n>{NUMBER})[个個]?(?P<half>半)?[个個]?(?P<u>{UNIT})(?:之后|以后|后|後)",
            _after,
        ),
        _piece(rf"(?:再?过)(?P<n>{NUMBER})[个個]?(?P<half>半)?[个個]?(?P<u>{UNIT})", _after),
        _piece(
            rf"每[个個]?月的?(?P<nth>第{NUMBER}|最后一)[个個]?{WEEK}(?P<day>[一二三四五六日天])",
            _nth,
        ),
        _piece("每[个個]?月的?(?:最后一天|月底)", _said(rule("MONTHLY", BYMONTHDAY="-1"))),
        _piece(rf"每[个個]?月的?(?P<d>{NUMBER})[号號日]", _month_day),
        _piece(rf"每年的?(?P<m>{NUMBER})月(?P<d>{NUMBER})[号號日]?", _year_day),
        _piece(
            f"(?:每[个個]?)?工作日|每?{WEEK}一[到至]{WEEK}?五",
            _said(rule("WEEKLY", BYDAY="MO,TU,WE,TH,FR")),
        ),
        _piece("每[个個]?[周週]末", _said(rule("WEEKLY", BYDAY="SA,SU"))),
        _piece(
            rf"(?:每(?P<apart>隔一|隔)?(?P<n>{NUMBER})?[个個]?{WEEK}的?(?:{WEEK})?)(?P<days>{_LIST})",
            _weekdays,
        ),
        _piece(rf"(?P<apart>隔)(?P<n>)(?:{WEEK})(?P<days>{_LIST})", _weekdays),
        _piece("隔一?天|隔日", _said(rule("DAILY", 2))),
        _piece(rf"每(?P<apart>隔)?(?P<n>{NUMBER})?[个個]?(?P<unit>{any_of(_FREQUENCIES)})", _every),
        _piece(rf"每[个個]?({_P})", lambda found: Bits(every="FREQ=DAILY", part=_PARTS[found[1]])),
        _piece("天天", _said(rule("DAILY"))),
        _piece(r"(?P<y>\d{4})-(?P<m>\d\d?)-(?P<d>\d\d?)", _date),
        _piece(rf"(?:(?P<y>\d{{4}})年)?(?P<m>{NUMBER})月(?P<d>{NUMBER})[号號日]?", _date),
        _piece(rf"(?P<y>)(?P<m>)(?<!\d)(?P<d>{NUMBER})[号號]", _date),
        _piece(rf"(?P<which>下{{1,4}})[个個]?月的?(?P<d>{NUMBER})[号號日]", _of_next_month),
        _piece(
            rf"(?P<which>[这這本]|下{{1,4}})?[个個]?{WEEK}(?P<day>[一二三四五六日天])", _weekday
        ),
        _piece(
            rf"早[上晨]?[和与跟及、]?(?:晚[上间]?)(?:各|都)?的?(?P<h>{NUMBER})[点點时時](?P<half>半)?[整钟鐘]?",
            _both,
        ),
        _piece(
            rf"(?P<part>{_P})?的?(?:差(?P<less>{_MORE}))?(?<!\d)(?P<h>{NUMBER})(?:[点點时時]|:(?=\d))"
            rf"(?:差(?P<less2>{_MORE})|(?P<more>半|{_MORE}))?[整钟鐘]?",
            _clock,
        ),
        _piece("(?:的)?(?:午夜|子夜)(?:12[点點]|十二[点點])?", _said(Bits(clocks=(Clock(24),)))),
        _piece(
            rf"(?P<d>{any_of(_DAYS)})(?P<p>{_P})(?![上晨里裡]|的?{NUMBER}[点點时時:])",
            lambda found: Bits(day=Day(plus=_DAYS[found["d"]]), part=_PARTS[found["p"]]),
        ),
        _piece(
            rf"(?P<d>{any_of([each for each in _DAYS if len(each) > 1])}|[今明](?=早|晚))",
            lambda found: Bits(day=Day(plus=_DAYS[found["d"]])),
        ),
        _piece(
            rf"({any_of([each for each in _PARTS if len(each) > 1])})",
            lambda found: Bits(part=_PARTS[found[1]]),
        ),
    ),
    between=re.compile(r"[的在请請,、和 ]*"),
    leading=re.compile(r"^[,，、：:\s]*(?:要|记得)?"),
    trailing=re.compile(r"(?<![的在,，\s])[的在,，\s]+$"),
    unlike=re.compile(r"(?:直到|从|关于|是|开门|关门)$"),
)
