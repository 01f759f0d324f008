"""The owner's memory and reminders on a page: ``channels.desk`` over an assistant."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import TYPE_CHECKING, Final

from cloche.channels.desk import Known, NotKeptError, Outcome, Past, Planned, Unkept
from cloche.channels.parts import FileToSend, PartFile
from cloche.chat_commands import reminders as chat_reminders
from cloche.errors import ToolError
from cloche.memory.extraction import screen
from cloche.memory.for_tools import MAX_TEXT_CHARS, PersonMemory
from cloche.memory.holdings import read_holdings, read_records
from cloche.memory.lifecycle import last_day
from cloche.memory.portable import export_text
from cloche.memory.ranking import is_current
from cloche.memory.records import MemoryRecord, MetadataValue, Validity
from cloche.memory.store import SearchQuery
from cloche.memory.why import reasons
from cloche.memory.why_in_words import in_words
from cloche.messages import Address, Message, without_surrogates
from cloche.reminders.reminder import Reminder
from cloche.reminders.rhythm import rhythm
from cloche.reminders.telling import SHORT, told_at
from cloche.texts import known_language, say
from cloche.vocabulary import Vocabulary
from cloche.workspace.names import are_words, is_key
from cloche.workspace.outgoing import to_send

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    from cloche.assistant import Assistant
    from cloche.people import Person

_ANSWERS: Final = {
    "done": chat_reminders.done,
    "snooze": chat_reminders.snooze,
    "skip": chat_reminders.skip,
}
FOUND: Final = 100
"""What one search shows at most."""
SHOWN_TURNS: Final = 200
"""Of one session: whoever talks more than this in a day sees the newest."""


class MemoryDesk:
    """The memory and reminders of one assistant's owner (``cloche.channels.Desk``)."""

    def __init__(self, assistant: Assistant, address: Address) -> None:
        """Take whose memory it is: the address the owner's messages come from."""
        self._assistant, self._address = assistant, address
        self._memory = assistant.memory

    async def known(self, *, past: bool = False, language: str = "") -> Sequence[Known]:
        """Everything, newest first; with ``past`` what no longer holds, too."""
        person, now = await self._person(language=language), self._memory.clock()
        records = await read_records(person.actor, self._memory.store, None if past else now)
        return [self._known(record, now, person) for record in records]

    async def search(self, words: str, *, language: str = "") -> Sequence[Known]:
        """What fits words, best first; at most 100."""
        person, now = await self._person(language=language), self._memory.clock()
        query = SearchQuery(
            without_surrogates(words), now, limit=FOUND, time_zone=person.zone.key, sure=True
        )
        hits = await self._memory.store.search(person.actor, query)
        return [self._known(hit.record, now, person) for hit in hits]

    async def why(self, id: str, language: str = "") -> str:
        """Where a record comes from and what it replaced; "" = no such."""
        person = await self._person(language=language)
        record = await self._memory.store.get(person.actor, id)
        if record is None:
            return ""
        return "\n".join(in_words(await reasons(self._memory, record), person))

    async def correct(self, id: str, text: str, *, language: str = "") -> Known | None:
        """Say a record anew: the old one goes into the history; None = no such record.

        Raises:
            NotKeptError: the text is empty, too long, what was said before, or what is never
                kept: a secret, orders.
        """
        person, now = await self._person(language=language), self._memory.clock()
        text = without_surrogates(text).strip()
        old = await self._memory.store.get(person.actor, id)
        if old is None or not is_current(old, now):
            return None
        if why := _unkept(text, old.text):
            raise NotKeptError(why)
        keeper, call = self._memory.keeper, f"desk-{uuid.uuid4().hex}"
        try:
            new = await keeper.correct(person, id, text, call_id=call, written=True)
        except ToolError:
            return None  # somebody else corrected it meanwhile
        return self._known(new, now, person)

    async def forget(self, id: str) -> bool:
        """Remove a record and what told it; False = no such record."""
        return await self._mending(await self._person()).forget(id)

    async def export(self) -> bytes:
        """Everything kept of the owner, as JSON Lines."""
        person, memory = await self._person(), self._memory
        await memory.writer.catch_up()
        holdings = await read_holdings(person.actor, memory.store, memory.state, memory.files)
        return export_text(self._assistant.name, holdings, memory.clock()).encode()

    async def history(self, conversation: str) -> Sequence[Past]:
        """The present session's exchanges there, oldest first."""
        person = await self._person(conversation)
        events = await self._memory.store.recent_events(
            person.actor, session=person.session, limit=SHOWN_TURNS
        )
        return [
            Past(e.at, e.user_text, e.assistant_text or "", e.attachments, e.given) for e in events
        ]

    async def file(self, key: str) -> FileToSend | None:
        """One of the owner's files; None = there is none under that key."""
        if not is_key(key) or are_words(key):
            return None
        person = await self._person()
        name = key.partition("/")[2]
        return await to_send(self._memory.files, PartFile(person.actor, key, name))

    async def reminders(self, *, language: str = "") -> Sequence[Planned]:
        """What waits for an answer, then what is to come, the next first."""
        person = await self._person(language=language)
        waiting = await chat_reminders.unanswered(person, self._memory)
        coming = await self._memory.reminders.list(person.actor)
        ids = {one.id for one in waiting}
        return [
            *(_planned(one, person.language, waits=True) for one in waiting),
            *(_planned(one, person.language) for one in coming if one.id not in ids),
        ]

    async def answer_reminder(self, id: str, outcome: Outcome, *, language: str = "") -> str:
        """Take an answer to a reminder that was told; the sentence for it, "" = none waits."""
        person, memory = await self._person(language=language), self._memory
        found = [one for one in await chat_reminders.unanswered(person, memory) if one.id == id]
        if not found:
            return ""
        return await _ANSWERS[outcome](id[:SHORT], person, memory)

    async def cancel_reminder(self, id: str) -> bool:
        """Remove a reminder for good; False = no such reminder."""
        return await self._memory.reminders.cancel((await self._person()).actor, id)

    async def choose_language(self, language: str) -> bool:
        """Speak a language with the owner from now on, as ``/language`` does; False = unknown."""
        if not (code := known_language(language)):
            return False
        await self._assistant.people.choose((await self._person()).actor, language=code)
        return True

    async def _person(self, conversation: str = "", language: str = "") -> Person:
        where = conversation or self._address.sender
        person = await self._assistant.people.of(Message("", self._address, where, ""))
        return replace(person, language=known_language(language) or person.language)

    def _mending(self, person: Person) -> PersonMemory:
        """The memory as a tool would mend it; each call at the desk counts as one of its own."""
        return PersonMemory(self._memory, person, f"desk-{uuid.uuid4().hex}", "")

    def _known(self, record: MemoryRecord, now: datetime, person: Person) -> Known:
        source, validity = record.source, record.validity
        vocabulary = self._assistant.spec.vocabulary
        return Known(
            id=record.id,
            scope=f"{record.scope}: {record.scope_key}" if record.scope_key else record.scope,
            kind=record.kind,
            text=record.text,
            subject=record.subject,
            tags=tuple(
                tag
                for key, value in sorted(record.metadata.items())
                for tag in _tags(key, value, vocabulary, person.language)
            ),
            quote=source.quote,
            said_at=validity.created_at,
            until=_last_day(validity, person.zone),
            stated=source.stated,
            past=not is_current(record, now),
        )


def _last_day(validity: Validity, zone: ZoneInfo) -> date | None:
    """The day it ends with, or was replaced on; None = open."""
    ends, archived = validity.expires_at, validity.archived_at
    if archived is not None and (ends is None or archived < ends):
        return archived.astimezone(zone).date()
    return last_day(ends, zone) if ends is not None else None


def _tags(
    key_id: str, value: MetadataValue, vocabulary: Vocabulary, language: str
) -> Sequence[tuple[str, str]]:
    """A key's label with that of each of its values; an older vocabulary's as it was kept."""
    key = vocabulary[key_id] if key_id in vocabulary else None
    named = key.shown(language) if key else key_id.replace("_", " ")
    if isinstance(value, datetime):
        return [(named, f"{value:%Y-%m-%d}")]
    if not isinstance(value, tuple):
        return [(named, f"{value:g}")]
    return [(named, key.value_shown(tag, language) if key else tag.label) for tag in value]


def _unkept(text: str, old: str) -> Unkept | None:
    """Why a correction is not kept; None = it can be."""
    if not text:
        return "empty"
    if len(text) > MAX_TEXT_CHARS:
        return "long"
    return screen(text) or ("same" if text.split() == old.split() else None)


def _planned(reminder: Reminder, language: str, *, waits: bool = False) -> Planned:
    zone = reminder.schedule.zone
    told = reminder.handled if waits else None
    return Planned(
        id=reminder.id,
        text=reminder.text or say("reminder_look", language),
        rhythm=rhythm(reminder.schedule, language),
        coming=tuple(told_at(at, zone, language) for at in reminder.coming(2)),
        zone=zone,
        told=told_at(told, zone, language) if told else "",
        paused=reminder.paused,
    )
