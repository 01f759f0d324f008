"""The turn through an OpenClaw gateway, on our model and with our tools."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Final

from cloche.agents.agent import AgentAwayError, Answer, OnDelta
from cloche.agents.openclaw import stderr
from cloche.agents.openclaw.client import Address, GatewayClient, GatewayError
from cloche.agents.openclaw.config import GatewayConfig, GatewayPlan
from cloche.agents.openclaw.forgetting import ForgottenAt, Renewals, nothing_forgotten
from cloche.agents.openclaw.furnishings import Furnishings
from cloche.agents.openclaw.installation import Installation
from cloche.agents.openclaw.mcp_server import ToolServer
from cloche.agents.openclaw.sessions import GatewaySessions, Opening
from cloche.agents.openclaw.supervisor import READY_SECONDS, Supervisor
from cloche.agents.openclaw.turns import LiveTurn, LiveTurns
from cloche.agents.openclaw.workspace import FOLDER, Quarters, make_quarters, write_private
from cloche.agents.speech import Speech
from cloche.errors import ModelError
from cloche.llm.openai_endpoint import OpenAIEndpoint
from cloche.llm.providers import ChosenModel
from cloche.llm.usage import Usage
from cloche.patience import ANSWER, WORK, Patience
from cloche.persona import Persona
from cloche.prompt import Prompt
from cloche.skills import SkillsManifest
from cloche.tools import BoundTool

TRIES: Final = 2
"""A turn the gateway failed is tried once more, in time; then the embedded agent answers it."""
STUCK_SECONDS: Final = 8.0
"""A gateway that neither asks, nor calls, nor says anything for so long has lost the turn."""
DONE_SECONDS: Final = 3.0
"""The same when all is said, and only the gateway's own notes are outstanding."""
_WATCH_SECONDS: Final = 0.5

_log = logging.getLogger(__name__)


class OpenClawAgent:
    """Answers through a gateway of its own; use it on one event loop, and close it in the end."""

    name = "openclaw"

    def __init__(
        self,
        chosen: ChosenModel,
        installation: Installation,
        *,
        persona: Persona,
        skills: Callable[[], SkillsManifest],
        folder: Path,
        port: int = 0,
        forgotten_at: ForgottenAt = nothing_forgotten,
    ) -> None:
        """Take the parts; the gateway starts with ``start`` or with the first question.

        Args:
            chosen: Who answers.
            installation: What to run.
            persona: Who the assistant is.
            skills: Gives its skills as they are now; the same object while they are the same.
            folder: The assistant's own folder.
            port: Where the gateway shall listen; 0 = anywhere.
            forgotten_at: Tells when something of a person was last forgotten, in any process.
        """
        self._chosen, self._furnishings = chosen, Furnishings(persona, skills)
        self._turns, self._sessions = LiveTurns(), GatewaySessions()
        self._endpoint = OpenAIEndpoint(self._turns.of_model)
        self._tools = ToolServer(self._furnishings.tools, self._turns.call)
        self._client = GatewayClient()
        self._held = AsyncExitStack()
        self._open = False
        self.supervisor = Supervisor(
            installation,
            self._client,
            quarters=lambda: make_quarters(folder),
            configure=self._configure,
            first_turn=self._first_turn,
            errors=folder / FOLDER / stderr.NAME,
            port=port,
        )
        self._renewals = Renewals(
            self._sessions,
            forgotten_at,
            until_idle=self._turns.until_none,
            begin_anew=self.supervisor.begin_anew,
        )

    def start(self) -> None:
        """Have the gateway started in the background, before it is asked."""
        self.supervisor.start()

    async def ask(
        self, prompt: Prompt, tools: tuple[BoundTool, ...], on_delta: OnDelta | None = None
    ) -> Answer:
        """The answer, with the tools' help; nobody waits for a gateway that is not there.

        Raises:
            ModelError: the model gave no usable answer, or it broke off after it had begun.
            AgentAwayError: the gateway is away, or lost the turn twice.
        """
        speech, spent = Speech(on_delta), Usage()
        error: GatewayError | None = None
        if await self._furnishings.are_stale():
            self._renewals.renew("skills")
        for number in range(TRIES):
            address = await self.supervisor.ensure_ready()
            await self._renewals.admit(prompt, spent)
            if address is None:
                break
            again = tuple(tool.renewed() for tool in tools) if number else tools
            turn, opening = self._begin(prompt, again, speech)
            try:
                return await self._answer(turn, opening, address, prompt, speech, spent)
            except GatewayError as failure:
                error, spent = failure, spent + turn.usage
                await self._look_after(failure, address, again=number > 0)
                if speech.was_heard:
                    told = f"broke off after it had begun: {failure}"
                    raise ModelError(f"the gateway {told}", cause="cut", usage=spent) from failure
                if failure.cause == "empty" or not prompt.patience.left(WORK):
                    break
                speech = Speech(on_delta)
            except ModelError as failure:
                failure.usage = spent + turn.usage + failure.usage
                if speech.was_heard and failure.cause != "cut":
                    told = f"broke off after it had begun: {failure}"
                    raise ModelError(told, cause="cut", usage=failure.usage) from failure
                raise
            except BaseException:
                prompt.lost(spent + turn.usage)
                raise
        error = error or self.supervisor.away
        raise AgentAwayError(f"the gateway: {error}", cause=error.cause, usage=spent) from error

    async def forget(self, actor: str) -> None:
        """Have the gateway begin anew, with nothing of anybody, if it has something of a person.

        That happens as soon as no turn is under way; until it is back, it is away.
        """
        self._renewals.forget(actor)

    async def close(self) -> None:
        """Stop the gateway and what it is served by; nothing of it is left."""
        await self._renewals.close()
        await self.supervisor.close()
        await self._client.close()
        await self._held.aclose()
        self._open = False

    def _begin(
        self, prompt: Prompt, tools: tuple[BoundTool, ...], speech: Speech
    ) -> tuple[LiveTurn, Opening]:
        opening = self._sessions.open(prompt)
        turn = LiveTurn(self._chosen, prompt, tools, opening.sent, speech)
        self._turns.open(turn)
        return turn, opening

    async def _answer(
        self,
        turn: LiveTurn,
        opening: Opening,
        address: Address,
        prompt: Prompt,
        speech: Speech,
        spent: Usage,
    ) -> Answer:
        """One try.

        Raises:
            GatewayError: the gateway lost it.
            ModelError: the model failed.
        """
        try:
            await self._until_done(turn, opening, address)
        except GatewayError as error:
            self._sessions.failed(prompt)  # what it noted of that is never read again
            if not turn.is_answered:
                raise
            _log.info("cause=gateway_%s | after all was said: %s", error.cause, error)
        except BaseException:
            self._sessions.failed(prompt)
            raise
        if not speech.text:
            self._sessions.failed(prompt)
            raise GatewayError("its reply has no words.", cause="empty")
        self._sessions.answered(prompt, opening, speech.text)
        return Answer(speech.text, spent + turn.usage, turn.tool_uses)

    async def _until_done(self, turn: LiveTurn, opening: Opening, address: Address) -> None:
        """Give up at once when the model failed, or when the gateway does nothing.

        Raises:
            GatewayError: see ``_answer``.
            ModelError: see ``_answer``.
        """
        conversing = asyncio.create_task(self._converse(turn, opening, address))
        either: set[asyncio.Future[Any]] = {conversing, turn.failure}
        try:
            while True:
                await asyncio.wait(
                    either, timeout=_WATCH_SECONDS, return_when=asyncio.FIRST_COMPLETED
                )
                if turn.failure.done():
                    raise turn.failure.result()
                if conversing.done():
                    return conversing.result()
                if not turn.busy and time.monotonic() - turn.touched > _most_idle(turn):
                    raise GatewayError("it does nothing.", cause="stuck")
        finally:
            conversing.cancel()
            await asyncio.gather(conversing, return_exceptions=True)
            await self._turns.close(turn)

    async def _converse(self, turn: LiveTurn, opening: Opening, address: Address) -> None:
        await self._client.converse(
            address.url,
            address.token,
            key=opening.key,
            model_id=turn.model_id,
            text=opening.text,
        )

    async def _look_after(self, failure: GatewayError, address: Address, *, again: bool) -> None:
        """Log a lost turn, and have a gateway that is not well, or lost one twice, started anew."""
        _log.warning("cause=gateway_%s | a turn was lost: %s", failure.cause, failure)
        if again or failure.cause == "refused" or not await self._client.is_ready(address.url):
            self.supervisor.suspect()

    async def _configure(self, quarters: Quarters, address: Address) -> None:
        """Write what the gateway reads at its start; what serves it listens from then on."""
        await self._serve()
        names = await self._furnishings.put(quarters)
        plan = GatewayPlan(
            port=address.port,
            token=address.token,
            model_url=self._endpoint.url,
            model_secret=self._endpoint.secret,
            tools_url=self._tools.url,
            tools_secret=self._tools.secret,
            workspace=quarters.workspace,
            skills_folder=quarters.skills,
            skills=names,
            log=quarters.log,
        )
        write_private(quarters.config, GatewayConfig.of(plan).render())

    async def _serve(self) -> None:
        if not self._open:
            await self._held.enter_async_context(self._chosen.connected())
            for server in (self._endpoint, self._tools):
                self._held.push_async_callback(server.close)
                await server.start()
            looking = asyncio.create_task(self._renewals.look_again())
            self._held.callback(looking.cancel)
            self._open = True

    async def _first_turn(self, address: Address) -> None:
        """A turn of nobody's, which asks no model: after it, turns take no longer than they must.

        Raises:
            GatewayError: it does not get through it.
        """
        from pydantic_ai.models.test import TestModel

        ready = TestModel(call_tools=[], custom_output_text="Ready.")
        nobody = ChosenModel("demo", "ready", ready, {}, "nobody")
        prompt = Prompt("", "", (), "", "Are you ready?", patience=Patience(READY_SECONDS))
        opening = self._sessions.open(prompt)
        turn = LiveTurn(nobody, prompt, (), opening.sent, Speech(None))
        self._turns.open(turn)
        try:
            await self._converse(turn, opening, address)
        finally:
            await self._turns.close(turn)


def _most_idle(turn: LiveTurn) -> float:
    """How long a gateway may do nothing for a turn; less where the time runs out."""
    if turn.is_answered:
        return min(DONE_SECONDS, turn.patience.left(ANSWER))
    return STUCK_SECONDS if turn.patience.left(WORK) else min(STUCK_SECONDS, DONE_SECONDS)
