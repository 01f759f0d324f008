"""What the tests of agents share: prompts, tools bound to a turn, listeners."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from cloche.errors import ToolError
from cloche.prompt import Exchange, Prompt
from cloche.tools import BoundTool, Tool, ToolContext, tool


class Listener:
    """Takes what is handed out."""

    def __init__(self) -> None:
        self.pieces: list[str] = []

    async def __call__(self, piece: str) -> None:
        self.pieces.append(piece)

    @property
    def text(self) -> str:
        return "".join(self.pieces)


@tool
async def look_up(ctx: ToolContext, word: str, limit: int = 3) -> str:
    """Look a word up.

    Args:
        word: The word.
        limit: How many meanings at most.
    """
    return f"{word} means light ({limit}, {ctx.actor})"


@tool
async def fail(ctx: ToolContext, word: str) -> str:
    """Fails whatever it is given."""
    raise ToolError("The dictionary is closed today.")


def bound(*tools: Tool) -> tuple[BoundTool, ...]:
    def context(call_id: str) -> ToolContext:
        return ToolContext(
            actor="console-_ann",
            call_id=call_id,
            memory=None,  # type: ignore[arg-type]
            storage=None,  # type: ignore[arg-type]
            config={},
            vocabulary=None,  # type: ignore[arg-type]
            clock=lambda: datetime(2026, 11, 30, tzinfo=UTC),
            language="en",
            time_zone="Europe/Oslo",
        )

    return tuple(BoundTool(each, turn_id="t1", context=context) for each in tools)


@pytest.fixture
def listener() -> Listener:
    return Listener()


@pytest.fixture
def tools() -> tuple[BoundTool, ...]:
    return bound(look_up, fail)


@pytest.fixture
def prompt_of() -> Callable[..., Prompt]:
    """Makes a prompt: ``prompt_of("words", history=..., turn=...)``."""

    def make(words: str = "What is the sun?", **parts: object) -> Prompt:
        given: dict = {
            "stable": "You are Ada, who explains words.",
            "session": '<profile about="x">\n- [fact; 3 March 2026; said; profile] I am Ann.\n</profile>',
            "history": (Exchange("Hello", "Good morning."),),
            "turn": "<now>Monday 30 November 2026, 09:12, Europe/Oslo</now>",
            **parts,
        }
        return Prompt(words=words, **given)

    return make
