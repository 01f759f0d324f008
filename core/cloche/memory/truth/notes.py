"""By which rule a record took another's place: noted beside memory, for ``why`` to tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cloche.people import person_prefix
from cloche.state.store import Json, StateStore


@dataclass(frozen=True, slots=True)
class Note:
    """Why a record stands where it stands.

    Attributes:
        rule: A code of ``comparing.Rule``; "stated_stands" for what was inferred against what the
            person had said, "older" for what was said before what already holds: both go straight
            into the history.
        replaced: Id of the record it took the place of; "" when there is none.
        by: Id of the record that holds instead of it; "" when it holds itself.
    """

    rule: str
    replaced: str = ""
    by: str = ""


async def write_note(state: StateStore, actor: str, record_id: str, notes: Sequence[Note]) -> None:
    """Note what was decided when a record was written.

    Raises:
        MemoryUnavailableError: the state store is away.
    """
    first, *others = notes
    also: list[Json] = [_written(note) for note in others]
    await state.put(_key(actor, record_id), {**_written(first), **({"also": also} if also else {})})


async def read_notes(state: StateStore, actor: str, record_id: str) -> tuple[Note, ...]:
    """What was decided when the record was written; () when nothing had to be.

    Raises:
        MemoryUnavailableError: the state store is away.
    """
    item = await state.get(_key(actor, record_id))
    if item is None or not isinstance(item.value, Mapping):
        return ()
    also = item.value.get("also")
    others = [one for one in also if isinstance(one, dict)] if isinstance(also, list) else []
    return tuple(_note(one) for one in (item.value, *others))


async def drop_note(state: StateStore, actor: str, record_id: str) -> bool:
    """Remove what was noted of a record; False when nothing was.

    Raises:
        MemoryUnavailableError: the state store is away.
    """
    return await state.delete(_key(actor, record_id))


def _written(note: Note) -> dict[str, Json]:
    return {"rule": note.rule, "replaced": note.replaced, **({"by": note.by} if note.by else {})}


def _note(value: Mapping[str, Json]) -> Note:
    rule, replaced, by = (str(value.get(name) or "") for name in ("rule", "replaced", "by"))
    return Note(rule, replaced, by)


def _key(actor: str, record_id: str) -> str:
    return f"{person_prefix(actor)}truth/{record_id}"
