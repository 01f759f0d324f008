"""The protocol for what must outlive a process and is not memory.

Keys are paths of non-empty parts joined by "/" (at most 512 characters), values are JSON
documents (at most 300 kB encoded; DynamoDB's item limit is 400 kB). One conformance suite,
``cloche.testing.StateConformance``, holds for every implementation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol, TypeAlias, runtime_checkable

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

MAX_KEY_CHARS = 512
MAX_VALUE_BYTES = 300_000


@dataclass(frozen=True, slots=True)
class StateItem:
    """One value: ``version`` grows by one with every write of the key, starting at 1."""

    key: str
    value: Json
    version: int
    expires_at: datetime | None = None


@runtime_checkable
class StateStore(Protocol):
    """Small values with compare-and-set, counters and lifetimes; atomic across processes.

    An item whose lifetime is over is as good as gone for every method. A store that cannot be
    used raises ``MemoryUnavailableError``; a bad key or a value too large is a ``ValueError``.

    Attributes:
        shared: True when machines share it, each with conversations of its own: then none may go
            on with what another left, which may be what that one works on.
    """

    shared: bool

    async def claim(self, key: str, *, ttl: timedelta) -> bool:
        """True for exactly one caller until ``ttl`` is over, however many processes ask."""
        ...

    async def get(self, key: str) -> StateItem | None:
        """The item, or None."""
        ...

    async def put(self, key: str, value: Json, *, ttl: timedelta | None = None) -> StateItem:
        """Write whatever was there before; None = keep for good."""
        ...

    async def compare_and_set(
        self, key: str, value: Json, *, version: int, ttl: timedelta | None = None
    ) -> StateItem | None:
        """Write only where the stored version is ``version`` (0 = there is none), else None."""
        ...

    async def increment(self, key: str, by: int = 1, *, ttl: timedelta | None = None) -> int:
        """Add to a counter (absent = 0) and return the sum; ``ttl`` counts from its creation."""
        ...

    async def list_items(
        self, prefix: str, *, after: str = "", limit: int = 100
    ) -> Sequence[StateItem]:
        """A page of items whose key starts with ``prefix``, ordered by key, above ``after``."""
        ...

    async def delete(self, key: str) -> bool:
        """Remove one item; False when there was none."""
        ...

    async def delete_prefix(self, prefix: str) -> int:
        """Remove every item whose key starts with ``prefix``; how many.

        Raises:
            ValueError: the prefix is empty: nobody means to remove everybody's items.
        """
        ...

    async def close(self) -> None:
        """Release what is held."""
        ...
