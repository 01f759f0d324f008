"""``StateStore`` on one SQLite file that many processes may share."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from contextlib import closing
from datetime import datetime, timedelta
from functools import cache
from itertools import islice
from pathlib import Path
from sqlite3 import Connection
from typing import Final

from cloche.clock import Clock
from cloche.sqlite import Database, Migration, expect_shape, from_micros, to_micros
from cloche.state.store import MAX_KEY_CHARS, MAX_VALUE_BYTES, Json, StateItem
from cloche.state.together import Together

logger = logging.getLogger(__name__)

SWEEP: Final = timedelta(hours=1)
"""What has expired is as good as gone at once; this often it is removed by the next write."""
SWEEP_ITEMS: Final = 500
"""At most this many at once, so that the write it rides on stays short."""

_LIVE: Final = "(expires_at IS NULL OR expires_at > :now)"
_IN_RANGE: Final = "key >= :first AND (:last IS NULL OR key < :last)"


def _create(connection: Connection) -> None:
    """Version 1."""
    connection.execute(
        """CREATE TABLE items (
            number INTEGER PRIMARY KEY,
            key TEXT NOT NULL UNIQUE,
            value TEXT NOT NULL,
            version INTEGER NOT NULL,
            expires_at INTEGER)"""
    )
    connection.execute(
        "CREATE INDEX items_by_expiry ON items (expires_at) WHERE expires_at IS NOT NULL"
    )


MIGRATIONS: Final[tuple[Migration, ...]] = (_create,)


class SqliteStateStore:
    """Small values in one file. Made without touching the disk."""

    shared = False

    def __init__(self, path: Path, clock: Clock) -> None:
        """Take the file; its folder is made when it is not there."""
        self._database, self._clock = Database(path, clock, MIGRATIONS), clock
        self._together = Together(self._database)
        self._swept_at: datetime | None = None

    async def damaged(self) -> int:
        """How many items cannot be read; every one is looked at."""

        def look(connection: Connection) -> int:
            expect_shape(connection, MIGRATIONS)
            return count_damaged(connection)

        return await self._database.read(look)

    async def claim(self, key: str, *, ttl: timedelta) -> bool:
        """True for exactly one caller until ``ttl`` is over, however many processes ask."""
        return await self.compare_and_set(key, True, version=0, ttl=ttl) is not None

    async def get(self, key: str) -> StateItem | None:
        """The item, or None."""
        _check_key(key)
        now = self._clock()
        return await self._database.read(lambda c: _get(c, key, now))

    async def put(self, key: str, value: Json, *, ttl: timedelta | None = None) -> StateItem:
        """Write whatever was there before; None = keep for good."""
        _check_key(key)
        text, now = _dumped(value), self._clock()

        def work(connection: Connection) -> StateItem:
            self._sweep(connection, now)
            old = _get(connection, key, now)
            return _put(connection, key, text, old.version + 1 if old else 1, _after(now, ttl))

        return await self._together.write(work)

    async def compare_and_set(
        self, key: str, value: Json, *, version: int, ttl: timedelta | None = None
    ) -> StateItem | None:
        """Write only where the stored version is ``version`` (0 = there is none), else None."""
        _check_key(key)
        text, now = _dumped(value), self._clock()

        def work(connection: Connection) -> StateItem | None:
            self._sweep(connection, now)
            old = _get(connection, key, now)
            if (old.version if old else 0) != version:
                return None
            return _put(connection, key, text, version + 1, _after(now, ttl))

        return await self._together.write(work)

    async def increment(self, key: str, by: int = 1, *, ttl: timedelta | None = None) -> int:
        """Add to a counter (absent = 0) and return the sum; ``ttl`` counts from its creation.

        Raises:
            ValueError: the item is there and is no whole number.
        """
        _check_key(key)
        now = self._clock()

        def work(connection: Connection) -> int:
            self._sweep(connection, now)
            old = _get(connection, key, now)
            if old is None:
                _put(connection, key, _dumped(by), 1, _after(now, ttl))
                return by
            if isinstance(old.value, bool) or not isinstance(old.value, int):
                raise ValueError(f"{key} is no counter")
            total = old.value + by
            _put(connection, key, _dumped(total), old.version + 1, old.expires_at)
            return total

        return await self._together.write(work)

    async def list_items(
        self, prefix: str, *, after: str = "", limit: int = 100
    ) -> Sequence[StateItem]:
        """A page of items whose key starts with ``prefix``, ordered by key, above ``after``."""
        if limit < 0:
            raise ValueError(f"limit is {limit}, not a number of items")
        parameters = {**_range(prefix), "after": after, "now": self._now()}

        def work(connection: Connection) -> list[StateItem]:
            # Without a limit: damaged items must not take the place of others.
            found = connection.execute(
                f"SELECT key, value, version, expires_at FROM items WHERE {_IN_RANGE} "  # noqa: S608 (fixed texts)
                f"AND key > :after AND {_LIVE} ORDER BY key",
                parameters,
            )
            with closing(found):
                items = (item for row in found if (item := _read(*row)))
                return list(islice(items, limit))

        return await self._database.read(work)

    async def delete(self, key: str) -> bool:
        """Remove one item, from disk too; False when there was none."""
        _check_key(key)
        now = self._clock()

        def work(connection: Connection) -> bool:
            live = connection.execute(
                f"SELECT count(*) FROM items WHERE key = :key AND {_LIVE}",  # noqa: S608 (fixed texts)
                {"key": key, "now": to_micros(now)},
            ).fetchone()
            connection.execute("DELETE FROM items WHERE key = ?", (key,))
            return bool(live[0])

        return await self._database.erase(work)

    async def delete_prefix(self, prefix: str) -> int:
        """Remove every item whose key starts with ``prefix``, from disk too; how many.

        Raises:
            ValueError: the prefix is empty, which would be everybody's.
        """
        if not prefix:
            raise ValueError("prefix is empty")
        parameters = {**_range(prefix), "now": self._now()}

        def work(connection: Connection) -> int:
            live = connection.execute(
                f"SELECT count(*) FROM items WHERE {_IN_RANGE} AND {_LIVE}",  # noqa: S608 (fixed texts)
                parameters,
            ).fetchone()
            connection.execute(f"DELETE FROM items WHERE {_IN_RANGE}", parameters)  # noqa: S608
            return int(live[0])

        return await self._database.erase(work)

    async def close(self) -> None:
        """Release what is held; later calls raise ``MemoryUnavailableError``."""
        await self._together.finish()
        await self._database.close()

    def _now(self) -> int:
        return to_micros(self._clock())

    def _sweep(self, connection: Connection, now: datetime) -> None:
        if self._swept_at is None or abs(now - self._swept_at) >= SWEEP:
            swept = connection.execute(
                "DELETE FROM items WHERE number IN "
                "(SELECT number FROM items WHERE expires_at <= ? LIMIT ?)",
                (to_micros(now), SWEEP_ITEMS),
            )
            # More may be left: claims expire faster than an hour's worth where many write.
            if swept.rowcount < SWEEP_ITEMS:
                self._swept_at = now


def count_damaged(connection: Connection) -> int:
    """How many items cannot be read. Looks at every one."""
    found = connection.execute("SELECT key, value, version, expires_at FROM items")
    return sum(_item(*row) is None for row in found)


def _range(prefix: str) -> dict[str, str | None]:
    """Bounds of the keys that start with a prefix, in the order of code points, as SQLite's is."""
    for end in range(len(prefix), 0, -1):
        above = ord(prefix[end - 1]) + 1
        if above <= 0x10FFFF:
            # The code points of surrogates are no characters: the next one is behind them.
            above = 0xE000 if 0xD800 <= above <= 0xDFFF else above
            return {"first": prefix, "last": prefix[: end - 1] + chr(above)}
    return {"first": prefix, "last": None}


def _get(connection: Connection, key: str, now: datetime) -> StateItem | None:
    row = connection.execute(
        f"SELECT key, value, version, expires_at FROM items WHERE key = :key AND {_LIVE}",  # noqa: S608 (fixed texts)
        {"key": key, "now": to_micros(now)},
    ).fetchone()
    return _read(*row) if row else None


def _put(
    connection: Connection, key: str, text: str, version: int, expires_at: datetime | None
) -> StateItem:
    micros = to_micros(expires_at) if expires_at else None
    connection.execute(
        "INSERT INTO items (key, value, version, expires_at) VALUES (?, ?, ?, ?) "
        "ON CONFLICT (key) DO UPDATE SET "
        "value = excluded.value, version = excluded.version, expires_at = excluded.expires_at",
        (key, text, version, micros),
    )
    return StateItem(key, json.loads(text), version, _instant(micros))


def _read(key: object, text: object, version: object, expires_at: object) -> StateItem | None:
    """A stored item; a damaged one is told and as good as gone, so that the next write mends it."""
    item = _item(key, text, version, expires_at)
    if item is None:
        _tell_once()
    return item


@cache
def _tell_once() -> None:
    logger.warning("damaged items passed over, `cloche doctor` counts them")


def _item(key: object, text: object, version: object, expires_at: object) -> StateItem | None:
    if not (isinstance(key, str) and isinstance(text, str) and isinstance(version, int)):
        return None  # SQLite keeps whatever type was put into a column
    if not isinstance(expires_at, int | None):
        return None
    try:
        value: Json = json.loads(text)
        return StateItem(key, value, version, _instant(expires_at))
    except (ValueError, RecursionError, OverflowError):
        return None


def _instant(micros: int | None) -> datetime | None:
    return None if micros is None else from_micros(micros)


def _after(now: datetime, ttl: timedelta | None) -> datetime | None:
    return None if ttl is None else now + ttl


def _dumped(value: Json) -> str:
    """The value as JSON.

    Raises:
        ValueError: it is no JSON document, or larger than 300 kB.
    """
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (TypeError, RecursionError) as error:
        raise ValueError(f"the value is no JSON document: {error}") from error
    # Lone surrogates are escaped: UTF-8 has none.
    encoded = text.encode("utf-8", "backslashreplace")
    if len(encoded) > MAX_VALUE_BYTES:
        raise ValueError(f"the value has {len(encoded)} bytes, at most {MAX_VALUE_BYTES} are kept")
    return encoded.decode("utf-8")


def _check_key(key: str) -> None:
    if not all(key.split("/")):
        raise ValueError(f"key {key!r} is not a path of non-empty parts joined by '/'")
    if len(key) > MAX_KEY_CHARS:
        raise ValueError(f"a key has at most {MAX_KEY_CHARS} characters, not {len(key)}")
