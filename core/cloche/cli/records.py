"""Records as one line of a table each."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from cloche.memory.records import MemoryRecord, MetadataValue

COLUMNS: Final = ("id", "kind", "text", "metadata", "date", "source")


@dataclass(frozen=True, slots=True)
class RecordRow:
    """What the table shows of a record."""

    id: str
    kind: str
    text: str
    metadata: str
    date: str
    source: str


def record_row(record: MemoryRecord) -> RecordRow:
    """The line of a record, its day in the system's time zone."""
    from cloche.memory.holdings import short_id

    metadata = (f"{key}: {_written(value)}" for key, value in sorted(record.metadata.items()))
    return RecordRow(
        id=short_id(record.id),
        kind=record.kind,
        text=record.told,
        metadata="; ".join(metadata),
        date=f"{record.validity.created_at.astimezone():%Y-%m-%d}",
        source=f"{'said' if record.source.stated else 'inferred'}, {record.source.type}",
    )


def _written(value: MetadataValue) -> str:
    if isinstance(value, datetime):
        return f"{value.astimezone():%Y-%m-%d}"
    if isinstance(value, tuple):
        return ", ".join(tag.label for tag in value)
    return f"{value:g}"
