"""How the cases open the store they test."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from cloche.clock import Clock
from cloche.memory.store import MemoryStore, SearchQuery
from cloche.testing.clock import FakeClock
from cloche.testing.inherited import KeepsInheritedTests

ANA = "console_-ana"
LUIS = "console_-luis"


class StoreCases(KeepsInheritedTests):
    """The factory an author gives, and what the cases need around it."""

    async def open_store(self, tmp_path: Path, clock: Clock) -> MemoryStore:
        """A store whose data lies at ``tmp_path``: opened twice, it is the same data."""
        raise NotImplementedError("give open_store: it makes the store under test")

    @asynccontextmanager
    async def opened(
        self, tmp_path: Path, clock: Clock | None = None
    ) -> AsyncIterator[MemoryStore]:
        """The store, closed at the end."""
        store = await self.open_store(tmp_path, FakeClock())
        try:
            yield store
        finally:
            await store.close()


async def found(store: MemoryStore, actor: str, query: SearchQuery) -> list[str]:
    """Texts of what a search finds, in its order."""
    return [hit.record.text for hit in await store.search(actor, query)]
