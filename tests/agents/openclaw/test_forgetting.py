"""A gateway begins anew when something was forgotten, in whatever process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from cloche.agents.agent import AgentAwayError
from cloche.agents.openclaw.forgetting import Renewals
from cloche.agents.openclaw.sessions import GatewaySessions
from cloche.errors import MemoryUnavailableError
from cloche.llm.usage import Usage
from cloche.memory.forgotten import Forgotten
from cloche.prompt import Exchange, Prompt
from cloche.state.sqlite import SqliteStateStore


class Gateway:
    """The sessions and renewals of one process; its store is shared with another process."""

    def __init__(self, folder: Path) -> None:
        self.now = datetime(2026, 11, 30, 9, tzinfo=UTC)
        here, there = (SqliteStateStore(folder / "state.db", lambda: self.now) for _ in range(2))
        self.stores = (here, there)
        self.other = Forgotten(there, self.clock)
        self.sessions = GatewaySessions()
        self.is_known = True
        self.anew, self.idle = 0, asyncio.Event()
        self.renewals = Renewals(
            self.sessions,
            Forgotten(here, self.clock).latest,
            until_idle=self.idle.wait,
            begin_anew=self.begin_anew,
        )

    def clock(self) -> datetime:
        return self.now

    async def begin_anew(self) -> None:
        self.anew += 1

    async def renewed(self) -> None:
        """Let the turns under way end."""
        self.idle.set()
        while self.renewals.are_under_way:
            await asyncio.sleep(0)

    async def turn(self, actor: str) -> bool:
        """One turn; True when the gateway is made to forget first."""
        self.is_known = await self.renewals.look(actor) is not None
        if self.renewals.are_under_way:
            return True
        self.sessions.open(Prompt("", "", (), "", "Hi", thread=f"{actor}/s1"))
        return False


@pytest.fixture
async def gateway(tmp_path: Path) -> AsyncIterator[Gateway]:
    gateway = Gateway(tmp_path)
    yield gateway
    await gateway.renewals.close()
    for store in gateway.stores:
        await store.close()


@pytest.mark.parametrize("said", [(), ("她的猫叫米娅",)], ids=["everything", "one thing"])
async def test_what_another_process_forgot_has_the_gateway_begin_anew_once(
    gateway: Gateway, said: tuple[str, ...]
) -> None:
    assert not await gateway.turn("ann")
    assert not await gateway.turn("ann")
    await (gateway.other.note("ann", said) if said else gateway.other.mark("ann"))
    assert await gateway.turn("ann")
    await gateway.renewed()
    assert gateway.anew == 1
    assert not await gateway.turn("ann")
    assert gateway.anew == 1


async def test_what_cannot_be_looked_up_is_not_known_and_is_looked_up_again(
    gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not await gateway.turn("ann")
    assert gateway.is_known
    await gateway.other.mark("ann")
    here = gateway.stores[0]
    with monkeypatch.context() as away:
        away.setattr(here, "get", unusable)
        assert not await gateway.turn("ann")
        assert not gateway.is_known
    assert await gateway.turn("ann")
    await gateway.renewed()
    assert gateway.anew == 1


@pytest.mark.parametrize("said", [(), ("Mi clínica está en Lugo",)], ids=["all", "one thing"])
async def test_what_was_forgotten_after_it_was_looked_up_is_told_to_no_gateway(
    gateway: Gateway, said: tuple[str, ...]
) -> None:
    """Neither at a person's first turn, of which no gateway knows anything to forget."""
    begun, thread = gateway.now, "ann/s1"
    history = (Exchange("我的诊所在卢戈", "Noted."),)
    prompt = Prompt("", "profile", history, "", "Hi", thread=thread, begun=begun)
    gateway.now += timedelta(milliseconds=1)
    await (gateway.other.note("ann", said) if said else gateway.other.mark("ann"))
    for _ in range(2):  # tried again it is no newer
        with pytest.raises(AgentAwayError) as barred:
            await gateway.renewals.admit(prompt, Usage())
        assert barred.value.cause == "forgetting"
    assert (gateway.sessions.people, gateway.anew) == ((), 0)
    await gateway.renewals.admit(replace(prompt, history=(), begun=gateway.now), Usage())
    await gateway.renewals.admit(replace(prompt, thread="ben/s1"), Usage())


async def test_what_was_looked_up_while_it_was_being_forgotten_is_told_to_no_gateway(
    gateway: Gateway,
) -> None:
    await gateway.other.mark("ann")
    gateway.now += timedelta(milliseconds=1)
    prompt = Prompt("", "", (Exchange("Lugo", "Ok"),), "", "Hi", thread="ann/1", begun=gateway.now)
    await gateway.renewals.admit(prompt, Usage())
    gateway.now += timedelta(milliseconds=1)
    await gateway.other.finish("ann")
    with pytest.raises(AgentAwayError):
        await gateway.renewals.admit(prompt, Usage())


async def unusable(key: str) -> None:
    raise MemoryUnavailableError(f"{key} cannot be read", cause="io")


async def test_what_was_forgotten_before_or_of_another_costs_nothing(gateway: Gateway) -> None:
    await gateway.other.mark("ann")
    assert not await gateway.turn("ann")
    await gateway.other.mark("ben")
    assert not await gateway.turn("ann")
    assert not await gateway.turn("ben")


async def test_a_forget_of_this_process_is_no_second_one_when_its_mark_is_seen(
    gateway: Gateway,
) -> None:
    await gateway.turn("ann")
    await gateway.other.mark("ann")
    gateway.renewals.forget("ann")
    assert await gateway.turn("ann")
    await gateway.renewed()
    assert not await gateway.turn("ann")
    assert gateway.anew == 1


async def test_who_never_comes_back_is_forgotten_all_the_same(gateway: Gateway) -> None:
    await gateway.turn("ann")
    gateway.idle.set()
    looking = asyncio.create_task(gateway.renewals.look_again(seconds=0.001))
    await gateway.other.mark("ann")
    async with asyncio.timeout(60):
        while not gateway.anew:
            await asyncio.sleep(0.001)
    looking.cancel()
    with suppress(asyncio.CancelledError):
        await looking
    assert gateway.sessions.people == ()
