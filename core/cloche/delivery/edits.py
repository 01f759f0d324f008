"""Edits of what was answered: notes that wait for their person's next turn."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from cloche.clock import Clock
from cloche.delivery.inbox import KEPT, Inbox, Row
from cloche.delivery.merging import is_command
from cloche.delivery.waits import Sleep, until_kept
from cloche.ids import actor_id
from cloche.messages import Address, Message
from cloche.sqlite import to_micros

MOST_NOTES: Final = 10
"""Edits of one person that wait for their next turn; the oldest make room."""
SAID: Final = 1000
"""Answered messages whose words are known when they are edited."""
SAID_CHARS: Final = 4000


@dataclass(frozen=True, slots=True)
class _Said:
    """The beginning of a message's words as they last were, and whether they were for us."""

    words: str
    addressed: bool


class Edits:
    """One channel's notes, and the words that were said lately."""

    def __init__(self, inbox: Inbox, clock: Clock, sleep: Sleep) -> None:
        """Take where notes are kept."""
        self._inbox, self._clock, self._sleep = inbox, clock, sleep
        self._notes: dict[tuple[str, Address], list[Row]] = {}
        self._said: OrderedDict[tuple[str, Address, str], _Said] = OrderedDict()

    def wait_for(self, message: Message) -> bool:
        """Whether the next turn of a message's person there takes notes along."""
        return (message.place, message.address) in self._notes

    def has(self, row: Row) -> bool:
        """Whether a row is a note that waits."""
        notes = self._notes.get((row.message.place, row.message.address), ())
        return any(note.key == row.key for note in notes)

    async def read(self, row: Row) -> Row:
        """The row as it is queued: words said to others that name the assistant now are new to it.

        Waits for the store as long as it takes: the row is claimed, and does not come again.

        Raises:
            MemoryUnavailableError: the store is closed; the next process finds it as it came.
        """
        message = row.message
        # A command is no first address: nothing is run because something else became one.
        if not (message.edits and message.addressed) or is_command(message.text):
            return row
        said = self._said.get((message.place, message.address, message.ref))
        if said is None or said.addressed:
            return row
        row = replace(row, message=replace(message, edits=False))
        return await until_kept(lambda: self._inbox.write(row), self._sleep)

    async def note(self, row: Row) -> None:
        """Keep an edit of what was answered for the person's next turn, or be done with it.

        Waits for the store as long as it takes.

        Raises:
            MemoryUnavailableError: the store is closed; the next process finds it as it came.
        """
        message, key = row.message, (row.message.place, row.message.address)
        said = self._said.get((*key, message.ref))
        known = row.was if row.was is not None else said.words if said else None
        words = message.text[:SAID_CHARS]
        # A command is never run again, nor run because something else became one.
        ran = is_command(words) or (known is not None and is_command(known))
        if ran or known == words or not message.addressed:
            return await self._done(row)
        notes = self._notes.setdefault(key, [])
        older = next((note for note in notes if note.message.ref == message.ref), None)
        was = older.was if older and older.was is not None else known or ""
        note = replace(row, was=was)
        gone = [older] if older else notes[: len(notes) - MOST_NOTES + 1]
        self._notes[key] = [*(one for one in notes if one not in gone), note]
        self.remember(note.message)
        if row.was is None:
            kept = await until_kept(lambda: self._inbox.write(note), self._sleep)
            # A turn may have taken it along meanwhile, or a later edit its place.
            self._notes[key] = [kept if one is note else one for one in self._notes.get(key, ())]
        for one in gone:
            await self._done(one)

    def take(self, message: Message) -> Sequence[Row]:
        """The notes that go with a turn, oldest first; they wait no longer."""
        notes = self._notes.pop((message.place, message.address), [])
        oldest = to_micros(self._clock() - KEPT)
        return [note for note in notes if note.arrived > oldest]

    def remember(self, message: Message) -> None:
        """Know a message's words, should they be edited."""
        if message.ref:
            key = (message.place, message.address, message.ref)
            self._said[key] = _Said(message.text[:SAID_CHARS], message.addressed)
            self._said.move_to_end(key)
            if len(self._said) > SAID:
                self._said.popitem(last=False)

    async def forget(self, doors: Collection[str], tells: Callable[[str], bool]) -> int:
        """Drop what waits for people behind some doors and tells; how many notes.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        gone = []
        for key, notes in [*self._notes.items()]:
            if actor_id(key[1]) in doors:
                told = [n for n in notes if tells(n.message.text) or tells(n.was or "")]
                gone += told
                left = [note for note in notes if note not in told]
                if left:
                    self._notes[key] = left
                else:
                    del self._notes[key]
        for about, said in [*self._said.items()]:
            if actor_id(about[1]) in doors and tells(said.words):
                del self._said[about]
        for note in gone:
            await self._inbox.done(note)
        return len(gone)

    async def _done(self, row: Row) -> None:
        await until_kept(partial(self._inbox.done, row), self._sleep)
