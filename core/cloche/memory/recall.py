"""What a turn is given from memory."""

from __future__ import annotations

from dataclasses import dataclass

from cloche.memory.records import Event, MemoryRecord
from cloche.prompt import Exchange, GroupLine, Why


@dataclass(frozen=True, slots=True)
class Recalled:
    """A record that enters a turn: why, and how well it fits the words (0 = not searched for)."""

    record: MemoryRecord
    why: Why
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class Recall:
    """Everything memory gives one turn.

    Attributes:
        session_part: The session part of the prompt, ready-made; the same all session.
        history: Earlier exchanges of the session, oldest first.
        records: Records for these words, in the order the prompt shows them.
        earlier: Events of earlier sessions that fit.
        group: What others wrote in the group a moment ago.
        first: True when the session has no earlier turn.
        degraded: Code of what kept memory from being read; "" = nothing did.
    """

    session_part: str = ""
    history: tuple[Exchange, ...] = ()
    records: tuple[Recalled, ...] = ()
    earlier: tuple[Event, ...] = ()
    group: tuple[GroupLine, ...] = ()
    first: bool = False
    degraded: str = ""
