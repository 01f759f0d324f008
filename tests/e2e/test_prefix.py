"""The prompt's prefix over 20 turns in which memory grows, as a real provider's wire shows it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest

from cloche.state.store import Json
from cloche.testing.bedrock import BedrockEndpoint
from cloche.testing.script import Answer, Asked, call, say

TURNS = 20
HAIKU = "eu.anthropic.claude-haiku-4-5-20251001-v1:0"
WORDS = (
    "I have a cello made in {n}.",
    "Tengo un violín del año {n}.",
    "我有一把{n}年的鲁特琴。",
    "What instruments do I have, and which is from {n}?",
)


def script(asked: Asked) -> Answer:
    """Answers a chat, and takes every statement of a person as one to keep."""
    if "Luthier" in asked.system:
        return say(f"Answer to: {asked.words[-40:]}")
    found = re.search(r"<said[^>]*>\n(.*)\n</said>", asked.words, re.DOTALL)
    said = unescape(found[1]) if found else ""
    statements: list[Json] = [] if said.endswith("?") else [{"quote": said, "text": said}]
    return call(asked.tools[0], statements=statements)


@pytest.fixture
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "loopback")
    monkeypatch.delenv("AWS_PROFILE", raising=False)


async def chats(bedrock: BedrockEndpoint, system: str) -> list[Any]:
    return [r for r in bedrock.requests if system in str(r.body.get("system"))]


async def converse(
    bedrock: BedrockEndpoint, open_luthier: Callable[..., Any], chat: Callable[..., Any]
) -> tuple[list[Any], list[Any]]:
    """Twenty turns of one session; the chat's requests and the turns."""
    assistant = await open_luthier(
        model={"provider": "bedrock", "base_url": bedrock.url, "region": "eu-north-1"},
        model_id=HAIKU,
    )
    ana = chat(assistant, "ana")
    await ana.say("I only play gut strings.")
    await ana.say("/new")
    bedrock.requests.clear()
    turns = [await ana.say(WORDS[n % len(WORDS)].format(n=1900 + n)) for n in range(TURNS)]
    return await chats(bedrock, "Luthier"), turns


async def test_the_prefix_is_byte_identical_while_memory_grows(
    credentials: None,
    luthier: Callable[..., None],
    open_luthier: Callable[..., Any],
    chat: Callable[..., Any],
    clock: Any,
) -> None:
    luthier(chapters=3)  # above the model's minimum for a cached prefix
    async with BedrockEndpoint(script, clock=clock) as bedrock:
        requests, turns = await converse(bedrock, open_luthier, chat)
    assert len(requests) == TURNS
    for before, after in itertools.pairwise(requests):
        # Everything up to the last cache point stands at the beginning of the next request.
        assert after.rendered.prefixes[-1].startswith(before.rendered.prefixes[-1])
        assert after.rendered.prefixes[0] == before.rendered.prefixes[0]
    recalled = [len(turn.report.recalled) for turn in turns]
    assert recalled[-1] > recalled[1]
    for request, turn in zip(requests, turns, strict=True):
        assert request.counted is not None
        usage = turn.report.usage
        assert usage.cache_read_tokens == request.counted.read
        assert usage.cost_usd
        assert "gut strings" in str(request.body["messages"][0])
        last = request.body["messages"][-1]["content"]
        turn_at = next(at for at, block in enumerate(last) if "<now" in block.get("text", ""))
        assert not any("cachePoint" in block for block in last[turn_at:])
    for turn in turns[2:]:
        assert turn.report.usage.cache_read_tokens > 4096
    shares = [t.report.usage.cache_read_tokens / t.report.usage.input_tokens for t in turns[2:]]
    assert min(shares) > 0.8


async def test_below_the_models_minimum_nothing_is_cached_and_nothing_breaks(
    credentials: None,
    open_luthier: Callable[..., Any],
    chat: Callable[..., Any],
    clock: Any,
) -> None:
    async with BedrockEndpoint(script, clock=clock) as bedrock:
        requests, turns = await converse(bedrock, open_luthier, chat)
    assert len(requests) == TURNS
    assert not any(turn.report.usage.cache_read_tokens for turn in turns[:3])


async def test_recalled_text_is_in_no_stored_history(
    credentials: None,
    open_luthier: Callable[..., Any],
    chat: Callable[..., Any],
    clock: Any,
) -> None:
    async with BedrockEndpoint(script, clock=clock) as bedrock:
        requests, _ = await converse(bedrock, open_luthier, chat)
    for message in requests[-1].body["messages"][1:-1]:
        assert "<memory" not in str(message)
        assert "<now" not in str(message)
    assert "<memory" in str(requests[-1].body["messages"][-1])


async def test_streamed_and_whole_answers_are_the_same(
    credentials: None,
    open_luthier: Callable[..., Any],
    chat: Callable[..., Any],
    clock: Any,
) -> None:
    async with BedrockEndpoint(script, clock=clock) as bedrock:
        assistant = await open_luthier(
            model={"provider": "bedrock", "base_url": bedrock.url, "region": "eu-north-1"},
            model_id=HAIKU,
        )
        pieces: list[str] = []

        async def on_delta(piece: str) -> None:
            pieces.append(piece)

        whole = await chat(assistant, "ana").say("¿Qué tal las cuerdas? 弦怎么样?")
        streamed = await chat(assistant, "ben").say(
            "¿Qué tal las cuerdas? 弦怎么样?", on_delta=on_delta
        )
    assert "".join(pieces) == streamed.reply.text == whole.reply.text
    assert len(pieces) > 1
