"""Tools: typed Python functions that a skill offers to the agent.

A tool is an async function whose first parameter is a ``ToolContext``; the others are what the
model fills in. Who it acts for comes from the context, never from an argument.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from cloche.clock import Clock
from cloche.memory.records import Kind, MemoryRecord
from cloche.state.store import Json
from cloche.vocabulary import Vocabulary


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


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What the host hands to every tool call.

    Attributes:
        actor: Who the turn acts for.
        call_id: The same when a turn is run again, so that nothing is done twice.
        memory: The actor's memory.
        storage: The skill's own data about the actor.
        config: The skill's settings from the manifest.
        vocabulary: The assistant's vocabulary.
        clock: The present instant.
        language: Language of the person, for answers that are shown as they are.
        time_zone: IANA name of the person's zone.
    """

    actor: str
    call_id: str
    memory: ToolMemory
    storage: ToolStorage
    config: Mapping[str, Json]
    vocabulary: Vocabulary
    clock: Clock
    language: str
    time_zone: str


ToolFunction = Callable[..., Awaitable[str]]
