"""How one statement can stand to another, and by which rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Relation = Literal["same", "changed", "both"]
"""Of a new statement to an old one: says it again, takes its place, or stands beside it."""

Rule = Literal[
    "same_words",
    "same_meaning",
    "liking",
    "negation",
    "former",
    "quantifier",
    "number",
    "date",
    "side",
    "property",
    "place",
    "value",
    "ended",
    "replaced",
    "now",
    "corrected",
    "other_person",
    "other_value",
    "other",
    "unsure",
    "model",
]
"""Why, as a short code that ``why`` shows in words."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """How a new statement stands to an old one, and by which rule.

    ``unsure`` is True when the two are near each other and the rules cannot tell: then the
    relation is "both", unless a model is asked. ``loose`` is True where several old statements may
    be meant and only the newest of them is; ``just_told`` where that must be the last one told.
    """

    relation: Relation
    rule: Rule
    unsure: bool = False
    loose: bool = False
    just_told: bool = False


SAME_WORDS: Final = Comparison("same", "same_words")
SAME_MEANING: Final = Comparison("same", "same_meaning")
BOTH: Final = Comparison("both", "other")
OTHER_VALUE: Final = Comparison("both", "other_value")
UNSURE: Final = Comparison("both", "unsure", unsure=True)
