"""Corrections in words ("No, it's in the hall"): how they begin and end, and what they leave."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from cloche.language import detect
from cloche.memory.spelling import folded
from cloche.memory.truth.lexicon import LANGUAGES, Lexicon, lexicon
from cloche.vocabulary import CJK

_AFTER_LEAD: Final = " \t\n,.:;!\u2014\u2013-\u3001\u3002\uff0c\uff01\uff1a\uff1b\u2026"
_MAX_LEADS: Final = 3
_PAUSE: Final = r"(?:(?<!\s)\s*[,;\uff0c\uff1b]\s*)"
_STOP: Final = r"(?<![\s.!\u3002\uff01])[\s.!\u3002\uff01]*$"


@dataclass(frozen=True, slots=True)
class Told:
    """A text without what says that something was wrong.

    Attributes:
        text: What is left; all of it where nothing would be left.
        corrects: True when it began or ended by saying that something was wrong.
        firm: False where only "actually" says so, which people also say of what is merely news.
        meant: True when it went on with "I meant", so that what follows is what was meant.
    """

    text: str
    corrects: bool = False
    firm: bool = False
    meant: bool = False


@dataclass(frozen=True, slots=True)
class Contrast:
    """What is not so, and what is ("not X, Y").

    ``whole``: what is so may be a statement of its own ("Y, not X"); ``said``: a verb goes before
    both ("it's not X, it's Y").
    """

    denied: str
    stated: str
    whole: bool = False
    said: bool = False


def told(text: str, words: Lexicon) -> Told:
    """A text without what says that something was wrong.

    A lead counts where punctuation parts it from what follows ("No, ..."): "No cats live here" is
    a statement of its own; "actually" and "I meant" count without.
    """
    rest, firm, soft, meant = text.strip(), False, False, False
    for _ in range(_MAX_LEADS):
        hard = _leads(words.lead, pause=True).match(rest)
        match = hard or _leads(words.soft, pause=False).match(rest)
        if not match or not rest[match.end() :].strip(_AFTER_LEAD):
            break
        rest = rest[match.end() :].lstrip(_AFTER_LEAD)
        firm, soft = firm or bool(hard), soft or not hard
    match = _leads(words.meant, pause=False).match(rest)
    if match and rest[match.end() :].strip(_AFTER_LEAD) and not _GOES_ON.match(rest[match.end() :]):
        rest, firm, meant = rest[match.end() :].lstrip(_AFTER_LEAD), True, True
    if (trail := _trail(words.trail).search(rest)) and rest[: trail.start()].strip(_AFTER_LEAD):
        rest, firm = rest[: trail.start()], True
    return Told(rest, firm or soft, firm, meant) if firm or soft else Told(text.strip())


_GOES_ON: Final = re.compile(r"(?:to|that|it|que|a)\b", re.IGNORECASE)
"""What makes "I meant" another thing: "I meant to ask", "I mean it"."""


@lru_cache(maxsize=16)
def _leads(leads: tuple[str, ...], *, pause: bool) -> re.Pattern[str]:
    """Any lead with its punctuation; written as people write it, with accents or without."""
    spelled = "|".join(_any_accents(lead) for lead in leads)
    stop = r"(?:[,.:;!\u2014\u3001\u3002\uff0c\uff01\uff1a\uff1b]|\s[-\u2013]\s)"
    end = rf"\s*{stop}+\s*" if pause else rf"(?:\s*{stop}+\s*|(?!\w)\s*|(?=[{_CJK_ONLY}]))"
    return re.compile(rf"(?:{spelled}){end}", re.IGNORECASE)


@lru_cache(maxsize=8)
def _trail(trails: tuple[str, ...]) -> re.Pattern[str]:
    spelled = "|".join(_any_accents(trail) for trail in trails)
    return re.compile(rf"{_PAUSE}(?:{spelled}){_STOP}", re.IGNORECASE)


def _any_accents(lead: str) -> str:
    classes = {"a": "[aá]", "e": "[eé]", "i": "[ií]", "o": "[oó]", "u": "[uúü]", "'": "['\u2019]"}
    return "".join(
        r"\s+" if char == " " else classes.get(char, re.escape(char)) for char in folded(lead)
    )


_CJK_ONLY: Final = CJK.pattern.strip("[]")
_PRONOUN: Final = r"(?:it|he|she|they|that|this)"
_CONTRASTS: Final = {
    language: tuple(re.compile(pattern, re.IGNORECASE) for pattern in patterns)
    for language, patterns in {
        "en": (
            rf"{_PRONOUN}(?:(?:['\u2019]s|['\u2019]re| is| are| was| were) not"
            rf"|(?: is| are| was| were)n['\u2019]t) (?P<x>[^,;]+?){_PAUSE}(?:but )?"
            rf"{_PRONOUN}(?:['\u2019]s|['\u2019]re| is| are| was| were) (?P<y>[^,;]+?){_STOP}",
            rf"not (?P<x>[^,;]+?)(?:{_PAUSE}(?:but )?| but )(?P<y>[^,;]+?){_STOP}",
            rf"(?P<whole>[^,;]+?){_PAUSE}(?:and )?not (?P<x>[^,;]+?){_STOP}",
        ),
        "es": (
            rf"no (?P<verb>est[aá]n?|es|son|se llaman?) (?P<x>[^,;]+?)(?:{_PAUSE}(?:sino )?| sino )"
            rf"(?:(?P=verb) )?(?P<y>[^,;]+?){_STOP}",
            rf"no (?P<x>[^,;]+?)(?:{_PAUSE}(?:sino )?| sino )(?P<y>[^,;]+?){_STOP}",
            rf"(?P<whole>[^,;]+?){_PAUSE}(?:y )?no (?P<x>[^,;]+?){_STOP}",
        ),
        "zh": (
            r"(?:它们?|[他她那这])?不(?P<verb>是|在|叫)(?P<x>[^\uff0c,]+?)[\uff0c,]\s*(?:而)?(?P=verb)"
            rf"(?P<y>[^\uff0c,]+?){_STOP}",
            rf"(?P<whole>[^\uff0c,]+?)[\uff0c,]\s*(?:而)?不是(?P<x>[^\uff0c,]+?){_STOP}",
        ),
    }.items()
}


def contrast(text: str, language: str) -> Contrast | None:
    """What a text says is not so, and what is so instead; None when it says no such thing."""
    for number, pattern in enumerate(_CONTRASTS.get(language, ())):
        if match := pattern.fullmatch(text.strip()):
            whole = match.groupdict().get("whole")
            return Contrast(match["x"], whole or match["y"], bool(whole), said=not number)
    return None


def may_correct(text: str) -> bool:
    """True when a text begins or ends as corrections do, or says what is not so: cheap to tell."""
    return any(
        (left := told(text, lexicon(one))).corrects or contrast(left.text, one) for one in LANGUAGES
    )


def without_correction(text: str) -> str:
    """What a correction says, without the "no" that belonged to the talk."""
    language = detect(text)
    known = (language,) if language in LANGUAGES else LANGUAGES
    for one in known:
        found = told(text, lexicon(one))
        if found.corrects:
            return found.text
    return text
