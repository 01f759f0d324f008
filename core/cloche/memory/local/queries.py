"""Search as SQL: the conditions of a query, and ranking within one actor's tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from sqlite3 import Connection
from typing import Final

from cloche.memory.local.index import Table, table_name
from cloche.memory.local.tokens import match_expression, query_words
from cloche.memory.store import EventQuery, Filter, SearchQuery
from cloche.sqlite import to_micros

Parameter = str | int | float

Row = tuple[str, float]
"""A document and its score."""


@dataclass
class _Where:
    """Conditions joined by AND, and their parameters in order. Conditions are fixed texts."""

    conditions: list[str] = field(default_factory=list)
    parameters: list[Parameter] = field(default_factory=list)

    def add(self, condition: str, *parameters: Parameter) -> None:
        self.conditions.append(condition)
        self.parameters += parameters

    def add_any_of(self, column: str, values: Sequence[str]) -> None:
        if values:
            self.add(f"{column} IN ({', '.join('?' * len(values))})", *values)

    @property
    def sql(self) -> str:
        return " AND ".join(self.conditions)


def search_records(connection: Connection, actor: int, query: SearchQuery) -> list[Row]:
    """Documents of the records that fit, best first."""
    where = _Where()
    where.add("t.actor = ? AND NOT t.archived", actor)
    where.add("(t.expires_at IS NULL OR t.expires_at > ?)", to_micros(query.at))
    where.add_any_of("t.kind", query.kinds)
    where.add_any_of("t.scope", query.scopes)
    if query.conversation is not None:
        where.add("t.conversation = ?", query.conversation)
    for condition in query.filters:
        _add_filter(where, condition)
    if query.text.strip():
        return _ranked(connection, "records", actor, query.text, where, query.limit)
    documents = connection.execute(
        f"SELECT t.document FROM records t WHERE {where.sql} "  # noqa: S608 (fixed texts)
        "ORDER BY t.updated_at DESC, t.id LIMIT ?",
        (*where.parameters, query.limit),
    ).fetchall()
    # Every one fits as well as the next; the score says the order, so that it survives sorting.
    return [(document, 1 / place) for place, (document,) in enumerate(documents, start=1)]


def search_events(connection: Connection, actor: int, query: EventQuery) -> list[Row]:
    """Documents of the events whose words fit, best first."""
    where = _Where()
    where.add("t.actor = ?", actor)
    if query.conversation is not None:
        where.add("t.conversation = ?", query.conversation)
    if query.before is not None:
        where.add("t.at < ?", to_micros(query.before))
    return _ranked(connection, "events", actor, query.text, where, query.limit)


_COMPARISONS: Final = {"less": "<", "at_most": "<=", "greater": ">", "at_least": ">="}


def _add_filter(where: _Where, condition: Filter) -> None:
    tags = "SELECT {} FROM tags WHERE record = t.number AND key = ?"
    some, key, value = f"EXISTS ({tags.format(1)}", condition.key, condition.value
    if condition.op == "exists":
        where.add(f"{some})", key)
    elif isinstance(value, datetime):
        where.add(f"{some} AND time {_COMPARISONS[condition.op]} ?)", key, to_micros(value))
    elif isinstance(value, tuple):
        where.add(f"{some} AND value IN ({', '.join('?' * len(value))}))", key, *value)
    elif isinstance(value, str):
        where.add(f"{some} AND value = ?)", key, value)
        if condition.op == "equals":
            where.add(f"({tags.format('count(*)')}) = 1", key)
    else:
        where.add(f"{some} AND number {_COMPARISONS[condition.op]} ?)", key, float(value))


def _ranked(
    connection: Connection, table: Table, actor: int, text: str, where: _Where, limit: int
) -> list[Row]:
    """Rows of an actor's table that hold a word of the text, by BM25, ties by id."""
    words = query_words(text)
    if not words:
        return []
    fts = table_name(table, actor)
    # CROSS JOIN has SQLite look the words up first; documents are read for the best rows only.
    ranked = (
        f"SELECT t.number, t.id, -{fts}.rank AS score "  # noqa: S608 (see table_name, _Where)
        f"FROM {fts} CROSS JOIN {table} t ON t.number = {fts}.rowid "
        f"WHERE {fts} MATCH ? AND {where.sql} ORDER BY score DESC, t.id LIMIT ?"
    )
    return connection.execute(
        f"SELECT {table}.document, best.score FROM ({ranked}) best "  # noqa: S608 (the same)
        f"JOIN {table} USING (number) ORDER BY best.score DESC, best.id",
        (match_expression(words), *where.parameters, limit),
    ).fetchall()
