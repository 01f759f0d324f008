"""What stands below an answer about memory itself: that it was away, or was not all to be used."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Final

from cloche.aside import aside
from cloche.errors import MemoryUnavailableError
from cloche.memory.extraction import asked_of_us
from cloche.memory.pipeline import Memory
from cloche.memory.recall import Recall
from cloche.memory.retrieval import READ_CHARS, STATEMENTS, told_in
from cloche.memory.store import SearchQuery
from cloche.messages import Message
from cloche.people import Person, person_prefix
from cloche.texts import say

BEST: Final = 3
LOOK_SECONDS: Final = 1.0
"""An answer that is there waits no longer for what is told below it."""


async def told_below(memory: Memory, person: Person, message: Message, recall: Recall) -> str:
    """One sentence in the person's language, "" = none; never fails, and takes a second at most."""
    if recall.degraded:
        return say("memory_away", person.language)
    try:
        async with asyncio.timeout(LOOK_SECONDS):
            if await _left_out(memory, person, message, recall) and await _is_first(memory, person):
                return say("group_hint", person.language)
    except (MemoryUnavailableError, TimeoutError):
        pass  # it is said another time
    return ""


async def _left_out(memory: Memory, person: Person, message: Message, recall: Recall) -> bool:
    """Whether something was asked in a group that their private memories tell for certain."""
    words = told_in(message)[:READ_CHARS]
    if person.may_recall_anywhere:
        return False
    if await aside(words, partial(asked_of_us, words)) != "question":
        return False
    query = SearchQuery(words, memory.clock(), limit=BEST, kinds=STATEMENTS, sure=True)
    hits = await memory.store.search(person.actor, query)
    used = {one.record.id for one in recall.records}
    return bool(hits) and not used & {hit.record.id for hit in hits}


async def _is_first(memory: Memory, person: Person) -> bool:
    """Once for a person and group; forgotten with all that is kept of them."""
    key = f"{person_prefix(person.actor)}in/{person.conversation}/hinted"
    return await memory.state.compare_and_set(key, True, version=0) is not None
