"""Cases about keeping people apart, forgetting them, and closing."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import TypeVar

import pytest

from cloche.errors import MemoryUnavailableError
from cloche.memory.records import Event, MemoryRecord
from cloche.memory.store import EventQuery, Forgotten, MemoryStore, SearchQuery
from cloche.testing.samples import START, any_event, any_record, make_event, make_record
from cloche.testing.stores.base import ANA, LUIS, StoreCases

T = TypeVar("T")

NOW = START + timedelta(days=400)
QUERIES = ("kettle shelf", "violín", "阳台上的灯", "trip", "x", "")
ALIKE = (
    "console_-ana", "console_-an", "console_-anaa", "console_-Ana", "console_-an_", "console_-%",
    "telegram_-ana", "a", "A", "0", "00", "a-b", "a_b", "a" * 100, "a" * 99,
)  # fmt: skip

Call = Callable[[MemoryStore, str], Awaitable[object]]
CALLS: dict[str, Call] = {
    "add_event": lambda store, actor: store.add_event(make_event(1, actor)),
    "recent_events": lambda store, actor: store.recent_events(actor, limit=1),
    "count_events": lambda store, actor: store.count_events(actor, session="s"),
    "search": lambda store, actor: store.search(actor, SearchQuery("", NOW)),
    "search_events": lambda store, actor: store.search_events(actor, EventQuery("lamp", NOW)),
    "get": lambda store, actor: store.get(actor, "mem-1"),
    "iterate": lambda store, actor: store.iterate(actor),
    "iterate_events": lambda store, actor: store.iterate_events(actor),
    "write": lambda store, actor: store.write(make_record(1, actor=actor)),
    "update": lambda store, actor: store.update(make_record(1, actor=actor)),
    "archive": lambda store, actor: store.archive(actor, "mem-1", NOW),
    "delete": lambda store, actor: store.delete(actor, "mem-1"),
    "delete_event": lambda store, actor: store.delete_event(actor, "e-1"),
    "forget": lambda store, actor: store.forget(actor),
}
"""Every method that names an actor."""


class IsolationCases(StoreCases):
    """What a store must never mix up."""

    @pytest.mark.parametrize("method", CALLS)
    async def test_nobody_is_acted_for_without_an_actor(self, tmp_path: Path, method: str) -> None:
        """An empty actor is an error on every read and every write."""
        async with self.opened(tmp_path) as store:
            with pytest.raises(ValueError, match="actor"):
                await CALLS[method](store, "")

    @pytest.mark.parametrize("method", CALLS)
    async def test_a_closed_store_says_so(self, tmp_path: Path, method: str) -> None:
        """Every later call raises the error that turns expect; closing twice is harmless."""
        store = await self.open_store(tmp_path, lambda: NOW)
        await store.write(make_record(1))
        await store.close()
        await store.close()
        with pytest.raises(MemoryUnavailableError) as caught:
            await CALLS[method](store, ANA)
        assert caught.value.cause == "closed"

    @pytest.mark.parametrize("seed", range(4))
    async def test_another_persons_data_changes_nothing(self, tmp_path: Path, seed: int) -> None:
        """Not one hit, not one score, not one event: before and after are equal."""
        random = Random(seed)  # noqa: S311 (a test's variety)
        async with self.opened(tmp_path) as store:
            for _ in range(30):
                await store.write(any_record(random, ANA))
                await store.add_event(any_event(random, ANA))
            before = await _everything(store, ANA)
            for _ in range(60):
                await store.write(any_record(random, LUIS))
                await store.update(any_record(random, LUIS))
                await store.add_event(any_event(random, LUIS))
                await store.delete(LUIS, any_record(random, ANA).id)
                await store.archive(LUIS, any_record(random, ANA).id, NOW)
            assert await _everything(store, ANA) == before
            await store.forget(LUIS)
            assert await _everything(store, ANA) == before

    async def test_one_id_of_two_people_is_two_things(self, tmp_path: Path) -> None:
        """Nobody overwrites or reads what is another's by knowing its id."""
        hers = make_record(1, "Hers.", actor=ANA)
        his = make_record(1, "His.", actor=LUIS)
        async with self.opened(tmp_path) as store:
            await store.write(hers)
            await store.add_event(make_event(1, ANA, user_text="Hers."))
            assert await store.get(LUIS, hers.id) is None
            assert not await store.update(his)
            assert not await store.archive(LUIS, hers.id, NOW)
            assert not await store.delete(LUIS, hers.id)
            await store.write(his)
            await store.add_event(make_event(1, LUIS, user_text="His."))
            assert await store.get(ANA, hers.id) == hers
            assert await store.get(LUIS, hers.id) in (his, None)
            assert [e.user_text for e in await store.iterate_events(ANA)] == ["Hers."]
            assert {e.user_text for e in await store.iterate_events(LUIS)} <= {"His."}

    async def test_people_whose_ids_look_alike_are_apart(self, tmp_path: Path) -> None:
        """Prefixes, case and the signs of patterns make nobody somebody else."""
        async with self.opened(tmp_path) as store:
            for number, actor in enumerate(ALIKE):
                await store.write(make_record(number, f"The lamp of {number}.", actor=actor))
                await store.add_event(make_event(number, actor, user_text=f"Lamp {number}."))
            for number, actor in enumerate(ALIKE):
                hits = await store.search(actor, SearchQuery("lamp", NOW))
                assert [hit.record.text for hit in hits] == [f"The lamp of {number}."]
                assert [e.user_text for e in await store.recent_events(actor, limit=9)] == [
                    f"Lamp {number}."
                ]
            assert await store.forget(ALIKE[0]) == Forgotten(events=1, records=1)
            for actor in ALIKE[1:]:
                assert len(await store.iterate(actor)) == 1

    async def test_forgetting_leaves_nothing_and_tells_how_much_there_was(
        self, tmp_path: Path
    ) -> None:
        """Archived records too; forgetting again finds nothing; the person may begin anew."""
        async with self.opened(tmp_path) as store:
            for number in range(5):
                await store.write(make_record(number))
                await store.write(make_record(number, actor=LUIS))
            await store.archive(ANA, make_record(2).id, NOW)
            for number in range(3):
                await store.add_event(make_event(number))
            assert await store.forget(ANA) == Forgotten(events=3, records=5)
            assert await _everything(store, ANA) == await _everything(store, "console_-nobody")
            assert await store.forget(ANA) == Forgotten()
            assert len(await store.iterate(LUIS)) == 5
            await store.write(make_record(1, "The lamp."))
            hits = await store.search(ANA, SearchQuery("lamp", NOW))
            assert [hit.record.text for hit in hits] == ["The lamp."]

    @pytest.mark.parametrize("seed", range(3))
    async def test_any_course_of_writes_leaves_what_it_should(
        self, tmp_path: Path, seed: int
    ) -> None:
        """A few hundred writes of three people against the plainest store there is."""
        random = Random(seed)  # noqa: S311 (a test's variety)
        actors = (ANA, LUIS, "telegram_-7")
        records: dict[str, dict[str, MemoryRecord]] = {actor: {} for actor in actors}
        events: dict[str, dict[str, Event]] = {actor: {} for actor in actors}
        async with self.opened(tmp_path) as store:
            for _ in range(200):
                actor = random.choice(actors)
                record, event = any_record(random, actor), any_event(random, actor)
                kept = records[actor]
                match random.randrange(12):
                    case 0 | 1 | 2 | 3:
                        await store.write(record)
                        kept.setdefault(record.id, record)
                    case 4 | 5:
                        assert await store.update(record) == (record.id in kept)
                        if record.id in kept:
                            kept[record.id] = record
                    case 6:
                        assert await store.delete(actor, record.id) == (record.id in kept)
                        kept.pop(record.id, None)
                    case 7 if random.random() < 0.1:
                        forgotten = await store.forget(actor)
                        assert forgotten == Forgotten(len(events[actor]), len(kept))
                        kept.clear()
                        events[actor].clear()
                    case _:
                        await store.add_event(event)
                        events[actor].setdefault(event.id, event)
            for actor in actors:
                assert list(await store.iterate(actor)) == _by_id(records[actor])
                assert list(await store.iterate_events(actor)) == _by_id(events[actor])


async def _everything(store: MemoryStore, actor: str) -> object:
    return (
        [await store.search(actor, SearchQuery(text, NOW, limit=100)) for text in QUERIES],
        [await store.search_events(actor, EventQuery(text, NOW, limit=100)) for text in QUERIES],
        await store.recent_events(actor, limit=100),
        await store.iterate(actor),
        await store.iterate_events(actor),
    )


def _by_id(items: dict[str, T]) -> list[T]:
    return [items[key] for key in sorted(items)]
