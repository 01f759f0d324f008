"""What is not written down at all: sentences that hold a secret.

An event keeps the person's own words, but a password has no place on disk, in an export or in a
later prompt. The turn it was said in had it; afterwards a mark stands in its place.
"""

from __future__ import annotations

from typing import Final

from cloche.memory.extraction import screen
from cloche.memory.extraction.sentences import sentences

MARK: Final = "[…]"


def without_secrets(text: str) -> str:
    """The text with a mark for every sentence that holds a secret; unchanged without one."""
    kept, at = [], 0
    for sentence in sentences(text):
        if screen(sentence.text) == "secret":
            kept += [text[at : sentence.start], MARK]
            at = sentence.end
    whole = "".join([*kept, text[at:]]) if kept else text
    # A secret may run over what looked like the end of a sentence.
    return MARK if screen(whole) == "secret" else whole
