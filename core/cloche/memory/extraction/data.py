"""What a skill keeps as data, or was asked for, is not kept as a statement as well."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from cloche.memory.extraction.draft import Draft, Extracted
from cloche.memory.extraction.rules import extract_drafts
from cloche.memory.extraction.sentences import sentences
from cloche.memory.records import Event
from cloche.vocabulary import Vocabulary

Telling: TypeAlias = Callable[[str], Sequence[str]]
"""What a sentence tells beside what a tool was called for: it alone = all of it, () = nothing."""


def all_of_it(sentence: str) -> Sequence[str]:
    """No tool was called for any of the words."""
    return (sentence,)


def without_data(
    extracted: Extracted, event: Event, telling: Telling, vocabulary: Vocabulary
) -> Extracted:
    """What was found, less what rests on nothing but words that a tool was called for.

    Of "I bought a harp and remind me at 9 to tune it" the first clause is left; where a draft
    tells such a sentence in other words, it is left as it is.

    Args:
        extracted: What was found.
        event: The turn it was found in; the person's words count, not how a draft tells them.
        telling: Says of a sentence what it tells.
        vocabulary: What a clause that is left names.
    """

    def left(draft: Draft) -> Iterator[Draft]:
        said = sentences(event.user_text[draft.start : draft.end])
        told = [tuple(telling(sentence.text)) for sentence in said]
        if said and not any(told):
            return
        if len(said) == 1 and said[0].text == draft.text and told[0] != (draft.text,):
            for clause in told[0]:
                at = event.user_text.find(clause, draft.start, draft.end)
                for one in extract_drafts(clause, vocabulary) if at >= 0 else ():
                    yield replace(one, start=at + one.start, end=at + one.end)
            return
        yield draft

    return replace(extracted, drafts=tuple(one for each in extracted.drafts for one in left(each)))
