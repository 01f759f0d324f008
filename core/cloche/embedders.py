"""The protocol of an embedder: from texts to vectors of one length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into vectors. The model id and the dimensions are kept beside every vector."""

    @property
    def model_id(self) -> str:
        """Which model, with its version: vectors of two models are never compared."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of every vector."""
        ...

    async def embed(self, texts: Sequence[str], *, query: bool) -> Sequence[Sequence[float]]:
        """One vector of length 1 per text; ``query`` tells questions from passages.

        Raises:
            ModelError: the embedder cannot be reached or gave nothing usable.
        """
        ...

    async def close(self) -> None:
        """Release what is held."""
        ...
