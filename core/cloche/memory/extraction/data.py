"""What a skill keeps as data is not kept as a statement as well."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from cloche.memory.extraction.draft import Draft, Extracted
from cloche.memory.extraction.sentences import sentences
from cloche.memory.records import Event

IsData: TypeAlias = Callable[[str], bool]
"""True for a sentence that a tool keeps as data."""


def nothing_is(_: str) -> bool:
    """No words are data."""
    return False


def without_data(extracted: Extracted, event: Event, is_data: IsData) -> Extracted:
    """What was found, less the drafts that rest on nothing but words that are data.

    Args:
        extracted: What was found.
        event: The turn it was found in; the person's words count, not how a draft tells them.
        is_data: Says of a sentence whether it is.
    """

    def rests_on_more(draft: Draft) -> bool:
        said = sentences(event.user_text[draft.start : draft.end])
        return not said or not all(is_data(sentence.text) for sentence in said)

    return replace(extracted, drafts=tuple(filter(rests_on_more, extracted.drafts)))
