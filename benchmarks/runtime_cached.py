"""What of a conversation is read from the prompt cache, and what would be in the common way.

Tokens, minimum and lifetime are those of ``cloche.testing.bedrock``. For benchmarks/runtime.py.
"""

from __future__ import annotations

import copy
import re
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from runtime_process import Timed, process, warm

from cloche.llm.usage import cost_usd
from cloche.testing.bedrock.endpoint import render
from cloche.testing.bedrock.models import MODELS, base_model
from cloche.testing.prompt_cache import Counted, PromptCache
from cloche.testing.recorded import Recorded

THINGS = "fern fig lemon basil mint rose sage thyme vine olive".split()
REMEMBERED = re.compile(r"<(memory|earlier) .*?</\1>", re.DOTALL)


async def conversation(
    name: str, model_id: str, model: Timed, turns: int = 20, *, agent: str = "embedded"
) -> list[Recorded]:
    """The model calls that answered 20 turns: ten statements, then ten questions about them."""
    with tempfile.TemporaryDirectory() as home:
        async with process(name, Path(home), model_id, model.url, agent=agent) as one:
            if agent != "embedded":
                await warm(one, agent, model)
            model.requests.clear()
            for number in range(turns):
                thing = THINGS[number % 10]
                words = f"I have a {thing} near the {number + 1}th window of the house."
                await one.say(words if number < 10 else f"What do you know about my {thing}?")
                await one.idle()
    return [each for each in model.requests if b"<now>" in each.rendered.data]


def with_memory_in_the_system_prompt(body: dict[str, Any]) -> dict[str, Any]:
    """The common way: what fits the words stands in the system prompt, before the cache point."""
    changed = copy.deepcopy(body)
    found: list[str] = []
    for block in changed["messages"][-1]["content"]:
        if "text" in block:
            found += [match[0] for match in REMEMBERED.finditer(block["text"])]
            block["text"] = REMEMBERED.sub("", block["text"])
    texts = [block for block in changed["system"] if "text" in block]
    texts[-1]["text"] += "\n" + "\n".join(found)
    return changed


def counted(bodies: Sequence[dict[str, Any]], model_id: str) -> list[Counted]:
    """Each request's tokens by the endpoint's rules, 20 seconds apart."""
    now = datetime(2026, 11, 30, tzinfo=UTC)
    at = [now]
    cache = PromptCache(lambda: at[0])
    found = []
    for body in bodies:
        at[0] += timedelta(seconds=20)
        minimum = MODELS[base_model(model_id)].cache_minimum
        found.append(cache.count(model_id, render(body), minimum))
    return found


def told(tokens: Sequence[Counted], model_id: str) -> dict[str, Any]:
    """Tokens and money of a conversation's input, and the share read over turns 3 to 20."""
    late = tokens[2:]
    total, read = sum(each.all for each in late), sum(each.read for each in late)
    written = sum(each.written for each in tokens)
    cost = cost_usd(
        "bedrock",
        model_id,
        input=sum(each.all for each in tokens),
        output=0,
        cache_read=sum(each.read for each in tokens),
        cache_write=written,
    )
    plain = cost_usd(
        "bedrock",
        model_id,
        input=sum(each.all for each in tokens),
        output=0,
        cache_read=0,
        cache_write=0,
    )
    return {
        "input_tokens": sum(each.all for each in tokens),
        "cached_tokens": sum(each.read for each in tokens),
        "uncached_tokens": sum(each.all - each.read for each in tokens),
        "minimum_tokens": MODELS[base_model(model_id)].cache_minimum,
        "share_turns_3_to_20": round(read / total, 3) if total else 0.0,
        "cacheable": any(each.read for each in tokens),
        "input_usd": cost,
        "uncached_usd": plain,
    }
