"""Where something stands in a JSON text that cannot be read."""

from __future__ import annotations

import re
from typing import Final

_TEXT: Final = re.compile(r'"(?:\\.|[^"\\])*+"?')
"""One that nothing closes goes to the end: it is not begun again at each quote in it."""
_DIGITS: Final = re.compile(r"\d+")


def line_of_longest_number(text: str) -> int:
    """The 1-based line of the longest number; digits inside of texts do not count.

    Args:
        text: JSON with at least one number.
    """
    bare = _TEXT.sub(lambda found: " " * len(found[0]), text)
    longest = max(_DIGITS.finditer(bare), key=lambda found: len(found[0]))
    return text.count("\n", 0, longest.start()) + 1
