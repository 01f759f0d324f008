"""The session's own memory: its history, and the session part of the prompt.

The session part is built once per session and kept in the StateStore, so that every turn, in
whichever process, sends the same bytes; it is built anew when one of its records changes.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from datetime import timedelta
from typing import Final, get_args

from cloche.memory.ranking import rank
from cloche.memory.recall import Part, Recalled, Trimmed
from cloche.memory.records import Event
from cloche.memory.showing import fit_carried, fit_records, line_of
from cloche.memory.store import MemoryStore, SearchQuery
from cloche.memory.summaries import CarriedOver, Summaries
from cloche.memory.window import Reason
from cloche.people import Person, person_prefix
from cloche.prompt import CUT, UNANSWERED, Exchange, session_part
from cloche.state.store import Json, StateStore

WHOLE_HISTORY: Final = 40
HISTORY_STEP: Final = 20
"""Beyond 40 turns the oldest 20 go at once, so that the prefix moves once in 20 turns."""
HISTORY_CHARS: Final = 8_000
"""Of one message or answer in later turns' history; the turn it came with had it whole."""
PROFILE_RECORDS: Final = 30
PROFILE_TOKENS: Final = 800
CARRIED_TOKENS: Final = 900
"""What the summary, the open tasks and the last exchanges of the session before may take."""
CARRIED: Final = 3
CARRIED_CHARS: Final = 600
"""Of one message or answer of the session before."""
KEPT: Final = timedelta(days=3)
REMEMBERED_SESSIONS: Final = 64


@dataclass(frozen=True, slots=True)
class SessionPart:
    """The session part and what it was made of.

    Attributes:
        text: Ready-made.
        records: Ids of the records of the profile, which a turn does not repeat.
        carried: Ids of the last session's summary and of open tasks.
        trimmed: What was shortened or left out, and why.
    """

    text: str
    records: tuple[str, ...]
    carried: tuple[str, ...] = ()
    trimmed: tuple[Trimmed, ...] = ()


class Sessions:
    """History and session parts of one assistant's sessions."""

    def __init__(
        self, store: MemoryStore, state: StateStore, summaries: Summaries | None = None
    ) -> None:
        """Take the stores that events and session parts lie in, and who sums sessions up."""
        self._store, self._state, self._summaries = store, state, summaries
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

    async def history(self, person: Person, waiting: Sequence[Event] = ()) -> tuple[Exchange, ...]:
        """Earlier turns of the session, in steps that keep the prompt's prefix still.

        Args:
            person: Whose session.
            waiting: The person's turns that are not in the store yet, in order.
        """
        last = [event for event in waiting if event.session == person.session]
        total = await self._store.count_events(person.actor, session=person.session)
        if not total:
            return _exchanges(last[-WHOLE_HISTORY:])
        events = await self._store.recent_events(
            person.actor,
            session=person.session,
            limit=max(1, _history_length(total + len(last)) - len(last)),
        )
        stored = {event.id for event in events}
        return _exchanges([*events, *(event for event in last if event.id not in stored)])

    async def part(self, person: Person) -> SessionPart:
        """The session part: as it was built when the session began."""
        key = _part_key(person.actor, person.session)
        item = await self._state.get(key)
        if item is None:
            built = await self._build(person)
            value: Json = {
                "text": built.text,
                "records": list(built.records),
                "carried": list(built.carried),
                "trimmed": _trimmed_to_json(built.trimmed),
            }
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
                part = _part_from(item.value)
                if record_id in (*part.records, *part.carried):
                    await self._state.delete(item.key)

    async def _build(self, person: Person) -> SessionPart:
        conversation = None if person.may_recall_anywhere else person.conversation
        hits = await self._store.search(
            person.actor,
            SearchQuery(
                text="",
                at=person.now,
                limit=100,
                kinds=("preference", "rule", "warning"),
                conversation=conversation,
            ),
        )
        # What holds for one project or task only is left to the turns that are about it.
        stated = [
            Recalled(hit.record, "profile")
            for hit in hits
            if hit.record.source.stated and not hit.record.scope_key
        ]
        profile, cut = fit_records(
            rank(stated, now=person.now), "profile", limit=PROFILE_RECORDS, tokens=PROFILE_TOKENS
        )
        here = await self._store.count_events(person.actor, session=person.session)
        carried = await self._store.recent_events(
            person.actor, conversation=person.conversation, limit=CARRIED + here
        )
        before = [event for event in carried if event.session != person.session]
        over = CarriedOver()
        if self._summaries:
            over = await self._summaries.before_session(person, before[-1] if before else None)
        summary, tasks, exchanges, not_carried = fit_carried(
            over.summary,
            over.tasks,
            [(e, exchange) for e in before for exchange in _exchanges([e], CARRIED_CHARS)],
            tokens=CARRIED_TOKENS,
        )
        text = session_part(
            [line_of(recalled, person.zone) for recalled in profile],
            [(event.at.astimezone(person.zone).date(), exchange) for event, exchange in exchanges],
            summary=summary,
            tasks=[line_of(task, person.zone) for task in tasks],
        )
        return SessionPart(
            text,
            tuple(recalled.record.id for recalled in profile),
            tuple(record.id for record in (over.summary, *over.tasks) if record),
            (*cut, *not_carried),
        )


def _history_length(total: int) -> int:
    if total <= WHOLE_HISTORY:
        return total
    return HISTORY_STEP + 1 + (total - WHOLE_HISTORY - 1) % HISTORY_STEP


def _exchanges(
    events: Sequence[Event] | deque[Event], most: int = HISTORY_CHARS
) -> tuple[Exchange, ...]:
    return tuple(
        Exchange(
            _shortened(event.user_text, most) or (_PICTURE if event.attachments else _DUE),
            _shortened(event.assistant_text or UNANSWERED, most),
        )
        for event in events
    )


def _shortened(text: str, most: int) -> str:
    """Words too long to be sent again with every later turn, cut in a way that shows."""
    return text if len(text) <= most else text[:most].rstrip() + CUT


def _slot(actor: str, session: str) -> str:
    return f"{actor} {session}"


def _part_key(actor: str, session: str) -> str:
    return f"{person_prefix(actor)}session/{session}"


def _part_from(value: Json) -> SessionPart:
    stored = value if isinstance(value, dict) else {}
    text = stored.get("text")
    records, carried = (
        tuple(str(one) for one in ids) if isinstance(ids := stored.get(name), list) else ()
        for name in ("records", "carried")
    )
    trimmed = _trimmed_from_json(stored.get("trimmed"))
    return SessionPart(text if isinstance(text, str) else "", records, carried, trimmed)


_PICTURE: Final = "(a picture)"
_DUE: Final = "(Nobody wrote: what they had asked for was due.)"


def _trimmed_to_json(trimmed: Iterable[Trimmed]) -> list[Json]:
    """As it is kept with a session part."""
    return [[one.part, one.id, one.shortened, one.reason] for one in trimmed]


def _trimmed_from_json(value: Json) -> tuple[Trimmed, ...]:
    """The same, read back; what it cannot read it leaves out."""
    found = []
    for row in value if isinstance(value, list) else ():
        if isinstance(row, list) and len(row) == len(fields(Trimmed)):
            part, id_, shortened, reason = row
            if part in _PARTS and reason in _REASONS:
                found.append(
                    Trimmed(_PARTS[str(part)], str(id_), bool(shortened), _REASONS[str(reason)])
                )
    return tuple(found)


_PARTS: Final[dict[str, Part]] = {part: part for part in get_args(Part)}
_REASONS: Final[dict[str, Reason]] = {reason: reason for reason in get_args(Reason)}
