"""Records and events as a prompt shows them, within what they may take. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final
from zoneinfo import ZoneInfo

from cloche.memory.recall import Part, Recalled, Trimmed
from cloche.memory.records import Event, MemoryRecord
from cloche.memory.window import Item, Window, build_window
from cloche.prompt import Exchange, RecalledLine, Why

LINE_TOKENS: Final = 12
"""What a line's brackets take beside its text."""
ANSWER_TOKENS: Final = 100
"""What an earlier answer may take: it was no memory, only what was made of one."""
WORDS_TOKENS: Final = 150
"""What the person's words of an earlier turn may take."""
ANSWER: Final = "/answer"
CUT: Final = "[…]"
"""Stands for an answer there was no room for."""


def fit_records(
    ranked: Sequence[Recalled], part: Part, *, limit: int, tokens: int
) -> tuple[tuple[Recalled, ...], tuple[Trimmed, ...]]:
    """The ranked records that are shown, and what became of the others.

    Args:
        ranked: Best first.
        part: Where they stand in the prompt.
        limit: At most this many.
        tokens: What all of them may take.
    """
    items = [Item(one.record.id, statement_of(one.record), LINE_TOKENS) for one in ranked]
    window = build_window(items, tokens, limit=limit)
    whole, cut = {one.id for one in window.kept}, window.texts
    shown = (
        replace(one, shown="" if one.record.id in whole else cut[one.record.id])
        for one in ranked
        if one.record.id in cut
    )
    return tuple(shown), trimmed(window, part)


def fit_events(
    events: Sequence[Event], *, tokens: int
) -> tuple[tuple[Event, ...], tuple[Trimmed, ...]]:
    """Earlier events with as much of their texts as is shown, and what became of the rest.

    The person's words come first, those of the best event before others, then the answers.
    """
    items = [
        Item(one.id, one.user_text, LINE_TOKENS, WORDS_TOKENS) for one in events if one.user_text
    ]
    items += [
        Item(one.id + ANSWER, one.assistant_text, LINE_TOKENS, ANSWER_TOKENS)
        for one in events
        if one.assistant_text
    ]
    window = build_window(items, tokens)
    texts = window.texts
    shown = (
        replace(one, user_text=texts.get(one.id, ""), assistant_text=texts.get(one.id + ANSWER))
        for one in events
    )
    kept = tuple(one for one in shown if one.user_text or one.assistant_text)
    return kept, trimmed(window, "earlier")


def fit_carried(
    summary: MemoryRecord | None,
    tasks: Sequence[MemoryRecord],
    before: Sequence[tuple[Event, Exchange]],
    *,
    tokens: int,
) -> tuple[str, tuple[Recalled, ...], tuple[tuple[Event, Exchange], ...], tuple[Trimmed, ...]]:
    """What carries over into a session: summary, tasks, the last exchanges; and what does not.

    Args:
        summary: Of the session before.
        tasks: What is still to do, best first.
        before: The last exchanges of that session, oldest first.
        tokens: What all of it may take.
    """
    items = [Item(one.id, one.text, LINE_TOKENS) for one in (summary, *tasks) if one]
    for event, exchange in reversed(before):
        items.append(Item(event.id, exchange.user, LINE_TOKENS, WORDS_TOKENS))
        items.append(Item(event.id + ANSWER, exchange.assistant, 0, ANSWER_TOKENS))
    window = build_window(items, tokens)
    texts = window.texts
    return (
        texts.get(summary.id, "") if summary else "",
        tuple(Recalled(one, "profile", shown=texts[one.id]) for one in tasks if one.id in texts),
        tuple(
            (event, Exchange(texts[event.id], texts.get(event.id + ANSWER, CUT)))
            for event, _ in before
            if event.id in texts
        ),
        trimmed(window, "last-time"),
    )


def trimmed(window: Window, part: Part) -> tuple[Trimmed, ...]:
    """What a window does not show whole."""
    return (
        *(Trimmed(part, one.item.id, True, one.reason) for one in window.shortened),
        *(Trimmed(part, one.item.id, False, one.reason) for one in window.left_out),
    )


def statement_of(record: MemoryRecord) -> str:
    """What a record says, with whom it is about."""
    return record.told


def line_of(recalled: Recalled, zone: ZoneInfo) -> RecalledLine:
    """A recalled record as the prompt shows it."""
    record = recalled.record
    return RecalledLine(
        kind=record.kind,
        day=record.validity.created_at.astimezone(zone).date(),
        stated=record.source.stated,
        why=recalled.why,
        text=recalled.shown or statement_of(record),
    )


def event_lines(event: Event, zone: ZoneInfo) -> tuple[RecalledLine, ...]:
    """An earlier event as the prompt shows it: the person's words and what they were answered."""
    day = event.at.astimezone(zone).date()
    lines = [RecalledLine("event", day, True, _FITS, event.user_text)] if event.user_text else []
    if event.assistant_text:
        lines.append(RecalledLine("answer", day, True, _FITS, event.assistant_text))
    return tuple(lines)


_FITS: Final[Why] = "fits"
