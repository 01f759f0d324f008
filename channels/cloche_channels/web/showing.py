"""A talk as the page gets it: plain data, answers as trees."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass

from cloche.channels import Desk, Past
from cloche.errors import MemoryUnavailableError
from cloche_channels.web.items import Item, Shown, State
from cloche_channels.web.markup import tree
from cloche_channels.web.talks import Talk


@dataclass(frozen=True, slots=True)
class Told:
    """What one line tells a page.

    Attributes:
        items: In order; they are set out as they are then.
        remembering: Whether what waits among them waits for memory.
        anew: True = this is the whole talk, and what the page shows of it goes.
        away: True = memory cannot be reached, so that what it has of the talk is missing.
    """

    items: Sequence[Item]
    remembering: bool
    anew: bool = False
    away: bool = False


async def snapshot(talk: Talk, desk: Desk, conversation: str) -> Told:
    """The whole talk: what memory has of it, then what it does not have yet.

    What was let go of for memory while memory was read may be in neither: it is read again.
    """
    dropped = -1
    away, rows = False, list[Past]()
    while dropped != talk.dropped and not away:
        dropped = talk.dropped
        try:
            rows = list(await desk.history(conversation))
        except MemoryUnavailableError:
            away, rows = True, []
    shown = [*_remembered(rows, talk.items), *_held(rows, talk.items)]
    return Told(shown, talk.remembering, anew=True, away=away)


def changes(talk: Talk, items: Sequence[Item]) -> Told:
    """Items that changed."""
    return Told(items, talk.remembering)


def set_out(told: Told) -> tuple[bytes, float]:
    """A line of JSON, and the seconds of work that it took. For a thread: answers may be long."""
    began = time.thread_time()
    line: dict[str, object] = {
        "items": [item_json(item) for item in told.items],
        "remembering": told.remembering,
    }
    if told.anew:
        line |= {"anew": True, "away": told.away}
    return json.dumps(line).encode() + b"\n", time.thread_time() - began


def item_json(item: Item) -> dict[str, object]:
    """One item: a person's words as they are, an answer as a tree."""
    return {
        "id": item.id,
        "own": item.own,
        "at": item.at.isoformat(),
        "state": item.state,
        "text": (item.label or item.text) if item.own else "",
        "body": [] if item.own else tree(item.text),
        "files": [{"id": f.id, "name": f.name, "type": f.media_type} for f in item.files],
        "given": [{"key": key, "name": key.partition("/")[2]} for key in item.given],
        "buttons": [{"label": b.label, "data": b.data} for b in item.buttons],
    }


def _remembered(rows: Sequence[Past], held: Sequence[Item]) -> list[Item]:
    """Items of what memory has.

    A turn is in memory a little before it is done with: what began after the first answer held
    here is among what is held.
    """
    first = min((item.at for item in held if not item.own), default=None)
    items = []
    for number, one in enumerate(rows):
        if first is not None and one.at >= first:
            break
        if one.words or one.files or not one.answer:  # a reminder that came by itself answers none
            # The bytes are gone by now; what they were called is remembered.
            files = tuple(Shown("", name, "") for name in one.files)
            items.append(Item(f"said-{number}", True, one.at, one.words, files))
        state: State = "done" if one.answer else "unanswered"
        items.append(
            Item(f"answered-{number}", False, one.at, one.answer, given=one.given, state=state)
        )
    return items


def _held(rows: Sequence[Past], held: Sequence[Item]) -> list[Item]:
    """What is held, without answers that came again after a restart and are in memory."""
    answers = {one.answer for one in rows}
    return [item for item in held if not (item.unseen and item.text in answers)]
