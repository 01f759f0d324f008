"""Everything in a turn but the model, with 1,000 records remembered, beside none remembered.

Pairs of turns are run in turn, so that a slow moment of the machine hits both.

    python benchmarks/turn.py [--turns 100] [--records 1000] [--assistant NAME] [--json]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cloche.agents.agent import Answer, OnDelta
from cloche.assembly import open_assistant
from cloche.assistant import Assistant
from cloche.ids import actor_id, record_id
from cloche.memory.records import MemoryRecord, Source, Validity
from cloche.messages import Address, Message
from cloche.plugins import load_host
from cloche.prompt import Prompt
from cloche.settings import Settings
from cloche.tools import BoundTool

GOAL_MS = 15.0
NOUNS = "gate path wall shed pond hedge fence barrel bench arch trellis terrace pump tap".split()
PLACES = "north south east west upper lower inner outer left right front back".split()
WORDS = "dry wet shaded sunny stony sandy heavy light loose firm cold warm windy".split()


class InstantAgent:
    """An agent whose model takes no time at all."""

    name = "instant"

    async def ask(
        self, prompt: Prompt, tools: tuple[BoundTool, ...], on_delta: OnDelta | None = None
    ) -> Answer:
        """Answer at once."""
        return Answer("Noted.")

    async def close(self) -> None:
        """There is nothing to release."""


def statement(number: int) -> str:
    """A statement unlike the others, of words that recur as words in a life do."""
    return (
        f"The {PLACES[number % 12]} {NOUNS[number // 12 % 14]} is {WORDS[number // 7 % 13]} "
        f"and stands near the {NOUNS[number // 5 % 14]} number {number}."
    )


async def filled(name: str, home: Path, records: int) -> tuple[Assistant, Address]:
    """An assistant that remembers so much about one person."""
    settings = Settings(home=home)
    assistant = await open_assistant(load_host(settings), name, settings, agent=InstantAgent())
    address = Address("console", "bench")
    actor, now = actor_id(address), datetime.now(UTC)
    for number in range(records):
        at = now - timedelta(minutes=records - number)
        await assistant.memory.store.write(
            MemoryRecord(
                id=record_id(actor, str(number)),
                actor=actor,
                scope="long_term",
                kind="preference" if number % 20 == 0 else "fact",
                text=statement(number),
                source=Source(ref="bench"),
                validity=Validity(at, at),
            )
        )
    return assistant, address


async def one_turn(assistant: Assistant, address: Address, number: int) -> tuple[float, float]:
    """Milliseconds to the reply, and of what follows it."""
    text = f"Is the {PLACES[number % 12]} {NOUNS[number % 14]} still {WORDS[number % 13]}?"
    message = Message(f"{number}", address, "bench", text)
    started = time.perf_counter()
    turn = await assistant.handle(message)
    answered = time.perf_counter()
    await turn.afterwards()
    return (answered - started) * 1000, (time.perf_counter() - answered) * 1000


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which that share of them lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


async def measure(name: str, turns: int, records: int) -> dict[str, float]:
    """Medians over pairs of turns."""
    with tempfile.TemporaryDirectory() as folder:
        full = await filled(name, Path(folder) / "full", records)
        empty = await filled(name, Path(folder) / "empty", 0)
        pairs = []
        for number in range(turns + 5):
            pairs.append((await one_turn(*full, number), await one_turn(*empty, number)))
        pairs = pairs[5:]  # the first open files and fill caches
        await full[0].close()
        await empty[0].close()
    replies = [one[0] for one, _ in pairs]
    return {
        "records": records,
        "turns": turns,
        "reply_p50_ms": statistics.median(replies),
        "reply_p95_ms": quantile(replies, 0.95),
        "afterwards_p50_ms": statistics.median(one[1] for one, _ in pairs),
        "turn_p50_ms": statistics.median(sum(one) for one, _ in pairs),
        "empty_turn_p50_ms": statistics.median(sum(other) for _, other in pairs),
        "ratio_p50": statistics.median(sum(one) / sum(other) for one, other in pairs),
        "goal_ms": GOAL_MS,
    }


def main() -> int:
    """Measure, print, and fail when the goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--turns", type=int, default=100)
    parser.add_argument("--records", type=int, default=1000)
    parser.add_argument("--assistant", default="gardening")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    result = asyncio.run(measure(options.assistant, options.turns, options.records))
    if options.json:
        print(json.dumps(result))
    else:
        print(f"A turn without its model, {result['records']:.0f} records, medians in ms:")
        print(f"  to the reply   {result['reply_p50_ms']:6.2f}  (p95 {result['reply_p95_ms']:.2f})")
        print(f"  after it       {result['afterwards_p50_ms']:6.2f}")
        print(f"  the whole turn {result['turn_p50_ms']:6.2f}  goal: under {GOAL_MS:.0f}")
        print(f"  nothing stored {result['empty_turn_p50_ms']:6.2f}")
        print(f"  ratio          {result['ratio_p50']:6.2f}")
    return 0 if result["turn_p50_ms"] < GOAL_MS else 1


if __name__ == "__main__":
    sys.exit(main())
