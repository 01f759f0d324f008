"""What a tool may do with a skill's own data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from cloche.state.store import Json


def checked_key(key: str, most: int) -> str:
    """A key that a document can be kept under.

    Args:
        key: A path of non-empty parts joined by ``/``.
        most: How many characters it may have.

    Raises:
        ValueError: it is none; the message has the skill's own key, and nothing of where it lies.
    """
    if not all(key.split("/")):
        raise ValueError(f"storage key {key!r} is not a path of non-empty parts joined by '/'")
    if len(key) > most:
        raise ValueError(f"a storage key of this skill has at most {most} characters")
    return key


class ToolStorage(Protocol):
    """A skill's own data about the actor of the turn; part of export and forget.

    In a group it is that group's, apart from the private data, unless the person switched their
    private memories on there.

    A key is a path of non-empty parts joined by ``/``; another is a ``ValueError``.
    """

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
