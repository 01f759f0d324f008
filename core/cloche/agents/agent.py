"""The protocol of an agent: from a prompt to an answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from cloche.errors import AwayError
from cloche.llm.usage import Usage
from cloche.prompt import Prompt
from cloche.tools import BoundTool

OnDelta = Callable[[str], Awaitable[None]]
"""Takes the next piece of an answer's text as it is made."""


@dataclass(frozen=True, slots=True)
class ToolUse:
    """One tool call of a turn, for ``--verbose`` and logs: never its result."""

    tool: str
    arguments: str
    ok: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """What an agent made of a prompt."""

    text: str
    usage: Usage = field(default_factory=Usage)
    tool_uses: tuple[ToolUse, ...] = ()


class AgentAwayError(AwayError):
    """An agent cannot answer, and another one may: nothing of an answer has been handed out.

    The log tells the message: it quotes nobody.

    Attributes:
        cause: Stable short code.
        usage: What models took before it gave up.
    """

    def __init__(self, message: str, *, cause: str, usage: Usage | None = None) -> None:
        """Take the operator's message, the code, and what it cost."""
        self.usage = usage or Usage()
        super().__init__(message, cause=cause)


@runtime_checkable
class Agent(Protocol):
    """Answers one prompt, using the tools given."""

    name: str

    async def ask(
        self, prompt: Prompt, tools: tuple[BoundTool, ...], on_delta: OnDelta | None = None
    ) -> Answer:
        """The answer; the text handed to ``on_delta`` piece by piece is the answer's text.

        Once nobody waits any longer (``prompt.patience``) it is cancelled.

        Raises:
            ModelError: there is no usable answer.
            AgentAwayError: this agent cannot answer now, and another one may.
        """
        ...

    async def close(self) -> None:
        """Release what is held: connections, processes."""
        ...


@runtime_checkable
class Forgetful(Protocol):
    """An agent that keeps something of people beyond a turn, and can let go of it."""

    async def forget(self, actor: str) -> None:
        """Let go of all that is kept of a person; never fails, and waits for no turn."""
        ...
