"""Why what is recalled is recalled."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from cloche.memory.local import LocalMemoryStore
from cloche.memory.retrieval import Retrieval
from cloche.messages import Address, Message
from cloche.namespaces import NamespaceScheme
from cloche.people import Person, PersonSettings
from cloche.testing.clock import FakeClock
from cloche.testing.fake_embedder import FakeEmbedder
from cloche.testing.samples import make_record
from cloche.vocabulary import Vocabulary

ANA = "console_-ana"
CONCEPTS = {"sister": ("sister", "hermana", "姐姐"), "dog": ("dog", "perro", "狗")}


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[LocalMemoryStore]:
    embedder = FakeEmbedder(CONCEPTS)
    store = LocalMemoryStore(tmp_path / "memory.db", FakeClock(), embedder=embedder)
    yield store
    await store.close()


async def reasons(store: LocalMemoryStore, words: str) -> dict[str, set[str]]:
    clock = FakeClock()
    scheme = NamespaceScheme("t")
    retrieval = Retrieval(store, Vocabulary(()), scheme, clock, limit=50)
    address = Address("console", "ana")
    settings, zone = PersonSettings(), ZoneInfo("UTC")
    person = Person(ANA, address, "ana", False, "s", settings, "en", zone, clock.now)
    message = Message(id="1", address=address, conversation="ana", text=words)
    found: dict[str, set[str]] = {}
    for one in await retrieval.records(person, message, await retrieval.read(message)):
        found.setdefault(one.record.text, set()).add(one.why)
    return found


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ("Mi hermana vive en Lisboa.", "Where does my sister live?"),
        ("我姐姐住在里斯本。", "¿Dónde vive mi hermana?"),
        ("My sister lives in Lisbon.", "我姐姐住在哪里？"),
    ],
)
async def test_what_was_told_in_another_language_is_marked_as_meant(
    store: LocalMemoryStore, told: str, words: str
) -> None:
    others = ["The shelf is full.", "El perro duerme.", "我喝茶。"]
    for number, text in enumerate((told, *others)):
        await store.write(make_record(number, text))
    while await store.embed_pending(8):
        pass
    found = await reasons(store, words)
    assert "meaning" in found[told]
    assert not any("meaning" in found[text] for text in others)


async def test_what_has_a_word_of_the_question_and_what_is_no_question_are_not(
    store: LocalMemoryStore,
) -> None:
    await store.write(make_record(0, "My sister lives in Lisbon."))
    while await store.embed_pending(8):
        pass
    told = await reasons(store, "Where does my sister live?")
    assert "fits" in told["My sister lives in Lisbon."]
    assert "meaning" not in told["My sister lives in Lisbon."]
    told = await reasons(store, "Who is living with sisters?")
    assert "meaning" not in told["My sister lives in Lisbon."]
    assert "meaning" not in (await reasons(store, "我姐姐很高。"))["My sister lives in Lisbon."]
