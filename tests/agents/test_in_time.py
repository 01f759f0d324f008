"""Whoever waits for an answer sees something in time, whatever stalls, drips, hangs or adds up."""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import pytest

from cloche.agents.agent import AgentAwayError, Answer, OnDelta
from cloche.agents.embedded import EmbeddedAgent
from cloche.agents.routing import Router
from cloche.errors import ModelError
from cloche.logs import OncePerCause
from cloche.patience import Patience
from cloche.prompt import Prompt
from cloche.testing.fake_agent import FakeAgent
from cloche.testing.fake_model import FakeModel
from cloche.testing.model_server import ModelServer
from cloche.testing.script import Asked, call, fault, say
from cloche.texts import say as told_to_people
from cloche.tools import BoundTool, ToolContext, tool

LONG = "word " * 60
"""Forty-three pieces."""
MARGIN = 20.0
"""A busy machine's; what would be too late comes after a minute."""


@asynccontextmanager
async def ready(
    open_agent: Any, prompt_of: Any, provider: str, script: Sequence[Any]
) -> AsyncIterator[tuple[EmbeddedAgent, ModelServer]]:
    """An agent that has answered once: what the first answer loads takes none of a test's time."""
    async with open_agent(provider, [say("Ready."), *script], timeout=60) as (agent, server):
        await agent.ask(prompt_of(), ())
        yield agent, server


@contextmanager
def within(seconds: float) -> Iterator[None]:
    started = time.monotonic()
    yield
    assert time.monotonic() - started < seconds + MARGIN


def causes(error: BaseException) -> list[BaseException]:
    """An error, and what it came from: never itself."""
    found: list[BaseException] = []
    while error.__cause__ is not None:
        found.append(error)
        error = error.__cause__
        assert error not in found
    return [*found, error]


@tool
async def hang(ctx: ToolContext, word: str = "") -> str:
    """Never come back."""
    await asyncio.Event().wait()
    return word


async def test_a_stream_that_stalls_broke_off_and_the_next_question_is_answered(
    provider: str, streamed: bool, open_agent: Any, prompt_of: Any, listener: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr("cloche.llm.limits.QUIET_SECONDS", 0.5)
    script = [fault("slow", midway=True), say("Here I am.")]
    async with open_agent(provider, script, timeout=60) as (agent, server):
        with within(0.5), pytest.raises(ModelError) as failed:
            await agent.ask(prompt_of(), (), listener if streamed else None)
        # What a person has read a part of is cut, whatever cut it.
        assert failed.value.cause == ("cut" if streamed else "timeout")
        assert "silent" in str(failed.value)
        assert any(isinstance(cause, TimeoutError) for cause in causes(failed.value))
        assert bool(listener.text) == streamed
        assert (await agent.ask(prompt_of(), ())).text == "Here I am."
    assert len(server.requests) == 2
    assert "just about" not in str(server.requests[1].body)


async def test_a_stream_that_stalls_is_given_up_when_the_wait_is_over(
    streamed: bool, open_agent: Any, prompt_of: Any, listener: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr("cloche.llm.limits.GROWING_SECONDS", 0.01)
    script = [fault("slow", midway=True)]
    async with ready(open_agent, prompt_of, "bedrock", script) as (agent, _):
        patience = Patience(2.0, 60)
        on_delta = patience.showing(listener) if streamed else None
        with within(2.0), pytest.raises(ModelError) as failed:
            await agent.ask(prompt_of(patience=patience), (), on_delta)
    assert failed.value.cause == ("cut" if streamed else "timeout")


async def test_what_drips_unseen_is_given_as_far_as_it_came(
    provider: str, open_agent: Any, prompt_of: Any
) -> None:
    script = [say(LONG, pause=0.1), say("Here.")]
    async with ready(open_agent, prompt_of, provider, script) as (agent, _):
        with within(2.0):
            answer = await agent.ask(prompt_of(patience=Patience(2.0, 60)), ())
        assert answer.text.endswith(" …")
        assert 10 < len(answer.text) < len(LONG)
        assert LONG.startswith(answer.text.removesuffix(" …"))
        assert answer.usage.calls == 1
        assert (await agent.ask(prompt_of(), ())).text == "Here."


async def test_what_is_seen_to_drip_goes_on_and_not_for_ever(
    provider: str, open_agent: Any, prompt_of: Any, listener: Any
) -> None:
    script = [say(LONG, pause=0.05)] * 2
    async with ready(open_agent, prompt_of, provider, script) as (agent, _):
        patience = Patience(1.0, 60)
        answer = await agent.ask(prompt_of(patience=patience), (), patience.showing(listener))
        assert answer.text == listener.text == LONG.strip()
        patience = Patience(1.0, 1.0)
        with within(1.0):
            answer = await agent.ask(prompt_of(patience=patience), (), patience.showing(listener))
    assert answer.text.endswith(" …")
    assert listener.text.endswith(answer.text)


async def test_a_tool_call_that_drips_is_no_answer(open_agent: Any, prompt_of: Any) -> None:
    script = [[say("Let me see. " * 30, pause=0.1), call("hang")]]
    async with ready(open_agent, prompt_of, "anthropic", script) as (agent, _):
        answer = await agent.ask(prompt_of(patience=Patience(1.0, 60)), ())
    assert answer.text.endswith(" …")
    assert not answer.tool_uses


@pytest.mark.parametrize("streamed", [False, True])
async def test_two_tools_that_hang_in_one_answer_leave_time_for_words(
    prompt_of: Any, bound: Any, listener: Any, streamed: bool
) -> None:
    seen: list[Asked] = []

    def script(asked: Asked) -> Any:
        seen.append(asked)
        return say("I could not.") if asked.results else [call("hang"), call("hang", word="two")]

    patience = Patience(2.0, 60)
    with within(2.0):
        answer = await EmbeddedAgent(FakeModel(script).chosen()).ask(
            prompt_of(patience=patience),
            bound(hang),
            patience.showing(listener) if streamed else None,
        )
    assert answer.text == "I could not."
    first, second = seen[-1].results
    assert re.search(r"longer than (0\.\d+|1|1\.[12]) seconds", first)
    assert "no time left" in second
    assert [use.ok for use in answer.tool_uses] == [False, False]


async def test_tools_that_hang_in_one_answer_after_another_leave_time_for_words(
    prompt_of: Any, bound: Any
) -> None:
    def script(asked: Asked) -> Any:
        return say("I could not.") if asked.number == 3 else call("hang", word=str(asked.number))

    fake = FakeModel(script)
    with within(2.0):
        answer = await EmbeddedAgent(fake.chosen()).ask(
            prompt_of(patience=Patience(2.0, 60)), bound(hang)
        )
    assert answer.text == "I could not."
    assert "no time left" in fake.asked[2].results[-1]


@pytest.mark.parametrize("streamed", [False, True])
async def test_a_model_that_hangs_after_a_tool_that_did_is_given_up_in_time(
    streamed: bool, open_agent: Any, prompt_of: Any, bound: Any, listener: Any
) -> None:
    script = [call("hang"), fault("slow"), say("Here I am.")]
    async with ready(open_agent, prompt_of, "bedrock", script) as (agent, _):
        patience = Patience(2.0, 60)
        on_delta = patience.showing(listener) if streamed else None
        with within(2.0), pytest.raises(ModelError) as failed:
            await agent.ask(prompt_of(patience=patience), bound(hang), on_delta)
        assert failed.value.cause == "timeout"
        assert failed.value.usage.calls == 1  # the one that was answered
        assert (await agent.ask(prompt_of(), ())).text == "Here I am."


async def test_a_slow_answer_before_a_tool_takes_of_the_time_for_it(
    prompt_of: Any, bound: Any
) -> None:
    script = [[say("Hm. " * 10, pause=0.1), call("hang")], say("I could not.")]
    fake = FakeModel(script)
    heard: list[str] = []

    async def hear(piece: str) -> None:
        heard.append(piece)

    with within(2.0):
        # Nothing counts as shown: as where nobody watches, but streamed.
        answer = await EmbeddedAgent(fake.chosen()).ask(
            prompt_of(patience=Patience(2.0, 60)), bound(hang), hear
        )
    assert answer.text.endswith("I could not.")
    assert "than 0." in fake.asked[1].results[0]


class Hanging(FakeAgent):
    """An agent of a plugin's that never answers; it may say something before."""

    def __init__(self, *said: str) -> None:
        super().__init__()
        self.said, self.given_up = said, 0

    async def ask(
        self, prompt: Prompt, tools: tuple[BoundTool, ...], on_delta: OnDelta | None = None
    ) -> Answer:
        for piece in self.said:
            assert on_delta
            await on_delta(piece)
        try:
            await asyncio.Event().wait()
        finally:
            self.given_up += 1
        return Answer("")


class Away(FakeAgent):
    """Takes a while to find out that it cannot answer."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.seconds = seconds

    async def ask(
        self, prompt: Prompt, tools: tuple[BoundTool, ...], on_delta: OnDelta | None = None
    ) -> Answer:
        await asyncio.sleep(self.seconds)
        raise AgentAwayError("It is lost.", cause="stuck")


@pytest.mark.parametrize("language", ["en", "es", "zh"])
@pytest.mark.parametrize("said", [(), ("I was ",)], ids=["silent", "stalled"])
async def test_an_agent_that_hangs_is_one_polite_sentence_whoever_wrote_it(
    language: str, said: tuple[str, ...], prompt_of: Any, listener: Any
) -> None:
    patience, agent = Patience(0.3, 60), Hanging(*said)
    router = Router(agent, agent, OncePerCause(logging.getLogger("test")))
    prompt = prompt_of(patience=patience, thread="ann/s1", language=language)
    with within(0.6):
        routed = await router.ask(prompt, (), patience.showing(listener))
    assert routed.failure == "timeout"
    assert routed.answer.text == told_to_people("model_timeout", language)
    assert agent.given_up == 1


async def test_who_stands_by_has_the_rest_of_the_time(prompt_of: Any) -> None:
    hanging = Hanging()
    router = Router(Away(0.4), hanging, OncePerCause(logging.getLogger("test")), hanging)
    with within(0.8):
        routed = await router.ask(prompt_of(patience=Patience(0.8), thread="ann/s1"), (), None)
    assert routed.failure == "timeout"
    assert hanging.given_up == 1
