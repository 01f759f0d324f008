"""An agent for tests: answers without a model and keeps what it was asked."""

from __future__ import annotations

from collections.abc import Callable

from cloche.agents.agent import Answer, OnDelta
from cloche.prompt import Prompt
from cloche.tools import BoundTool


class FakeAgent:
    """Answers by a function of the prompt; without one, it repeats the person's words.

    Attributes:
        asked: Every prompt so far.
    """

    name = "fake"

    def __init__(self, answer: Callable[[Prompt], str] | None = None) -> None:
        """Take how to answer."""
        self._answer = answer or (lambda prompt: f"You said: {prompt.words}")
        self.asked: list[Prompt] = []

    async def ask(
        self, prompt: Prompt, tools: tuple[BoundTool, ...], on_delta: OnDelta | None = None
    ) -> Answer:
        """The answer, also handed out as one piece."""
        self.asked.append(prompt)
        text = self._answer(prompt)
        if on_delta:
            await on_delta(text)
        return Answer(text)

    async def close(self) -> None:
        """Nothing is held."""
