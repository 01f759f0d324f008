"""Replies as rows of a state store, which has room for 300 kB under one key."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from contextvars import Context
from dataclasses import dataclass, field, replace
from typing import Final

from cloche.channels.parts import Part
from cloche.delivery.codec import part_from_json, part_to_json
from cloche.ids import conversation_id
from cloche.state.store import Json, StateItem

ROW_BYTES: Final = 250_000
"""Of parts in one row; what stands beside them takes some hundred bytes."""
PART_BYTES: Final = 40_000
"""UTF-8 bytes of one part's text: escaped as JSON, without formatting, it fits any row."""


@dataclass(slots=True)
class Sending:
    """A reply on its way.

    Attributes:
        key: Where it lies in the StateStore.
        place: Where its turn was.
        parts: What is sent, in order; at least one.
        group: Whether a group's pace holds.
        door: The actor id of whom it answers; "" = not known.
        at: Microseconds since 1970, greater than those of every reply before it.
        next: How many are sent.
        version: Of what lies there, as it was when this process read or wrote it; 0 = nothing does.
        tenure: See ``Leases.tenure``: whose its conversation was then.
        again: True when another process may be about to write it, and must find it told.
        context: What it is sent in: its turn's, which its log lines and spans belong to; empty for
            what another process left.
        settled: Set when its messages count as answered: before that the row must stay.
        tried: Set when its first part is sent, or has to wait.
    """

    key: str
    place: str
    parts: Sequence[Part]
    group: bool
    at: int
    next: int = 0
    door: str = ""
    version: int = 0
    tenure: int = 0
    again: bool = False
    context: Context = field(default_factory=Context)
    settled: asyncio.Event = field(default_factory=asyncio.Event)
    tried: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def turn(self) -> str:
        """The id of the turn whose reply, or a piece of whose reply, it is."""
        return self.key.rpartition("/")[2].partition("~")[0]

    @property
    def ids(self) -> Mapping[str, str]:
        """What log lines about it carry."""
        where = conversation_id(self.key.split("/")[1], self.place)
        return {"conversation": where, "turn": self.turn}

    @property
    def goes_on(self) -> bool:
        """Whether it is a further piece of a reply."""
        return "~" in self.key.rpartition("/")[2]

    @property
    def conversation(self) -> str:
        """Where it is said, by its first id."""
        return self.parts[0].conversation

    @property
    def thread(self) -> str:
        """Where in the conversation it is said."""
        return self.parts[0].thread


def in_rows(parts: Sequence[Part]) -> Sequence[Sequence[Part]]:
    """The parts, in order, as many together as one row has room for.

    A part that is too large by itself loses what can be spared: formatting, then its buttons.
    """
    rows: list[list[Part]] = []
    room = 0
    for part in map(_fitting, parts):
        size = _size(part)
        if not rows or size > room:
            rows.append([])
            room = ROW_BYTES
        rows[-1].append(part)
        room -= size
    return rows


def _fitting(part: Part) -> Part:
    if _size(part) <= ROW_BYTES:
        return part
    bare = replace(part, text=part.plain, entities=())
    return bare if _size(bare) <= ROW_BYTES else replace(bare, buttons=())


def _size(part: Part) -> int:
    text = json.dumps(part_to_json(part), ensure_ascii=False)
    return len(text.encode("utf-8", "backslashreplace")) + 1


def sending_to_json(sending: Sending) -> Json:
    """A reply as it is kept."""
    document: dict[str, Json] = {
        "place": sending.place,
        "parts": [part_to_json(part) for part in sending.parts],
        "group": sending.group,
        "at": sending.at,
        "next": sending.next,
    }
    return document | {"door": sending.door} if sending.door else document


def sending_from_json(item: StateItem) -> Sending:
    """The reply an item is.

    Raises:
        ValueError: it is none.
    """
    match item.value:
        case {
            "place": str(place),
            "parts": [_, *_] as parts,
            "group": bool(group),
            "at": int(at),
            "next": int(sent),
            **rest,
        }:
            read, door = tuple(map(part_from_json, parts)), rest.get("door")
            sent = min(sent, len(read))
            door = door if isinstance(door, str) else ""
            return Sending(item.key, place, read, group, at, sent, door, item.version, again=True)
    raise ValueError(f"{item.key} is no reply")
