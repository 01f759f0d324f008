"""What every memory store must do: inherited by the tests of a store."""

from __future__ import annotations

from cloche.testing.stores.events import EventCases
from cloche.testing.stores.isolation import IsolationCases
from cloche.testing.stores.records import RecordCases
from cloche.testing.stores.search import SearchCases


class StoreConformance(EventCases, RecordCases, SearchCases, IsolationCases):
    """Every sentence of ``MemoryStore``'s documentation as a test.

    A store's author inherits it and gives one method; with ``asyncio_mode = "auto"`` in pytest's
    settings that is all::

        class TestMyStore(StoreConformance):
            async def open_store(self, tmp_path, clock):
                return MyStore(tmp_path / "my.db", clock)

    Opening a store twice at one ``tmp_path`` must give the same data: that is how the cases see
    what is durable.
    """
