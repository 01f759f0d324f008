"""Does a message point back in time? Then earlier events are worth a search of their own."""

from __future__ import annotations

import re
from typing import Final

from cloche.vocabulary import fold

_PHRASES: Final = (
    # English
    r"last (?:time|week|month|year|spring|summer|autumn|fall|winter|night)",
    r"yesterday",
    r"(?:days?|weeks?|months?|years?) ago",
    r"the other day",
    r"earlier(?: this)?",
    r"remember",
    r"(?:you|we|i) (?:said|told|decided|agreed|discussed|talked|mentioned)",
    r"what did (?:i|we|you)",
    r"(?:you|do you) know|memories|tell me (?:everything|all)|my (?:preferences|rules)",
    # Spanish (folded: without accents)
    r"la (?:ultima|otra) vez",
    r"el otro dia",
    r"ayer|anteayer|anoche",
    r"(?:semana|mes|ano|verano|invierno|primavera|otono) pasad[oa]",
    r"hace (?:unos|unas|\w+) (?:dias?|semanas?|meses|mes|anos?)",
    r"recuerdas?|te acuerdas",
    r"(?:dijiste|dije|dijimos|decidimos|hablamos|quedamos|conte|comente)",
    r"sabes|recuerdos|(?:dime|cuentame)(?:lo)? todo|mis (?:preferencias|reglas)",
    # Chinese
    r"上次|上回|上周|上个月|上星期|去年|昨天|前天|前几天|之前|以前",
    r"记得|还记得|说过|聊过|提过|讨论过|决定过|告诉过",
    r"你(?:都|所)?知道|记忆|告诉我(?:一切|所有|全部)|我的(?:偏好|规则)",
)
_POINTS_BACK: Final = re.compile(
    "|".join(p if not p.isascii() else rf"(?<!\w)(?:{p})(?!\w)" for p in _PHRASES)
)


def points_back(text: str) -> bool:
    """True when the words refer to something said or done earlier, in any of three languages."""
    return bool(_POINTS_BACK.search(fold(text)))
