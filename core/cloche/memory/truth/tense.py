"""Does a statement tell of an act that is over ("I planted 3 beans")? Pure.

Errs on the side of "over": what was done once stands beside what was done another time.
"""

from __future__ import annotations

import re
from typing import Final

from cloche.memory.spelling import folded
from cloche.memory.truth.lexicon import Lexicon

_ENGLISH: Final = re.compile(r"[a-z]{2,}ed")
_SPANISH: Final = re.compile(r"[^\W\d_]{2,}(?:[éí]|ió|ó|aste|iste|aron|ieron|aba|abas|aban|ían?)")
_BARE: Final = re.compile(r"[a-z]{3,}[ei]")
"""A first word that ends so is no present of one's own doing, also where accents are left out."""
_WORDS: Final = re.compile(r"[^\W\d_]+")
_CHINESE: Final = re.compile(r"[\u4e00-\u9fff](?<![有是养住带大小高])[了过](?![吧吗呢]?[。!！]?$)")


def tells_of_the_past(text: str, language: str, words: Lexicon) -> bool:
    """True when a text tells of what was done, as far as its verbs show.

    Args:
        text: The statement.
        language: Whose words it is in.
        words: That language's.
    """
    if not words.spaced:
        return bool(_CHINESE.search(text)) or any(phrase in text for phrase in words.past)
    said = _WORDS.findall(text.lower())
    plain = [folded(word) for word in said]
    if any(word in words.past for word in plain):
        return True
    if language == "es":
        doing = next((word for word in plain if word not in _CLITICS), "")
        found = any(_SPANISH.fullmatch(word) for word in said if word not in words.whole)
        return found or bool(_BARE.fullmatch(doing) and doing not in _PRESENT)
    return any(_ENGLISH.fullmatch(word) for word in plain if word not in words.whole)


_PRESENT: Final = frozenset(
    "tiene vive viven mide quiere puede hace come bebe duele duerme siempre entre este ese"
    " aqui casi hoy cada desde".split()
)
_CLITICS: Final = frozenset("yo me te le les lo la los las nos se".split())
