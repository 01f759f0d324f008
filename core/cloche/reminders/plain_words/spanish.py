"""Times in Spanish. Patterns are for plain words: lower case, no accents, single spaces."""

from __future__ import annotations

import re
from typing import Final

from cloche.reminders.plain_words.bits import CODES, Bits, Clock, Grammar, Half, Make, Part
from cloche.reminders.plain_words.days import Day
from cloche.reminders.plain_words.pieces import amount, any_of, codes, rule

_LOW: Final = (
    "uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis "
    "diecisiete dieciocho diecinueve veinte veintiuno veintidos veintitres veinticuatro "
    "veinticinco veintiseis veintisiete veintiocho veintinueve treinta"
).split()
_HIGH: Final = {"treinta": 30, "cuarenta": 40, "cincuenta": 50}
NUMBERS: Final = {
    "un": 1,
    "una": 1,
    "un par de": 2,
    **{word: at for at, word in enumerate(_LOW, 1)},
    **_HIGH,
    "sesenta": 60,
    "noventa": 90,
    **{f"{ten} y {one}": n + at for ten, n in _HIGH.items() for at, one in enumerate(_LOW[:9], 1)},
}
_ORDINALS: Final = {
    "primer": 1, "primero": 1, "segundo": 2, "tercer": 3, "tercero": 3, "cuarto": 4, "ultimo": -1,
}  # fmt: skip
_UNITS: Final = {
    "segundo": "TS", "minuto": "TM", "min": "TM", "hora": "TH", "dia": "D", "semana": "W",
    "mes": "M", "ano": "Y",
}  # fmt: skip
_FREQUENCIES: Final = {
    "minuto": "MINUTELY", "hora": "HOURLY", "dia": "DAILY", "semana": "WEEKLY", "mes": "MONTHLY",
    "ano": "YEARLY",
}  # fmt: skip
_WEEKDAYS: Final = {
    name: at
    for at, name in enumerate("lunes martes miercoles jueves viernes sabado domingo".split())
}
_MONTHS: Final = {
    name: at
    for at, name in enumerate(
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre "
        "diciembre".split(),
        1,
    )
}
_SPANS: Final = {"ocho": 7, "8": 7, "quince": 14, "15": 14}
"""Who says eight days means a week: the day itself is counted."""
_PARTS: Final[dict[str, Part]] = {
    "manana": "morning", "mananas": "morning", "tarde": "afternoon", "tardes": "afternoon",
    "noche": "night", "noches": "night", "madrugada": "dawn", "mediodia": "noon",
}  # fmt: skip


NUMBER: Final = rf"(?:\d{{1,4}}|{any_of(NUMBERS)})"
_U: Final = rf"(?:{any_of(_UNITS)})"
MONTH: Final = rf"(?:{any_of(_MONTHS)})"
WEEKDAY: Final = rf"(?:{any_of(_WEEKDAYS)})"
_WDS: Final = rf"{WEEKDAY}s?(?:(?: y| o)?(?: los| el)? {WEEKDAY}s?)*"
_P: Final = rf"(?:{any_of(_PARTS)})"
_DATE: Final = rf"(?:{NUMBER}|primero)"
_MORE: Final = f"media|cuarto|{NUMBER}"
"""Minutes past an hour, or to it."""


def number(text: str) -> int:
    """The number that digits or words say."""
    return int(text) if text.isdigit() else {"primero": 1}.get(text) or NUMBERS[text]


def _after(found: re.Match[str]) -> Bits | None:
    if not found["quarter"]:
        return amount(found, number, _UNITS)
    hours = (_UNITS[found["u"]], number(found["n"]))
    return Bits(delta=(hours, ("TM", 15))) if hours[0] == "TH" and not found["half"] else None


def _every(found: re.Match[str]) -> Bits:
    return rule(_FREQUENCIES[found["unit"]], number(found["n"]) if found["n"] else 1)


def _weekdays(found: re.Match[str]) -> Bits:
    return rule(
        "WEEKLY", number(found["n"]) if found["n"] else 1, BYDAY=codes(found["days"], _WEEKDAYS)
    )


def _date(found: re.Match[str]) -> Bits:
    day, year = number(found["d"]), found["y"]
    return Bits(day=Day(date=(int(year) if year else None, _MONTHS[found["m"]], day)))


def _weekday(found: re.Match[str]) -> Bits:
    this = (found["which"] or "").startswith("este")
    return Bits(day=Day(weekday=_WEEKDAYS[found["day"]], this=this))


def _of_next_week(found: re.Match[str]) -> Bits:
    return Bits(day=Day(weekday=_WEEKDAYS[found["day"]], weeks=1))


def _of_next_month(found: re.Match[str]) -> Bits:
    return Bits(day=Day(date=(None, None, number(found["d"])), months=1))


def _clock(found: re.Match[str]) -> Bits | None:
    hour, minute = number(found["h"]), int(found["m"] or 0)
    if found["more"]:
        minute = _minutes(found["more"])
    if found["less"]:
        hour, minute = (hour - 1 or 12), 60 - _minutes(found["less"])
    half: Half = "am" if found["half"] == "a" else "pm" if found["half"] else ""
    if hour > (12 if half else 24) or not 0 <= minute < 60 or (hour == 24 and minute):
        return None
    exact = bool(found["m"]) and found["h"].startswith("0")
    return Bits(
        clocks=(Clock(hour, minute, half, exact),), part=_PARTS.get(found["part"] or "", "")
    )


def _minutes(words: str) -> int:
    return {"media": 30, "cuarto": 15}.get(words) or number(words)


def _to_the_hour(found: re.Match[str]) -> Bits | None:
    """As Latin America says it: "un cuarto para las ocho"."""
    hour = number(found["h"])
    if not 1 <= hour <= 12:
        return None
    minute = 60 - _minutes(found["less"] or found["less2"])
    part = _PARTS.get(found["part"] or "", "")
    return Bits(clocks=(Clock(hour - 1 or 12, minute),), part=part)


def _said(bits: Bits) -> Make:
    return lambda found: bits


def _piece(pattern: str, make: Make) -> tuple[re.Pattern[str], Make]:
    return re.compile(rf"(?<![\w:])(?:{pattern})(?![\w:])"), make


_OF_DAY: Final = rf"(?: (?:(?:de|por|en) la|del) (?P<part>{_P}))?"
_AT: Final = "(?:a|y a|y|sobre|hacia|antes de|a eso de|alrededor de)"
_IN: Final = "(?:en|dentro de|(?:de )?aqui a)"
_NEXT_WEEK: Final = "(?:la )?(?:proxima semana|semana que viene|semana proxima)"
_NEXT_MONTH: Final = "(?:proximo mes|mes que viene|mes proximo)"
GRAMMAR: Final = Grammar(
    pieces=(
        _piece(f"{_IN} media hora", _said(Bits(delta=(("TM", 30),)))),
        _piece(f"{_IN} (?:un )?cuarto de hora", _said(Bits(delta=(("TM", 15),)))),
        _piece(f"{_IN} tres cuartos de hora", _said(Bits(delta=(("TM", 45),)))),
        _piece(f"{_IN} hora y media", _said(Bits(delta=(("TH", 1), ("TM", 30))))),
        _piece(
            rf"{_IN}(?: unos| unas)? (?P<n>{NUMBER}) (?P<u>{_U})(?:s|es)?"
            r"(?P<half> y medi[ao])?(?P<quarter> y cuarto)?"
            rf"(?: y (?P<n2>{NUMBER}) (?P<u2>{_U})(?:s|es)?)?",
            _after,
        ),
        _piece(
            rf"(?:el )?(?P<nth>{any_of(_ORDINALS)}) (?P<day>{WEEKDAY})"
            " (?:de cada|del|de todos los) mes(?:es)?",
            lambda found: rule(
                "MONTHLY", BYDAY=f"{_ORDINALS[found['nth']]}{CODES[_WEEKDAYS[found['day']]]}"
            ),
        ),
        _piece("(?:el )?ultimo dia (?:de cada|del) mes", _said(rule("MONTHLY", BYMONTHDAY="-1"))),
        _piece(
            rf"(?:el )?(?:dia )?(?P<d>{_DATE}) de (?:cada|todos los) mes(?:es)?",
            lambda found: rule("MONTHLY", BYMONTHDAY=str(number(found["d"]))),
        ),
        _piece(
            "(?:entre semana|(?:cada|todos los) dias? (?:laborables?|habil(?:es)?)"
            "|de lunes a viernes)",
            _said(rule("WEEKLY", BYDAY="MO,TU,WE,TH,FR")),
        ),
        _piece(
            "(?:(?:cada fin|todos los fines|los fines) de semana)",
            _said(rule("WEEKLY", BYDAY="SA,SU")),
        ),
        _piece(
            rf"(?:cada|todas las) (?P<p>{_P})",
            lambda found: Bits(every="FREQ=DAILY", part=_PARTS[found["p"]]),
        ),
        _piece(
            rf"un (?P<d>{WEEKDAY}) si y otro no",
            lambda found: rule("WEEKLY", 2, BYDAY=codes(found["d"], _WEEKDAYS)),
        ),
        _piece(
            rf"(?P<d>{WEEKDAY})s? alternos",
            lambda found: rule("WEEKLY", 2, BYDAY=codes(found["d"], _WEEKDAYS)),
        ),
        _piece("un dia si y otro no|(?:en )?dias alternos", _said(rule("DAILY", 2))),
        _piece("cada media hora", _said(rule("MINUTELY", 30))),
        _piece("cada (?:15|quince) dias", _said(rule("WEEKLY", 2))),
        _piece("una vez (?:al|por) dia", _said(rule("DAILY"))),
        _piece("una vez (?:al|por) mes", _said(rule("MONTHLY"))),
        _piece("una vez (?:a la|por) semana", _said(rule("WEEKLY"))),
        _piece(rf"cada(?: (?P<n>{NUMBER}))? (?P<days>{_WDS})", _weekdays),
        _piece(rf"(?:todos los|los) (?P<n>)(?P<days>{_WDS})", _weekdays),
        _piece(rf"cada(?: (?P<n>{NUMBER}))? (?P<unit>{any_of(_FREQUENCIES)})(?:s|es)?", _every),
        _piece(rf"tod[oa]s l[oa]s (?P<n>)(?P<unit>{any_of(_FREQUENCIES)})(?:s|es)?", _every),
        _piece("(?:a diario|diariamente)", _said(rule("DAILY"))),
        _piece("semanalmente", _said(rule("WEEKLY"))),
        _piece("mensualmente", _said(rule("MONTHLY"))),
        _piece("pasado manana", _said(Bits(day=Day(plus=2)))),
        _piece(rf"(?:el )?(?P<day>{WEEKDAY}) de {_NEXT_WEEK}", _of_next_week),
        _piece(rf"{_NEXT_WEEK} (?:el )?(?P<day>{WEEKDAY})", _of_next_week),
        _piece(rf"(?:el )?(?:dia )?(?P<d>{_DATE}) del {_NEXT_MONTH}", _of_next_month),
        _piece(rf"(?:el )?{_NEXT_MONTH} (?:el )?(?:dia )?(?P<d>{_DATE})", _of_next_month),
        _piece(rf"esta (?P<p>{_P})", lambda found: Bits(day=Day(plus=0), part=_PARTS[found["p"]])),
        _piece(
            r"(?:de )?(?P<from>hoy|manana) en (?P<n>ocho|8|quince|15)(?: dias)?",
            lambda found: Bits(day=Day(plus=_SPANS[found["n"]] + (found["from"] == "manana"))),
        ),
        _piece("hoy", _said(Bits(day=Day(plus=0)))),
        _piece(
            r"(?:el )?(\d{4})-(\d\d?)-(\d\d?)",
            lambda found: Bits(day=Day(date=(int(found[1]), int(found[2]), int(found[3])))),
        ),
        _piece(
            rf"(?:el )?(?:dia )?(?P<d>{_DATE}) de (?P<m>{MONTH})"
            r"(?: (?:de|del) (?P<y>\d{4}))?",
            _date,
        ),
        _piece(
            r"el (?:dia )?(?P<d>\d{1,2})",
            lambda found: Bits(day=Day(date=(None, None, int(found["d"])))),
        ),
        _piece(
            rf"(?:(?P<which>el|este|el proximo|proximo) )?(?P<day>{WEEKDAY})"
            "(?: que viene| proximo)?",
            _weekday,
        ),
        _piece(_NEXT_WEEK, _said(Bits(day=Day(plus=7)))),
        _piece(
            "(?:(?:a las? )?(?:12|doce) )?(?:a|al|del) ?mediodia",
            _said(Bits(clocks=(Clock(12, 0, "pm"),))),
        ),
        _piece("(?:a|de) (?:la )?medianoche", _said(Bits(clocks=(Clock(24),)))),
        _piece(
            rf"{_AT} las? (?P<h>{NUMBER})(?:[:.](?P<m>\d\d)(?: ?h(?:oras)?)?"
            rf"| y (?P<more>{_MORE})| menos (?P<less>{_MORE}))?"
            r"(?: en punto| ?h(?:oras)?)?"
            rf"(?: ?(?P<half>[ap]) ?m)?{_OF_DAY}",
            _clock,
        ),
        _piece(
            rf"(?:a )?(?:(?:un )?(?P<less>cuarto)|(?P<less2>{NUMBER})) para las? (?P<h>{NUMBER})"
            rf"{_OF_DAY}",
            _to_the_hour,
        ),
        _piece(rf"(?P<h>\d{{1,2}})(?P<m>)(?P<more>)(?P<less>) ?(?P<half>[ap]) ?m{_OF_DAY}", _clock),
        _piece(
            rf"(?P<h>\d{{1,2}}):(?P<m>\d\d)(?P<more>)(?P<less>)(?: ?h(?:oras)?)?"
            rf"(?: ?(?P<half>[ap]) ?m)?{_OF_DAY}",
            _clock,
        ),
        _piece(rf"(?:por|de|en|a) la (?P<p>{_P})", lambda found: Bits(part=_PARTS[found["p"]])),
        _piece("manana", _said(Bits(day=Day(plus=1)))),
    ),
    between=re.compile(r" ?(?:(?:a|y|el|los|de|en|por) )*"),
    leading=re.compile(r"^(?:que|de|para|a)\b\s*", re.IGNORECASE),
    trailing=re.compile(r"\b(?:a|el|los|y|en)$", re.IGNORECASE),
    unlike=re.compile(r" (?:para|de|del|hasta|desde|sobre|es|son|empieza|abre|cierra)$"),
)
