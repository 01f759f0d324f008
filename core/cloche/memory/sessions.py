"""The session's own memory: its history, and the session part of the prompt.

The session part is built once per session and kept in the StateStore, so that every turn, in
whichever process, sends the same bytes; it is built anew when one of its records changes.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from zoneinfo import ZoneInfo

from cloche.memory.ranking import rank
from cloche.memory.recall import Recalled
from cloche.memory.records import Event, MemoryRecord
from cloche.memory.store import MemoryStore, SearchQuery
from cloche.people import Person, person_prefix
from cloche.prompt import Exchange, RecalledLine, Why, session_part
from cloche.state.store import Json, StateStore

WHOLE_HISTORY: Final = 40
HISTORY_STEP: Final = 20
"""Beyond 40 turns the oldest 20 go at once, so that the prefix moves once in 20 turns."""
HISTORY_CHARS: Final = 8_000
"""Of one message or answer in later turns' history; the turn it came with had it whole."""
PROFILE_RECORDS: Final = 30
PROFILE_TOKENS: Final = 800
CARRIED: Final = 3
CARRIED_CHARS: Final = 600
"""Of one message or answer of the session before."""
KEPT: Final = timedelta(days=3)
REMEMBERED_SESSIONS: Final = 64
UNANSWERED: Final = "(No answer reached the person.)"
"""Stands in history for an answer that failed: never the failure's own text."""


@dataclass(frozen=True, slots=True)
class SessionPart:
    """The session part and the records it was made of."""

    text: str
    records: tuple[str, ...]


class Sessions:
    """History and session parts of one assistant's sessions."""

    def __init__(self, store: MemoryStore, state: StateStore) -> None:
        """Take the stores that events and session parts lie in."""
        self._store, self._state = store, state
        self._latest: OrderedDict[str, deque[Event]] = OrderedDict()

    def note(self, event: Event) -> None:
        """Keep a turn of this process at hand, for when the store cannot be read."""
        events = self._latest.setdefault(_slot(event.actor, event.session), deque(maxlen=20))
        events.append(event)
        self._latest.move_to_end(_slot(event.actor, event.session))
        while len(self._latest) > REMEMBERED_SESSIONS:
            self._latest.popitem(last=False)

    def drop(self, actor: str) -> None:
        """Let go of what this process has at hand of an actor."""
        for slot in [slot for slot in self._latest if slot.startswith(f"{actor} ")]:
            del self._latest[slot]

    def at_hand(self, person: Person) -> tuple[Exchange, ...]:
        """The session's turns that this process saw: all there is while the store is away."""
        return _exchanges(self._latest.get(_slot(person.actor, person.session), ()))

    async def history(self, person: Person) -> tuple[Exchange, ...]:
        """Earlier turns of the session, in steps that keep the prompt's prefix still."""
        total = await self._store.count_events(person.actor, session=person.session)
        if not total:
            return ()
        events = await self._store.recent_events(
            person.actor, session=person.session, limit=_history_length(total)
        )
        return _exchanges(events)

    async def part(self, person: Person) -> SessionPart:
        """The session part: as it was built when the session began."""
        key = _part_key(person.actor, person.session)
        item = await self._state.get(key)
        if item is None:
            built = await self._build(person)
            value: Json = {"text": built.text, "records": list(built.records)}
            item = await self._state.compare_and_set(key, value, version=0, ttl=KEPT)
            # Another process may have been first: what is stored counts, not what was built.
            item = item or await self._state.get(key)
            if item is None:
                return built
        return _part_from(item.value)

    async def rebuild_without(self, actor: str, record_id: str) -> None:
        """Have every session part that shows a record built anew by the next turn."""
        prefix, after = f"{person_prefix(actor)}session/", ""
        while page := await self._state.list_items(prefix, after=after):
            after = page[-1].key
            for item in page:
                if record_id in _part_from(item.value).records:
                    await self._state.delete(item.key)

    async def _build(self, person: Person) -> SessionPart:
        conversation = None if person.may_recall_anywhere else person.conversation
        hits = await self._store.search(
            person.actor,
            SearchQuery(
                text="",
                at=person.now,
                limit=100,
                kinds=("preference", "rule"),
                conversation=conversation,
            ),
        )
        # What holds for one project or task only is left to the turns that are about it.
        stated = [
            Recalled(hit.record, "profile")
            for hit in hits
            if hit.record.source.stated and not hit.record.scope_key
        ]
        profile = rank(stated, now=person.now, limit=PROFILE_RECORDS, tokens=PROFILE_TOKENS)
        here = await self._store.count_events(person.actor, session=person.session)
        carried = await self._store.recent_events(
            person.actor, conversation=person.conversation, limit=CARRIED + here
        )
        text = session_part(
            [line_of(recalled, person.zone) for recalled in profile],
            [
                (event.at.astimezone(person.zone).date(), exchange)
                for event in carried
                if event.session != person.session
                for exchange in _exchanges([event], CARRIED_CHARS)
            ],
        )
        return SessionPart(text, tuple(recalled.record.id for recalled in profile))


def line_of(recalled: Recalled, zone: ZoneInfo) -> RecalledLine:
    """A recalled record as the prompt shows it."""
    record: MemoryRecord = recalled.record
    return RecalledLine(
        kind=record.kind,
        day=record.validity.created_at.astimezone(zone).date(),
        stated=record.source.stated,
        why=recalled.why,
        text=record.told,
    )


def event_lines(event: Event, zone: ZoneInfo) -> tuple[RecalledLine, ...]:
    """An earlier event as the prompt shows it: the person's words and what they were answered."""
    day, why = event.at.astimezone(zone).date(), _FITS
    lines = [RecalledLine("event", day, True, why, event.user_text)] if event.user_text else []
    if event.assistant_text:
        lines.append(RecalledLine("answer", day, True, why, event.assistant_text[:400]))
    return tuple(lines)


def _history_length(total: int) -> int:
    if total <= WHOLE_HISTORY:
        return total
    return HISTORY_STEP + 1 + (total - WHOLE_HISTORY - 1) % HISTORY_STEP


def _exchanges(
    events: Sequence[Event] | deque[Event], most: int = HISTORY_CHARS
) -> tuple[Exchange, ...]:
    return tuple(
        Exchange(
            _shortened(event.user_text, most) or _PICTURE,
            _shortened(event.assistant_text or UNANSWERED, most),
        )
        for event in events
    )


def _shortened(text: str, most: int) -> str:
    """Words too long to be sent again with every later turn, cut in a way that shows."""
    return text if len(text) <= most else text[:most].rstrip() + " […]"


def _slot(actor: str, session: str) -> str:
    return f"{actor} {session}"


def _part_key(actor: str, session: str) -> str:
    return f"{person_prefix(actor)}session/{session}"


def _part_from(value: Json) -> SessionPart:
    stored = value if isinstance(value, dict) else {}
    text, records = stored.get("text"), stored.get("records")
    return SessionPart(
        text if isinstance(text, str) else "",
        tuple(str(r) for r in records) if isinstance(records, list) else (),
    )


_FITS: Final[Why] = "fits"
_PICTURE: Final = "(a picture)"
