"""Summaries and tasks as the records they are kept in. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from zoneinfo import ZoneInfo

from cloche.ids import record_id
from cloche.memory.extraction.timebound import expiry_of
from cloche.memory.lifecycle import validity_for
from cloche.memory.records import Event, MemoryRecord, Source, Trust
from cloche.memory.summarising.summary import Task
from cloche.namespaces import MemoryScope


def summary_id(actor: str, session: str) -> str:
    """The id of a session's summary: one per session, made anew as it grows."""
    return record_id(actor, session, "summary")


def summary_record(
    session: str, events: Sequence[Event], text: str, made_of: tuple[str, ...], scope: MemoryScope
) -> MemoryRecord:
    """The summary of a session.

    Args:
        session: Its id.
        events: The newest of it; the last one says when, whose and where.
        text: What it came to.
        made_of: Ids of all its events that were summed up.
        scope: Where it lies.
    """
    last = events[-1]
    return MemoryRecord(
        id=summary_id(last.actor, session),
        actor=last.actor,
        scope=scope.name,
        kind="summary",
        text=text,
        source=Source(
            stated=False,
            ref=session,
            conversation=last.conversation,
            group=last.group,
            derived_from=made_of,
        ),
        validity=validity_for("summary", scope, last.at),
        trust=Trust(confidence=0.7, importance=2),
    )


def task_record(task: Task, scope: MemoryScope, zone: ZoneInfo) -> MemoryRecord:
    """A task; one that names its end ("by Friday") is not brought up after it."""
    event = task.event
    validity = validity_for("task_state", scope, event.at)
    ends = expiry_of(task.text, "fact", event.at, zone)
    if ends and validity.expires_at:
        validity = replace(validity, expires_at=min(ends, validity.expires_at))
    return MemoryRecord(
        id=record_id(event.actor, event.id, "task", str(task.start)),
        actor=event.actor,
        scope=scope.name,
        kind="task_state",
        text=task.text,
        source=Source(
            ref=event.id,
            start=task.start,
            end=task.end,
            quote=event.user_text[task.start : task.end],
            conversation=event.conversation,
            group=event.group,
        ),
        validity=validity,
        trust=Trust(confidence=0.7),
    )
