"""Which records and events may matter to a message: candidates, before ranking."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from cloche.clock import Clock
from cloche.memory.looking_back import points_back
from cloche.memory.recall import Recalled
from cloche.memory.records import KINDS, Event, Kind, MemoryRecord
from cloche.memory.store import EventQuery, Filter, MemoryStore, SearchQuery
from cloche.messages import Message
from cloche.namespaces import NamespaceScheme
from cloche.people import Person
from cloche.vocabulary import CJK, Vocabulary, fold

RECENT: Final = 12
"""Newest records that fill up a turn's recall when little was found."""
SUMMARIES: Final = 3
"""Summaries of sessions at most, when the message points back in time."""
STATEMENTS: Final = tuple(kind for kind in KINDS if kind != "summary")
"""What holds now; a summary tells what was said once, and is asked for as such."""
EARLIER: Final = 3
"""Earlier events at most, when the message points back in time."""


class Retrieval:
    """Searches one assistant's store for what a message is about."""

    def __init__(
        self,
        store: MemoryStore,
        vocabulary: Vocabulary,
        namespaces: NamespaceScheme,
        clock: Clock,
        *,
        limit: int,
    ) -> None:
        """Take where to search, the words that name things, and how many hits are enough."""
        self._store, self._vocabulary, self._namespaces = store, vocabulary, namespaces
        self._clock, self._limit = clock, limit

    async def records(self, person: Person, message: Message) -> list[Recalled]:
        """Records that fit the words, those whose kind of thing is named, and the newest.

        Where the words point back in time, summaries of sessions that fit them, too.
        """
        words = told_in(message)
        by_words = await self._find(person, words) if words else []
        named = [
            record
            for condition in self._asked_for(message)
            for record, _ in await self._find(person, "", condition)
        ]
        # Who asks what is remembered is given as much as there is room for.
        recent = await self._find(person, "", limit=None if points_back(words) else RECENT)
        summaries = (
            await self._find(person, words, limit=SUMMARIES, kinds=("summary",))
            if points_back(words)
            else []
        )
        found = [
            *(
                Recalled(record, "about" if names_subject(words, record) else "fits", score)
                for record, score in (*by_words, *summaries)
            ),
            *(Recalled(record, "listed") for record in named),
            *(Recalled(record, "other") for record, _ in recent),
        ]
        return [
            one
            for one in found
            if self._in_reach(one.record, message) and not is_unsaid(one.record, message)
        ]

    async def earlier(self, person: Person, message: Message) -> Sequence[Event]:
        """When the message points back in time: earlier events that fit, else the last ones."""
        if not points_back(message.text):
            return ()
        hits = await self._store.search_events(
            person.actor,
            EventQuery(
                message.text,
                person.now,
                limit=EARLIER + 20,  # this session's own turns are among the best hits
                conversation=_where(person),
                time_zone=person.zone.key,
            ),
        )
        edited = [_folded(one.was) for one in message.corrected if one.was.strip()]
        fitting = [
            hit.event
            for hit in hits
            if hit.event.session != person.session
            and not any(was in _folded(hit.event.user_text) for was in edited)
        ]
        return fitting[:EARLIER] or await self._last_talk(person)

    async def _last_talk(self, person: Person) -> Sequence[Event]:
        """The end of the session before: what "last time" means when no words fit."""
        here = await self._store.count_events(person.actor, session=person.session)
        events = await self._store.recent_events(
            person.actor,
            limit=EARLIER + here,
            conversation=None if person.may_recall_anywhere else person.conversation,
        )
        return [event for event in events if event.session != person.session][-EARLIER:]

    def _in_reach(self, record: MemoryRecord, message: Message) -> bool:
        return self._namespaces.in_reach(record.scope, record.scope_key, message.scope_keys)

    async def _find(
        self,
        person: Person,
        text: str,
        *filters: Filter,
        limit: int | None = None,
        kinds: tuple[Kind, ...] = STATEMENTS,
    ) -> list[tuple[MemoryRecord, float]]:
        query = SearchQuery(
            text=text,
            at=self._clock(),
            limit=limit or self._limit,
            filters=filters,
            kinds=kinds,
            conversation=_where(person),
            time_zone=person.zone.key,
        )
        return [(hit.record, hit.score) for hit in await self._store.search(person.actor, query)]

    def _asked_for(self, message: Message) -> list[Filter]:
        """Keys and values that the words name, and the inventory where there is a picture."""
        text = told_in(message)
        keys = [key for key in self._vocabulary.keys if key.named_in(text)]
        if message.attachments:
            keys += [key for key in self._vocabulary.inventory if key not in keys]
        return [
            *(Filter(key.id, "exists") for key in keys),
            *(
                Filter(key_id, "contains", tag.id)
                for key_id, tags in self._vocabulary.mentions(text).items()
                for tag in tags
            ),
        ]


def told_in(message: Message) -> str:
    """All that a message says: its words, and the new words of earlier ones that were edited."""
    texts = (message.text, *(correction.now for correction in message.corrected))
    return "\n".join(text.strip() for text in texts if text.strip())


def is_unsaid(record: MemoryRecord, message: Message) -> bool:
    """True for what was edited out of an earlier message.

    Memory itself learns of that only after the answer.
    """
    quote = _folded(record.source.quote or record.text)
    return bool(quote) and any(
        quote in _folded(one.was) and quote not in _folded(one.now) for one in message.corrected
    )


def _folded(text: str) -> str:
    return " ".join(fold(text).split()).rstrip(".!?。！？")


def names_subject(words: str, record: MemoryRecord) -> bool:
    """True when the words name whom or what a record is about; whole words, but CJK anywhere."""
    subject = " ".join(fold(record.subject).split())
    if not subject:
        return False
    said = " ".join(fold(words).split())
    if CJK.search(subject):
        return subject in said
    return re.search(rf"(?<!\w){re.escape(subject)}(?!\w)", CJK.sub(" ", said)) is not None


def _where(person: Person) -> str | None:
    return None if person.may_recall_anywhere else person.conversation
