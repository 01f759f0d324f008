"""Corrections in words ("No, it's in the hall"): how they begin, and what they leave to be kept."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from cloche.language import detect
from cloche.memory.spelling import folded
from cloche.memory.truth.lexicon import LANGUAGES, Lexicon, lexicon

_AFTER_LEAD: Final = " \t\n,.:;!\u2014\u2013-\u3001\u3002\uff0c\uff01\uff1a\uff1b\u2026"
_MAX_LEADS: Final = 3


def without_lead(text: str, words: Lexicon) -> tuple[str, bool]:
    """A text without what says that something was wrong, and whether it began so.

    A lead counts where punctuation parts it from what follows ("No, ..."): "No cats live here" is
    a statement of its own. What would leave nothing is left whole.
    """
    rest, found = text.strip(), False
    for _ in range(_MAX_LEADS):
        match = _leads(words.lead).match(rest)
        if not match or not rest[match.end() :].strip(_AFTER_LEAD):
            break
        rest, found = rest[match.end() :].lstrip(_AFTER_LEAD), True
    return (rest, True) if found else (text.strip(), False)


@lru_cache(maxsize=8)
def _leads(leads: tuple[str, ...]) -> re.Pattern[str]:
    """Any lead with its punctuation; written as people write it, with accents or without."""
    spelled = "|".join(_any_accents(lead) for lead in leads)
    return re.compile(
        rf"(?:{spelled})\s*(?:[,.:;!\u2014\u3001\u3002\uff0c\uff01\uff1a\uff1b]|\s[-\u2013]\s)+\s*",
        re.IGNORECASE,
    )


def _any_accents(lead: str) -> str:
    classes = {"a": "[aá]", "e": "[eé]", "i": "[ií]", "o": "[oó]", "u": "[uúü]", "'": "['\u2019]"}
    return "".join(
        r"\s+" if char == " " else classes.get(char, re.escape(char)) for char in folded(lead)
    )


def without_correction(text: str) -> str:
    """What a correction says, without the "no" that belonged to the talk."""
    language = detect(text)
    known = (language,) if language in LANGUAGES else LANGUAGES
    for one in known:
        rest, found = without_lead(text, lexicon(one))
        if found:
            return rest
    return text
