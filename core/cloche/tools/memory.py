"""What a tool may do with the memory of the person it acts for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from cloche.memory.records import Kind, MemoryRecord


class ToolMemory(Protocol):
    """Memory as a tool sees it: bound to the actor of the turn."""

    async def remember(
        self,
        text: str,
        *,
        kind: Kind = "fact",
        subject: str = "",
        metadata: Mapping[str, Sequence[str]] | None = None,
    ) -> MemoryRecord:
        """Store a statement with its metadata as people write the values; once per call."""
        ...

    async def search(
        self,
        text: str = "",
        *,
        kinds: tuple[Kind, ...] = (),
        metadata: Mapping[str, str] | None = None,
        limit: int = 20,
    ) -> Sequence[MemoryRecord]:
        """Records that fit; an empty text lists the newest. ``metadata``: key -> written value."""
        ...

    async def correct(self, record_id: str, text: str) -> MemoryRecord:
        """Replace what a record says: the old one stays as history.

        Raises:
            ToolError: there is no such record.
        """
        ...

    async def forget(self, record_id: str) -> bool:
        """Remove a record for good; False when there is none."""
        ...
