"""At what hour of the day something was done: no duration of it."""

from __future__ import annotations

import re
from typing import Final

_END: Final = r"(?![^\W\d_\u2e80-\u9fff])"
_CLOCK: Final = r"(?:2[0-3]|[01]?\d):[0-5]\d(?![:\d])"
_HALF: Final = rf"\s*(?:[ap]m|[ap]\.m\.|o'clock){_END}"
_HOUR: Final = rf"{_CLOCK}(?:{_HALF}|\s*h(?:rs?)?{_END})?"
_LAS: Final = r"(?: las?)?"
_FORMS: Final = (
    # From when to when.
    rf"(?:(?:from|de{_LAS}|desde{_LAS}|从)\s*)?{_HOUR}"
    rf"\s*(?:to|until|till|a{_LAS}|hasta{_LAS}|-|–|~|到|至)\s*{_HOUR}",
    rf"(?:between|entre{_LAS})\s*{_HOUR}\s*(?:and|y{_LAS})\s*{_HOUR}",
    rf"(?:at(?: (?:about|around))?|from|since|until|till)\s*{_HOUR}",
    rf"(?:a|desde|hasta|sobre|hacia|de) las?\s*{_HOUR}",
    # Words that only an hour has beside it.
    rf"(?:at )?(?:{_CLOCK}|\d{{1,2}}){_HALF}",
    rf"(?:a|desde|hasta|sobre|hacia) las? \d{{1,2}}(?![\d:]){_END}",
    rf"(?:早上|上午|早晨|清晨|凌晨|中午|下午|傍晚|晚上){_CLOCK}",
    r"(?:\d{1,2}|[一二两三四五六七八九十]{1,3})点(?:半|整|钟|一刻|\d{1,2}分)?"
    r"(?![\d.]*\s*(?:公|千|米|英|小))",
)
_OF_DAY: Final = re.compile("|".join(_FORMS))


def hour_end(folded: str, at: int) -> int:
    """Where an hour of the day ends that begins at a place of a folded text; 0 = there is none."""
    found = _OF_DAY.match(folded, at)
    return found.end() if found else 0
