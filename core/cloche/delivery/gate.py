"""What delivery stands between: the assistant that answers, and the gate that lets people in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from cloche.messages import Message, Reply

if TYPE_CHECKING:
    from cloche.agents.agent import OnDelta
    from cloche.llm.usage import Usage
    from cloche.turn import BrokenOff, Turn


class Answering(Protocol):
    """An assistant, as far as delivery needs it."""

    async def handle(self, message: Message, on_delta: OnDelta | None = None) -> Turn:
        """Answer one message; ``on_delta`` is told each piece of the answer as it is written."""
        ...

    async def overhear(self, message: Message) -> None:
        """Take a group's words that were said to others: into its recent words, nothing else."""
        ...

    async def broken_off(self, message: Message, why: BrokenOff) -> Usage:
        """What models took for a message whose turn was broken off; told once, and only here."""
        ...

    async def language_of(self, message: Message) -> str:
        """The language for the host's own sentences to whoever wrote it; never fails."""
        ...


@dataclass(frozen=True, slots=True)
class Admission:
    """Whether a message starts a turn.

    Attributes:
        go: True = it does.
        reply: Where it does not: what is sent instead; None = silence.
    """

    go: bool
    reply: Reply | None = None


class Gate(Protocol):
    """Who may talk to the assistant, and how much."""

    async def admit(self, message: Message) -> Admission:
        """Ask before a turn, in the conversation's order; the message as merged.

        After a process died the same message may be asked for again.

        Raises:
            MemoryUnavailableError: it cannot be told now; the message waits and is asked for again.
        """
        ...

    async def spent(self, message: Message, usage: Usage) -> None:
        """Count what a turn and what followed it took."""
        ...


class OpenDoor:
    """Lets everybody in and counts nothing: for doors that only the owner of this machine uses."""

    async def admit(self, message: Message) -> Admission:
        """Go on."""
        return Admission(go=True)

    async def spent(self, message: Message, usage: Usage) -> None:
        """Nobody counts."""
