"""What a record rests on, as lines of a table and as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from cloche.memory.why import Reasons, Used

WHY_COLUMNS: Final = ("part", "date", "who", "text", "id")


@dataclass(frozen=True, slots=True)
class Ground:
    """One thing a record rests on, or is tied to."""

    part: str
    date: str
    who: str
    text: str
    id: str


def grounds(found: Reasons, owner: str) -> list[Ground]:
    """The rows of the table, the words it rests on first."""
    from cloche.memory.holdings import short_id

    record = found.record
    rows = [
        Ground(
            "quote" if record.source.quote else "statement",
            day_of(record.validity.created_at),
            found.author or (owner if record.source.stated else f"inferred from {owner}"),
            found.quote,
            short_id(record.id),
        )
    ]
    rows += [
        Ground("turn", day_of(event.at), event.speaker or owner, event.user_text, event.id)
        for event in found.events
    ]
    for part, others in (
        ("replaced", found.replaced),
        ("replaced by", (found.instead,) if found.instead else ()),
    ):
        for one in others:
            text = one.record.text if one.record else "(forgotten)"
            day = day_of(one.record.validity.created_at) if one.record else ""
            rows.append(
                Ground(part, day, one.rule or "no rule noted", text, short_id(one.record_id))
            )
    rows += [
        Ground("used", day_of(use.at), "words", use.words or _wordless(use), use.turn)
        for use in found.used
    ]
    return rows


def _wordless(use: Used) -> str:
    if use.forgotten:
        return "(forgotten)"
    return f"(files without words: {use.files})" if use.files else "(without words)"


def document(found: Reasons) -> dict[str, object]:
    """All of it as one JSON document."""
    from cloche.memory.codec import event_to_json, record_to_json

    successions = {
        "replaced": found.replaced,
        "replaced_by": (found.instead,) if found.instead else (),
    }
    return {
        "record": record_to_json(found.record),
        "quote": found.quote,
        "author": found.author,
        "events": [event_to_json(event) for event in found.events],
        **{
            name: [
                {
                    "id": one.record_id,
                    "rule": one.rule,
                    "record": record_to_json(one.record) if one.record else None,
                }
                for one in several
            ]
            for name, several in successions.items()
        },
        "used": [
            {"turn": use.turn, "at": use.at.isoformat(), "words": use.words} for use in found.used
        ],
    }


def day_of(at: datetime) -> str:
    """The day in the system's time zone."""
    return f"{at.astimezone():%Y-%m-%d}"
