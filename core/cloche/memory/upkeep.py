"""What is due for a person's records, done: what has ended is archived, once a day at most.

``lifecycle.plan`` says what is due. What has ended is out of every search already; archiving it
keeps searches small and the history whole. What is due for a review is counted and named, and
stays as it is: whether it still holds is for the person to say.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from cloche.clock import Clock
from cloche.memory.lifecycle import Action, plan
from cloche.memory.records import MemoryRecord
from cloche.memory.store import MemoryStore
from cloche.memory.writer import Writer
from cloche.people import Person, person_prefix
from cloche.state.store import StateStore

MOST: Final = 200
"""Records archived in one run; the rest waits for the next."""
PAGE: Final = 500
CLAIM_KEPT: Final = timedelta(days=2)
PEOPLE_REMEMBERED: Final = 1_000

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Upkept:
    """What a run did, or in a dry run would have done.

    Attributes:
        archived: Records that had ended, longest ended first.
        review: Records that nobody confirmed for long, as ``lifecycle`` counts it.
        left: How many that had ended were left for the next run.
    """

    archived: tuple[Action, ...] = ()
    review: tuple[Action, ...] = ()
    left: int = 0


class Upkeep:
    """Acts on what is due."""

    def __init__(self, store: MemoryStore, writer: Writer, state: StateStore, clock: Clock) -> None:
        """Take where records lie, and what notes that a day's run was done."""
        self._store, self._writer, self._state, self._clock = store, writer, state, clock
        self._done: dict[str, date] = {}

    async def daily(self, person: Person) -> Upkept | None:
        """Run if nobody did today, in whichever process; None when somebody did.

        Raises:
            MemoryUnavailableError: a store is away; another turn tries again.
        """
        today = person.now.date()
        if self._done.get(person.actor) == today:
            return None
        mine = await self._state.claim(
            f"{person_prefix(person.actor)}upkeep/{today}", ttl=CLAIM_KEPT
        )
        if len(self._done) >= PEOPLE_REMEMBERED:
            self._done.clear()
        self._done[person.actor] = today
        return await self.run(person.actor) if mine else None

    async def run(self, actor: str, *, most: int = MOST, dry_run: bool = False) -> Upkept:
        """Archive what has ended.

        Args:
            actor: Whose records.
            most: Archive at most so many.
            dry_run: Only say what is due.

        Raises:
            ValueError: the actor is empty.
            MemoryUnavailableError: the store is away; what is archived stays so.
        """
        now = self._clock()
        due = plan(await self._records(actor), now)
        ended = [action for action in due if action.do == "archive"]
        review = tuple(action for action in due if action.do == "review")
        done = Upkept(tuple(ended[:most]), review, max(len(ended) - most, 0))
        if not dry_run:
            for action in done.archived:
                await self._writer.archive(actor, action.record_id, now)
        if due:
            logger.info(
                "upkeep%s: %d ended and archived, %d left for the next run, %d due for a review",
                " (dry run)" if dry_run else "",
                len(done.archived),
                done.left,
                len(review),
            )
        return done

    async def _records(self, actor: str) -> list[MemoryRecord]:
        """All that may be due, page by page; what is archived is done with."""
        found: list[MemoryRecord] = []
        after = ""
        while page := await self._store.iterate(actor, after=after, limit=PAGE):
            after = page[-1].id
            found += [record for record in page if record.validity.archived_at is None]
        return found
