"""Search as SQL: the conditions of a query, and ranking within one actor's tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from sqlite3 import Connection
from typing import Final

from cloche.memory.local.index import Table, table_name
from cloche.memory.local.tokens import match_expression, query_words
from cloche.memory.store import Filter, SearchQuery
from cloche.sqlite import to_micros

Parameter = str | int | float

Found = tuple[str, float]
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


def newest_records(connection: Connection, actor: int, query: SearchQuery) -> list[Found]:
    """Documents of the records that fit, the newest first."""
    where = _record_conditions(actor, query)
    documents = connection.execute(
        f"SELECT t.document FROM records t WHERE {where.sql} "  # noqa: S608 (fixed texts)
        "ORDER BY t.updated_at DESC, t.id LIMIT ?",
        (*where.parameters, query.limit),
    ).fetchall()
    # Every one fits as well as the next; the score says the order, so that it survives sorting.
    return [(document, 1 / place) for place, (document,) in enumerate(documents, start=1)]


def meeting(connection: Connection, actor: int, filters: Sequence[Filter]) -> set[int] | None:
    """Numbers of the records whose metadata meets the filters; None = all do."""
    if not filters:
        return None
    selects = [_meeting(actor, condition) for condition in filters]
    rows = connection.execute(
        " INTERSECT ".join(sql for sql, _ in selects),
        [parameter for _, parameters in selects for parameter in parameters],
    )
    return {number for (number,) in rows}


def bm25(connection: Connection, table: Table, actor: int, text: str) -> dict[int, float]:
    """How well the words of a text fit each row that holds one of them; above 0."""
    words = query_words(text)
    if not words:
        return {}
    fts = table_name(table, actor)
    rows = connection.execute(
        f"SELECT rowid, -rank FROM {fts} WHERE {fts} MATCH ?",  # noqa: S608 (see table_name)
        (match_expression(words),),
    )
    return dict(rows.fetchall())


def documents(
    connection: Connection, table: Table, best: Sequence[tuple[int, float]]
) -> list[Found]:
    """The documents of row numbers, with their scores, in the same order."""
    sql = f"SELECT document FROM {table} WHERE number = ?"  # noqa: S608 (a fixed text)
    found = []
    for number, score in best:
        if row := connection.execute(sql, (number,)).fetchone():
            found.append((row[0], score))
    return found


def _record_conditions(actor: int, query: SearchQuery) -> _Where:
    where = _Where()
    where.add("t.actor = ? AND NOT t.archived", actor)
    where.add("(t.expires_at IS NULL OR t.expires_at > ?)", to_micros(query.at))
    where.add_any_of("t.kind", query.kinds)
    where.add_any_of("t.scope", query.scopes)
    if query.conversation is not None:
        where.add("t.conversation = ?", query.conversation)
    for condition in query.filters:
        sql, parameters = _meeting(actor, condition)
        where.add(f"t.number IN ({sql})", *parameters)
    return where


_COMPARISONS: Final = {"less": "<", "at_most": "<=", "greater": ">", "at_least": ">="}


def _meeting(actor: int, condition: Filter) -> tuple[str, tuple[Parameter, ...]]:
    """Numbers of the records that meet a filter, as SQL with its parameters."""
    key, value = condition.key, condition.value
    tagged = "SELECT g.record FROM tags g WHERE g.actor = ? AND g.key = ?"
    if condition.op == "exists":
        return tagged, (actor, key)
    if isinstance(value, datetime):
        compare = _COMPARISONS[condition.op]
        return f"{tagged} AND g.time {compare} ?", (actor, key, to_micros(value))
    if isinstance(value, tuple):
        return f"{tagged} AND g.value IN ({', '.join('?' * len(value))})", (actor, key, *value)
    if isinstance(value, str):
        only = "(SELECT count(*) FROM tags o WHERE o.record = g.record AND o.key = g.key) = 1"
        alone = f" AND {only}" if condition.op == "equals" else ""
        return f"{tagged} AND g.value = ?{alone}", (actor, key, value)
    return f"{tagged} AND g.number {_COMPARISONS[condition.op]} ?", (actor, key, float(value))
