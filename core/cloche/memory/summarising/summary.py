"""What summarising gives, and who can do it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from cloche.llm.usage import Usage
from cloche.memory.records import Event, MemoryRecord
from cloche.memory.summarising.lines import Line


@dataclass(frozen=True, slots=True)
class Task:
    """Something the person still has to do or wants done.

    Attributes:
        text: In their words.
        event: The turn they said it in.
        start: Offset of the words in that turn's user text.
        end: End offset, exclusive.
    """

    text: str
    event: Event
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Summarized:
    """A session so far.

    Attributes:
        lines: What was told, asked and decided, oldest first.
        tasks: What was left to do, of the new events.
        done: Ids of task records that turned out to be done.
        usage: What the model used for it.
    """

    lines: tuple[Line, ...] = ()
    tasks: tuple[Task, ...] = ()
    done: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)


class Summarizer(Protocol):
    """Sums up a session, step by step."""

    async def summarize(
        self, before: Sequence[Line], open_tasks: Sequence[MemoryRecord], events: Sequence[Event]
    ) -> Summarized:
        """The session with its new events.

        Args:
            before: What its earlier events came to.
            open_tasks: Task records that were open before.
            events: The new ones, oldest first.

        Raises:
            ModelError: a model was needed and gave nothing.
        """
        ...
