"""The local memory store: one SQLite file per assistant."""

from cloche.memory.local.store import LocalMemoryStore

__all__ = ["LocalMemoryStore"]
