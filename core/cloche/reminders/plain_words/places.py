"""The place that words name, where somebody was asked for the city they live in. Pure."""

from __future__ import annotations

import re
from typing import Final

_LIVES: Final = re.compile(
    r"(?:(?:i live|i'?m|i am|we live|we'?re|vivo|estoy|vivimos|estamos)\s+(?:in|en)|in|en|it'?s|es)"
    r"\s+"
    r"|(?:我|我们)?(?:现在)?(?:住在|住|在)(?=[^\W\d])",
    re.IGNORECASE,
)
_NO_PLACE: Final = re.compile(
    r"\b(?:i|i'?\w+|we|you|he|she|it|my|the|a|an|is|are|am|have|has|do|does|not|no|yes|yeah|ok|okay|hi"
    r"|hello|hey|thanks|thank|please|what|why|how|who|which|when|later|never|forget|stop|cancel|sorry"
    r"|yo|mi|mis|tu|un|una|unos|es|soy|estoy|tengo|uso|hay|s[ií]|vale|hola|gracias|favor|qu[eé]"
    r"|c[oó]mo|cu[aá]l|nada|luego|nunca|olv[ií]dalo|cancela|perdona|solo|s[oó]lo|me|te|se)\b"
    r"|[我你他她它有没不是什么吗呢吧了的用想要会谢好嗯喜]|[?？:：;；/]$|\d",
    re.IGNORECASE,
)
"""Words, or signs of Chinese, that stand in no answer to "which city?"."""
_MOST_WORDS_OF_A_PLACE: Final = 3
_MOST_SIGNS_OF_A_PLACE: Final = 40


def hear_place(text: str) -> dict[str, str] | None:
    """The answer to "which city do you live in?"; None where words tell or ask something else.

    Args:
        text: The words, in any of the languages.
    """
    said = text.strip().strip(".!。！¡")
    lives = _LIVES.match(said)
    place = said[lives.end() :] if lives else said
    words = re.split(r"[\s,，]+", place)
    few = len(words) <= _MOST_WORDS_OF_A_PLACE and len(place) <= _MOST_SIGNS_OF_A_PLACE
    if not place or not few or _NO_PLACE.search(place):
        return None
    return {"zone": place}
