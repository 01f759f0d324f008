"""Search of one actor's data: a question in, the best documents out."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from datetime import datetime
from sqlite3 import Connection
from typing import Final, TypeVar
from zoneinfo import ZoneInfo

from cloche.errors import MemoryUnavailableError
from cloche.memory.local import queries, rows, scoring
from cloche.memory.local.embedding import Embedding, Vector
from cloche.memory.local.passages import Item
from cloche.memory.local.questions import Question, about_events, about_records, asked_days
from cloche.memory.local.scoring import ALONE_LEXICAL, LEXICAL
from cloche.memory.local.vectors import renew
from cloche.memory.local.views import View, Views
from cloche.memory.store import EventQuery, SearchQuery
from cloche.sqlite import Database, to_micros

logger = logging.getLogger(__name__)

T = TypeVar("T")

FEW_EVENTS: Final = 2_000
"""Up to so many events, all are ranked once one fits: in a short talk all of it is near."""

Fits = Callable[[Connection, int, View], list[bool]]
"""Which rows of an actor's view meet the conditions of a query."""


class Searching:
    """Searches a file: by words, and by vectors where there is an embedder."""

    def __init__(self, database: Database, embedding: Embedding | None) -> None:
        """Take the file, and where questions get their vectors."""
        self._database, self._embedding = database, embedding
        self._views = Views(embedding.model_id, embedding.dimensions) if embedding else Views()

    async def records(self, actor: str, query: SearchQuery) -> list[queries.Found]:
        """Documents of records that fit, best first."""

        def newest(connection: Connection) -> list[queries.Found]:
            number = rows.actor_number(connection, actor)
            return [] if number is None else queries.newest_records(connection, number, query)

        def fits(connection: Connection, number: int, view: View) -> list[bool]:
            tagged = queries.meeting(connection, number, query.filters)
            return [
                (row.expires_at is None or row.expires_at > at)
                and (not query.kinds or row.kind in query.kinds)
                and (not query.scopes or row.scope in query.scopes)
                and (query.conversation is None or row.conversation == query.conversation)
                and (tagged is None or row.number in tagged)
                for row in view.rows
            ]

        at = to_micros(query.at)
        if not query.text.strip():
            return await self._database.read(newest)
        zone = ZoneInfo(query.time_zone)
        return await self._search(
            actor, "records", query.text, query.at, zone, fits, query.limit, query
        )

    async def events(self, actor: str, query: EventQuery) -> list[queries.Found]:
        """Documents of events that fit, best first."""
        before = None if query.before is None else to_micros(query.before)

        def fits(connection: Connection, number: int, view: View) -> list[bool]:
            return [
                (query.conversation is None or row.conversation == query.conversation)
                and (before is None or row.at < before)
                for row in view.rows
            ]

        zone = ZoneInfo(query.time_zone)
        return await self._search(actor, "events", query.text, query.now, zone, fits, query.limit)

    async def _search(
        self,
        actor: str,
        item: Item,
        text: str,
        now: datetime,
        zone: ZoneInfo,
        fits: Fits,
        limit: int,
        query: SearchQuery | None = None,
    ) -> list[queries.Found]:
        def take_apart(connection: Connection) -> Question | None:
            number = rows.actor_number(connection, actor)
            if number is None:
                return None
            view = self._views.view(connection, number, item)
            days = asked_days(text, now, zone, view.years)
            about = about_events if item == "events" else about_records
            return about(text, days, view.people)

        damaged = set[int]()
        question = await self._read(take_apart)
        if question is None:
            return []
        vector = None
        by_words, sure = (query.by_words, query.sure) if query else (False, False)
        if not by_words and self._embedding is not None and question.words.strip():
            self._embedding.begin()
            vector = await self._embedding.question(question.words)

        def find(connection: Connection) -> list[queries.Found]:
            number = rows.actor_number(connection, actor)
            if number is None:  # forgotten meanwhile
                return []
            view = self._views.view(connection, number, item)
            bm25 = queries.bm25(connection, item, number, question.words)
            lexical = {
                view.position[row]: score for row, score in bm25.items() if row in view.position
            }
            wanted = fits(connection, number, view)
            best = _best(item, view, question, vector, lexical, wanted, limit, sure=sure)
            damaged.update(view.damaged)
            view.damaged.clear()
            found = [(view.rows[position].number, score) for position, score in best]
            return queries.documents(connection, item, found)

        found = await self._read(find)
        if damaged:
            await self._renew(item, damaged)
        return found

    async def _read(self, work: Callable[[Connection], T]) -> T:
        """Read; what no row should hold is told as damage of the file, not as a fault of ours."""
        try:
            return await self._database.read(work)
        except (TypeError, KeyError, IndexError, OverflowError) as error:
            self._views.clear()
            fault = type(error).__name__
            raise MemoryUnavailableError(f"a table is damaged: {fault}", cause="corrupt") from error

    async def _renew(self, item: Item, damaged: set[int]) -> None:
        """Have damaged vectors made anew; until then their items are found by their words."""
        logger.warning("vectors=%d | damaged, made anew", len(damaged))
        try:
            await self._database.write(lambda c: renew(c, [(item, one) for one in sorted(damaged)]))
        except MemoryUnavailableError as error:
            logger.info("damaged vectors stay: %s", error.cause)
            return
        if self._embedding is not None:
            self._embedding.wake()


def _best(
    item: Item,
    view: View,
    question: Question,
    vector: Vector | None,
    lexical: dict[int, float],
    fits: Sequence[bool],
    limit: int,
    *,
    sure: bool = False,
) -> list[tuple[int, float]]:
    """The best positions of a view, with vectors where there are some."""
    if view.matrix is not None and vector is not None and view.matrix.has_vectors:
        return view.matrix.best(vector, lexical, view.rows, question.asked, fits, limit, sure=sure)
    scores = scoring.rank_lexical(
        lexical,
        view.rows,
        view.order if item == "events" else None,
        question.asked,
        fits.__getitem__,
        everything=item == "events" and len(view.rows) <= FEW_EVENTS,
        weights=LEXICAL if item == "events" else ALONE_LEXICAL,
    )
    return scoring.best(scores, view.rows, limit)
