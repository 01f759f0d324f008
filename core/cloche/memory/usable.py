"""Metadata that can be kept: a value that cannot costs itself, never the statement it is of."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

from cloche.memory.fields import finite
from cloche.memory.records import Metadata, MetadataValue, Tag
from cloche.vocabulary import MAX_SLUG_CHARS

MAX_LABEL_CHARS: Final = 200
"""Of one label; what is longer is no name of anything."""
MAX_TAGS: Final = 50
"""Of one key of one statement; the first ones."""


def usable(metadata: Metadata) -> Mapping[str, MetadataValue]:
    """The metadata without what no store could hold or no filter could find."""
    kept = ((key, _kept(value)) for key, value in metadata.items())
    return {key: value for key, value in kept if value is not None}


def _kept(value: MetadataValue) -> MetadataValue | None:
    if isinstance(value, tuple):
        return tuple(tag for tag in value if _is_name(tag))[:MAX_TAGS] or None
    try:
        if isinstance(value, datetime):
            # Near the first and the last year there is, another zone has no such instant.
            return value.astimezone(UTC) if value.utcoffset() is not None else None
        return finite(value, "")
    except (ValueError, OverflowError, TypeError):
        return None


def _is_name(tag: Tag) -> bool:
    written = tag.label.strip()
    return 0 < len(tag.id) <= MAX_SLUG_CHARS and 0 < len(written) <= MAX_LABEL_CHARS
