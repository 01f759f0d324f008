"""What all embedders do to the texts that go in and to the vectors that come out."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Final

from cloche.errors import ModelError

NOTHING: Final = "-"
"""Stands for a text without a character: every provider refuses an empty one."""

Vector = tuple[float, ...]


def prepared(text: str, max_bytes: int) -> str:
    """A text that every model takes: well-formed, composed, not empty, not too long.

    A model's tokens are never more than the text's bytes in UTF-8, so a limit in bytes keeps a
    limit in tokens in any script. Of a longer text the beginning counts.

    Args:
        text: Whatever somebody wrote, lone surrogates and control characters too.
        max_bytes: The longest result in UTF-8.
    """
    # Far more than can stay is not worth composing; eight bytes is more than any character has.
    text = text[: max_bytes * 8].encode("utf-8", errors="replace").decode("utf-8")
    text = unicodedata.normalize("NFKC", text.replace("\x00", " ")).strip()
    return text.encode("utf-8")[:max_bytes].decode("utf-8", errors="ignore").strip() or NOTHING


def both_ends(text: str, max_bytes: int) -> str:
    """A question short enough to be embedded at once: its beginning and its end, if it is long."""
    data = text.encode("utf-8", errors="replace")
    if len(data) <= max_bytes:
        return text
    half = max_bytes // 2
    parts = (data[:half], data[-half:])
    return " ".join(part.decode("utf-8", errors="ignore") for part in parts)


def unit_vectors(
    answered: Iterable[Sequence[float]], *, count: int, dimensions: int, who: str
) -> tuple[Vector, ...]:
    """The vectors at length 1.

    Args:
        answered: What a model gave.
        count: How many there must be.
        dimensions: How long each must be.
        who: The model, for the error.

    Raises:
        ModelError: there are more or fewer, one has another length, or one has no direction.
    """
    vectors = tuple(_unit(vector, who) for vector in answered)
    if len(vectors) != count:
        raise ModelError(f"{who}: {len(vectors)} vectors for {count} texts.", cause="cut")
    wrong = next((len(vector) for vector in vectors if len(vector) != dimensions), None)
    if wrong is not None:
        raise ModelError(
            f"{who}: its vectors have {wrong} dimensions and not {dimensions}: set "
            f"CLOCHE_EMBEDDINGS__DIMENSIONS={wrong}.",
            cause="refused",
        )
    return vectors


def _unit(vector: Sequence[float], who: str) -> Vector:
    length = math.hypot(*vector)
    if not 0 < length < math.inf:  # not a number is neither
        raise ModelError(f"{who}: a vector of the answer has no direction.", cause="cut")
    return tuple(value / length for value in vector)
