"""Sentences by which people tell what they trained, and nothing else: "ran 5k in 27 minutes"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from cloche_fitness.training.mending import heard_correction
from cloche_fitness.training.reading import Told, read_work
from cloche_fitness.training.scanning import UnreadableError, folded_text, scan, tells_no_training

LONGEST_NAME: Final = 4
"""Words of a name that no vocabulary knows, where sets or loads tell that it is an exercise."""
_LAP_WORDS: Final = re.compile(r"(?<=\d) ?[a-z]+\b|[趟圈]")
_HABIT: Final = re.compile(
    r"\b(?:i|we) (?:run|jog|walk|swim|cycle|bike|ride|row|hike|squat|bench|deadlift|lift)\b",
    re.IGNORECASE,
)


def heard_workout(text: str) -> Mapping[str, str] | None:
    """The arguments of ``log_workout``; None where a text tells more than what was done, or less.

    Args:
        text: A person's words, whole.
    """
    if tells_no_training(text) or _HABIT.search(text) or heard_correction(text):
        return None
    try:
        told = read_work(text)
    except UnreadableError as error:
        # Training for sure, but how much of it has to be asked back: the log's own answer does.
        unclear = error.reason in ("amount", "limit") and _names_training(text)
        return {"done": text.strip()} if unclear else None
    return {"done": text.strip()} if all(map(_is_training, told)) else None


def _names_training(text: str) -> bool:
    """True when a text holds an exercise, numbers and words of a log, and no word of else."""
    said = _LAP_WORDS.sub(" ", folded_text(text))
    try:
        kinds = [token.kind for token in scan(said)]
    except UnreadableError:
        return False
    return "exercise" in kinds and "number" in kinds and "word" not in kinds


def _is_training(told: Told) -> bool:
    """True when name and numbers leave no doubt; of a plain time or distance the name must."""
    sure = any(e.reps and (e.kilos or len(told.efforts) > 1) for e in told.efforts)
    if told.exercise:
        return not told.unknown or (sure and told.unknown < LONGEST_NAME)
    return sure and 0 < told.unknown <= LONGEST_NAME
