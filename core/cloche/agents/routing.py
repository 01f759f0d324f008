"""Which agent answers a turn, and what a person reads when none can."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import Final, Literal

from cloche.agents.agent import Agent, AgentAwayError, Answer, Forgetful, OnDelta
from cloche.errors import ModelError
from cloche.in_time import in_time
from cloche.llm.usage import Usage
from cloche.logs import OncePerCause
from cloche.prompt import Prompt
from cloche.texts import say
from cloche.tools import BoundTool
from cloche.turn import Failure

SENTENCES: Final = {
    "auth": "model_auth",
    "throttled": "model_throttled",
    "timeout": "model_timeout",
}
"""Text keys by the cause of a ``ModelError``; every other cause is ``model_failed``."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Routed:
    """An answer, or the polite sentence that stands for one that failed."""

    answer: Answer
    failure: Failure | Literal[""] = ""
    """Cause of the failure; "" = the answer is the agent's own."""
    agent: str = ""
    """Name of the agent that was asked last; "" = none was."""
    away: str = ""
    """Code of what kept the agent that is asked first from answering; "" = nothing did."""


class Router:
    """Text goes to one agent, pictures to the one whose model can look at them.

    A turn that is part of no talk (a reminder that is due), and one whose agent is away, is
    answered by the stand-by, with the same tools.
    """

    def __init__(
        self, text: Agent, vision: Agent, notices: OncePerCause, standby: Agent | None = None
    ) -> None:
        """Take the agents; they may be the same. Without a stand-by, text has its agent alone."""
        self._text, self._vision, self._notices = text, vision, notices
        self._standby = standby or text

    async def ask(
        self, prompt: Prompt, tools: tuple[BoundTool, ...], on_delta: OnDelta | None
    ) -> Routed:
        """The answer; a model's failure becomes one polite sentence and is told the operator.

        So does an agent that goes on when nobody waits for it any longer, whoever wrote it.
        """
        agent, away, spent = self._agent_for(prompt), "", Usage()
        if prompt.images:
            tools = tuple(tool.beside_pictures(prompt.words) for tool in tools)
        try:
            try:
                answer = await _in_time(agent, prompt, tools, on_delta)
            except AgentAwayError as error:
                _log.info("cause=%s | %s answers: %s", error.cause, self._standby.name, error)
                agent, away, spent = self._standby, error.cause, error.usage
                again = tuple(tool.renewed() for tool in tools)
                answer = await _in_time(agent, prompt, again, on_delta)
            answer = replace(answer, usage=spent + answer.usage)
            return Routed(answer, agent=agent.name, away=away)
        except ModelError as error:
            self._notices.warn(f"model {error.cause}", "no answer: %s", error)
            sentence = say(SENTENCES.get(error.cause, "model_failed"), prompt.language)
            failed = Answer(sentence, spent + error.usage)
            return Routed(failed, error.cause, agent.name, away)
        except BaseException:  # the turn is broken off, or what answers is broken
            prompt.lost(spent)
            raise

    def _agent_for(self, prompt: Prompt) -> Agent:
        if prompt.images:
            return self._vision
        return self._text if prompt.thread else self._standby

    async def forget(self, actor: str) -> None:
        """Have the agents let go of what they keep of a person."""
        for agent in self._agents():
            if isinstance(agent, Forgetful):
                await agent.forget(actor)

    async def close(self) -> None:
        """Release what the agents hold."""
        for agent in self._agents():
            await agent.close()

    def _agents(self) -> tuple[Agent, ...]:
        """Each agent once."""
        return tuple({id(a): a for a in (self._text, self._vision, self._standby)}.values())


async def _in_time(
    agent: Agent, prompt: Prompt, tools: tuple[BoundTool, ...], on_delta: OnDelta | None
) -> Answer:
    try:
        return await in_time(prompt.patience, agent.ask(prompt, tools, on_delta))
    except TimeoutError as error:
        raise ModelError(f"{agent.name} gave no answer in time.", cause="timeout") from error
