"""What stands before a cache point is the same bytes from turn to turn."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from cloche.llm.usage import Usage
from cloche.prompt import Exchange
from cloche.testing.script import Asked, call, say

TURNS = 20
LONG = "You are Ada, and you explain words patiently and briefly. " * 320  # 18,560 bytes
MIDDLE = "You are Ada, and you explain words patiently and briefly. " * 110  # 6,380 bytes
VISION_MODEL = "global.anthropic.claude-sonnet-4-5-20250929-v1:0"


class Clock:
    now = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=20)
        return self.now


async def talk(agent, prompt_of, tools, **parts: object) -> list[Usage]:
    """Twenty turns of one session: history grows, the turn part changes."""
    history: list[Exchange] = []
    usages = []
    for turn in range(TURNS):
        now = f"<now>Monday 30 November 2026, 09:{turn:02}, Europe/Oslo</now>\n" + "memory\n" * turn
        words = f"Question {turn}: 什么是 word {turn}?"
        prompt = prompt_of(words, history=tuple(history), turn=now, **parts)
        answer = await agent.ask(prompt, tools)
        history.append(Exchange(words, answer.text))
        usages.append(answer.usage)
    return usages


def script(asked: Asked):
    if asked.number % 5 == 0 and not asked.results:
        return [say("A moment."), call("look_up", word=str(asked.number))]
    return say(f"Answer {asked.number}.")


@pytest.mark.parametrize("provider", ["bedrock", "anthropic"])
async def test_over_twenty_turns_the_prefix_stays_the_same_bytes_and_is_read_from_the_cache(
    provider, open_agent, prompt_of, tools
):
    async with open_agent(provider, script, clock=Clock()) as (agent, server):
        usages = await talk(agent, prompt_of, tools, stable=LONG)
    turns = server.requests
    assert len(turns) > TURNS  # some turns called a tool
    first = turns[0]
    assert len(first.prefixes) == 3  # tools, stable, session
    for request in turns[1:]:
        assert request.prefixes[:3] == first.prefixes
        assert len(request.prefixes) <= 4
    for earlier, later in pairwise(turns):
        assert later.rendered.data.startswith(earlier.prefixes[-1])
        assert later.prefixes[-1].startswith(earlier.prefixes[-1])
        assert later.counted.read >= earlier.counted.read
    assert usages[0].cache_read_tokens == 0
    assert usages[0].cache_write_tokens > 4_600
    assert all(usage.cache_read_tokens > 4_600 for usage in usages[1:])
    # What is not read is what is new: the last exchange is written, the turn part is fresh.
    assert all(request.counted.written < 120 for request in turns[1:])


@pytest.mark.parametrize("provider", ["bedrock", "anthropic"])
async def test_nothing_volatile_stands_before_a_cache_point(provider, open_agent, prompt_of, tools):
    async with open_agent(provider, script) as (agent, server):
        await talk(agent, prompt_of, tools)
    for request in server.requests:
        assert b"<now>" in request.rendered.data
        assert b"<now>" not in request.prefixes[-1]


@pytest.mark.parametrize("provider", ["bedrock", "anthropic", "openai"])
async def test_usage_is_what_the_server_counted(provider, open_agent, prompt_of, tools, listener):
    script = [[say("Hm."), call("look_up", word="sun")], say("It is light.")]
    async with open_agent(provider, script * 2) as (agent, server):
        whole = (await agent.ask(prompt_of(stable=LONG), tools)).usage
        counted = [request.counted for request in server.requests]
        streamed = (await agent.ask(prompt_of(stable=LONG), tools, listener)).usage
    assert whole.calls == 2
    assert whole.input_tokens == sum(each.all for each in counted)
    assert whole.cache_read_tokens == sum(each.read for each in counted) > 4_600
    if provider != "openai":  # which does not tell what it writes
        assert whole.cache_write_tokens == sum(each.written for each in counted) > 4_600
    assert whole.output_tokens > 5
    assert streamed.input_tokens == whole.input_tokens
    assert streamed.output_tokens == whole.output_tokens
    assert streamed.cache_read_tokens > whole.cache_read_tokens


async def test_below_the_model_s_minimum_nothing_is_cached(open_agent, prompt_of, tools):
    async with open_agent("bedrock", script) as (agent, _):
        usages = await talk(agent, prompt_of, tools, stable=MIDDLE)
    assert {(usage.cache_read_tokens, usage.cache_write_tokens) for usage in usages} == {(0, 0)}


async def test_the_same_prefix_is_cached_by_a_model_with_a_lower_minimum(
    open_agent, prompt_of, tools
):
    async with open_agent("bedrock", script, model_id=VISION_MODEL) as (agent, _):
        usages = await talk(agent, prompt_of, tools, stable=MIDDLE)
    assert all(usage.cache_read_tokens > 1_500 for usage in usages[1:])


async def test_a_model_without_a_cache_gets_no_cache_points(open_agent, prompt_of, tools):
    model_id = "mistral.mistral-large-2407-v1:0"
    async with open_agent("bedrock", script, model_id=model_id) as (agent, server):
        await agent.ask(prompt_of(), tools)
    assert server.requests[0].prefixes == ()


async def test_cached_tokens_cost_less(open_agent, prompt_of, tools):
    async with open_agent("bedrock", script) as (agent, _):
        first, second, *_ = await talk(agent, prompt_of, tools, stable=LONG)
    assert first.cost_usd is not None
    assert second.cost_usd is not None
    assert second.cost_usd < first.cost_usd / 5
