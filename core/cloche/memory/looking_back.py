"""Does a message point back in time? Then earlier events are worth a search of their own.

Pure; in English, Spanish and Chinese.
"""

from __future__ import annotations

import re
from typing import Final

from cloche.vocabulary import fold

_PHRASES: Final = (
    # English
    r"(?:the )?last (?:time|week|month|year|spring|summer|autumn|fall|winter|night)",
    r"yesterday",
    r"(?:days?|weeks?|months?|years?) ago",
    r"the other day",
    r"earlier(?: this)?",
    r"(?:you|we|i) (?:last |once )?(?:said|told|decided|agreed|discussed|talked|spoke|mentioned)",
    r"(?:have|had|did) (?:you|we|i) (?:say|said|tell|told|decided?|agreed?|discuss(?:ed)?"
    r"|talk(?:ed)?|speak|spoken|mention(?:ed)?)",
    r"what did (?:i|we|you)",
    # Spanish (folded: without accents)
    r"(?:la|por) (?:ultima|otra) vez",
    r"el otro dia",
    r"ayer|anteayer|anoche",
    r"(?:semana|mes|ano|verano|invierno|primavera|otono) pasad[oa]",
    r"hace (?:unos|unas|\w+) (?:dias?|semanas?|meses|mes|anos?)",
    r"(?:dijiste|dije|hable|dijimos|decidi|decidimos|hablamos|quedamos|conte|comente|acordamos)",
    r"(?:he|hemos|habia|habiamos) (?:dicho|contado|decidido|hablado|quedado|acordado|comentado)",
    # Chinese
    r"上次|上回|上周|上个月|上星期|去年|昨天|前天|前几天|之前|以前",
    r"说过|聊过|提过|提到过|讨论过|决定过|告诉过|跟你说|对你说|聊到|谈到|说到",
)
_REMEMBER: Final = (
    r"remember|(?:you|do you) know|memories|tell me (?:everything|all)|my (?:preferences|rules)",
    r"recuerdas?|te acuerdas|sabes|recuerdos|(?:dime|cuentame)(?:lo)? todo"
    r"|mis (?:preferencias|reglas)",
    r"记得|还记得|你(?:都|所)?知道|记忆|告诉我(?:一切|所有|全部)|我的(?:偏好|规则)",
)
_TALK: Final = (
    r"we (?:last |once )?(?:discussed|talked|spoke|chatted)",
    r"last time (?:i|you) (?:asked|told|mentioned|said)",
    r"(?:hablamos|charlamos|conversamos|comentamos|hablabamos|discutimos)",
    r"(?:上次|上回|之前|昨天|前几天).{0,8}?(?:聊|谈|说|提|讨论)",
)
_DECISIONS: Final = (
    r"decid\w*|decision|agreed?|settled",
    r"decidi\w*|decision|quedamos|acordamos|acordado",
    r"决定|商定|约定|定下",
)


def _any_of(*phrases: str) -> re.Pattern[str]:
    return re.compile("|".join(p if not p.isascii() else rf"(?<!\w)(?:{p})(?!\w)" for p in phrases))


_TIMES_AND_TALK: Final = _any_of(*_PHRASES)
_POINTS_BACK: Final = _any_of(*_PHRASES, *_REMEMBER)
_OF_TALK: Final = _any_of(*_TALK)
_OF_DECISIONS: Final = _any_of(*_DECISIONS)


def points_back(text: str) -> bool:
    """True when the words refer to something said or done earlier."""
    return bool(_POINTS_BACK.search(fold(text)))


def asks_of_then(text: str) -> bool:
    """True when they name an earlier time or talk, and so want to know of when it was."""
    return bool(_TIMES_AND_TALK.search(fold(text)))


def is_of_talk(text: str) -> bool:
    """True for "last time we discussed it": it tells of an earlier talk and nothing else."""
    return bool(_OF_TALK.search(fold(text)))


def asks_of_decisions(text: str) -> bool:
    """True when they speak of what was decided."""
    return bool(_OF_DECISIONS.search(fold(text)))
