"""What an import may hold: checked before anything is written, because it is from outside.

What the host itself writes always passes. What would not - an instant that overflows in some time
zone, half a character that no file can hold, an id that names nothing - would break reading later.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Final

from cloche.memory.records import Event, MemoryRecord
from cloche.state.store import Json

FIRST_YEAR: Final = 1970
LAST_YEAR: Final = 2200
MAX_ID_CHARS: Final = 512
MAX_NUMBER: Final = 10**9
"""Of offsets and counts: no text is longer, nothing is confirmed more often."""


def check_characters(document: Json) -> None:
    """Refuse lone surrogates, in names as in texts.

    Raises:
        ValueError: there is one.
    """
    try:
        json.dumps(document, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError("a text has half a character (a lone surrogate) in it") from error


def check_event(event: Event) -> None:
    """Refuse an event that could not be used.

    Raises:
        ValueError: what is wrong with it.
    """
    check_id(event.id)
    _check_instant(event.at, "at")


def check_record(record: MemoryRecord) -> None:
    """Refuse a record that could not be used.

    Raises:
        ValueError: what is wrong with it.
    """
    check_id(record.id)
    if not record.text.strip():
        raise ValueError("text is empty")
    for name, at in _instants(record):
        _check_instant(at, name)
    if not 0 <= record.trust.confidence <= 1:
        raise ValueError("trust.confidence is not between 0 and 1")
    if not 1 <= record.trust.importance <= 5:
        raise ValueError("trust.importance is not between 1 and 5")
    if not 0 <= record.trust.confirmations <= MAX_NUMBER:
        raise ValueError("trust.confirmations is no count")
    if not 0 <= record.source.start <= record.source.end <= MAX_NUMBER:
        raise ValueError("source.start and source.end are no part of a text")


def check_id(item_id: str) -> None:
    """Refuse an id that is empty, very long, or holds what cannot be seen.

    Raises:
        ValueError: it is one of these.
    """
    if not item_id.strip():
        raise ValueError("id is empty")
    if len(item_id) > MAX_ID_CHARS or not item_id.isprintable():
        raise ValueError(
            f"id {item_id[:40]!r} is no id: at most {MAX_ID_CHARS} characters that can be seen"
        )


def _instants(record: MemoryRecord) -> Iterator[tuple[str, datetime]]:
    validity = record.validity
    named = (
        ("validity.created_at", validity.created_at),
        ("validity.updated_at", validity.updated_at),
        ("validity.expires_at", validity.expires_at),
        ("validity.review_after", validity.review_after),
        ("validity.archived_at", validity.archived_at),
        ("trust.verified_at", record.trust.verified_at),
        *((f"metadata.{key}", value) for key, value in record.metadata.items()),
    )
    for name, value in named:
        if isinstance(value, datetime):
            yield name, value


def _check_instant(at: datetime, name: str) -> None:
    if not FIRST_YEAR <= at.year <= LAST_YEAR:
        raise ValueError(f"{name} is not in the years {FIRST_YEAR} to {LAST_YEAR}")
