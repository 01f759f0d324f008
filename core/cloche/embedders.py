"""The protocol of an embedder: from texts to vectors of one length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Protocol, runtime_checkable


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into vectors. The model id and the dimensions are kept beside every vector."""

    model_id: ClassVar[str]
    dimensions: ClassVar[int]

    async def embed(self, texts: Sequence[str], *, query: bool) -> Sequence[Sequence[float]]:
        """One vector of ``dimensions`` floats per text; ``query`` tells questions from passages."""
        ...
