"""What a turn is given from memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from cloche.errors import StoreCause
from cloche.memory.records import Event, MemoryRecord
from cloche.memory.window import Reason
from cloche.prompt import Exchange, GroupLine, Why

Part = Literal["profile", "last-time", "memory", "earlier"]
"""Which block of the prompt something would stand in."""
Away: TypeAlias = StoreCause | Literal["internal"]
"""What kept memory from being read: the store, or that what is stored is wrong."""


@dataclass(frozen=True, slots=True)
class Recalled:
    """A record that enters a turn.

    Attributes:
        record: The record.
        why: Why it is there.
        score: How well it fits the words; 0 = it was not searched for.
        shown: What the prompt shows of it when it does not fit whole; "" = all of it.
    """

    record: MemoryRecord
    why: Why
    score: float = 0.0
    shown: str = ""


@dataclass(frozen=True, slots=True)
class Trimmed:
    """Something that did not enter the prompt whole.

    Attributes:
        part: Where it would stand.
        id: Of the record or event; an event's answer has "/answer" after it.
        shortened: True when a part of it is shown, False when nothing is.
        reason: Why.
    """

    part: Part
    id: str
    shortened: bool
    reason: Reason


@dataclass(frozen=True, slots=True)
class Recall:
    """Everything memory gives one turn.

    Attributes:
        session_part: The session part of the prompt, ready-made; the same all session.
        profile: Ids of the records of the profile, which stand in it.
        asked: Ids of those of the profile that the words ask for.
        carried: Ids of the last session's summary and of open tasks, which stand in it.
        history: Earlier exchanges of the session, oldest first.
        records: Records for these words, in the order the prompt shows them.
        earlier: Events of earlier sessions that fit, their texts as the prompt shows them.
        trimmed: What was shortened or left out, and why; of the session part, too.
        group: What others wrote in the group a moment ago.
        first: True when the session has no earlier turn.
        degraded: Code of what kept memory from being read; "" = nothing did.
    """

    session_part: str = ""
    profile: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    carried: tuple[str, ...] = ()
    history: tuple[Exchange, ...] = ()
    records: tuple[Recalled, ...] = ()
    earlier: tuple[Event, ...] = ()
    trimmed: tuple[Trimmed, ...] = ()
    group: tuple[GroupLine, ...] = ()
    first: bool = False
    degraded: Away | Literal[""] = ""
