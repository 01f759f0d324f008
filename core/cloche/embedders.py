"""The protocol of an embedder: from texts to vectors of one length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into vectors. The model id and the dimensions are kept beside every vector.

    Making one loads and connects nothing: both are known before the first text. The tests of one
    inherit ``cloche.testing.EmbedderConformance``.
    """

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

        Any text has a vector: an empty one, one that is far too long, half a character.

        Raises:
            ModelError: the embedder cannot be reached, gave nothing usable or is closed.
        """
        ...

    async def close(self) -> None:
        """Release what is held. Again does nothing."""
        ...
