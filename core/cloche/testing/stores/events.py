"""Cases about events."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from cloche.memory.records import Event
from cloche.memory.store import EventQuery, MemoryStore
from cloche.testing.samples import SENTENCES, START, make_event, whole_event
from cloche.testing.stores.base import ANA, LUIS, StoreCases


class EventCases(StoreCases):
    """What a store must do with events."""

    async def test_an_event_comes_back_as_it_was_stored(self, tmp_path: Path) -> None:
        """Every field, in any language."""
        events = [whole_event()]
        events += [make_event(n, user_text=text) for n, text in enumerate(SENTENCES)]
        async with self.opened(tmp_path) as store:
            for event in events:
                await store.add_event(event)
            kept = await store.iterate_events(ANA)
        assert list(kept) == sorted(events, key=lambda event: event.id)

    async def test_an_event_outlives_the_store_object(self, tmp_path: Path) -> None:
        """It was durable before ``add_event`` returned."""
        async with self.opened(tmp_path) as store:
            await store.add_event(whole_event())
        async with self.opened(tmp_path) as store:
            assert list(await store.iterate_events(ANA)) == [whole_event()]
            assert [
                hit.event for hit in await store.search_events(ANA, _asked("sign", limit=5))
            ] == [whole_event()]

    async def test_an_event_stored_twice_is_there_once_as_it_was_first(
        self, tmp_path: Path
    ) -> None:
        """Events are evidence: a repeat of the id changes nothing."""
        first = make_event(1, user_text="The first words.")
        async with self.opened(tmp_path) as store:
            await store.add_event(first)
            await store.add_event(first)
            await store.add_event(replace(first, user_text="Other words.", session="other"))
            assert list(await store.iterate_events(ANA)) == [first]
            assert await store.count_events(ANA, session=first.session) == 1
            assert not await store.search_events(ANA, _asked("other", limit=5))
            assert len(await store.search_events(ANA, _asked("first", limit=5))) == 1

    async def test_an_event_stored_by_many_at_once_is_there_once(self, tmp_path: Path) -> None:
        """Tasks of one process do not get in each other's way."""
        async with self.opened(tmp_path) as store:
            await asyncio.gather(*(store.add_event(make_event(n % 5)) for n in range(40)))
            assert len(await store.iterate_events(ANA)) == 5

    async def test_a_deleted_event_is_gone(self, tmp_path: Path) -> None:
        """From reading, counting and search; nobody else's of that id is touched."""
        event = make_event(1, user_text="The lamp is green.")
        async with self.opened(tmp_path) as store:
            await store.add_event(event)
            await store.add_event(replace(event, actor=LUIS))
            assert not await store.delete_event(ANA, "e-none")
            assert await store.delete_event(ANA, event.id)
            assert not await store.delete_event(ANA, event.id)
            assert list(await store.iterate_events(ANA)) == []
            assert await store.count_events(ANA, session=event.session) == 0
            assert not await store.search_events(ANA, _asked("lamp", limit=5))
            assert len(await store.search_events(LUIS, _asked("lamp", limit=5))) == 1
            await store.add_event(event)
            assert list(await store.iterate_events(ANA)) == [event]

    async def test_recent_events_are_the_newest_oldest_first(self, tmp_path: Path) -> None:
        """Whatever the order they were stored in."""
        async with self.opened(tmp_path) as store:
            for number in (5, 1, 4, 2, 3):
                await store.add_event(make_event(number))
            assert await _numbers(store, limit=3) == [3, 4, 5]
            assert await _numbers(store, limit=100) == [1, 2, 3, 4, 5]
            assert await _numbers(store, limit=0) == []

    async def test_recent_events_can_be_of_one_session_or_conversation(
        self, tmp_path: Path
    ) -> None:
        """Conditions narrow before the limit counts, alone and together."""
        async with self.opened(tmp_path) as store:
            for number in range(1, 9):
                await store.add_event(
                    make_event(number, session=f"s{number % 2}", conversation=f"c{number % 4}")
                )
            assert await _numbers(store, limit=3, session="s1") == [3, 5, 7]
            assert await _numbers(store, limit=9, conversation="c2") == [2, 6]
            assert await _numbers(store, limit=1, session="s1", conversation="c1") == [5]
            assert await _numbers(store, limit=9, session="s0", conversation="c1") == []

    async def test_recent_events_can_be_from_before_an_instant(self, tmp_path: Path) -> None:
        """The instant itself is not before; what counts is the instant, not its spelling."""
        async with self.opened(tmp_path) as store:
            for number in range(1, 5):
                await store.add_event(make_event(number))
            third = START + timedelta(minutes=3)
            assert await _numbers(store, limit=9, before=third) == [1, 2]
            after = third + timedelta(microseconds=1)
            assert await _numbers(store, limit=2, before=after) == [2, 3]

    async def test_no_event_of_one_instant_is_lost(self, tmp_path: Path) -> None:
        """Ties in time are no reason to leave one out."""
        async with self.opened(tmp_path) as store:
            for number in range(6):
                await store.add_event(make_event(number, at=START))
            assert sorted(await _numbers(store, limit=10)) == [0, 1, 2, 3, 4, 5]
            assert len(await _numbers(store, limit=4)) == 4

    async def test_events_of_a_session_are_counted(self, tmp_path: Path) -> None:
        """All of that session, none of another."""
        async with self.opened(tmp_path) as store:
            for number in range(7):
                await store.add_event(make_event(number, session="a" if number < 5 else "ab"))
            assert await store.count_events(ANA, session="a") == 5
            assert await store.count_events(ANA, session="ab") == 2
            assert await store.count_events(ANA, session="b") == 0

    async def test_pages_of_events_hold_each_once_in_the_order_of_ids(self, tmp_path: Path) -> None:
        """Whatever the size of a page."""
        ids = [f"turn-{n:02}" for n in range(11)] + ["A", "a", "turn", "zz"]
        async with self.opened(tmp_path) as store:
            for event_id in reversed(ids):
                await store.add_event(make_event(1, id=event_id))
            for limit in (1, 4, 15, 100):
                read: list[str] = []
                while page := await store.iterate_events(
                    ANA, after=read[-1] if read else "", limit=limit
                ):
                    assert len(page) <= limit
                    read += [event.id for event in page]
                assert read == sorted(ids)

    async def test_events_are_found_by_their_words_best_first(self, tmp_path: Path) -> None:
        """In any language; with scores that fall, or ids that rise; others may follow."""
        async with self.opened(tmp_path) as store:
            await _say(
                store,
                "We spoke about the old bridge.",
                "The bridge, the old bridge again!",
                "Ayer hablamos del camión rojo.",
                "上次我们说到阳台上的灯。",
                "Something else altogether.",
                "The ferry is late.",
                "The ferry is late.",
            )
            assert await _found(store, "old bridge", limit=2) == {1, 2}
            assert await _found(store, "camion", limit=1) == {3}
            assert await _found(store, "阳台", limit=1) == {4}
            hits = await store.search_events(ANA, _asked("the ferry", limit=10))
            ranks = [(-hit.score, hit.event.id) for hit in hits]
            assert ranks == sorted(ranks)
            assert [hit.event.id for hit in hits][:2] == ["turn-0006", "turn-0007"]

    async def test_a_search_for_events_can_be_narrowed(self, tmp_path: Path) -> None:
        """To a conversation, to what was before, and to a number."""
        async with self.opened(tmp_path) as store:
            for number in range(1, 7):
                await store.add_event(
                    make_event(number, user_text="A ferry.", conversation=f"c{number % 2}")
                )
            third = START + timedelta(minutes=3)
            assert await _found(store, "ferry", conversation="c1") == {1, 3, 5}
            assert await _found(store, "ferry", before=third) == {1, 2}
            assert await _found(store, "ferry", conversation="c0", before=third) == {2}
            assert len(await store.search_events(ANA, _asked("ferry", limit=4))) == 4


async def _say(store: MemoryStore, *texts: str) -> None:
    for number, text in enumerate(texts, start=1):
        await store.add_event(make_event(number, user_text=text, assistant_text=None))


async def _numbers(store: MemoryStore, **conditions: object) -> list[int]:
    events = await store.recent_events(ANA, **conditions)  # type: ignore[arg-type]  # the case's
    return [_number(event) for event in events]


async def _found(store: MemoryStore, text: str, **conditions: object) -> set[int]:
    hits = await store.search_events(ANA, _asked(text, **conditions))
    return {_number(hit.event) for hit in hits}


def _asked(text: str, **conditions: object) -> EventQuery:
    return EventQuery(text, START + timedelta(days=30), **conditions)  # type: ignore[arg-type]


def _number(event: Event) -> int:
    return int(event.id.removeprefix("turn-"))
