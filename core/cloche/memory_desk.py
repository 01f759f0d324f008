"""The owner's memory as a page shows it and has it mended: ``channels.desk`` over an assistant."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Final

from cloche.channels.desk import Known, Past
from cloche.errors import RequestError, ToolError
from cloche.memory.for_tools import PersonMemory
from cloche.memory.holdings import read_holdings, read_records
from cloche.memory.portable import export_text
from cloche.memory.ranking import is_current
from cloche.memory.records import MemoryRecord, MetadataValue
from cloche.memory.store import SearchQuery
from cloche.memory.why import reasons
from cloche.memory.why_in_words import in_words
from cloche.messages import Address, Message, without_surrogates
from cloche.texts import known_language

if TYPE_CHECKING:
    from cloche.assistant import Assistant
    from cloche.people import Person

FOUND: Final = 100
"""What one search shows at most."""
SHOWN_TURNS: Final = 200
"""Of one session: whoever talks more than this in a day sees the newest."""


class MemoryDesk:
    """The memory of one assistant's owner (``cloche.channels.Desk``)."""

    def __init__(self, assistant: Assistant, address: Address) -> None:
        """Take whose memory it is: the address the owner's messages come from."""
        self._assistant, self._address = assistant, address
        self._memory = assistant.memory

    async def known(self, *, past: bool = False) -> Sequence[Known]:
        """Everything, newest first; with ``past`` what no longer holds, too."""
        person, now = await self._person(), self._memory.clock()
        records = await read_records(person.actor, self._memory.store, None if past else now)
        return [_known(record, now) for record in records]

    async def search(self, words: str) -> Sequence[Known]:
        """What fits words, best first; at most 100."""
        person, now = await self._person(), self._memory.clock()
        query = SearchQuery(
            without_surrogates(words), now, limit=FOUND, time_zone=person.zone.key, sure=True
        )
        hits = await self._memory.store.search(person.actor, query)
        return [_known(hit.record, now) for hit in hits]

    async def why(self, id: str, language: str = "") -> str:
        """Where a record comes from and what it replaced; "" = no such."""
        person = await self._person()
        person = replace(person, language=known_language(language) or person.language)
        record = await self._memory.store.get(person.actor, id)
        if record is None:
            return ""
        return "\n".join(in_words(await reasons(self._memory, record), person))

    async def correct(self, id: str, text: str) -> Known | None:
        """Say a record anew: the old one goes into the history; None = no such record.

        Raises:
            RequestError: the text is empty, too long, or what is never kept: a secret, orders.
        """
        person, now = await self._person(), self._memory.clock()
        old = await self._memory.store.get(person.actor, id)
        if old is None or not is_current(old, now):
            return None
        try:
            new = await self._mending(person).correct(id, without_surrogates(text))
        except ToolError as error:
            raise RequestError(f"text: {error}") from error
        return _known(new, now)

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
            Past(event.at, event.user_text, event.assistant_text or "", event.attachments)
            for event in events
        ]

    async def _person(self, conversation: str = "") -> Person:
        where = conversation or self._address.sender
        return await self._assistant.people.of(Message("", self._address, where, ""))

    def _mending(self, person: Person) -> PersonMemory:
        """The memory as a tool would mend it; each call at the desk counts as one of its own."""
        return PersonMemory(self._memory, person, f"desk-{uuid.uuid4().hex}", "")


def _known(record: MemoryRecord, now: datetime) -> Known:
    source, validity = record.source, record.validity
    ends = [at for at in (validity.expires_at, validity.archived_at) if at is not None]
    return Known(
        id=record.id,
        scope=f"{record.scope}: {record.scope_key}" if record.scope_key else record.scope,
        kind=record.kind,
        text=record.text,
        subject=record.subject,
        tags=tuple(
            (key.replace("_", " "), label)
            for key, value in sorted(record.metadata.items())
            for label in _labels(value)
        ),
        quote=source.quote,
        said_at=validity.created_at,
        until=min(ends, default=None),
        stated=source.stated,
        past=not is_current(record, now),
    )


def _labels(value: MetadataValue) -> Sequence[str]:
    if isinstance(value, datetime):
        return [f"{value:%Y-%m-%d}"]
    return [tag.label for tag in value] if isinstance(value, tuple) else [f"{value:g}"]
