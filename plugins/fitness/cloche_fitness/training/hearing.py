"""Sentences by which people tell what they trained, and nothing else: "ran 5k in 27 minutes"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from cloche_fitness.training.reading import Told, UnreadableError, read_work
from cloche_fitness.training.scanning import tells_no_training

LONGEST_NAME: Final = 4
"""Words of a name that no vocabulary knows, where sets or loads tell that it is an exercise."""
_HABIT: Final = re.compile(
    r"\b(?:i|we) (?:run|jog|walk|swim|cycle|bike|ride|row|hike|squat|bench|deadlift|lift)\b",
    re.IGNORECASE,
)


def heard_workout(text: str) -> Mapping[str, str] | None:
    """The arguments of ``log_workout``; None where a text tells more than what was done, or less.

    Args:
        text: A person's words, whole.
    """
    if tells_no_training(text) or _HABIT.search(text):
        return None
    try:
        told = read_work(text)
    except UnreadableError:
        return None
    return {"done": text.strip()} if all(map(_is_training, told)) else None


def _is_training(told: Told) -> bool:
    """True when name and numbers leave no doubt; of a plain time or distance the name must."""
    sure = any(e.reps and (e.kilos or len(told.efforts) > 1) for e in told.efforts)
    if told.exercise:
        return not told.unknown or (sure and told.unknown < LONGEST_NAME)
    return sure and 0 < told.unknown <= LONGEST_NAME
