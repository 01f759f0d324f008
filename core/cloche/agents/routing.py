"""Which agent answers a turn, and what a person reads when none can."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from cloche.agents.agent import Agent, Answer, OnDelta
from cloche.errors import ModelError
from cloche.logs import OncePerCause
from cloche.prompt import Prompt
from cloche.texts import say
from cloche.tools import BoundTool

SENTENCES: Final = {
    "auth": "model_auth",
    "throttled": "model_throttled",
    "timeout": "model_timeout",
}
"""Text keys by the cause of a ``ModelError``; every other cause is ``model_failed``."""


@dataclass(frozen=True, slots=True)
class Routed:
    """An answer, or the polite sentence that stands for one that failed."""

    answer: Answer
    failure: str = ""
    """Cause of the failure; "" = the answer is the agent's own."""


class Router:
    """Text goes to one agent, pictures to the one whose model can look at them."""

    def __init__(self, text: Agent, vision: Agent, notices: OncePerCause) -> None:
        """Take both agents; they may be the same."""
        self._text, self._vision, self._notices = text, vision, notices

    async def ask(
        self, prompt: Prompt, tools: tuple[BoundTool, ...], on_delta: OnDelta | None
    ) -> Routed:
        """The answer; a model's failure becomes one polite sentence and is told the operator."""
        agent = self._vision if prompt.images else self._text
        try:
            return Routed(await agent.ask(prompt, tools, on_delta))
        except ModelError as error:
            self._notices.warn(f"model {error.cause}", "no answer: %s", error)
            sentence = say(SENTENCES.get(error.cause, "model_failed"), prompt.language)
            return Routed(Answer(sentence), failure=error.cause)

    async def close(self) -> None:
        """Release what the agents hold."""
        await self._text.close()
        if self._vision is not self._text:
            await self._vision.close()
