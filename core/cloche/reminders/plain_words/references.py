"""What words that name a reminder say: of its text, and of when it comes. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from cloche.reminders.plain_words.bits import Bits
from cloche.reminders.plain_words.taking import grammars, left_over, plain_of, readings
from cloche.vocabulary import CJK, fold

_WORD: Final = re.compile(r"[^\W_]+")
_LITTLE: Final = frozenset(
    "a about again alarm alarms all an and at by for from in it my of off on one ones or our "
    "please reminder reminders that the this to with "
    "al alarma aviso con cita de del el en esa ese eso esta este esto favor la las lo los mi mis o "
    "para por que recordatorio recordatorios sobre un una y".split()
)
"""Words that name nothing."""
_LITTLE_CHINESE: Final = re.compile(
    r"那[个個条條次]?|这[个個条條次]?|這[個條次]|的?(?:提醒|闹钟|鬧鐘)|的事(?:情|儿)?|^[把将將]|^我?的|的$|^(?:请|帮我)+"
)
_POSSESSIVE: Final = re.compile(r"['’]s\b")
_FORMS: Final = (
    (re.compile(r"\bde (?=las? \w)", re.IGNORECASE), "a "),
    (re.compile(r"\b(?=\d{1,2}(?::\d\d)? one\b)", re.IGNORECASE), "at "),
)
"""How an hour is named inside of a name: "el de las 9", "the 9 one"."""
_ENDINGS: Final = (
    "es", "s", "ing", "ed", "ar", "er", "ir", "amos", "emos", "imos", "ando", "iendo", "ada",
    "adas", "amiento", "amientos",
)  # fmt: skip
_SHORTEST: Final = 3
"""Letters that are left of a word without its ending."""


@dataclass(frozen=True, slots=True)
class Reference:
    """What words that name a reminder say.

    Attributes:
        words: Those of its text, folded.
        bits: What they say of when it comes; None = nothing.
    """

    words: tuple[str, ...]
    bits: Bits | None = None


def read_reference(text: str) -> Reference:
    """Read words such as "the Saturday one", "el de las 9" or "周五晚上的提醒"."""
    said = _POSSESSIVE.sub("", text)
    best: tuple[int, Reference] | None = None
    for whole in dict.fromkeys((said, *(form.sub(to, said) for form, to in _FORMS))):
        plain = plain_of(whole)
        for grammar in grammars():
            for found in readings(plain, grammar):
                bits = found.bits
                if not (bits.day or bits.clocks or bits.part):
                    continue
                if best is None or found.length > best[0]:
                    left = left_over(plain.text, found.spans)
                    best = (found.length, Reference(_naming(left), bits))
    return best[1] if best else Reference(_naming(plain_of(said).text))


def names(word: str, text: str) -> bool:
    """True where a word of a reference names something in a reminder's text."""
    folded = plain_words(text)
    if CJK.search(word):
        return word in folded or (len(word) > 1 and all(char in folded for char in word))
    return word in _WORD.findall(folded) or any(
        _stems(word) & _stems(other) for other in _WORD.findall(folded)
    )


def plain_words(text: str) -> str:
    """Words as they are compared: in small letters, without accents, one space apart."""
    return " ".join(fold(text).split())


def _naming(text: str) -> tuple[str, ...]:
    told = []
    for word in _WORD.findall(text):
        rest = word
        while CJK.search(rest) and (shorter := _LITTLE_CHINESE.sub("", rest)) != rest:
            rest = shorter
        if rest and rest not in _LITTLE:
            told.append(rest)
    return tuple(told)


def _stems(word: str) -> frozenset[str]:
    stems = {word}
    for ending in _ENDINGS:
        stem = word.removesuffix(ending)
        if stem != word and len(stem) >= _SHORTEST:
            stems.add(stem)
            if len(stem) > _SHORTEST and stem[-1] == stem[-2]:  # "running" to run
                stems.add(stem[:-1])
    return frozenset(stems)
