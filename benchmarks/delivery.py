"""Delivery measured: alone, with a real memory, and through kill -9.

1. Alone: a turn is a sleep of 200 ms, pacing off. 5,000 messages over 200 conversations arrive at
   100 a second in one process. What delivery adds is the time a reply was sent minus the time an
   ideal one would have been: the same arrivals, the same turns, the same merging, at no cost. The
   same load without delivery (each turn a task that sleeps) shows what the machine itself adds.
2. Memory: the demo model and a real memory; the highest rate of arrivals whose 99th percentile
   from arrival to reply stays under 250 ms.
3. Killed: the load runs in a child process that is killed with SIGKILL and started again, twice.

    python benchmarks/delivery.py [--only alone,memory,killed] [--messages 5000] [--rate 100]
                                  [--assistant NAME] [--seconds 20] [--json]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import statistics
import sys
import tempfile
import time
from collections import Counter, defaultdict, deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from delivery_killed import killed

from cloche.agents.agent import OnDelta
from cloche.assembly import open_assistant
from cloche.channels import Channel, ChannelContext, ChannelRequest, Incoming, Limits, Part
from cloche.clock import utc_now
from cloche.delivery import Delivery, OpenDoor
from cloche.delivery.rendering import render
from cloche.ids import turn_id
from cloche.llm.usage import Usage
from cloche.messages import Address, Message, Reply
from cloche.plugins import load_host
from cloche.settings import DeliverySettings, EmbeddingSettings, Settings
from cloche.state.sqlite import SqliteStateStore
from cloche.turn import BrokenOff, Turn, nothing

GOAL_ADDED_MS = 50.0
GOAL_REPLY_MS = 250.0
TURN_SECONDS = 0.2
CONVERSATIONS = 200
SETTINGS = DeliverySettings(pacing=False, conversations=256)


class Sink(Channel):
    """Takes every part at once, and notes when."""

    name: ClassVar[str] = "sink"
    limits: ClassVar[Limits] = Limits(text=100_000, text_bytes=400_000)

    def __init__(self) -> None:
        """Nothing is connected."""
        super().__init__(ChannelContext({}, _none, utc_now, _none, {}))  # type: ignore[arg-type]
        self.sent: list[tuple[str, str, float]] = []

    def parse(self, request: ChannelRequest) -> Sequence[Incoming]:
        """Nothing comes as a request."""
        return ()

    async def send(self, part: Part) -> None:
        """Note a part."""
        self.sent.append((part.conversation, part.text, time.perf_counter()))


def _none() -> None:
    return None


class Sleeper:
    """An assistant whose turn is a sleep, and whose answer is what it was asked."""

    async def handle(self, message: Message, on_delta: OnDelta | None = None) -> Turn:
        """Sleep, then say it back."""
        await asyncio.sleep(TURN_SECONDS)
        id_ = turn_id(message.address, message.place, message.id)
        return Turn(id_, Reply(message.text), "en", nothing)

    async def overhear(self, message: Message) -> None:
        """Nobody writes to others here."""

    async def broken_off(self, message: Message, why: BrokenOff) -> Usage:
        """Nothing: no model is asked."""
        return Usage()

    async def language_of(self, message: Message) -> str:
        """English."""
        return "en"


def message(number: int, conversation: str, words: str) -> Message:
    """One person's message in a conversation of their own."""
    return Message(f"{number}", Address("sink", f"p{conversation}"), conversation, words)


async def load(
    take: Callable[[int, str], Awaitable[None]], messages: int, rate: float, seed: int
) -> list[tuple[str, float]]:
    """Have messages arrive evenly, each in a conversation drawn by lot; where and when they did.

    An arrival is due at its time, whatever the machine was doing: what is late counts as added.
    """
    lot, start, tasks = random.Random(seed), time.perf_counter() + 0.1, set()
    arrivals = []
    for number in range(messages):
        due = start + number / rate
        if (early := due - time.perf_counter()) > 0:
            await asyncio.sleep(early)
        conversation = f"{lot.randrange(CONVERSATIONS)}"
        arrivals.append((conversation, due))
        task = asyncio.ensure_future(take(number, conversation))
        tasks.add(task)
        task.add_done_callback(tasks.discard)
    await asyncio.gather(*tasks)
    return arrivals


def ideal(arrivals: Sequence[tuple[str, float]]) -> list[float]:
    """When each message would be answered if delivery took no time: merged while a turn runs."""
    by_conversation: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for number, (conversation, at) in enumerate(arrivals):
        by_conversation[conversation].append((number, at))
    answered = [0.0] * len(arrivals)
    for own in by_conversation.values():
        waiting, free = deque(own), 0.0
        while waiting:
            begins = max(free, waiting[0][1])
            free = begins + TURN_SECONDS
            taken = [waiting.popleft()]
            while waiting and waiting[0][1] <= begins:
                taken.append(waiting.popleft())
            for number, _ in taken:
                answered[number] = free
    return answered


async def alone(messages: int, rate: float) -> dict[str, float]:
    """What delivery adds to a turn, beside what the machine adds without it."""
    with tempfile.TemporaryDirectory() as folder:
        state = SqliteStateStore(Path(folder) / "state.db", utc_now)
        channel = Sink()
        delivery = Delivery(
            channel,
            Sleeper(),
            OpenDoor(),
            state,
            clock=utc_now,
            settings=SETTINGS,
            render=render,
        )
        await delivery.start()
        cpu = time.process_time()
        arrivals = await load(
            lambda number, where: delivery.accept(message(number, where, f"{number}")),
            messages,
            rate,
            seed=1,
        )
        await delivery.idle()
        cpu = time.process_time() - cpu
        await delivery.close()
        await state.close()
    sent: dict[int, list[tuple[str, float]]] = defaultdict(list)
    order: dict[str, list[int]] = defaultdict(list)
    for conversation, text, at in channel.sent:
        for number in map(int, text.split("\n")):
            sent[number].append((conversation, at))
            order[conversation].append(number)
    added = [
        (sent[number][0][1] - best) * 1000
        for number, best in enumerate(ideal(arrivals))
        if number in sent
    ]
    bare = await without(min(messages, 1000), rate)
    return {
        "messages": messages,
        "per_second": rate,
        "lost": messages - len(sent),
        "duplicates": sum(len(each) - 1 for each in sent.values()),
        "out_of_order": sum(each != sorted(each) for each in order.values()),
        "added_p50_ms": statistics.median(added),
        "added_p99_ms": p99(added),
        "added_max_ms": max(added),
        "bare_p50_ms": statistics.median(bare),
        "bare_p99_ms": p99(bare),
        "ratio_p99": p99(added) / p99(bare),
        "cpu_ms_per_message": cpu * 1000 / messages,
        "goal_ms": GOAL_ADDED_MS,
    }


async def without(messages: int, rate: float) -> list[float]:
    """Milliseconds that the same load takes longer than it should when nothing is delivered."""
    ended: dict[int, float] = {}

    async def take(number: int, where: str) -> None:
        await Sleeper().handle(message(number, where, ""))
        ended[number] = time.perf_counter()

    arrivals = await load(take, messages, rate, seed=1)
    return [(ended[n] - at - TURN_SECONDS) * 1000 for n, (_, at) in enumerate(arrivals)]


async def with_memory(name: str, seconds: float) -> dict[str, float]:
    """The highest rate that keeps the goal, found by doubling and then halving the interval."""
    good, bad, rate = 0.0, 0.0, 16.0
    tried: dict[float, list[list[float]]] = {}
    while not bad or (bad - good > good / 8 and bad > 1):
        runs = tried[rate] = []
        # Two of three runs decide: a slow moment of the machine is not the rate's doing.
        while (
            max((verdicts := Counter(p99(r) < GOAL_REPLY_MS for r in runs)).values(), default=0) < 2
        ):
            runs.append(await replies(name, rate, seconds))
        if verdicts[True] == 2:
            good = rate
        else:
            bad = rate
        rate = (good + bad) / 2 if bad else rate * 2
    kept = min(tried.get(good, [[0.0]]), key=p99)
    return {
        "highest_per_second": good,
        "reply_p50_ms": statistics.median(kept),
        "reply_p99_ms": p99(kept),
        "goal_ms": GOAL_REPLY_MS,
        **{
            f"p99_ms_at_{rate:g}_per_second": statistics.median(map(p99, runs))
            for rate, runs in sorted(tried.items())
        },
    }


async def replies(name: str, rate: float, seconds: float) -> list[float]:
    """Milliseconds from arrival to reply at a rate, with an assistant that has just been set up."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(home=Path(folder), embeddings=EmbeddingSettings(provider="none"))
        assistant = await open_assistant(load_host(settings), name, settings)
        channel = Sink()
        delivery = Delivery(
            channel,
            assistant,
            OpenDoor(),
            assistant.memory.state,
            clock=utc_now,
            settings=SETTINGS,
            render=render,
        )
        await delivery.start()
        arrived: dict[str, deque[float]] = defaultdict(deque)

        async def take(number: int, where: str) -> None:
            arrived[where].append(time.perf_counter())
            words = f"The {WORDS[number % len(WORDS)]} one stands by gate {number}."
            await delivery.accept(message(number, where, words))

        await load(take, max(200, int(rate * seconds)), rate, seed=2)
        await delivery.idle()
        await delivery.close()
        await assistant.close()
    answered: dict[str, list[float]] = defaultdict(list)
    for conversation, _, at in channel.sent:
        answered[conversation].append(at)
    # A reply answers all that came before it and was not answered: the oldest waited longest.
    times = []
    for conversation, ends in answered.items():
        waiting = arrived[conversation]
        for end in ends:
            while waiting and waiting[0] < end:
                times.append((end - waiting.popleft()) * 1000)
    return times


def p99(values: Sequence[float]) -> float:
    """The 99th percentile."""
    return quantile(values, 0.99)


WORDS = "dry wet shaded sunny stony sandy heavy light loose firm cold warm windy".split()


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which that share of them lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def main() -> int:
    """Measure, print, and fail when a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--only", default="alone,memory,killed")
    parser.add_argument("--messages", type=int, default=5000)
    parser.add_argument("--rate", type=float, default=100)
    parser.add_argument("--assistant", default="gardening")
    parser.add_argument("--seconds", type=float, default=20, help="of each rate tried with memory")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    result: dict[str, dict[str, float]] = {}
    if "alone" in options.only:
        result["alone"] = asyncio.run(alone(options.messages, options.rate))
    if "memory" in options.only:
        result["memory"] = asyncio.run(with_memory(options.assistant, options.seconds))
    if "killed" in options.only:
        result["killed"] = asyncio.run(killed(options.messages, options.rate))
    if options.json:
        print(json.dumps(result))
    else:
        for part, figures in result.items():
            print(TITLES[part])
            for key, value in figures.items():
                print(f"  {key.replace('_', ' '):40} {value:10.2f}".rstrip("0").rstrip("."))
    return 0 if all(met(part, figures) for part, figures in result.items()) else 1


TITLES = {
    "alone": "Delivery alone, a turn of 200 ms of sleep:",
    "memory": "With the demo model and a real memory, from arrival to reply:",
    "killed": "Killed with SIGKILL and started again:",
}


def met(part: str, figures: Mapping[str, float]) -> bool:
    """Whether a part's goals are met; of a rate that only is to be known, there is none."""
    if part == "alone":
        flaws = figures["lost"] + figures["duplicates"] + figures["out_of_order"]
        return not flaws and figures["added_p99_ms"] < GOAL_ADDED_MS
    if part == "killed":
        lost = figures["unanswered"] + figures["answered_in_two_turns"]
        twice = figures["tool_calls_twice"] + figures["parts_more_often"]
        return (
            not lost + twice and figures["most_parts_twice_in_one_conversation"] <= figures["kills"]
        )
    return True


if __name__ == "__main__":
    sys.exit(main())
