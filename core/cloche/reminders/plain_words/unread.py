"""Words of time that are not read: beside words that are, they would make a wrong reminder. Pure.

"Yesterday at 9" says no time to come, and "every day at 9 until Friday" more than can be kept:
who reads only the hour of it sets what nobody asked for. Patterns are for plain words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from cloche.reminders.plain_words import chinese, english, spanish
from cloche.reminders.plain_words.bits import Bits

_EN_DAY: Final = (
    rf"(?:{english.WEEKDAY}s?|{english.MONTH}|weekends?|weekdays?|holidays?|tomorrow|today|tonight)"
)
_EN_LONG: Final = "(?:days?|weeks?|months?|years?)"
_EN_UNIT: Final = f"(?:{_EN_LONG}|minutes?|mins?|hours?)"
_ES_DAY: Final = (
    rf"(?:{spanish.WEEKDAY}s?|{spanish.MONTH}|fin(?:es)? de semana|festivos?|hoy|manana)"
)
_ES_LONG: Final = "(?:dias?|semanas?|mes(?:es)?|anos?)"
_ES_UNIT: Final = f"(?:{_ES_LONG}|minutos?|horas?)"
_ES_THE: Final = (
    "(?:(?:el|la|los|las|en|por|que|de|del|dia|dias|proxim[oa]s?|este|fin|final|finales) )*"
)
_ZH_N: Final = chinese.NUMBER
_ZH_WEEK: Final = chinese.WEEK
_ZH_DAY: Final = (
    rf"(?:[这這本下明今后後]*[个個]?(?:{_ZH_WEEK}|月底|年底|月|年|天)|{_ZH_N}[年月日号號])"
)


def _words(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(rf"(?<![a-z0-9:])(?:{pattern})(?![a-z0-9])" for pattern in patterns))


_NEVER: Final = (
    # Until, except, and every so often as no rule is read.
    _words(
        rf"(?:until|till?|through|thru) (?:the )?(?:(?:next|this|end of|last|first) )?(?:the )?"
        rf"(?:{_EN_DAY}|{_EN_LONG}|christmas|easter|\d+(?:st|nd|rd|th)?)",
        rf"(?:except|but|excluding|unless|not|apart from|other than)(?: for| not)?(?: on| in)?"
        rf"(?: the)? {_EN_DAY}",
        rf"(?:every|each) (?:\d+(?:st|nd|rd|th)?|{english.NUMBER}|first|last|{_EN_DAY}|{_EN_UNIT})",
        rf"hasta {_ES_THE}(?:{_ES_DAY}|{_ES_LONG}|navidad|\d+)",
        rf"(?:excepto|salvo|menos|sin contar|pero no) {_ES_THE}{_ES_DAY}",
        rf"(?:cada|todos los|todas las) (?:{spanish.NUMBER}|{_ES_DAY}|{_ES_UNIT})",
        "cada (?:tercer|segund|cuart)[oa]? (?:dia|semana|mes|hora)",
        rf"{spanish.NUMBER} veces (?:al|a la|por|cada) {_ES_UNIT}",
        rf"(?:once|twice|{english.NUMBER} times) (?:a|per|every|each) {_EN_UNIT}",
    ),
    re.compile(
        rf"一[天日周週月年]{_ZH_N}[次回遍]|(?:直到|截至|截止到?|到){_ZH_DAY}|除了?{_ZH_DAY}|{_ZH_WEEK}[一二三四五六日天末]?(?:除外|以外)"
        rf"|每[个個隔]*(?:{_ZH_N}|[月年天日]|{_ZH_WEEK})"
    ),
)
_PAST: Final = (
    _words(
        r"(?:the day before )?yesterday(?! s )",
        rf"(?:{english.NUMBER}|an?) {_EN_UNIT} ago",
        rf"last (?:{english.WEEKDAY}|{english.MONTH}|night|week|weekend|month|year)",
        r"(?:the )?\d{1,2}(?:st|nd|rd|th)(?= (?:at|in|to)\b|$)",
        r"ayer|anteayer|antier|antes de ayer|anoche",
        rf"hace {spanish.NUMBER} {_ES_UNIT}",
        rf"(?:{spanish.WEEKDAY}|{spanish.MONTH}|semana|mes|ano) pasad[oa]",
        r"pasad[oa] (?:lunes|martes|miercoles|jueves|viernes|sabado|domingo)",
        r"(?:on |by |el |dia |del )\d{1,4}[/.-]\d{1,2}(?:[/.-]\d{1,4})?",
        r"(?!1/[2348](?!\d|/)|2/3(?!\d|/)|3/4(?!\d|/))\d{1,4}/\d{1,2}(?:/\d{1,4})?",
    ),
    re.compile(
        rf"昨[天日晚]|大?前[天日晚]|(?<![早晚马馬以])上[个個]?(?:{_ZH_WEEK}|月)|去年"
        rf"|{_ZH_N}[个個]?{chinese.UNIT}(?:之前|以前|前)"
    ),
)
_NAMED: Final = (
    # Days that no calendar here knows, and days of another sort beside a time of day.
    _words(
        r"(?:on |at |for )?(?:christmas|xmas|boxing|thanksgiving|halloween|easter|new year s?"
        r"|valentine ?s?|labou?r|mother s|father s)(?: day| eve| monday| sunday)?",
        r"(?:this|next|the|at the|on the) weekend",
        rf"(?:{english.WEEKDAY}|tomorrow|today) week",
        rf"(?:a|one|two) weeks? (?:from|on) {english.WEEKDAY}",
        "next (?:week|month|year)",
        "(?:en |el |la |por )?(?:nochebuena|nochevieja|navidad|ano nuevo|semana santa|pascua"
        "|reyes)",
        "(?:el|este|el proximo|en el) fin de semana",
        rf"(?:(?:de|del|el) )?{spanish.WEEKDAY} en (?:ocho|8|quince|15)",
        "mananas? y (?:(?:por|en) la )?(?:tardes?|noches?)",
        "(?:(?:el|la) )?(?:(?:proxim[oa] )(?:semana|mes|ano)|(?:semana|mes|ano) que viene)",
    ),
    re.compile(
        rf"圣诞[节夜]?|聖誕[節夜]?|平安夜|春[节節]|除夕|元旦|元宵|端午|中秋|国[庆慶]|國慶|清明|重[阳陽]|情人[节節]"
        rf"|(?:[这這本下]{{1,4}}[个個]?)?[周週]末|下{{1,4}}[个個]?(?:{_ZH_WEEK}|月|年)"
    ),
)
_BOUNDED: Final = (
    _words(
        rf"(?:for|during) (?:the )?(?:(?:next|first|about) )?(?:{english.NUMBER} )?{_EN_LONG}",
        rf"(?:durante|por) (?:l[oa]s )?(?:proxim[oa]s )?{spanish.NUMBER} {_ES_LONG}",
        rf"durante (?:la|el|l[oa]s) (?:proxim[oa]s? )?{_ES_LONG}",
    ),
    re.compile(
        rf"(?:连续|連續|持续|持續|为期|為期|一共|共){_ZH_N}[个個]?(?:天|日|月|年|{_ZH_WEEK})"
    ),
)
_OF_RULES: Final = (
    _words(
        r"(?:from|starting|since|as of|beginning)(?: on| in)? (?:next |the )?"
        rf"(?:{_EN_DAY}|{_EN_LONG}|\d+)",
        "of (?:the|every|each|this) (?:month|year)",
        r"(?:desde|a partir de|a partir del|empezando|comenzando) "
        rf"{_ES_THE}(?:{_ES_DAY}|{_ES_LONG}|\d+)",
        "del (?:mes|ano)",
    ),
    re.compile(rf"[从從自]{_ZH_DAY}.{{0,3}}(?:开始|開始|起)"),
)
_BELOW_ZERO: Final = re.compile(
    r"(?<![a-z0-9.)])[-\u2212]\s?\d+\s*(?:sec|seg|min|hour|hr|hora|day|d[ií]a|week|semana|month|mes"
    r"|year|año|秒|分|小[时時]|[钟鐘]|天|日|周|週|星期|[个個]|年)",
    re.IGNORECASE,
)


def below_zero(text: str) -> bool:
    """True when a text says an amount of time below zero."""
    return bool(_BELOW_ZERO.search(text))


def unread(text: str, spans: Sequence[tuple[int, int]], bits: Bits) -> bool:
    """True when words of time are left that belong to what was read, or may.

    Args:
        text: The plain words of all that was said.
        spans: Which of them were read.
        bits: What those say. Where they say the day, other words of time are what to do:
            "tomorrow at 9 read yesterday's paper".
    """
    free = not (bits.day or bits.every or bits.delta)
    asked = (
        (_NEVER, True),
        (_PAST, free),
        (_NAMED, free),
        (_BOUNDED, bool(bits.every) or free),
        (_OF_RULES, bool(bits.every)),
    )
    for patterns, apart in asked:
        for found in (found for pattern in patterns for found in pattern.finditer(text)):
            start, end = found.span()
            if any(first <= start and end <= last for first, last in spans):
                continue
            if apart or any(start < last and first < end for first, last in spans):
                return True
    return False
