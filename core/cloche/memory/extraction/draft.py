"""What extraction makes of a turn, before the pipeline gives it an id and a lifetime."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Protocol

from cloche.llm.usage import Usage
from cloche.memory.records import Event, Kind, Metadata, no_metadata
from cloche.vocabulary import Vocabulary

LEANING: Final = 0.5
"""Confidence in what leans on an earlier statement ("No, it's in the hall"), and goes without."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A statement worth keeping.

    Attributes:
        kind: What it is.
        text: The statement, in the speaker's language.
        subject: Whom it is about when that is somebody else, "" when it is the person or theirs.
        metadata: The vocabulary's keys.
        stated: True when the person said it, False when it was inferred.
        start: Offset of the words it rests on in the event's user text, in characters.
        end: End offset, exclusive.
        confidence: 0-1, how sure it is that this is worth keeping and true of the person.
        importance: 1-5.
    """

    kind: Kind
    text: str
    start: int
    end: int
    subject: str = ""
    metadata: Metadata = field(default_factory=no_metadata)
    stated: bool = True
    confidence: float = 0.8
    importance: int = 3


@dataclass(frozen=True, slots=True)
class Extracted:
    """What was found, and what finding it took."""

    drafts: tuple[Draft, ...] = ()
    usage: Usage = field(default_factory=Usage)


class Extractor(Protocol):
    """Finds what is worth keeping in the words of one turn."""

    async def extract(self, event: Event, vocabulary: Vocabulary) -> Extracted:
        """Drafts in the order of the words; only what the sender wrote is mined.

        Raises:
            ModelError: a model was needed and gave nothing.
        """
        ...
