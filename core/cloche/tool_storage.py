"""What a tool may do with a skill's own data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from cloche.state.store import Json


class ToolStorage(Protocol):
    """A skill's own data about the actor of the turn; part of export and forget."""

    async def get(self, key: str) -> Json:
        """The document, or None."""
        ...

    async def put(self, key: str, value: Json) -> None:
        """Write a document."""
        ...

    async def items(self, prefix: str = "") -> Mapping[str, Json]:
        """All documents whose key starts with ``prefix``."""
        ...

    async def delete(self, key: str) -> bool:
        """Remove a document; False when there is none."""
        ...

    async def items_of(self, skill: str, prefix: str = "") -> Mapping[str, Json]:
        """What another skill of this assistant keeps about the same actor, to read only.

        Args:
            skill: Its name in the assistant's ``skills.json``; one that keeps nothing has nothing.
            prefix: What the documents' keys start with.
        """
        ...
