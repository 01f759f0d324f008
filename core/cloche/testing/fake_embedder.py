"""A deterministic embedder for tests, whose notion of meaning a test gives it."""

from __future__ import annotations

import hashlib
import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Final

from cloche.errors import ModelError

HASHED: Final = 32
"""Dimensions for what is in no concept: equal words point in equal directions."""
WORD_WEIGHT: Final = 0.25
"""How much all words together count beside one concept."""
_WORD: Final = re.compile(r"[a-z0-9]+|\w")

Concepts = Mapping[str, Sequence[str]]


class FakeEmbedder:
    """Texts are near one another when they share concepts, in whatever language.

    A concept is a name and the words that stand for it; a word counts as a whole word, in the
    plural on s too, and anywhere in a text where it is not ASCII::

        FakeEmbedder({"bread": ("bread", "pan", "面包"), "price": ("cost", "price", "cuesta")})

    Words of no concept count a little, so that every text has a direction of its own.

    Attributes:
        calls: Every call: the texts, and whether they were questions. A test may clear it.
        failure: An error that every call raises from now on, or None.
        closed: True after ``close``.
    """

    def __init__(self, concepts: Concepts | None = None, *, model_id: str = "fake") -> None:
        """Take the concepts; another ``model_id`` stands for another model."""
        self._concepts = tuple(
            tuple(_folded(word) for word in words) for words in (concepts or {}).values()
        )
        self._model_id = model_id
        self.closed = False
        self.calls: list[tuple[tuple[str, ...], bool]] = []
        self.failure: ModelError | None = None

    @property
    def model_id(self) -> str:
        """As given."""
        return self._model_id

    @property
    def dimensions(self) -> int:
        """One for each concept, and some for other words."""
        return len(self._concepts) + HASHED

    async def embed(self, texts: Sequence[str], *, query: bool) -> Sequence[tuple[float, ...]]:
        """One vector of length 1 per text, the same for a question and a passage.

        Raises:
            ModelError: ``failure`` is set, or it is closed.
        """
        if self.closed:
            raise ModelError("the embedder is closed.", cause="closed")
        self.calls.append((tuple(texts), query))
        if self.failure is not None:
            raise self.failure
        return tuple(self.vector(text) for text in texts)

    async def close(self) -> None:
        """Later calls raise. Again does nothing."""
        self.closed = True

    def vector(self, text: str) -> tuple[float, ...]:
        """The vector of a text, without a call."""
        folded = _folded(text)
        meaning = [float(any(_has(folded, word) for word in words)) for words in self._concepts]
        rest = [0.0] * HASHED
        for word in _WORD.findall(folded) or ["-"]:
            digest = hashlib.sha256(word.encode()).digest()
            rest[digest[0] % HASHED] += 1 if digest[1] % 2 else -1
        if not any(rest):
            rest[0] = 1.0  # the words cancelled each other out
        share = WORD_WEIGHT / math.hypot(*rest)
        vector = [*meaning, *(value * share for value in rest)]
        length = math.hypot(*vector)
        return tuple(value / length for value in vector)


def _folded(text: str) -> str:
    """Lower case without accents, well-formed."""
    plain = text.encode("utf-8", errors="replace").decode("utf-8")
    parts = unicodedata.normalize("NFKD", plain.casefold())
    return "".join(char for char in parts if not unicodedata.combining(char))


def _has(text: str, word: str) -> bool:
    if not word.isascii():
        return word in text
    return re.search(rf"(?<![a-z0-9]){re.escape(word)}(?:e?s)?(?![a-z0-9])", text) is not None
