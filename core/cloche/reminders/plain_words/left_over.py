"""Words beside a time that begin like a time themselves: they are asked about, never text. Pure.

"On Wednsday at 9" says a day that is not understood: who reads only the hour sets it for today.
Patterns are for plain words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

_PERIOD: Final = (
    "(?:quarters?|fortnight|seasons?|spring|summer|autumn|winter|terms?|semesters?|birthdays?"
    "|anniversary|payday|full moon|new moon|sunrise|sunset|dawn|dusk|leap year"
    "|trimestres?|semestres?|bimestres?|quincenas?|temporada|primavera|verano|otono|invierno"
    "|cumpleanos|aniversario|luna llena|luna nueva|amanecer|anochecer)"
)
_LEAD: Final = (
    "(?:on|in|at|by|every|each|this|next|from|after|before|during|if|unless|when|whenever|while"
    "|en|cada|todos los|todas las|tod[oa] el|(?:de )?aqui a|dentro de|si|cuando|este|esta"
    "|proxim[oa]|durante|desde|hasta|salvo que|a menos que)"
)
_AGAIN: Final = "(?:every|each|cada|todos los|todas las)"
_ORDINAL: Final = (
    "(?:primer|segundo|tercer|cuarto|quinto|first|second|third|fourth|fifth|alternate|odd|even)"
)
_BAR: Final = (
    "(?:unless|if|when|whenever|as long as|provided|only|si|cuando|salvo|a menos que"
    "|siempre que|solo)"
)
_NUMBER: Final = (
    "\\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|noon|midnight"
    "|una|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce"
)
_ZH_BAR: Final = "(?:如果|要是|假如|假使|倘若|若是|除非|只要|只有)"
_ZH_DAY: Final = "(?:[明名]夭|名天|明添|后填|[今后]夭|(?:星期|礼拜)(?![一二三四五六日天末]))"

_WHOLE_BEFORE: Final = (
    # What stands first and begins so is no thing to do.
    re.compile(rf"{_LEAD} .+"),
    re.compile(rf"(?:每|{_ZH_BAR}|等|当|當).+"),
    re.compile(r".{1,10}(?:那天|那日|当天|當天|的?时候|的?時候)"),
)
_NOUN_BEFORE: Final = re.compile(r"(?:el|la|los|las|el dia de|al) .+")
"""A day only where the thing to do comes behind the time: "el pago a las 9" is one."""
_END_BEFORE: Final = (
    # "Every plant" may be what to do; a period is none.
    re.compile(rf"(?<!\w){_AGAIN}(?: \w+)? (?:{_PERIOD}|{_ORDINAL}|school days?)$"),
    re.compile(rf"(?<!\w)(?:on|in|at|this|next|en|el|la|este|esta|por) (?:\w+ ){{0,2}}{_PERIOD}$"),
    re.compile(r"(?<!\w)(?:unless|salvo que|a menos que) .+$"),
    re.compile(rf"{_ZH_BAR}[^，,]{{1,12}}$|除非.+$|{_ZH_DAY}$|.(?:或者?|还是|還是)$"),
)
_BEHIND: Final = (
    re.compile(rf"{_AGAIN}(?: \w+){{1,3}}"),
    re.compile(rf"{_BAR}(?: (?!to )\w+){{1,5}}"),
    re.compile(rf"(?:on|in|at|this|next|en|el|la|este|esta) (?:\w+ ){{0,2}}{_PERIOD}"),
    re.compile(rf"每[季旬逢].?|{_ZH_BAR}.{{1,8}}|{_ZH_DAY}"),
    # Two hours of which nobody says which, and an hour that is the last one.
    re.compile(rf"(?:or|o|u) (?:(?:at|by|a las?) )?(?:{_NUMBER})(?!\w)"),
    re.compile(r"(?:之前|以前|前(?![台面后後往门門天日])|或者?|还是|還是)"),
    re.compile(r"(?:hora (?:de |del |peninsular|central|local)\w*)"),
)
_DAY_BEHIND: Final = re.compile(r"(?:on|in|this|next) (?:\w+ ){1,4}(?=to )")
"""A day only where nothing to do was said before: "at 9 on my birthday to call"."""
_ZONE_BEFORE: Final = re.compile(
    "(?:北京|上海|香港|台北|纽约|紐約|美国|美東|美东|美西|太平洋|东部|西部|格林[威尼]治|伦敦|倫敦|巴黎|柏林"
    "|欧洲|中欧|东京|東京|日本|韩国|英国|新加坡|悉尼|洛杉矶|当地)(?:时间|時間)$"
)
_ZONE: Final = re.compile(
    r"\s*(?:\(?((?:UTC|GMT)(?:[+-]\d{1,2}(?::\d\d)?)?|[CEW]ES?T|BST|IST|[ECMP][SD]T|JST|KST|HKT|SGT"
    r"|A[CEW][SD]T|NZ[SD]T|MSK)\b|((?:[A-Z]\w+\s){1,3}[Tt]ime)\b)"
)
_NAMES: Final = (
    "monday tuesday wednesday thursday friday saturday sunday tomorrow tonight january february "
    "august september october november december martes miercoles jueves viernes sabado domingo "
    "manana febrero agosto septiembre octubre noviembre diciembre"
).split()
_OTHER: Final = frozenset("manzana manzanas partes sundae sundaes salado augusta gusto".split())
"""Words of their own that differ in one letter."""
_NEAR: Final = 3
"""So many words beside a time are looked at for a day that is misspelt."""


def doubtful(text: str, spans: Sequence[tuple[int, int]], *, dated: bool) -> tuple[int, int] | None:
    """Where words stand that may say when, and were not read; None = nowhere.

    Args:
        text: The plain words of all that was said.
        spans: Which of them were read, in order.
        dated: True when those say the day: then a word that is nearly another one is a misprint.
    """
    first, last = spans[0][0], spans[-1][1]
    begun = re.match(r"(?:(?:to|that|que|de|and|y) )?", text)
    start = begun.end() if begun and begun.end() <= first else 0
    before = text[start:first].rstrip()
    behind_from = last + len(text[last:]) - len(text[last:].lstrip())
    behind = text[behind_from:]
    nouns = (_NOUN_BEFORE,) if behind else ()
    for pattern in (*_WHOLE_BEFORE, *nouns):
        if pattern.fullmatch(before):
            return start, start + len(before)
    for pattern in (*_END_BEFORE, _ZONE_BEFORE):
        if found := pattern.search(before):
            return start + found.start(), start + found.end()
    for pattern in (*_BEHIND, *(() if before else (_DAY_BEHIND,))):
        if (found := pattern.match(behind)) and found[0].strip():
            return behind_from, behind_from + len(found[0].rstrip())
    if dated:
        return None
    words = [*list(_words(before, start))[-_NEAR:], *list(_words(behind, behind_from))[:_NEAR]]
    return next((where for word, where in words if _nearly_a_day(word)), None)


def zone_behind(original: str) -> str:
    """The time zone with which the words behind a time of day begin; "" = none."""
    found = _ZONE.match(original)
    return (found[1] or found[2]) if found else ""


def _words(text: str, offset: int) -> Iterator[tuple[str, tuple[int, int]]]:
    for word in re.finditer(r"[a-z]+", text):
        yield word[0], (offset + word.start(), offset + word.end())


def _nearly_a_day(word: str) -> bool:
    """True for a day's or a month's name with a letter wrong, or two of a long one."""
    if len(word) < 5 or word in _OTHER or word.removesuffix("s") in _NAMES:
        return False
    return any(
        word[0] == name[0] and _apart(word, name) <= (2 if len(name) > 7 else 1) for name in _NAMES
    )


def _apart(one: str, other: str) -> int:
    """Letters to put in, leave out, change or swap until two words are the same."""
    rows = [list(range(len(other) + 1))]
    for i, left in enumerate(one, 1):
        row = [i]
        for j, right in enumerate(other, 1):
            least = min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (left != right))
            if i > 1 and j > 1 and left == other[j - 2] and one[i - 2] == right:
                least = min(least, rows[-2][j - 2] + 1)
            row.append(least)
        rows.append(row)
    return rows[-1][-1]
