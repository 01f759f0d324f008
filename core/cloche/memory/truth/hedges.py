"""Does a statement leave room for doubt ("I think Ana is 30")? Pure."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from cloche.language import detect
from cloche.memory.spelling import folded
from cloche.memory.truth.lexicon import LANGUAGES, lexicon

_SPACES: Final = re.compile(r"\s+")


def is_hedged(text: str, language: str = "") -> bool:
    """True when its speaker is not sure; ``language`` is told from the text where it is ""."""
    said = _SPACES.sub(" ", folded(text))
    found = language or detect(text)
    known = (found,) if found in LANGUAGES else LANGUAGES
    return any(_doubts(one).search(said) for one in known)


@lru_cache(maxsize=len(LANGUAGES))
def _doubts(language: str) -> re.Pattern[str]:
    words = lexicon(language)
    spelled = "|".join(re.escape(phrase) for phrase in words.doubt)
    return re.compile(rf"(?<!\w)(?:{spelled})(?!\w)" if words.spaced else spelled)
