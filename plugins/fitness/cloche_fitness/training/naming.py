"""What an exercise is called to a reader of a language."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from cloche_fitness.training.scanning import folded_text, is_verb
from cloche_fitness.vocabulary import WORDS


def _rows() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """By an exercise's id and the language, what it is called, the usual name first."""
    return {
        name.lower().replace(" ", "-"): {
            language: tuple(word.strip() for word in row.split(","))
            for language, row in {**rows, "en": f"{name}, {rows['en']}"}.items()
        }
        for name, rows in WORDS.spoken["exercises"].items()
    }


_NAMES: Final = _rows()


def shown_name(exercise: str, told: str, language: str) -> str:
    """The person's own name for it where that is one in the language, else the usual one.

    Args:
        exercise: Its id.
        told: What the person called it, in whatever language, perhaps by a verb ("ran").
        language: What the reader reads; one that the vocabulary does not have reads English.
    """
    rows = _NAMES.get(exercise)
    if rows is None:
        return told
    names = rows.get(language.partition("-")[0].lower(), rows["en"])
    said = folded_text(told)
    if not is_verb(said) and any(_holds(said, folded_text(name)) for name in names):
        return told
    return names[0]


def _holds(said: str, name: str) -> bool:
    if re.match(r"[\u2e80-\u9fff]", name):
        return name in said
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", said) is not None
