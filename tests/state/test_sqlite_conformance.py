from __future__ import annotations

from pathlib import Path

from cloche.clock import Clock
from cloche.state.sqlite import SqliteStateStore
from cloche.state.store import StateStore
from cloche.testing.state_conformance import StateConformance


class TestSqliteStateStore(StateConformance):
    async def open_store(self, tmp_path: Path, clock: Clock) -> StateStore:
        return SqliteStateStore(tmp_path / "state.db", clock)
