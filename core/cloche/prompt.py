"""The prompt's parts, in the order a model reads them. Pure and deterministic.

*stable* (persona, skills) is the same for every user of a version; *session* (profile, the last
exchanges of the session before) is the same for a whole session; *history* only grows; *turn*
(date, recalled text) is volatile, stands right before the user's words and is stored nowhere.
Nothing volatile enters what comes before it, so the prefix is byte-identical from turn to turn.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Exchange:
    """One earlier turn of the session: the user's own words and what was answered."""

    user: str
    assistant: str


@dataclass(frozen=True, slots=True)
class Image:
    """A picture ready for a model: within its size limit, of the type its content has."""

    media_type: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Prompt:
    """All that an agent is asked with.

    Attributes:
        stable: Persona, skills index, house rules.
        session: Profile and what carries over; "" when nothing is known yet.
        history: Earlier turns of this session, oldest first.
        turn: Local date and time and recalled text, fenced as data.
        words: The user's own words.
        images: Pictures of this turn.
        language: Language of the words (BCP 47 primary subtag), "" when unknown.
        first: True on the first turn of a session.
    """

    stable: str
    session: str
    history: tuple[Exchange, ...]
    turn: str
    words: str
    images: tuple[Image, ...] = ()
    language: str = ""
    first: bool = False
