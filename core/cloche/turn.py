"""A turn from outside: what was answered, what it took, and what follows."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from cloche.agents.agent import ToolUse
from cloche.errors import ModelCause
from cloche.llm.usage import Usage
from cloche.memory.recall import Away, Recalled, Trimmed
from cloche.memory.remembered import Remembered
from cloche.messages import Reply
from cloche.skills.seen import SkillsSeen
from cloche.tracing import Traced, span

__all__ = ["BrokenOff", "Failure", "Remembered", "Steps", "Turn", "TurnReport", "nothing"]

BrokenOff: TypeAlias = Literal["stopped", "closed", "internal"]
"""Why a turn did not come to its end: its person wished so, its conversation goes on elsewhere or
later, or something ended it from within."""
Failure: TypeAlias = ModelCause | Literal["attachment", "internal", "state"] | BrokenOff
"""Why no model answered: the model, or a file, something of ours, or that nothing could be kept."""


@dataclass(frozen=True, slots=True)
class TurnReport:
    """What a turn took, for ``--verbose``, logs and metrics: never a prompt or a secret.

    Attributes:
        usage: Tokens and cost.
        recalled: Records that entered the prompt, in order, with why.
        trimmed: What was remembered and did not enter the prompt whole, and why.
        profile: True when the prompt had a session part.
        tool_uses: Tools called.
        agent: Which agent answered, or failed to ("" = none was asked).
        away: Why it is the one that stands by ("" = it is not): what kept the other from answering.
        failure: Why no model answered ("" = one did, or none was needed).
        unread: What the person calls the files that could not be read; the reply names them.
        degraded: Why memory could not be read ("" = it could).
        seconds: How long each step took.
        skills: Which skills the model saw, opened and called, and why others are not ready.
        notices: What the operator must read whatever is shown, one line each.
    """

    usage: Usage = field(default_factory=Usage)
    recalled: tuple[Recalled, ...] = ()
    trimmed: tuple[Trimmed, ...] = ()
    profile: bool = False
    tool_uses: tuple[ToolUse, ...] = ()
    agent: str = ""
    away: str = ""
    failure: Failure | Literal[""] = ""
    unread: tuple[str, ...] = ()
    degraded: Away | Literal[""] = ""
    seconds: Mapping[str, float] = field(default_factory=dict)
    skills: SkillsSeen = field(default_factory=SkillsSeen)
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Turn:
    """One message answered. Show ``reply``, then await ``afterwards()`` before the next turn."""

    id: str
    reply: Reply
    language: str
    afterwards: Callable[[], Awaitable[Remembered]]
    report: TurnReport = field(default_factory=TurnReport)
    span: Traced = field(default_factory=Traced, compare=False, repr=False)
    """What its sending is a part of, where somebody collects spans."""


class Steps:
    """Seconds of the steps of one turn."""

    def __init__(self) -> None:
        """Begin with no step."""
        self.seconds: dict[str, float] = {}

    @contextmanager
    def time(self, step: str) -> Iterator[None]:
        """Add what the block takes to the step."""
        started = time.perf_counter()
        try:
            with span(step):
                yield
        finally:
            self.seconds[step] = time.perf_counter() - started


async def nothing() -> Remembered:
    """What follows a command: it was acted on already."""
    return Remembered()
