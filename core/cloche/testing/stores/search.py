"""Cases about searching records."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from cloche.memory.records import Tag
from cloche.memory.store import Filter, MemoryStore, SearchQuery
from cloche.testing.samples import START, make_record
from cloche.testing.stores.base import ANA, StoreCases, found

NOW = START + timedelta(days=30)
DAY = timedelta(days=1)

FOUND_BY = (
    ("lantern", "We keep three lanterns near the door."),
    ("linternas", "Hay una linterna en la entrada."),
    ("violin", "Los violines y el violín de mi tía."),
    ("VIOLÍN", "Un violin pequeño."),
    ("color", "Me gustan los colores claros."),
    ("camión", "El CAMION llegó tarde."),
    ("pequeño", "Un PEQUEÑO taller."),
    ("walking", "She walked home."),
    ("阳台", "我在阳台上放了灯。"),
    ("图书馆", "他每个星期二去图书馆借书。"),
    ("猫", "我养了一只猫"),
    ("我的猫在哪里", "家里有一只猫。"),
    ("カメラ", "新しいカメラを買った。"),
    ("ｆｕｌｌ", "A full-width query."),
    ("strasse", "Die Straße ist lang."),
    ("поезд", "Ночной поезд опоздал."),
    ("1987", "Since 1987年 all is well."),
)
"""A query and a text it must find: endings, accents, case, width, scripts without spaces."""

HOSTILE = (
    '"', "'", "AND", "OR NOT", "NEAR(", "lamp*", "^lamp", "text:lamp", "-lamp", "(", "lamp) OR (",
    "{lamp}", "a\x00b", "%", "_", ";--", "\\", "lamp\nAND\nlamp",
    "\u200b", "\U0001f9ed", "...", "。",
)  # fmt: skip


class SearchCases(StoreCases):
    """What a store must find, and in which order."""

    @pytest.mark.parametrize(("query", "text"), FOUND_BY)
    async def test_words_are_found_in_any_language(
        self, tmp_path: Path, query: str, text: str
    ) -> None:
        """Singular and plural, with and without accents, two and three characters of Chinese."""
        async with self.opened(tmp_path) as store:
            await store.write(make_record(1, text))
            await store.write(make_record(2, "Qwertz uiop."))
            assert await found(store, ANA, SearchQuery(query, NOW)) == [text]

    async def test_a_record_is_found_by_its_subject_and_tags(self, tmp_path: Path) -> None:
        """Labels as people wrote them, and ids."""
        metadata = {"rooms": (Tag("shu-fang", "书房"), Tag("attic", "El desván"))}
        async with self.opened(tmp_path) as store:
            await store.write(make_record(1, "It is blue.", subject="Luis", metadata=metadata))
            await store.write(make_record(2, "It is red."))
            for text in ("luis", "书房", "desvan", "attic", "shu fang"):
                assert await found(store, ANA, SearchQuery(text, NOW)) == ["It is blue."], text

    async def test_what_fits_better_comes_first(self, tmp_path: Path) -> None:
        """More of the words, and rarer ones; scores are positive and never rise."""
        async with self.opened(tmp_path) as store:
            await _write(
                store,
                "The lamp is here.",
                "The brass lamp of the captain is here.",
                "The brass ring is here.",
                *(f"The lamp number {n} is here." for n in range(12)),
                *(f"Something else, {n}." for n in range(20)),
            )
            hits = await store.search(ANA, SearchQuery("the captain's brass lamp", NOW))
            assert hits[0].record.text == "The brass lamp of the captain is here."
            assert hits[1].record.text == "The brass ring is here."
            scores = [hit.score for hit in hits]
            assert scores == sorted(scores, reverse=True)
            assert scores[-1] > 0

    async def test_equal_hits_come_in_the_order_of_ids(self, tmp_path: Path) -> None:
        """Whatever the order they were written in."""
        async with self.opened(tmp_path) as store:
            for number in (3, 1, 5, 2, 4):
                await store.write(make_record(number, "The same words."))
            hits = await store.search(ANA, SearchQuery("same", NOW, limit=4))
            assert [hit.record.id for hit in hits] == [make_record(n).id for n in (1, 2, 3, 4)]

    async def test_an_empty_text_lists_the_newest(self, tmp_path: Path) -> None:
        """By the last update, then by id; with scores that say the same order."""
        async with self.opened(tmp_path) as store:
            for number in (1, 2, 3, 4):
                record = make_record(number, f"Number {number}.")
                same = replace(record.validity, updated_at=START)
                await store.write(replace(record, validity=same) if number < 3 else record)
            wanted = ["Number 4.", "Number 3.", "Number 1.", "Number 2."]
            assert await found(store, ANA, SearchQuery("", NOW)) == wanted
            assert await found(store, ANA, SearchQuery(" \n", NOW, limit=2)) == wanted[:2]
            scores = [hit.score for hit in await store.search(ANA, SearchQuery("", NOW))]
            assert scores == sorted(scores, reverse=True)
            assert scores[-1] > 0

    async def test_no_more_hits_than_asked_for(self, tmp_path: Path) -> None:
        """1 to 100, with words and without."""
        async with self.opened(tmp_path) as store:
            for number in range(120):
                await store.write(make_record(number, "The same words."))
            for limit in (1, 7, 100):
                for text in ("same", ""):
                    query = SearchQuery(text, NOW, limit=limit)
                    assert len(await store.search(ANA, query)) == limit

    async def test_filters_look_at_tags(self, tmp_path: Path) -> None:
        """``equals`` = the only tag, ``contains`` = one of them, ``exists`` = the key is there."""
        red, blue = Tag("red", "Rojo"), Tag("blue", "Azul")
        async with self.opened(tmp_path) as store:
            await store.write(make_record(1, "one", metadata={"colours": (red,)}))
            await store.write(make_record(2, "two", metadata={"colours": (red, blue)}))
            await store.write(make_record(3, "none", metadata={"colours": ()}))
            await store.write(make_record(4, "number", metadata={"colours": 2.0}))
            await store.write(make_record(5, "other", metadata={"sizes": (red,)}))
            await store.write(make_record(6, "time", metadata={"colours": datetime.now(UTC)}))

            async def filtered(*filters: Filter) -> set[str]:
                return set(await found(store, ANA, SearchQuery("", NOW, filters=filters)))

            assert await filtered(Filter("colours", "equals", "red")) == {"one"}
            assert await filtered(Filter("colours", "contains", "red")) == {"one", "two"}
            assert await filtered(Filter("colours", "contains", "blue")) == {"two"}
            assert await filtered(Filter("colours", "contains", "Rojo")) == set()
            everyone = {"one", "two", "none", "number", "time"}
            assert await filtered(Filter("colours", "exists")) == everyone
            both = (Filter("colours", "contains", "red"), Filter("colours", "contains", "blue"))
            assert await filtered(*both) == {"two"}
            assert await filtered(Filter("colours", "exists"), Filter("sizes", "exists")) == set()
            query = SearchQuery("two", NOW, filters=(Filter("colours", "equals", "red"),))
            assert await found(store, ANA, query) == []

    async def test_filters_compare_numbers_times_and_several_tags(self, tmp_path: Path) -> None:
        """``any_of`` the ids given; ranges of numbers and of instants, each for its own type."""
        red, blue, grey = Tag("red", "Rojo"), Tag("blue", "Azul"), Tag("grey", "灰")
        due = datetime(2026, 4, 1, 10, 30, tzinfo=UTC)
        async with self.opened(tmp_path) as store:
            await store.write(make_record(1, "one", metadata={"is": 1.5, "by": due}))
            await store.write(make_record(2, "two", metadata={"is": -2.0, "by": due + 2 * DAY}))
            await store.write(make_record(3, "both", metadata={"is": (red, blue), "by": 7.0}))
            await store.write(make_record(4, "grey", metadata={"is": (grey,), "by": ()}))

            async def filtered(*filters: Filter, text: str = "") -> set[str]:
                return set(await found(store, ANA, SearchQuery(text, NOW, filters=filters)))

            assert await filtered(Filter("is", "any_of", ("red", "grey", "none"))) == {
                "both",
                "grey",
            }
            assert await filtered(Filter("is", "any_of", ())) == set()
            assert await filtered(Filter("is", "less", 1.5)) == {"two"}
            assert await filtered(Filter("is", "at_most", 1.5)) == {"one", "two"}
            assert await filtered(Filter("is", "greater", -2)) == {"one"}
            assert await filtered(Filter("is", "at_least", -2)) == {"one", "two"}
            assert await filtered(Filter("by", "less", due)) == set()
            elsewhere = due.astimezone(timezone(timedelta(hours=9)))
            assert await filtered(Filter("by", "at_most", elsewhere)) == {"one"}
            assert await filtered(Filter("by", "greater", due)) == {"two"}
            assert await filtered(Filter("by", "at_least", due)) == {"one", "two"}
            assert await filtered(Filter("by", "at_least", 0.0)) == {"both"}
            between = (Filter("by", "at_least", due), Filter("by", "less", due + DAY))
            assert await filtered(*between) == {"one"}
            assert await filtered(Filter("is", "less", 9.0), text="one both") == {"one"}
            await store.update(make_record(1, "one", metadata={"is": 12.0}))
            assert await filtered(Filter("is", "greater", 9.0)) == {"one"}
            assert await filtered(Filter("by", "at_most", due)) == set()

    async def test_a_search_can_be_of_kinds_scopes_or_a_conversation(self, tmp_path: Path) -> None:
        """None given = any; conditions narrow before the limit counts, with words and without."""
        async with self.opened(tmp_path) as store:
            await store.write(make_record(1, "A rule.", kind="rule"))
            await store.write(make_record(2, "A rule there.", kind="rule", conversation="there"))
            await store.write(make_record(3, "A rule of mine.", kind="rule", scope="personal"))
            await store.write(make_record(4, "A fact on a rule.", conversation=""))
            for text in ("rule", ""):
                rules = SearchQuery(text, NOW, kinds=("rule", "task_state"))
                assert len(await store.search(ANA, rules)) == 3
                mine = SearchQuery(text, NOW, scopes=("personal", "project"), limit=1)
                assert await found(store, ANA, mine) == ["A rule of mine."]
                there = SearchQuery(text, NOW, conversation="there", limit=1)
                assert await found(store, ANA, there) == ["A rule there."]
                nowhere = SearchQuery(text, NOW, conversation="")
                assert await found(store, ANA, nowhere) == ["A fact on a rule."]
                assert len(await store.search(ANA, SearchQuery(text, NOW))) == 4

    async def test_what_has_expired_by_then_is_left_out(self, tmp_path: Path) -> None:
        """As of the query's instant, not of the store's clock."""
        async with self.opened(tmp_path) as store:
            await store.write(make_record(1, "The lamp for now.", expires_at=NOW))
            await store.write(make_record(2, "The lamp for good."))
            moment = timedelta(microseconds=1)
            for text in ("lamp", ""):
                assert len(await store.search(ANA, SearchQuery(text, NOW - moment))) == 2
                assert await found(store, ANA, SearchQuery(text, NOW)) == ["The lamp for good."]
            assert await store.get(ANA, make_record(1).id) is not None

    @pytest.mark.parametrize("text", HOSTILE)
    async def test_no_text_is_more_than_words(self, tmp_path: Path, text: str) -> None:
        """Signs that mean something to a query language find nothing of their own."""
        async with self.opened(tmp_path) as store:
            await store.write(make_record(1, "The lamp is here."))
            await store.write(make_record(2, "A chair."))
            await store.write(make_record(3, text, metadata={text: (Tag(text, text),)}))
            hits = await found(store, ANA, SearchQuery(text, NOW))
            assert "A chair." not in hits
            assert ("The lamp is here." in hits) == ("lamp" in text)
            here = SearchQuery("", NOW, filters=(Filter(text, "equals", text),))
            assert await found(store, ANA, here) == [text]

    async def test_a_question_of_common_words_only_still_searches(self, tmp_path: Path) -> None:
        """Stop words are left out of a query only where something else is in it."""
        async with self.opened(tmp_path) as store:
            await _write(store, "To be or not to be.", "¿Qué es lo que hay?", "是的", "Lamp.")
            assert await found(store, ANA, SearchQuery("to be", NOW)) == ["To be or not to be."]
            assert await found(store, ANA, SearchQuery("qué es", NOW)) == ["¿Qué es lo que hay?"]
            assert await found(store, ANA, SearchQuery("是的", NOW)) == ["是的"]
            assert await found(store, ANA, SearchQuery("what is the lamp", NOW)) == ["Lamp."]

    async def test_a_very_long_text_can_be_searched_with(self, tmp_path: Path) -> None:
        """A pasted page with the question at its end."""
        page = " ".join(f"word{n}" for n in range(20_000)) + " 阳台" * 500
        async with self.opened(tmp_path) as store:
            await _write(store, "The lamp is here.", "A chair.")
            assert await found(store, ANA, SearchQuery(f"{page} lamp?", NOW)) == [
                "The lamp is here."
            ]


async def _write(store: MemoryStore, *texts: str) -> None:
    for number, text in enumerate(texts, start=1):
        await store.write(make_record(number, text))
