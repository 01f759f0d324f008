"""The embedding models that Bedrock offers: how each is asked, and how its answer is read."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

Body = dict[str, Any]

_ID: Final = re.compile(
    r"(?:arn:aws[\w-]*:bedrock:[\w-]*:\d*:(?:inference-profile|foundation-model)/)?"
    r"(?:(?:us|us-gov|eu|apac|jp|au|ca|global)\.)?(?P<model>(?:amazon|cohere)\.[\w.:-]+)"
)


@dataclass(frozen=True, slots=True)
class Family:
    """One model.

    Attributes:
        model: Its id, without profile and version.
        dimensions: How long its vectors can be, the usual length first.
        texts_a_call: The most texts one call takes.
        max_bytes: The longest text in UTF-8 that is sent, because a token is a byte at least.
        max_chars: The longest text in characters that the service takes.
        body: Makes a request of texts, whether they are questions, and the dimensions.
        read: Takes the vectors out of an answer. Raises KeyError, TypeError or ValueError.
    """

    model: str
    dimensions: tuple[int, ...]
    texts_a_call: int
    max_bytes: int
    max_chars: int
    body: Callable[[Sequence[str], bool, int], Body]
    read: Callable[[Any], list[list[float]]]


def family_of(model_id: str) -> Family | None:
    """The model behind an id, a profile of it or its ARN; None when it is not known."""
    found = _ID.fullmatch(model_id)
    return _FAMILIES.get(found["model"].removesuffix(":0")) if found else None


def _titan_body(texts: Sequence[str], _: bool, dimensions: int) -> Body:
    (text,) = texts
    return {"inputText": text, "dimensions": dimensions, "normalize": True}


def _titan_read(answer: Any) -> list[list[float]]:
    return [[float(value) for value in answer["embedding"]]]


def _cohere_v3_body(texts: Sequence[str], query: bool, _: int) -> Body:
    return {
        "texts": list(texts),
        "input_type": "search_query" if query else "search_document",
        "truncate": "END",
        "embedding_types": ["float"],
    }


def _cohere_v4_body(texts: Sequence[str], query: bool, dimensions: int) -> Body:
    return {
        **_cohere_v3_body(texts, query, dimensions),
        "truncate": "RIGHT",
        "output_dimension": dimensions,
    }


def _cohere_read(answer: Any) -> list[list[float]]:
    found = answer["embeddings"]
    vectors = found["float"] if isinstance(found, Mapping) else found
    return [[float(value) for value in vector] for vector in vectors]


def _cohere_v3(model: str) -> Family:
    return Family(model, (1024,), 96, 8000, 2048, _cohere_v3_body, _cohere_read)


_FAMILIES: Final[Mapping[str, Family]] = {
    family.model: family
    for family in (
        Family(
            "amazon.titan-embed-text-v2",
            (1024, 512, 256),
            1,
            8000,
            50_000,
            _titan_body,
            _titan_read,
        ),
        _cohere_v3("cohere.embed-multilingual-v3"),
        _cohere_v3("cohere.embed-english-v3"),
        Family(
            "cohere.embed-v4",
            (1536, 1024, 512, 256),
            96,
            8000,
            8000,
            _cohere_v4_body,
            _cohere_read,
        ),
    )
}
