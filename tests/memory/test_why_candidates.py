"""Words name a record only when it has one of them, or beyond doubt means the same."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cloche.memory.local import LocalMemoryStore
from cloche.memory.why import candidates
from cloche.testing import FakeEmbedder
from cloche.testing.clock import FakeClock
from cloche.testing.samples import make_record

pytest.importorskip("numpy")

ANA = "console_-ana"
CONCEPTS = {
    "dog": ("dog", "perro", "狗"),
    "fig": ("fig", "higuera", "无花果"),
    "lute": ("lute", "laúd", "琵琶"),
}
TEXTS = (
    "My dog is called Trufa.",
    "La higuera está en el patio.",
    "我会弹琵琶。",
    "It rains a lot.",
)


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Any]:
    clock = FakeClock()
    store = LocalMemoryStore(tmp_path / "memory.db", clock, FakeEmbedder(CONCEPTS))
    for number, text in enumerate(TEXTS, start=1):
        await store.write(make_record(number, text, actor=ANA))
    await store.write(make_record(9, "Told: my dog is called Trufa.", actor=ANA, kind="summary"))
    while await store.embed_pending(50):
        pass
    yield SimpleNamespace(store=store, clock=clock)
    await store.close()


@pytest.mark.parametrize("written", ["zzzz", "qwxv", "memm-00ff", "deadbeef", "xkcd 42", "嗯嗯"])
async def test_nonsense_and_mistyped_ids_find_nothing(memory: Any, written: str) -> None:
    assert await candidates(memory, ANA, written) == []


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("dog", TEXTS[0]),
        ("perro", TEXTS[0]),
        ("狗", TEXTS[0]),
        ("fig", TEXTS[1]),
        ("higuera", TEXTS[1]),
        ("无花果", TEXTS[1]),
        ("laúd", TEXTS[2]),
        ("琵琶", TEXTS[2]),
        ("Trufa", TEXTS[0]),
    ],
)
async def test_a_word_of_any_language_finds_what_it_names(
    memory: Any, written: str, text: str
) -> None:
    assert [record.text for record in await candidates(memory, ANA, written)] == [text]
