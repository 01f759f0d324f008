"""A talk as the page gets it: plain data, answers as trees."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from cloche.channels import Desk, Past
from cloche.errors import MemoryUnavailableError
from cloche_channels.web.markup import tree
from cloche_channels.web.talks import Item, Shown, State, Talk


async def snapshot(talk: Talk, desk: Desk, conversation: str) -> dict[str, object]:
    """The whole talk: what memory has of it, then what it does not have yet."""
    away, rows = False, list[Past]()
    try:
        rows = list(await desk.history(conversation))
    except MemoryUnavailableError:
        away = True
    shown = [*_remembered(rows, talk.items), *_held(rows, talk.items)]
    told = await changes(talk, shown)
    return {"anew": True, "away": away} | told


async def changes(talk: Talk, items: Sequence[Item]) -> dict[str, object]:
    """Items that changed, and whether what waits among them waits for memory."""
    return {"items": await items_json(items), "remembering": talk.remembering}


async def items_json(items: Sequence[Item]) -> list[dict[str, object]]:
    """Items as the page gets them; a long answer is set out beside the event loop."""
    return await asyncio.to_thread(lambda: [item_json(item) for item in items])


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
