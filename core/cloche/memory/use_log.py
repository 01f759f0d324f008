"""Which records entered which turn: one item of the StateStore per turn, for three months."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from cloche.people import person_prefix
from cloche.state.store import Json, StateItem, StateStore

KEPT: Final = timedelta(days=90)
PAGE: Final = 500
_LONG_AGO: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Use:
    """What entered one turn.

    Attributes:
        turn: Id of the turn, which its event has too.
        at: When it was noted, right after the turn.
        records: Ids of the records that fitted the turn's words.
        session: Ids of the records of the profile, which is in every turn of the session.
        at_hand: Ids of what stood there, too, and nothing asked for: the newest records, the last
            summary, open tasks.
    """

    turn: str
    at: datetime
    records: tuple[str, ...]
    session: tuple[str, ...]
    at_hand: tuple[str, ...] = ()

    @property
    def ids(self) -> tuple[str, ...]:
        """What the answer may have rested on, each once."""
        return tuple(dict.fromkeys((*self.records, *self.session)))


async def note_use(
    state: StateStore,
    actor: str,
    turn: str,
    records: Sequence[str],
    session: Sequence[str],
    at_hand: Sequence[str] = (),
) -> None:
    """Note what entered a turn; a turn that nothing entered leaves no note.

    Raises:
        MemoryUnavailableError: the state store is away.
    """
    if records or session or at_hand:
        value: Json = {
            "records": list(records),
            "session": list(session),
            "at_hand": list(at_hand),
        }
        await state.put(f"{_prefix(actor)}{turn}", value, ttl=KEPT)


async def read_uses(state: StateStore, actor: str) -> tuple[Use, ...]:
    """What entered a person's turns, newest turn first.

    Raises:
        MemoryUnavailableError: the state store is away.
    """
    prefix, after, found = _prefix(actor), "", list[Use]()
    while page := await state.list_items(prefix, after=after, limit=PAGE):
        after = page[-1].key
        found += [_use(item, item.key.removeprefix(prefix)) for item in page]
    return tuple(sorted(found, key=lambda use: (use.at, use.turn), reverse=True))


def _use(item: StateItem, turn: str) -> Use:
    value = item.value
    if isinstance(value, Mapping):
        records, session = _ids(value.get("records")), _ids(value.get("session"))
        at_hand = _ids(value.get("at_hand"))
    else:
        records, session, at_hand = _ids(value), (), ()
    at = item.expires_at - KEPT if item.expires_at else _LONG_AGO
    return Use(turn, at, records, session, at_hand)


def _ids(value: Json) -> tuple[str, ...]:
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()


def _prefix(actor: str) -> str:
    return f"{person_prefix(actor)}used/"
