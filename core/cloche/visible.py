"""Whether there is anything to see in a text."""

from __future__ import annotations

import unicodedata
from typing import Final

_SHAPELESS: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\ufe0e\ufe0f")
"""Letters, marks and symbols that are drawn as nothing."""


def is_visible(text: str) -> bool:
    """Whether anybody sees anything of a text."""
    return any(
        unicodedata.category(char)[0] not in "CZ" and char not in _SHAPELESS for char in text
    )
