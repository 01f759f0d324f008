"""What a person had forgotten lately, and when: no turn begun before that writes it after.

Of what was forgotten one by one a day's keyed hashes are kept, never a word.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final
from weakref import WeakValueDictionary

from cloche.clock import Clock
from cloche.errors import MemoryUnavailableError
from cloche.memory.records import Event
from cloche.memory.telling import Print, any_matches, print_of
from cloche.sqlite import from_micros, to_micros
from cloche.state.store import Json, StateStore

KEPT: Final = timedelta(days=1)
"""A message that came before is answered by then."""
MOST_NOTES: Final = 100
"""Of one person; the oldest make room."""
KEY_BYTES: Final = 32

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Note:
    """Statements that were forgotten together: when, microseconds since 1970, and in which turn."""

    at: int
    turn: str
    prints: tuple[Print, ...]


class Forgotten:
    """Keeps the instants, and has writing and forgetting of one person wait for each other."""

    def __init__(self, state: StateStore, clock: Clock) -> None:
        """Take where other processes read the instants."""
        self._state, self._clock = state, clock
        self._at: dict[str, datetime] = {}
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def alone(self, actor: str) -> AsyncIterator[None]:
        """Wait until nobody else in this process writes or forgets what is a person's."""
        lock = self._locks.setdefault(actor, asyncio.Lock())
        async with lock:
            yield

    async def mark(self, actor: str) -> None:
        """Everything of a person is forgotten from now on.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        now = self._clock()
        await self._state.put(f"forgotten/{actor}", to_micros(now), ttl=KEPT)
        self._at[actor] = now
        await self._state.delete(_words_key(actor))

    async def finish(self, actor: str) -> None:
        """What was being forgotten of a person is gone: who looked it up before may have it.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        await self._state.put(f"forgotten-until/{actor}", to_micros(self._clock()), ttl=KEPT)

    async def covers(self, actor: str, at: datetime) -> bool:
        """Whether everything was forgotten after an instant; never fails."""
        if (known := self._at.get(actor)) and at < known:
            return True
        try:
            item = await self._state.get(f"forgotten/{actor}")
        except MemoryUnavailableError:
            return False
        return item is not None and isinstance(item.value, int) and at < from_micros(item.value)

    async def latest(self, actor: str) -> int | None:
        """When all or something of a person was last forgotten, by whatever process; never fails.

        Returns:
            Microseconds since 1970; 0 = not within the last day; None = it cannot be found out.
        """
        try:
            whole, until, parts = await asyncio.gather(
                self._state.get(f"forgotten/{actor}"),
                self._state.get(f"forgotten-until/{actor}"),
                self._state.get(_words_key(actor)),
            )
        except MemoryUnavailableError:
            return None
        _, notes = _read(parts.value if parts else None)
        marks = [one.value for one in (whole, until) if one and isinstance(one.value, int)]
        return max([0, *marks, *(note.at for note in notes)])

    async def note(self, actor: str, said: Sequence[str], *, turn: str = "") -> None:
        """Some statements of a person are forgotten from now on.

        Args:
            actor: Whose.
            said: The statements, as bare words.
            turn: The turn that had them forgotten: what it says of that is its own; "" = none.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        now = to_micros(self._clock())
        while True:
            item = await self._state.get(_words_key(actor))
            key, notes = _read(item.value if item else None)
            key = key or secrets.token_bytes(KEY_BYTES)
            prints = tuple(print_of(words, key) for words in said)
            notes = [*notes, _Note(now, turn, prints)][-MOST_NOTES:]
            version = item.version if item else 0
            if await self._state.compare_and_set(
                _words_key(actor), _document(key, notes), version=version, ttl=KEPT
            ):
                return

    async def without(self, event: Event, arrived: datetime) -> Event | None:
        """An event as it may be kept: without what was forgotten after it began; None = not at all.

        Whoever answers while something is forgotten may know it, and tell it in other words: that
        answer is not kept. Never fails; what cannot be looked up is kept.

        Args:
            event: What a turn would store.
            arrived: When its words came.
        """
        key, since = await self._since(event.actor, arrived, event.id)
        if _any_of("\n".join((event.user_text, *event.attachments)), since, key):
            logger.info("turn=%s | it repeats what was forgotten since: not kept", event.id)
            return None
        if event.assistant_text is None or all(n.at <= to_micros(event.at) for n in since):
            return event
        logger.info("turn=%s | something was forgotten meanwhile: no answer is kept", event.id)
        return replace(event, assistant_text=None, given=()) if event.user_text.strip() else None

    async def tells(self, actor: str, text: str, at: datetime, *, turn: str) -> bool:
        """Whether a text tells what was forgotten after an instant, but in a turn; never fails."""
        key, since = await self._since(actor, at, turn)
        return bool(since) and await asyncio.to_thread(_any_of, text, since, key)

    async def _since(self, actor: str, at: datetime, turn: str) -> tuple[bytes, list[_Note]]:
        try:
            item = await self._state.get(_words_key(actor))
        except MemoryUnavailableError:
            return b"", []
        key, notes = _read(item.value if item else None)
        return key, [n for n in notes if n.at > to_micros(at) and not (turn and n.turn == turn)]


def _any_of(text: str, notes: Sequence[_Note], key: bytes) -> bool:
    return any_matches(text, [one for note in notes for one in note.prints], key)


def _words_key(actor: str) -> str:
    return f"forgotten-words/{actor}"


def _document(key: bytes, notes: Sequence[_Note]) -> Json:
    written: list[Json] = [
        {"at": n.at, "turn": n.turn, "prints": [[p.length, p.digest] for p in n.prints]}
        for n in notes
    ]
    return {"key": key.hex(), "notes": written}


def _read(value: Json) -> tuple[bytes, list[_Note]]:
    """The key and the notes; none where none are kept."""
    match value:
        case {"key": str(key), "notes": [*notes]}:
            return bytes.fromhex(key), [note for one in notes for note in _note_of(one)]
    return b"", []


def _note_of(value: Json) -> Iterator[_Note]:
    match value:
        case {"at": int(at), "turn": str(turn), "prints": [*prints]}:
            pairs = [one for one in prints if isinstance(one, list) and len(one) == 2]
            yield _Note(
                at,
                turn,
                tuple(Print(n, d) for n, d in pairs if isinstance(n, int) and isinstance(d, str)),
            )
