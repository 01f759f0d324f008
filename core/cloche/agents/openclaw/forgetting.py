"""How a gateway is made to forget: it begins anew, whoever was asked to forget.

So it does where what it was told of the assistant is no longer so.

A forget may be asked of another process (``cloche memory forget``, another host on the same
store). The mark it leaves in the shared state is looked at before each turn, and every minute for
everybody of whom a gateway has something.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

from cloche.agents.agent import AgentAwayError
from cloche.agents.openclaw.sessions import GatewaySessions
from cloche.llm.usage import Usage
from cloche.prompt import Prompt
from cloche.sqlite import to_micros

LOOK_SECONDS: Final = 60.0

ForgottenAt = Callable[[str], Awaitable[int | None]]
"""When something of a person was last forgotten, microseconds since 1970; 0 = not lately; None =
that cannot be found out now."""


async def nothing_forgotten(actor: str) -> int | None:
    """Of a host that shares nothing with another process."""
    return 0


async def sweep(folder: Path) -> None:
    """Take away what gateways of ended processes left on disk."""
    from cloche.agents.openclaw.workspace import remove_left_behind

    await asyncio.to_thread(remove_left_behind, folder)


async def forget_left_behind(folder: Path, actor: str) -> None:
    """What a gateway left on disk is everybody's, when it was killed or on its way out.

    It goes with any forget.
    """
    from cloche.agents.openclaw import stderr
    from cloche.agents.openclaw.workspace import FOLDER

    await sweep(folder)
    stderr.empty(folder / FOLDER / stderr.NAME)


class Renewals:
    """Has one gateway begin anew as soon as no turn is under way."""

    def __init__(
        self,
        sessions: GatewaySessions,
        forgotten_at: ForgottenAt,
        *,
        until_idle: Callable[[], Awaitable[None]],
        begin_anew: Callable[[], Awaitable[None]],
    ) -> None:
        """Take what the gateway has of whom, the shared marks, and how it begins anew."""
        self._sessions, self._forgotten_at = sessions, forgotten_at
        self._until_idle, self._begin_anew = until_idle, begin_anew
        self._marks: dict[str, int] = {}
        self._renewals: list[asyncio.Task[None]] = []
        self._cause = ""

    @property
    def are_under_way(self) -> bool:
        """True while the gateway begins anew."""
        self._renewals = [renewal for renewal in self._renewals if not renewal.done()]
        return bool(self._renewals)

    def forget(self, actor: str) -> None:
        """Have the gateway begin anew, with nothing of anybody, if it has something of a person."""
        if self._sessions.forget(actor):
            self.renew("forgetting")

    def renew(self, cause: str) -> None:
        """Have the gateway begin anew, with nothing of anybody; ``cause`` is a stable code."""
        self._sessions.let_go()
        self._cause = cause
        self._renewals.append(asyncio.create_task(self._renew()))

    async def look(self, actor: str) -> int | None:
        """Forget a person of whom something was forgotten since the last look, by whoever.

        Returns:
            When that was, microseconds since 1970; 0 = not lately; None where it cannot be found
            out: what the gateway has may be forgotten.
        """
        at = await self._forgotten_at(actor)
        if at is not None and at > self._marks.setdefault(actor, at):
            self._marks[actor] = at
            self.forget(actor)
        return at

    async def admit(self, prompt: Prompt, spent: Usage) -> None:
        """Let a prompt through to the gateway that tells nothing forgotten; nothing else.

        Raises:
            AgentAwayError: something was forgotten since the prompt was begun, which it may tell;
                or that cannot be found out; or the gateway begins anew.
        """
        if prompt.thread:
            at = await self.look(prompt.thread.partition("/")[0])
            if at is None:
                told = "what was forgotten cannot be looked up."
                raise AgentAwayError(told, cause="state", usage=spent)
            if prompt.begun and at > to_micros(prompt.begun):
                told = "what it would be told may be forgotten."
                raise AgentAwayError(told, cause="forgetting", usage=spent)
        if self.are_under_way:  # perhaps only since that was asked
            raise AgentAwayError("the gateway begins anew.", cause=self._cause, usage=spent)

    async def look_again(self, seconds: float = LOOK_SECONDS) -> None:
        """Look every so many seconds, until cancelled."""
        while True:
            await asyncio.sleep(seconds)
            for actor in self._sessions.people:
                await self.look(actor)

    async def close(self) -> None:
        """Give up what has not begun."""
        for renewal in self._renewals:
            renewal.cancel()
        await asyncio.gather(*self._renewals, return_exceptions=True)

    async def _renew(self) -> None:
        await self._until_idle()
        await self._begin_anew()
