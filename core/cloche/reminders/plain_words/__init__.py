"""Times in plain words of English, Spanish and Chinese, as ISO 8601 or RRULE. Pure.

A model turns words into these forms by itself; this is for where no model is configured, and for
models that hand the words on. What it cannot read it leaves alone: nothing is guessed.
"""

from __future__ import annotations

from cloche.reminders.plain_words.amounts import read_amount
from cloche.reminders.plain_words.reading import (
    doubtful_words,
    part_words,
    read_clock,
    read_words,
)
from cloche.reminders.plain_words.several import part_each

__all__ = [
    "doubtful_words",
    "part_each",
    "part_words",
    "read_amount",
    "read_clock",
    "read_words",
]
