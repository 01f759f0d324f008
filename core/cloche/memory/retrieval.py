"""Which records and events may matter to a message: candidates, before ranking."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Final

from cloche.aside import aside
from cloche.clock import Clock
from cloche.memory.extraction import asked_of_us
from cloche.memory.looking_back import points_back
from cloche.memory.recall import Recalled
from cloche.memory.records import KINDS, Event, Kind, MemoryRecord
from cloche.memory.store import EventQuery, Filter, MemoryStore, SearchQuery
from cloche.memory.truth.asking import same_slot, slot_words
from cloche.memory.unsaying import folded, is_unsaid
from cloche.messages import Message
from cloche.namespaces import NamespaceScheme
from cloche.people import Person
from cloche.prompt import Why
from cloche.vocabulary import CJK, Vocabulary, fold

RECENT: Final = 12
"""Newest records that fill up a turn's recall when little was found."""
OF_A_SLOT: Final = 10
"""Records that may tell where somebody lives, when that is asked."""
SUMMARIES: Final = 3
"""Summaries of sessions at most, when the message points back in time."""
MEANT: Final = 3
"""Records at most that mean what is asked without a word of it."""
STATEMENTS: Final = tuple(kind for kind in KINDS if kind != "summary")
"""What holds now; a summary tells what was said once, and is asked for as such."""
READ_CHARS: Final = 20_000
"""Of a longer text only the beginning is read; all of it is searched by."""
EARLIER: Final = 3
"""Earlier events at most, when the message points back in time."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a message's words ask memory for.

    Attributes:
        words: All that it says.
        slot: Words to search for what was said of the slot they ask for; "" = of none.
        conditions: Keys and values that they name.
        back: True when they point back in time.
        long_words: Those that may tell something.
    """

    words: str
    slot: str
    conditions: tuple[Filter, ...]
    back: bool
    long_words: frozenset[str]


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

    async def read(self, message: Message) -> Asked:
        """What the words ask for, which takes no store: a process that reads first takes long."""
        words = told_in(message)
        return await aside(words, partial(self._asked, words, inventory=bool(message.attachments)))

    def _asked(self, words: str, *, inventory: bool) -> Asked:
        said = words[:READ_CHARS]
        return Asked(
            words,
            slot_words(said, self._vocabulary),
            self._conditions(said, inventory=inventory),
            points_back(said),
            _long_words(said),
        )

    async def records(self, person: Person, message: Message, asked: Asked) -> list[Recalled]:
        """Records that fit the words, those whose kind of thing is named, and the newest.

        Where the words point back in time, summaries of sessions that fit them, too.
        """
        words = asked.words
        by_words = await self._find(person, words) if words else []
        if asked.slot:
            # "Where do I live?" shares no word with "I moved to Oslo".
            of_slot = await self._find(person, asked.slot, limit=OF_A_SLOT)
            by_words += [
                one
                for one in of_slot
                if same_slot(words, one[0].text, self._vocabulary)
                and one[0].id not in {record.id for record, _ in by_words}
            ]
            by_words = self._newest_of_slot(words, by_words)
        named = [
            record
            for condition in asked.conditions
            for record, _ in await self._find(person, "", condition)
        ]
        # Who asks what is remembered is given as much as there is room for.
        recent = await self._find(person, "", limit=None if asked.back else RECENT)
        summaries = (
            await self._find(person, words, limit=SUMMARIES, kinds=("summary",))
            if asked.back
            else []
        )
        meant = await self._meant(person, asked, by_words)
        found = [
            *(
                Recalled(record, _why(record, words, meant), score)
                for record, score in (*by_words, *summaries)
            ),
            *(Recalled(record, "listed") for record in named),
            *(Recalled(record, "other") for record, _ in recent),
        ]
        return [
            one
            for one in found
            if self._in_reach(one.record, message) and not is_unsaid(one.record, message.corrected)
        ]

    def _newest_of_slot(
        self, words: str, found: Sequence[tuple[MemoryRecord, float]]
    ) -> list[tuple[MemoryRecord, float]]:
        """Those that tell of the slot newest first: of "I live in ..." the last one holds."""
        told = [one for one in found if same_slot(words, one[0].text, self._vocabulary)]
        newest = sorted((record for record, _ in told), key=_told_at, reverse=True)
        scores = sorted((score for _, score in told), reverse=True)
        others = [one for one in found if one not in told]
        return [*zip(newest, scores, strict=True), *others]

    async def _meant(
        self, person: Person, asked: Asked, found: Sequence[tuple[MemoryRecord, float]]
    ) -> frozenset[str]:
        """Ids of what has no word of a question and beyond doubt means it: told otherwise.

        Nothing where what fits best has a word of it, for then words answer.
        """
        words = asked.words
        if any(asked.long_words & _long_words(record.text) for record, _ in found[:MEANT]):
            return frozenset()
        said = words[:READ_CHARS]
        if not found or await aside(said, partial(asked_of_us, said)) != "question":
            return frozenset()
        sure = {one.id for one, _ in await self._find(person, words, limit=MEANT, sure=True)}
        if not sure:
            return frozenset()
        worded = await self._find(person, words, by_words=True)  # in whatever form of its words
        return frozenset(sure - {one.id for one, _ in worded})

    async def earlier(self, person: Person, message: Message) -> Sequence[Event]:
        """When the message points back in time: earlier events that fit, else the last ones."""
        said = message.text[:READ_CHARS]
        if not await aside(said, partial(points_back, said)):
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
        edited = [folded(one.was) for one in message.corrected if one.was.strip()]
        fitting = [
            hit.event
            for hit in hits
            if hit.event.session != person.session
            and not any(was in folded(hit.event.user_text) for was in edited)
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
        sure: bool = False,
        by_words: bool = False,
    ) -> list[tuple[MemoryRecord, float]]:
        query = SearchQuery(
            text=text,
            at=self._clock(),
            limit=limit or self._limit,
            filters=filters,
            kinds=kinds,
            conversation=_where(person),
            time_zone=person.zone.key,
            sure=sure,
            by_words=by_words,
        )
        return [(hit.record, hit.score) for hit in await self._store.search(person.actor, query)]

    def _conditions(self, text: str, *, inventory: bool) -> tuple[Filter, ...]:
        """Keys and values that the words name, and the inventory where there is a picture."""
        keys = [key for key in self._vocabulary.keys if key.named_in(text)]
        if inventory:
            keys += [key for key in self._vocabulary.inventory if key not in keys]
        return (
            *(Filter(key.id, "exists") for key in keys),
            *(
                Filter(key_id, "contains", tag.id)
                for key_id, tags in self._vocabulary.mentions(text).items()
                for tag in tags
            ),
        )


def _long_words(text: str) -> frozenset[str]:
    """Words that may tell something: of four letters or more; of Chinese, pairs of characters."""
    said = fold(text)
    pairs = {a + b for run in _CHINESE.findall(said) for a, b in pairwise(run)}
    return frozenset((*pairs, *_LONG.findall(said)))


_CHINESE: Final = re.compile(rf"{CJK.pattern}{{2,}}")
_LONG: Final = re.compile(rf"(?:(?!{CJK.pattern})\w){{4,}}")


def _why(record: MemoryRecord, words: str, meant: Collection[str]) -> Why:
    if names_subject(words, record):
        return "about"
    return "meaning" if record.id in meant else "fits"


def told_in(message: Message) -> str:
    """All that a message says: its words, and the new words of earlier ones that were edited."""
    texts = (message.text, *(correction.now for correction in message.corrected))
    return "\n".join(text.strip() for text in texts if text.strip())


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


def _told_at(record: MemoryRecord) -> tuple[float, str]:
    return record.validity.created_at.timestamp(), record.id
