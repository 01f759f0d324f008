"""What a number in a statement stands for: a name, a year, how many or how much. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from cloche.memory.truth.lexicon import lexicon
from cloche.memory.truth.tokens import CORE, Token

_NOUNS: Final = frozenset(("word", "thing", "tag"))
_YEAR: Final = re.compile(r"(?:1[5-9]|20|21)\d\d(?: year)?")


def numbers_that_name(tokens: Sequence[Token], head: int, language: str) -> frozenset[str]:
    """Numbers that tell one thing from others of its kind ("pot 3", "bus 12", "3号花盆").

    Args:
        tokens: The statement.
        head: How many of them say what it is about.
        language: Whose words it is in.
    """
    words = lexicon(language)
    return frozenset(
        token.value
        for i, token in enumerate(tokens[:head])
        if token.kind == "number"
        and " " not in token.value
        and (_behind_a_noun(tokens, i, language) if words.spaced else _before(tokens, i, language))
    )


def _before(tokens: Sequence[Token], i: int, language: str) -> bool:
    after = tokens[i + 1 : i + 2]
    return bool(after) and after[0].kind == "word" and after[0].value in lexicon(language).numbered


def _behind_a_noun(tokens: Sequence[Token], i: int, language: str) -> bool:
    """True when a number stands right behind a noun: not behind a verb, as "holds 3" has it."""
    if not i or tokens[i - 1].kind not in _NOUNS:
        return False
    before = [t for t in tokens[: i - 1] if t.kind not in ("who", "class.size")]
    if any(t.kind == "who" for t in tokens[: i - 1]) and not before:
        return False  # "I weigh 80"
    if not before:
        return language == "en" and i + 1 < len(tokens)
    if before[-1].kind in ("def", "indef", "at"):
        return True
    goes_on = i + 1 < len(tokens) and tokens[i + 1].kind in CORE
    return before[-1].kind in CORE and not goes_on


def is_year(value: str) -> bool:
    """True for a number that can be the year something was in."""
    return bool(_YEAR.fullmatch(value))


def of_one_among_others(tokens: Sequence[Token], spaced: bool) -> bool:
    """True when a measure tells which one of several ("a 10 litre pot", "un hijo de 5 años")."""
    for i, token in enumerate(tokens):
        if token.kind != "number":
            continue
        before = [t for t in tokens[:i] if t.kind not in ("quantifier", "who")]
        behind = tokens[i + 1 : i + 2]
        if before[-1:] and before[-1].kind in ("indef", "def") and behind:
            if behind[0].kind in CORE or behind[0].kind.startswith("class."):
                return True
        measured = spaced and " " in token.value and len(before) > 1
        if measured and before[-1].kind in _NOUNS and before[-2].kind == "indef":
            return True
    return False


def follows(tokens: Sequence[Token], value: str) -> bool:
    """True when a number stands right behind a word ("have 3")."""
    said = [t for t in tokens if t.kind not in ("quantifier", "now", "also", "who")]
    return any(said[i - 1].value == value and said[i].kind == "number" for i in range(1, len(said)))
