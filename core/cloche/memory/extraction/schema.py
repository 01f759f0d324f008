"""The typed result that a model fills in, its metadata bound to one vocabulary.

The JSON Schema that the model sees lists the vocabulary's keys and the values of closed ones.
What comes back is read leniently there: an unknown value costs itself, not the whole answer.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema, create_model

from cloche.vocabulary import MetadataKey, Vocabulary

MAX_STATEMENTS = 40


class Statement(BaseModel):
    """One thing worth keeping."""

    model_config = ConfigDict(extra="ignore")

    quote: str = Field(description="The words in <said> it rests on, copied exactly.")
    text: str = Field(min_length=1, max_length=1000, description="The statement, same language.")
    kind: Literal["preference", "rule", "fact", "decision", "warning"] = "fact"
    subject: str = Field(default="", max_length=100)
    stated: bool = True
    confidence: float = Field(default=0.8, ge=0, le=1)
    importance: int = Field(default=3, ge=1, le=5)
    metadata: dict[str, object] = Field(default_factory=dict)


class Extraction(BaseModel):
    """All that a message holds; often nothing."""

    model_config = ConfigDict(extra="ignore")

    statements: list[Statement] = Field(default_factory=list, max_length=MAX_STATEMENTS)


def extraction_type(vocabulary: Vocabulary) -> type[Extraction]:
    """``Extraction`` with the vocabulary's keys and closed values in its JSON Schema."""
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {key.id: _key_schema(key) for key in vocabulary.keys},
        "additionalProperties": False,
    }
    statement = create_model(
        "Statement",
        __base__=Statement,
        metadata=(
            Annotated[dict[str, object], WithJsonSchema(schema)],
            Field(default_factory=dict),
        ),
    )
    return create_model(
        "Extraction",
        __base__=Extraction,
        statements=(
            list[statement],  # type: ignore[valid-type]  # made at run time from the vocabulary
            Field(default_factory=list, max_length=MAX_STATEMENTS),
        ),
    )


def _key_schema(key: MetadataKey) -> dict[str, Any]:
    if key.type == "number":
        return {"type": "number", "description": key.description}
    if key.type == "time":
        return {"type": "string", "description": f"{key.description} (ISO 8601 with offset)"}
    items: dict[str, Any] = {"type": "string"}
    if key.closed:
        items["enum"] = [value.id for value in key.values]
    most = {"maxItems": 1} if key.type == "string" else {}
    return {"type": "array", "items": items, "description": key.description, **most}
