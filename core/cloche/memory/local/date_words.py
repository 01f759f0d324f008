"""Words for dates in English, Spanish and Chinese, folded as ``scripts.fold`` leaves them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

Unit = Literal["day", "week", "month", "year", "weekend"]

_MONTH_NAMES: Final = (
    "january february march april may june july august september october november december "
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"
)
MONTHS: Final[Mapping[str, int]] = {
    name: number % 12 + 1 for number, name in enumerate(_MONTH_NAMES.split())
} | {"setiembre": 9}

WEEKDAYS: Final[Mapping[str, int]] = {
    name: number % 7
    for number, name in enumerate(
        "monday tuesday wednesday thursday friday saturday sunday "
        "lunes martes miercoles jueves viernes sabado domingo 一 二 三 四 五 六 日".split()
    )
} | {"天": 6}
"""Monday is 0."""

UNITS: Final[Mapping[str, Unit]] = {
    "day": "day", "dia": "day", "天": "day", "日": "day",
    "week": "week", "semana": "week", "周": "week", "星期": "week", "礼拜": "week",
    "month": "month", "mes": "month", "月": "month",
    "year": "year", "ano": "year", "年": "year",
    "weekend": "weekend", "fin de semana": "weekend",
}  # fmt: skip

COUNTS: Final[Mapping[str, int]] = {
    word: number
    for number, words in {
        1: "a an one un una 一",
        2: "two dos couple par 二 两 俩",
        3: "three tres few unos unas 三 几",
        4: "four cuatro several varios varias 四",
        5: "five cinco 五",
        6: "six seis 六",
        7: "seven siete 七",
        8: "eight ocho 八",
        9: "nine nueve 九",
        10: "ten diez 十",
        11: "eleven once 十一",
        12: "twelve doce 十二",
    }.items()
    for word in words.split()
}
"""Small numbers as people say them; "a few" is taken for three, "several" for four."""

DAYS_BACK: Final[Mapping[str, int]] = {
    "today": 0, "this morning": 0, "hoy": 0, "esta manana": 0, "今天": 0, "今早": 0,
    "yesterday": 1, "last night": 1, "ayer": 1, "anoche": 1, "昨天": 1, "昨晚": 1, "昨日": 1,
    "day before yesterday": 2, "anteayer": 2, "antes de ayer": 2, "antier": 2, "前天": 2,
    "大前天": 3,
}  # fmt: skip
"""A day told by how far back it is."""

THIS_YEAR: Final = ("this year", "este ano", "今年")
LAST_YEAR: Final = ("last year", "ano pasado", "去年")
YEAR_BEFORE_LAST: Final = ("year before last", "ano antepasado", "前年")


def han_number(text: str) -> int | None:
    """A number in digits or Chinese numerals up to 99, or a year digit by digit; None = none."""
    if text.isdecimal():
        return int(text)
    digits = {char: number for number, char in enumerate("〇一二三四五六七八九")} | {
        "零": 0,
        "两": 2,
    }
    if "十" in text:
        tens, _, ones = text.partition("十")
        if (tens and tens not in digits) or (ones and ones not in digits):
            return None
        return (digits[tens] if tens else 1) * 10 + (digits[ones] if ones else 0)
    if not text or any(char not in digits for char in text):
        return None
    return int("".join(str(digits[char]) for char in text))
