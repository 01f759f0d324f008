"""From what a model listed to drafts: only as far as the person's own words carry it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from html import unescape
from typing import TYPE_CHECKING, Final

from cloche.memory.extraction.draft import Draft
from cloche.memory.extraction.evidence import Evidence, is_own_part, not_own
from cloche.memory.extraction.screen import screen
from cloche.memory.extraction.sentences import sentences
from cloche.memory.records import Event, MetadataValue, Tag
from cloche.vocabulary import MetadataKey, Vocabulary, fold

if TYPE_CHECKING:
    from cloche.memory.extraction.schema import Statement

MAX_LABEL_CHARS: Final = 100
INFERRED: Final = 0.3
"""Confidence in what the person's words do not hold literally."""


def drafts_from(
    statements: Iterable[Statement], event: Event, vocabulary: Vocabulary
) -> tuple[Draft, ...]:
    """Drafts of what may be kept, in the order of the words; the same statement once."""
    said = sentences(event.user_text)
    own = [(sentence.start, sentence.end) for sentence in said]
    evidence = Evidence.of(
        "\n".join(sentence.text for sentence in said),
        f"{not_own(event.user_text, own)}\n{event.assistant_text or ''}",
    )
    ordered = any(screen(event.user_text[a:b]) == "instruction" for a, b in own)
    found: dict[str, Draft] = {}
    for statement in statements:
        draft = _draft(statement, event, own, evidence, vocabulary)
        if draft and not (ordered and draft.kind == "rule"):
            found.setdefault(fold(draft.text), draft)
    return tuple(sorted(found.values(), key=lambda draft: (draft.start, draft.end)))


def _draft(
    statement: Statement,
    event: Event,
    own: list[tuple[int, int]],
    evidence: Evidence,
    vocabulary: Vocabulary,
) -> Draft | None:
    text = statement.text.strip()
    if not text or screen(text) or screen(statement.quote) or screen(statement.subject):
        return None
    if evidence.is_others(text):
        return None
    span = locate(statement.quote, event.user_text)
    if span is None and locate(statement.quote, event.assistant_text or ""):
        return None  # the assistant's words, not the person's
    if span and not is_own_part(event.user_text, span, own):
        return None  # quoted or forwarded, if only in part: somebody else's words
    start, end = span or (0, 0)
    carried = span is not None and evidence.is_own(text)
    return Draft(
        kind=statement.kind,
        text=text,
        start=start,
        end=end,
        subject=statement.subject.strip(),
        metadata=_metadata(statement.metadata, vocabulary),
        stated=statement.stated and carried,
        confidence=statement.confidence if carried else min(statement.confidence, INFERRED),
        importance=statement.importance,
    )


def locate(quote: str, text: str) -> tuple[int, int] | None:
    """Where a quote stands in a text, forgiving case, spaces, width and marks at its ends."""
    for wanted in (quote.strip(), unescape(quote).strip()):
        if wanted and (at := text.find(wanted)) >= 0:
            return at, at + len(wanted)
    words = re.findall(r"\w+", unescape(quote))
    if not words:
        return None
    pattern = r"[\W_]*".join(re.escape(word) for word in words)
    match = re.search(pattern, text, re.IGNORECASE)
    return match.span() if match else None


def _metadata(filled: Mapping[str, object], vocabulary: Vocabulary) -> Mapping[str, MetadataValue]:
    """The vocabulary's keys; unknown keys and values of closed keys are left out."""
    found: dict[str, MetadataValue] = {}
    for key in vocabulary.keys:
        value = _value(key, filled.get(key.id))
        if value is not None:
            found[key.id] = value
    return found


def _value(key: MetadataKey, filled: object) -> MetadataValue | None:
    if key.type == "number":
        number = isinstance(filled, int | float) and not isinstance(filled, bool)
        return _number(filled) if number and isinstance(filled, int | float) else None
    if key.type == "time":
        return _time(filled)
    written = filled if isinstance(filled, list) else [filled]
    tags = tuple(
        dict.fromkeys(
            tag
            for one in written
            if isinstance(one, str) and _may_be_a_label(one) and (tag := key.tag(one)) is not None
        )
    )
    kept: tuple[Tag, ...] = tags[:1] if key.type == "string" else tags
    return kept or None


def _may_be_a_label(text: str) -> bool:
    """A label is read by models as text is, so it is screened as text is."""
    return bool(text.strip()) and len(text) <= MAX_LABEL_CHARS and not screen(text)


def _number(filled: float) -> float | None:
    """As the store keeps it; None for what has no place on the line."""
    try:
        number = float(filled)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _time(filled: object) -> datetime | None:
    if not isinstance(filled, str):
        return None
    try:
        time = datetime.fromisoformat(filled)
        return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None
