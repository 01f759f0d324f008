"""What a turn took that came to nothing is counted all the same."""

from __future__ import annotations

import io
import logging
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from PIL import Image as PILImage
from pydantic_ai.exceptions import ContentFilterError, UnexpectedModelBehavior

from cloche.agents.agent import AgentAwayError, Answer, OnDelta
from cloche.agents.embedded import EmbeddedAgent
from cloche.agents.routing import Router
from cloche.assembly import open_assistant
from cloche.errors import ModelError
from cloche.llm.usage import Usage
from cloche.logs import OncePerCause
from cloche.memory.extraction import ModelExtractor
from cloche.memory.records import Event
from cloche.messages import Address, Message
from cloche.patience import Patience
from cloche.prompt import Image, Prompt
from cloche.reminders.reminding import Reminding
from cloche.settings import Settings
from cloche.testing.fake_agent import FakeAgent
from cloche.testing.fake_model import FakeModel
from cloche.testing.script import call, fault, say
from cloche.tools import BoundTool
from cloche.vocabulary import Vocabulary

SPENT = Usage("m", input_tokens=5, output_tokens=1, calls=1, cost_usd=0.5)


@pytest.mark.parametrize(
    ("trouble", "cause"), [(fault(401), "auth"), (fault(400), "refused"), (say(""), "empty")]
)
async def test_the_calls_before_a_failure_count(
    provider: str, streamed: bool, open_agent: Any, prompt_of: Any, tools: Any, listener: Any,
    trouble: Any, cause: str,
) -> None:  # fmt: skip
    async with open_agent(provider, [call("look_up", word="sun"), trouble]) as (agent, _):
        with pytest.raises(ModelError) as failed:
            await agent.ask(prompt_of(), tools, listener if streamed else None)
    assert failed.value.cause == cause
    assert failed.value.usage.calls == (2 if cause == "empty" else 1)
    assert failed.value.usage.input_tokens > 0


async def test_calls_before_an_answer_that_breaks_off_count(
    provider: str, open_agent: Any, prompt_of: Any, tools: Any, listener: Any
) -> None:
    script = [[say("A moment."), call("look_up", word="sun")], fault("cut")]
    async with open_agent(provider, script) as (agent, _):
        with pytest.raises(ModelError) as failed:
            await agent.ask(prompt_of(), tools, listener)
    assert failed.value.cause == "cut"
    assert failed.value.usage.calls >= 1
    assert failed.value.usage.output_tokens > 0


@pytest.mark.parametrize(
    "trouble",
    [fault("cut"), fault("truncated"), fault("slow", midway=True), say("word " * 90, pause=0.1)],
    ids=["cut", "truncated", "stalled", "drip"],
)
async def test_what_broke_off_counts_about_as_much_as_what_did_not(
    provider: str, open_agent: Any, prompt_of: Any, tools: Any, monkeypatch: pytest.MonkeyPatch,
    trouble: Any,
) -> None:  # fmt: skip
    words = "What is the sun? ¿Qué es el sol? 太阳是什么？ " * 30
    picture = io.BytesIO()
    PILImage.new("RGB", (1_000, 1_000), "purple").save(picture, "PNG")
    seen = Image("image/png", picture.getvalue())
    monkeypatch.setattr("cloche.llm.limits.QUIET_SECONDS", 0.5)
    monkeypatch.setattr("cloche.llm.limits.GROWING_SECONDS", 0.3)
    async with open_agent(provider, [say("Fine."), trouble], timeout=60) as (agent, _):
        whole = (await agent.ask(prompt_of(words, images=(seen,)), tools)).usage
        try:
            asked = prompt_of(words, images=(seen,), patience=Patience(2, 60))
            broken = (await agent.ask(asked, tools)).usage
        except ModelError as failed:
            broken = failed.usage
    assert broken.calls == 1
    assert whole.input_tokens / 3 < broken.input_tokens < whole.input_tokens * 3
    assert broken.output_tokens > 1
    if provider == "bedrock":  # servers of one's own have prices we do not know
        assert broken.cost_usd


async def test_an_answer_that_is_withheld_counts(
    provider: str, streamed: bool, open_agent: Any, prompt_of: Any, listener: Any
) -> None:
    async with open_agent(provider, [say("Never shown.", stop="filter")]) as (agent, _):
        with pytest.raises(ModelError) as failed:
            await agent.ask(prompt_of(), (), listener if streamed else None)
    assert failed.value.cause == ("cut" if listener.text else "refused")
    assert failed.value.usage.calls == 1


class Failing:
    """An agent whose question came to nothing."""

    name = "failing"

    def __init__(self, error: Exception) -> None:
        self._error = error

    async def ask(
        self, prompt: Prompt, tools: tuple[BoundTool, ...], on_delta: OnDelta | None = None
    ) -> Answer:
        raise self._error

    async def close(self) -> None:
        """Nothing is held."""


@pytest.mark.parametrize(
    ("first", "both"),
    [
        (ModelError("no.", cause="empty", usage=SPENT), SPENT),
        (AgentAwayError("lost.", cause="stuck", usage=SPENT), SPENT + SPENT),
    ],
)
async def test_a_turn_that_nobody_answers_tells_what_everybody_took(
    first: Exception, both: Usage
) -> None:
    second = Failing(ModelError("no.", cause="server", usage=SPENT))
    notices = OncePerCause(logging.getLogger("test"))
    router = Router(Failing(first), FakeAgent(), notices, second)
    routed = await router.ask(Prompt("", "", (), "", "Hello", thread="ann/s1"), (), None)
    assert routed.failure
    assert routed.answer.usage == both


@pytest.mark.parametrize("words", ["Hello", "Hola", "你好"])
@pytest.mark.parametrize("breaks", ["the model", "what follows it"])
async def test_the_report_of_a_failed_turn_says_what_it_took(
    site: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, breaks: str
) -> None:
    site.assistant("tea")
    fake = FakeModel(lambda asked: say("" if breaks == "the model" else "Fine."))
    assistant = await open_assistant(
        site.host(),
        "tea",
        Settings(home=tmp_path / "home", time_zone="UTC"),
        agent=EmbeddedAgent(fake.chosen()),
    )

    async def broken(*asked: object) -> None:
        raise LookupError("broken")

    if breaks != "the model":
        monkeypatch.setattr(Reminding, "told", broken)
    turn = await assistant.handle(Message("1", Address("telegram", "ann"), "ann", words))
    await turn.afterwards()
    await assistant.close()
    assert turn.report.failure
    assert turn.report.usage.calls == 1
    assert turn.report.usage.input_tokens > 0


@pytest.mark.parametrize(
    "error", [ContentFilterError("withheld"), UnexpectedModelBehavior("odd"), OSError("gone")]
)
async def test_an_extraction_that_fails_counts(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    extractor = ModelExtractor(FakeModel([]).chosen())

    class Broken:
        async def run(self, words: str, *, usage: Any, usage_limits: Any) -> None:
            usage.requests, usage.input_tokens = 2, 7
            raise error

    monkeypatch.setattr(extractor, "_agent", lambda vocabulary: Broken())
    at = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
    event = Event("e", "ann", "s", "c", at, "I drink oolong.", "Noted.")
    try:
        spent = (await extractor.extract(event, Vocabulary(()))).usage
    except ModelError as failed:
        spent = failed.usage
    assert (spent.calls, spent.input_tokens) == (2, 7)
