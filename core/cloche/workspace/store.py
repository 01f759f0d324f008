"""Where files of people are kept: by actor and key, nobody's under another's."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True, slots=True)
class StoredFile:
    """One kept file, without its content.

    Attributes:
        key: Area and name, ``sent/plan.txt``; see ``cloche.workspace.names``.
        size: In bytes.
        at: When it was written, in UTC, by the store's clock.
        version: Another one after each write; what it looks like is the store's affair.
    """

    key: str
    size: int
    at: datetime
    version: str


@dataclass(frozen=True, slots=True)
class Content:
    """What a file holds.

    Attributes:
        version: Which of its versions that is.
        data: Its bytes; None = it is still the version that was named as known.
    """

    version: str
    data: bytes | None


class FileStore(Protocol):
    """Keeps files by actor and key.

    Every method raises ``ValueError`` for an empty actor or a key that is none, before anything is
    touched, and ``MemoryUnavailableError`` while the store cannot be used.
    """

    async def put(self, actor: str, key: str, data: bytes) -> str:
        """Keep a file, whole or not at all, in the place of an earlier one; its version."""
        ...

    async def get(
        self, actor: str, key: str, *, known: str = "", strict: bool = False
    ) -> Content | None:
        """A file's content, or None.

        Args:
            actor: Whose it is.
            key: Area and name.
            known: The version whose bytes are at hand.
            strict: True = rather fail than give what was last seen.
        """
        ...

    async def list(self, actor: str, *, strict: bool = False) -> Sequence[StoredFile]:
        """All of an actor's files, by key; ``strict`` as in ``get``."""
        ...

    def path(self, actor: str, key: str) -> Path | None:
        """Where a file lies on this machine; None = it does not, as far as is known."""
        ...

    def alone(self, actor: str) -> AbstractAsyncContextManager[None]:
        """Nobody else changes an actor's files meanwhile, in whichever process of this machine.

        Entering it raises ``MemoryUnavailableError`` where another holds it for too long.
        """
        ...

    async def delete(self, actor: str, key: str) -> None:
        """Remove a file for good, if it is there."""
        ...

    async def forget(self, actor: str) -> None:
        """Remove all of an actor's files for good."""
        ...

    async def close(self) -> None:
        """Release what is held."""
        ...
