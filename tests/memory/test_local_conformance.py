from __future__ import annotations

from pathlib import Path

from cloche.clock import Clock
from cloche.memory.local import LocalMemoryStore
from cloche.memory.store import MemoryStore
from cloche.testing.store_conformance import StoreConformance


class TestLocalMemoryStore(StoreConformance):
    async def open_store(self, tmp_path: Path, clock: Clock) -> MemoryStore:
        return LocalMemoryStore(tmp_path / "memory.db", clock)
