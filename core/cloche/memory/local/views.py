"""An actor's searchable items in memory, brought up to date with the file at every search.

A view holds the small columns and, where there is an embedder, the vectors. What has changed since
it last looked, in this process or another, is read by the actor's counter; only when something
was removed for good is all read again.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Sequence
from datetime import UTC, datetime
from sqlite3 import Connection
from typing import TYPE_CHECKING, Final

from cloche.embedding.threads import load_numpy
from cloche.memory.local.passages import GONE, Item
from cloche.memory.local.scoring import Order, Row
from cloche.memory.local.vectors import model_number
from cloche.sqlite import from_micros, to_micros

if TYPE_CHECKING:
    from cloche.memory.local.matrix import Matrix

NEAR: Final = 2.0
"""A record without a word of the question fits from so many spreads above the usual cosine on."""
MOST_ITEMS: Final = 300_000
"""Items held over all views: half a gigabyte with vectors of 384. The one in use stays."""

_CHANGED: Final = (
    "SELECT p.number, p.model, {columns}, v.vector "
    "FROM passages p JOIN {table} t ON t.number = p.number "
    "LEFT JOIN vectors v ON v.number = p.vector AND p.model = :model "
    "WHERE p.actor = :actor AND p.item = {item} AND p.changed > :since ORDER BY p.changed"
)
_READ: Final = {
    "events": _CHANGED.format(
        table="events",
        item=0,
        columns="t.id, t.session, t.at, p.who, p.words, p.asks, t.conversation, '', '', NULL",
    ),
    "records": _CHANGED.format(
        table="records",
        item=1,
        columns="t.id, '', t.updated_at, p.who, p.words, p.asks, t.conversation, "
        "t.kind, t.scope, t.expires_at",
    ),
}


class View:
    """One actor's events or records."""

    def __init__(self, matrix: Matrix | None) -> None:
        """Take an empty matrix, or None to do without vectors."""
        self.rows: list[Row] = []
        self.position: dict[int, int] = {}  # of a row number
        self.matrix = matrix
        self.seen = 0  # the actor's counter when this was read
        self.damaged: set[int] = set()  # row numbers whose vectors are to be made anew
        self._order: Order | None = None
        self._people: Counter[str] = Counter()
        self._years: range | None = None

    @property
    def order(self) -> Order:
        """The items by session."""
        if self._order is None:
            self._order = Order.of(self.rows)
        return self._order

    @property
    def people(self) -> tuple[str, ...]:
        """Everybody who spoke or is spoken of; the actor is ""."""
        return tuple(sorted(self._people))

    @property
    def years(self) -> range:
        """From the year of the first item to that of the last."""
        if self._years is None:
            instants = [row.at for row in self.rows] or [0]
            first, last = (from_micros(at).year for at in (min(instants), max(instants)))
            self._years = range(first, last + 1)
        return self._years

    def fill(self, rows: list[Row], vectors: list[object]) -> None:
        """Take all rows of an empty view."""
        self.rows = rows
        self.position = {row.number: position for position, row in enumerate(rows)}
        self._people = Counter(row.who for row in rows)
        if self.matrix is not None:
            self.matrix.fill(rows, vectors)
            self.damaged |= {
                row.number
                for position, (row, vector) in enumerate(zip(rows, vectors, strict=True))
                if vector is not None and not self.matrix.knows(position)
            }
        self._order = self._years = None

    def put(self, row: Row, vector: object) -> None:
        """Take a row as it is now."""
        position = self.position.setdefault(row.number, len(self.rows))
        if position == len(self.rows):
            self.rows.append(row)
        else:
            self._left(self.rows[position].who)
            self.rows[position] = row
        self._people[row.who] += 1
        if self.matrix is not None:
            self.matrix.put(position, row, vector)
            if vector is not None and not self.matrix.knows(position):
                self.damaged.add(row.number)
        self._order = self._years = None

    def drop(self, number: int) -> None:
        """Give up a row; the last one takes its position."""
        position = self.position.pop(number, None)
        if position is None:
            return
        self._left(self.rows[position].who)
        last = self.rows.pop()
        if last.number != number:
            self.rows[position] = last
            self.position[last.number] = position
        if self.matrix is not None:
            self.matrix.move_last(position)
        self._order = self._years = None

    def _left(self, who: str) -> None:
        self._people[who] -= 1
        if not self._people[who]:
            del self._people[who]


class Views:
    """The views of the actors looked at last; used from the database's thread alone."""

    def __init__(self, model_id: str = "", dimensions: int = 0) -> None:
        """Take the embedder's model; without one the views do without vectors."""
        self._model_id, self._dimensions = model_id, dimensions
        self._views: OrderedDict[tuple[int, Item], View] = OrderedDict()

    def view(self, connection: Connection, actor: int, item: Item) -> View:
        """The view of an actor as the file is now, within the caller's transaction."""
        changes, removed = connection.execute(
            "SELECT changes, removed FROM actors WHERE number = ?", (actor,)
        ).fetchone()
        view = self._views.get((actor, item))
        if view is None or removed > view.seen or changes < view.seen:
            view = View(self._matrix(item))
        if changes > view.seen:
            self._read(connection, actor, item, view)
            view.seen = changes
        self._views[actor, item] = view
        self._views.move_to_end((actor, item))
        while len(self._views) > 1 and self._size() > MOST_ITEMS:
            self._views.popitem(last=False)
        return view

    def _read(self, connection: Connection, actor: int, item: Item, view: View) -> None:
        model = model_number(connection, self._model_id, self._dimensions)
        changed = connection.execute(
            _READ[item], {"actor": actor, "since": view.seen, "model": model}
        ).fetchall()
        if not view.rows:
            there = [row for row in changed if row[1] != GONE and _whole(row)]
            rows = [Row(row[0], *row[2:-1]) for row in there]
            view.fill(rows, [row[-1] for row in there])
            return
        for number, model_of, *columns, vector in changed:
            if model_of != GONE and _whole((number, model_of, *columns, vector)):
                view.put(Row(number, *columns), vector)
            else:
                view.drop(number)

    def _matrix(self, item: Item) -> Matrix | None:
        if not self._dimensions:
            return None
        load_numpy()  # first, because it reads how many threads it may have when it is loaded
        from cloche.memory.local.matrix import Matrix

        near = NEAR if item == "records" else None
        return Matrix(self._model_id, self._dimensions, near=near)

    def _size(self) -> int:
        return sum(len(view.rows) for view in self._views.values())

    def clear(self) -> None:
        """Let go of everything: the next search reads it anew."""
        self._views.clear()


_FIRST, _LAST = (
    to_micros(datetime.min.replace(tzinfo=UTC)),
    to_micros(datetime.max.replace(tzinfo=UTC)),
)


def _whole(row: Sequence[object]) -> bool:
    """True unless a column holds what is no such thing: SQLite keeps whatever was put into it."""
    _, model, id_, session, at, who, words, asks, conversation, kind, scope, ends, _ = row
    return (
        isinstance(id_, str)
        and isinstance(session, str)
        and isinstance(who, str)
        and isinstance(conversation, str)
        and isinstance(kind, str)
        and isinstance(scope, str)
        and isinstance(model, int)
        and isinstance(words, int)
        and isinstance(asks, int)
        and isinstance(at, int)
        and _FIRST <= at <= _LAST
        and (ends is None or (isinstance(ends, int) and _FIRST <= ends <= _LAST))
    )
