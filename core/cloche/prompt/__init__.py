"""What a model is given to read: the prompt's parts, and the data they are made of."""

from cloche.prompt.data import (
    CUT,
    UNANSWERED,
    Exchange,
    GroupLine,
    Image,
    LastTime,
    Prompt,
    RecalledLine,
    TextFile,
    Why,
)
from cloche.prompt.parts import (
    HOUSE_RULES,
    MONTHS,
    WEEKDAYS,
    last_time,
    recalled_lines,
    session_part,
    stable_part,
    turn_part,
)

__all__ = [
    "CUT",
    "HOUSE_RULES",
    "MONTHS",
    "UNANSWERED",
    "WEEKDAYS",
    "Exchange",
    "GroupLine",
    "Image",
    "LastTime",
    "Prompt",
    "RecalledLine",
    "TextFile",
    "Why",
    "last_time",
    "recalled_lines",
    "session_part",
    "stable_part",
    "turn_part",
]
