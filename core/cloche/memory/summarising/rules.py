"""Summing up without a model: the person's own sentences, sorted by what they are."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import Final

from cloche.memory.extraction.rules import asked_of_us, extract_drafts
from cloche.memory.extraction.rules.language_rules import LANGUAGES, plain, rules_of
from cloche.memory.extraction.screen import screen
from cloche.memory.extraction.sentences import Sentence, sentences
from cloche.memory.records import Event, MemoryRecord
from cloche.memory.summarising.lines import Line, line
from cloche.memory.summarising.summary import Summarized, Task
from cloche.memory.summarising.tasks import is_to_do, tells_done
from cloche.vocabulary import Vocabulary

SUMMED_CHARS: Final = 4_000
"""Of one message: a pasted text is no part of what a session came to."""
MAX_TASKS: Final = 10
"""Of one session: a pasted list must not become a plan."""


class RulesSummarizer:
    """Lists what was told, asked and decided; deterministic, and it costs nothing."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        """Take the words of the assistant's field."""
        self._vocabulary = vocabulary

    async def summarize(
        self, before: Sequence[Line], open_tasks: Sequence[MemoryRecord], events: Sequence[Event]
    ) -> Summarized:
        """The lines before, and those of the new events; see ``Summarizer``."""
        return await asyncio.to_thread(self._summed, before, open_tasks, events)

    def _summed(
        self, before: Sequence[Line], open_tasks: Sequence[MemoryRecord], events: Sequence[Event]
    ) -> Summarized:
        own = [(event, one) for event in events for one in _own(event)]
        tasks = [
            Task(one.text, event, one.start, one.end)
            for event, one in own
            if is_to_do(one.text)
            and not any(tells_done(later.text, one.text) for e, later in own if e.at > event.at)
        ]
        done = [
            task.id for task in open_tasks if any(tells_done(one.text, task.text) for _, one in own)
        ]
        lines = [*before, *(found for event in events for found in self._lines(event))]
        return Summarized(tuple(lines), tuple(tasks[:MAX_TASKS]), tuple(done))

    def _lines(self, event: Event) -> Iterator[Line]:
        drafts = extract_drafts(event.user_text[:SUMMED_CHARS], self._vocabulary)
        for draft in drafts:
            yield line("decided" if draft.kind == "decision" else "told", draft.text)
        for one in _own(event):
            inside = any(draft.start <= one.start and one.end <= draft.end for draft in drafts)
            if not inside and asked_of_us(one.text) == "question" and not _greets(one.text):
                yield line("asked", one.text)


def _own(event: Event) -> list[Sentence]:
    """The person's own sentences, without secrets and orders that were smuggled in."""
    return [one for one in sentences(event.user_text[:SUMMED_CHARS]) if not screen(one.text)]


def _greets(question: str) -> bool:
    words = plain(question)
    return any(rules_of(language).chatter.search(words) for language in LANGUAGES)
