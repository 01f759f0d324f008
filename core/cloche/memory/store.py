"""The protocol every memory store implements, and the queries it takes.

A store knows nothing of prompts, scopes' meaning or languages. It partitions hard by actor: an
empty actor is a ``ValueError`` on every read and every write. A store that cannot be used raises
``MemoryUnavailableError`` and nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, Protocol, get_args, runtime_checkable
from zoneinfo import ZoneInfo

from cloche.memory.records import Event, Kind, MemoryRecord

MAX_TOP_K = 100
MAX_FILTERS = 5
MAX_ANY_OF = 1_000
"""Values of one condition; SQLite takes 32,766 in a statement."""


FilterOp = Literal[
    "equals", "contains", "any_of", "exists", "less", "at_most", "greater", "at_least"
]


@dataclass(frozen=True, slots=True)
class Filter:
    """A condition on one metadata key.

    ``equals``: the key's only tag has id ``value``; ``contains``: one of its tags has; ``any_of``:
    one of its tags has one of the ids in ``value`` (a tuple); ``exists``: the key is there
    (``value`` is ignored). ``less``, ``at_most``, ``greater``, ``at_least`` compare a number key
    with a float and a time key with an aware datetime; a key of another type does not fit.
    """

    key: str
    op: FilterOp
    value: str | tuple[str, ...] | float | datetime = ""

    def __post_init__(self) -> None:
        """Refuse a condition that there is not, and a value that it cannot compare with."""
        if self.op not in get_args(FilterOp):
            known = ", ".join(get_args(FilterOp))
            raise ValueError(f"there is no condition {self.op!r}; there are: {known}")
        if not _is_text(self.key) or not self._fits():
            raise ValueError(f"{self.op} cannot compare {self.key!r} with that value")

    def _fits(self) -> bool:
        value = self.value
        if self.op in ("equals", "contains"):
            return _is_text(value)
        if self.op == "any_of":
            return (
                isinstance(value, tuple) and len(value) <= MAX_ANY_OF and all(map(_is_text, value))
            )
        if self.op == "exists":
            return True
        try:
            if isinstance(value, datetime):
                return value.astimezone(UTC) is not None and value.utcoffset() is not None
            number = isinstance(value, int | float) and not isinstance(value, bool)
            return number and math.isfinite(value)  # type: ignore[arg-type]
        except OverflowError:
            return False


def _is_text(value: object) -> bool:
    """True for a text that a store can hold: UTF-8 has no lone surrogates."""
    return isinstance(value, str) and not any(0xD800 <= ord(char) <= 0xDFFF for char in value)


def _check_zone(name: str) -> None:
    try:
        ZoneInfo(name)
    except (ValueError, OSError, KeyError) as error:  # that it is not found is a KeyError
        raise ValueError(f"there is no time zone {name!r}") from error


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """What to search records for.

    Attributes:
        text: Words in any language. Empty = no text condition: newest first.
        limit: At most this many hits, 1-100.
        filters: All must hold; at most 5.
        kinds: Only these kinds; empty = any.
        scopes: Only these scopes by name; empty = any.
        conversation: Only what was said in this conversation; None = anywhere, groups included.
        at: Instant for expiry: what has expired by then is left out. Archived is always left out.
            Relative dates in the text count from it.
        time_zone: IANA name of the zone dates in the text are meant in.
        by_words: True = by its words alone, so that what is found does not hang on which vectors
            there are already.
        sure: True = only what has a word of the text, or beyond doubt means the same: for a look
            at one thing that somebody names, where anything else would be nonsense.
    """

    text: str
    at: datetime
    limit: int = 50
    filters: tuple[Filter, ...] = ()
    kinds: tuple[Kind, ...] = ()
    scopes: tuple[str, ...] = ()
    conversation: str | None = None
    time_zone: str = "UTC"
    by_words: bool = False
    sure: bool = False

    def __post_init__(self) -> None:
        """Refuse limits no store is asked to serve, and a zone that is none."""
        _check_zone(self.time_zone)
        if not 1 <= self.limit <= MAX_TOP_K:
            raise ValueError(f"limit must be 1..{MAX_TOP_K}, not {self.limit}")
        if len(self.filters) > MAX_FILTERS:
            raise ValueError(f"at most {MAX_FILTERS} filters, not {len(self.filters)}")


@dataclass(frozen=True, slots=True)
class EventQuery:
    """What to search events for.

    Attributes:
        text: Words in any language; names in it favour what the named person said.
        limit: At most this many hits, 1-100.
        conversation: Only of this conversation; None = of any.
        before: Only events before this instant; None = all.
        now: The present instant, which relative dates ("last week", "ayer", "上个月") count from.
        time_zone: IANA name of the zone dates in the text are meant in.
    """

    text: str
    now: datetime
    limit: int = 10
    conversation: str | None = None
    before: datetime | None = None
    time_zone: str = "UTC"

    def __post_init__(self) -> None:
        """Refuse limits no store is asked to serve, and a zone that is none."""
        _check_zone(self.time_zone)
        if not 1 <= self.limit <= MAX_TOP_K:
            raise ValueError(f"limit must be 1..{MAX_TOP_K}, not {self.limit}")


@dataclass(frozen=True, slots=True)
class Hit:
    """A record found, and how well it fits: higher is better, comparable within one search."""

    record: MemoryRecord
    score: float


@dataclass(frozen=True, slots=True)
class EventHit:
    """An event found, and how well it fits."""

    event: Event
    score: float


@dataclass(frozen=True, slots=True)
class Forgotten:
    """How much a forget removed."""

    events: int = 0
    records: int = 0


@runtime_checkable
class MemoryStore(Protocol):
    """Events and records of many actors, one actor at a time."""

    async def add_event(self, event: Event) -> None:
        """Store an event durably before returning; the same id twice stores it once."""
        ...

    async def recent_events(
        self,
        actor: str,
        *,
        limit: int,
        session: str | None = None,
        conversation: str | None = None,
        before: datetime | None = None,
    ) -> Sequence[Event]:
        """The newest events that fit, oldest first; ``before`` is exclusive."""
        ...

    async def count_events(self, actor: str, *, session: str) -> int:
        """How many events a session has."""
        ...

    async def search(self, actor: str, query: SearchQuery) -> Sequence[Hit]:
        """Records that fit, best first; ties broken by id. Only this actor's data counts."""
        ...

    async def search_events(self, actor: str, query: EventQuery) -> Sequence[EventHit]:
        """Events that fit, best first; ties broken by id. Only this actor's data counts."""
        ...

    async def get(self, actor: str, record_id: str) -> MemoryRecord | None:
        """One record of the actor, archived ones too."""
        ...

    async def iterate(
        self, actor: str, *, scope: str | None = None, after: str = "", limit: int = 100
    ) -> Sequence[MemoryRecord]:
        """A page of all records (archived ones too), ordered by id, with ids above ``after``."""
        ...

    async def iterate_events(
        self, actor: str, *, after: str = "", limit: int = 100
    ) -> Sequence[Event]:
        """A page of all events ordered by id, with ids above ``after``."""
        ...

    async def write(self, record: MemoryRecord) -> None:
        """Store a new record durably before returning; an id that is there stays as it is."""
        ...

    async def update(self, record: MemoryRecord) -> bool:
        """Replace a record of the same actor and id; False when there is none."""
        ...

    async def archive(self, actor: str, record_id: str, at: datetime) -> bool:
        """Take a record out of search, keep it as history; False when there is none.

        One that is archived already stays as it is.
        """
        ...

    async def delete(self, actor: str, record_id: str) -> bool:
        """Remove a record for good, from indexes and disk; False when there is none."""
        ...

    async def delete_event(self, actor: str, event_id: str) -> bool:
        """Remove an event for good, from indexes and disk; False when there is none."""
        ...

    async def forget(self, actor: str) -> Forgotten:
        """Remove everything of an actor for good, from indexes and disk."""
        ...

    async def close(self) -> None:
        """Release what is held; later calls raise ``MemoryUnavailableError``."""
        ...
