"""Whoever writes is answered in time, or told in one sentence, and so is whoever writes next."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from pydantic_ai.messages import ModelRequest, UserPromptPart
from pydantic_ai.models import ModelRequestParameters

from cloche.llm.calls import Question, whole_answer
from cloche.llm.providers import choose_model
from cloche.messages import Attachment
from cloche.settings import ModelSettings, Settings
from cloche.testing.fake_agent import FakeAgent
from cloche.testing.fake_model import FakeModel
from cloche.testing.openai import OpenAIServer
from cloche.testing.script import Answer, Asked, fault, say
from cloche.testing.transcription import TranscriptionServer
from cloche.texts import say as told

WORDS = {
    "en": "I play the cello.",
    "es": "Toco el chelo.",
    "zh": "我拉大提琴。",
}
WAIT = 3.0
MARGIN = 15.0
"""A busy machine's; what would be too late comes after half a minute or more."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    started = time.monotonic()
    yield
    assert time.monotonic() - started < seconds + MARGIN


@pytest.fixture(scope="module", autouse=True)
def loaded() -> None:
    """What a first answer loads takes none of a test's time."""

    async def answer() -> None:
        async with OpenAIServer() as server:
            model = ModelSettings(provider="openai", base_url=server.base_url)
            chosen = choose_model(Settings(model_id="any", model=model), demo=FakeModel)
            async with chosen.connected():
                asked = [ModelRequest(parts=[UserPromptPart("Are you there?")])]
                await whole_answer(chosen, Question(asked, ModelRequestParameters(), {}))

    asyncio.run(answer())


def is_turn(asked: Asked) -> bool:
    """True for a turn's own question; the others are about what was said in it."""
    return "Luthier" in asked.system


@pytest.fixture
def on_server(open_luthier: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> Any:
    """Opens the assistant on a model's server."""
    monkeypatch.setenv("CLOCHE_AGENT", "embedded")

    async def open_(server: OpenAIServer, *, wait: float = WAIT, **more: object) -> Any:
        model = ModelSettings(
            provider="openai", base_url=server.base_url, patience_seconds=wait, timeout_seconds=60
        )
        return await open_luthier(model=model, model_id="any-model", **more)

    return open_


async def never(channel: str, attachment: Attachment) -> bytes:
    await asyncio.Event().wait()
    return b""


@pytest.mark.parametrize("language", WORDS)
async def test_a_model_that_hangs_is_one_sentence_and_what_follows_holds_up_nobody(
    on_server: Any, chat: Callable[..., Any], language: str
) -> None:
    state = {"hangs": True}

    def script(asked: Asked) -> Answer:
        return fault("slow") if state["hangs"] else say("Here I am.")

    async with OpenAIServer(script) as server:
        assistant = await on_server(server)
        ana = chat(assistant, "ana")
        with within(WAIT):
            turn = await ana.say(WORDS[language])
        assert turn.reply.text == told("model_timeout", language)
        assert server.calls == 1  # nobody asks it what there was to remember
        assert [record.text for record in ana.remembered.records]  # the rules kept it
        state["hangs"] = False
        assert (await ana.say("And now?")).reply.text.startswith("Here I am.")
        assert turn.reply.text not in str([request.body for request in server.requests])


async def test_a_model_that_hangs_over_what_is_worth_remembering_is_asked_once(
    on_server: Any, chat: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cloche.llm.limits.ASIDE_SECONDS", 0.5)
    beside: list[Asked] = []

    def script(asked: Asked) -> Answer:
        if is_turn(asked):
            return say("Here I am.")
        beside.append(asked)
        return fault("slow")

    async with OpenAIServer(script) as server:
        assistant = await on_server(server, wait=30)
        ana = chat(assistant, "ana")
        with within(0.5):
            for words in ("I play the cello. I have a lute.", "I sold the cello."):
                assert (await ana.say(words)).reply.text.startswith("Here I am.")
    assert len(beside) == 1
    assert ana.remembered.records


async def test_a_check_of_the_answer_that_hangs_costs_neither_the_answer_nor_more_time(
    on_server: Any, chat: Callable[..., Any]
) -> None:
    def script(asked: Asked) -> Answer:
        return say("I will remind you.") if is_turn(asked) else fault("slow")

    async with OpenAIServer(script) as server:
        assistant = await on_server(server)
        with within(WAIT):
            turn = await assistant.handle(message_of("Remind me of the strings."))
    assert turn.reply.text == "I will remind you."
    assert not turn.report.failure


async def test_what_is_told_below_an_answer_is_not_waited_for(
    open_luthier: Callable[..., Any], chat: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def hang(*_: object) -> bool:
        await asyncio.Event().wait()
        return True

    monkeypatch.setattr("cloche.memory.clauses.LOOK_SECONDS", 0.1)
    monkeypatch.setattr("cloche.memory.clauses._left_out", hang)
    assistant = await open_luthier(agent=FakeAgent(lambda _: "Here I am."))
    ana = chat(assistant, "ana", group=True, conversation="trio")
    with within(0.1):
        assert (await ana.say("Do you remember my cello?")).reply.text == "Here I am."


def message_of(text: str, *files: Attachment) -> Any:
    from cloche.messages import Address, Message

    return Message("1", Address("console", "ana"), "ana", text, files, sender_name="Ana")


@pytest.mark.parametrize("language", WORDS)
async def test_a_file_that_never_comes_leaves_time_for_the_answer(
    on_server: Any, chat: Callable[..., Any], language: str
) -> None:
    async with OpenAIServer(lambda _: say("Here I am.")) as server:
        assistant = await on_server(server, fetch=never)
        with within(WAIT):
            turn = await assistant.handle(
                message_of(
                    WORDS[language], *(Attachment(name, name) for name in ("a.png", "b.txt"))
                )
            )
        assert turn.reply.text.startswith("Here I am.")
        assert not turn.report.failure
        assert turn.report.unread == ("a.png", "b.txt")
        # With nothing else to answer it is one sentence.
        with within(WAIT):
            turn = await assistant.handle(message_of("", Attachment("a.png", "a.png")))
        assert "a.png" in turn.reply.text


async def test_a_voice_that_is_never_written_down_is_one_sentence_in_time(
    on_server: Any, chat: Callable[..., Any]
) -> None:
    async def fetch(channel: str, attachment: Attachment) -> bytes:
        return b"OggS" + bytes(100)

    slow = {number: fault("slow") for number in range(1, 9)}
    async with OpenAIServer(lambda _: say("Here I am.")) as server:
        with TranscriptionServer(faults=slow) as hears:
            assistant = await on_server(
                server,
                fetch=fetch,
                transcription={"model": "any", "base_url": f"{hears.url}/v1"},
            )
            with within(WAIT):
                turn = await assistant.handle(message_of("", Attachment("v", "v.ogg")))
            assert turn.reply.text == told("voice_failed", "en")
            ana = chat(assistant, "ana")
            assert (await ana.say("And now?")).reply.text.startswith("Here I am.")
