"""The runtime as a process of its own, with a model on loopback that answers at once.

What is measured: an invocation without what the model itself takes, by the embedded agent and,
where OpenClaw is installed, through a warm gateway, asked in turn; from the start of the process
to its first answer, on the clock and of the processor, without and with a gateway that starts
beside it; /ping while 20 turns run at any time, with a model that takes a second; idle memory; and
of a conversation of 20 turns the tokens that are read from the prompt cache, beside the same
conversation with what is remembered in the system prompt. The cache is that of
``cloche.testing.bedrock``.

    python benchmarks/runtime.py [--turns 100] [--starts 3] [--seconds 10] [--assistant NAME]
                                 [--talk 20] [--embedded] [--json]
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runtime_cached import conversation, counted, told, with_memory_in_the_system_prompt
from runtime_process import SECRET, Timed, process, warm
from runtime_report import report

from cloche.runtime.session import runtime_session_id
from cloche.testing import TelegramServer
from cloche.testing.telegram import NO_FLOOD_CONTROL

GOALS = {
    "added_p50_ms": 20.0,
    "gateway_added_p50_ms": 400.0,
    "first_answer_s": 3.0,
    "gateway_first_answer_s": 3.0,
    "ping_p99_ms": 50.0,
    "idle_mb": 150.0,
}
CACHED_GOAL = 0.8
PARALLEL = 20
MODEL_SECONDS = 1.0
MODELS = {
    "haiku": "global.anthropic.claude-haiku-4-5-20251001-v1:0",
    "sonnet": "global.anthropic.claude-sonnet-4-5-20250929-v1:0",
}
THINGS = "fern fig lemon basil mint rose sage thyme vine olive".split()


@dataclass(frozen=True)
class Start:
    """One start of the process: seconds on the clock and of the processor, then megabytes."""

    listening: float
    answered: float
    processor: float
    megabytes: float


@dataclass(frozen=True)
class Added:
    """Milliseconds.

    Attributes:
        taken: Of each invocation without the model's own, by agent.
        pings: Of /ping between them.
        processor: Of the processor for a turn and what follows it: other work changes it little.
    """

    taken: dict[str, list[float]]
    pings: list[float]
    processor: dict[str, float]


async def start(name: str, agent: str, model: Timed) -> Start:
    """From nothing to the first answer, and a second of rest."""
    with tempfile.TemporaryDirectory() as home:
        began = time.perf_counter()
        async with process(name, Path(home), MODELS["haiku"], model.url, agent=agent) as one:
            pinged = time.perf_counter() - began
            await one.say("Hello.")
            answered, worked = time.perf_counter() - began, one.cpu_seconds()
            await one.idle()
            await asyncio.sleep(1)
            return Start(pinged, answered, worked, one.megabytes())


async def added(name: str, agents: Sequence[str], turns: int, model: Timed) -> Added:
    """Have the same said to each agent in turn, in a process of its own."""
    taken: dict[str, list[float]] = {agent: [] for agent in agents}
    pings = []
    async with AsyncExitStack() as stack:
        asked = {}
        for agent in agents:
            home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            asked[agent] = await stack.enter_async_context(
                process(name, home, MODELS["haiku"], model.url, agent=agent)
            )
            await warm(asked[agent], agent, model)
        rested = {agent: one.cpu_seconds() for agent, one in asked.items()}
        for number in range(turns):
            for agent, one in asked.items():
                before, began = model.seconds, time.perf_counter()
                await one.say(f"How is the {THINGS[number % 10]}?")
                spent = time.perf_counter() - began - (model.seconds - before)
                taken[agent].append(spent * 1000)
                await one.idle()
            pings.append(await asked[agents[0]].ping())
        worked = {agent: one.cpu_seconds() for agent, one in asked.items()}
    processor = {agent: (worked[agent] - rested[agent]) / turns * 1000 for agent in agents}
    return Added(taken, pings, processor)


def update(number: int, chat: int) -> dict[str, Any]:
    """A private message of Telegram's, as the ingress forwards it."""
    who = {"id": chat, "is_bot": False, "first_name": f"P{chat}"}
    message = {
        "message_id": number,
        "date": int(time.time()),
        "chat": {"id": chat, "type": "private", "first_name": who["first_name"]},
        "from": who,
        "text": f"How is the {THINGS[number % 10]}?",
    }
    body = json.dumps({"update_id": number, "message": message}).encode()
    return {
        "kind": "channel",
        "channel": "telegram",
        "requests": [
            {
                "headers": {
                    "content-type": "application/json",
                    "x-telegram-bot-api-secret-token": SECRET,
                },
                "body": base64.b64encode(body).decode(),
            }
        ],
    }


async def pings_under_load(name: str, seconds: float, model: Timed) -> tuple[list[float], int]:
    """Milliseconds of /ping while 20 conversations have a turn each at any time; how many turns."""
    taken: list[float] = []
    with tempfile.TemporaryDirectory() as home, TelegramServer(flood=NO_FLOOD_CONTROL) as telegram:
        people = [telegram.person(f"P{number}") for number in range(PARALLEL)]
        for person in people:
            person.writes("/start")
        async with process(name, Path(home), MODELS["haiku"], model.url, telegram) as one:
            await one.say("Hello.")  # the first answer loads what the others need
            await one.idle()
            until = time.perf_counter() + seconds
            done = 0

            async def talk(chat: int, at: int) -> None:
                nonlocal done
                session = runtime_session_id("telegram", str(chat))
                while time.perf_counter() < until:
                    at += PARALLEL
                    await one.invoke(update(at, chat), session)
                    done += 1

            talks = [
                asyncio.create_task(talk(person.id, 1000 + number))
                for number, person in enumerate(people)
            ]
            await asyncio.sleep(0.5)
            while time.perf_counter() < until:
                taken.append(await one.ping())
                await asyncio.sleep(0.02)
            await asyncio.gather(*talks)
            return taken, done


async def cached(name: str, model: Timed, turns: int, *, gateway: bool) -> dict[str, Any]:
    """For each model: tokens of the conversation, ours, in the common way, by the gateway."""
    found: dict[str, Any] = {}
    for label, model_id in MODELS.items():
        calls = await conversation(name, model_id, model, turns)
        bodies = [dict(each.body) for each in calls]
        common = [with_memory_in_the_system_prompt(body) for body in bodies]
        ours, theirs = (told(counted(each, model_id), model_id) for each in (bodies, common))
        found[label] = {"ours": ours, "common": theirs}
        if gateway:
            calls = await conversation(name, model_id, model, turns, agent="openclaw")
            own = counted([dict(each.body) for each in calls], model_id)
            found[label]["gateway"] = told(own, model_id)
    return found


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which that share of them lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def ratio(pairs: Sequence[tuple[float, float]]) -> float:
    """The median of the second by the first, of pairs measured in turn."""
    return statistics.median(second / first for first, second in pairs)


async def measure(
    name: str, turns: int, starts: int, seconds: float, talk: int, *, embedded: bool
) -> dict[str, Any]:
    """All of it; of a gateway only where one is installed, and never with ``embedded``."""
    from cloche.agents.openclaw.installation import find_installation
    from cloche.settings import OpenClawSettings

    gateway = not embedded and find_installation(OpenClawSettings()) is not None
    agents = ("embedded", "openclaw") if gateway else ("embedded",)
    with Timed() as model:
        await start(name, "embedded", model)  # compiles what was not yet
        begun = [[await start(name, agent, model) for agent in agents] for _ in range(starts)]
        asked = await added(name, agents, turns, model)
        taken = asked.taken
        model.delay = MODEL_SECONDS
        pings, done = await pings_under_load(name, seconds, model)
        model.delay = 0.0
        own = [pair[0] for pair in begun]
        result: dict[str, Any] = {
            "assistant": name,
            "turns": turns,
            "added_p50_ms": statistics.median(taken["embedded"]),
            "added_p95_ms": quantile(taken["embedded"], 0.95),
            "turn_cpu_ms": asked.processor["embedded"],
            "listening_s": statistics.median(one.listening for one in own),
            "first_answer_s": statistics.median(one.answered for one in own),
            "first_answer_cpu_s": statistics.median(one.processor for one in own),
            "idle_mb": statistics.median(one.megabytes for one in own),
            "ping_idle_p99_ms": quantile(asked.pings, 0.99),
            "ping_p50_ms": statistics.median(pings),
            "ping_p99_ms": quantile(pings, 0.99),
            "turns_under_load": done,
            "cached": await cached(name, model, talk, gateway=gateway),
            "load": os.getloadavg()[1],
        }
        if gateway:
            both = [(one.answered, other.answered) for one, other in begun]
            result |= {
                "gateway_added_p50_ms": statistics.median(taken["openclaw"]),
                "gateway_added_p95_ms": quantile(taken["openclaw"], 0.95),
                "gateway_by_embedded": ratio(
                    list(zip(taken["embedded"], taken["openclaw"], strict=True))
                ),
                "gateway_first_answer_s": statistics.median(other for _, other in both),
                "first_answer_with_gateway_by_without": ratio(both),
            }
        return result


def missed(result: dict[str, Any]) -> list[str]:
    """The goals that are not met."""
    names = [name for name, goal in GOALS.items() if name in result and result[name] >= goal]
    for label, ways in result["cached"].items():
        for way in ways.keys() - {"common"}:
            if ways[way]["cacheable"] and ways[way]["share_turns_3_to_20"] < CACHED_GOAL:
                names.append(f"cached share ({label}, {way})")
    return names


def main() -> int:
    """Measure, print, and fail when a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--turns", type=int, default=100)
    parser.add_argument("--starts", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--assistant", default="gardening")
    parser.add_argument("--talk", type=int, default=20, help="turns of the conversation")
    parser.add_argument("--embedded", action="store_true", help="leave a gateway out")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    result = asyncio.run(
        measure(
            options.assistant,
            options.turns,
            options.starts,
            options.seconds,
            options.talk,
            embedded=options.embedded,
        )
    )
    if options.json:
        print(json.dumps(result))
    else:
        report(result, PARALLEL)
    for name in missed(result):
        print(f"missed: {name}", file=sys.stderr)
    return 1 if missed(result) else 0


if __name__ == "__main__":
    sys.exit(main())
