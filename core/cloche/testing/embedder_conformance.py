"""What every embedder must do: inherited by the tests of an embedder."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from operator import mul
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloche.embedders import Embedder
from cloche.errors import ModelError
from cloche.testing.inherited import KeepsInheritedTests

TEXTS: Final = (
    "The library closes at six on Saturdays.",
    "Los martes el mercado está en la plaza.",
    "奶奶的生日在七月。",
)
AWKWARD: Final = (
    "", " ", "\n\t", "\x00", "a\x00b", "\ud800", "\udfff half a pair", "\ufeff", "\u202eabc",
    "\U0001f469\u200d\U0001f680", "e\u0301" * 50, "\ufdfa" * 500, "\u0301" * 300, "<s></s>",
    "query: passage: ", "\U0010ffff", "ﬃ①㎏", "مرحبا", "ไม่", "\u2581" * 40, "\\", "%s {0} $x",
)  # fmt: skip
"""Texts that people, keyboards and attackers write."""
LONG: Final = ("word " * 40_000, "长" * 60_000, "x" * 200_000)
TOLERANCE: Final = 1e-3


class EmbedderConformance(KeepsInheritedTests):
    """Every sentence of ``Embedder``'s documentation as a test.

    An embedder's author inherits it and gives one method; with ``asyncio_mode = "auto"`` in
    pytest's settings that is all::

        class TestMyEmbedder(EmbedderConformance):
            async def open_embedder(self):
                return MyEmbedder()
    """

    async def open_embedder(self) -> Embedder:
        """The embedder under test, closed by whoever opened it."""
        raise NotImplementedError("give open_embedder: it makes the embedder under test")

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Embedder]:
        """The embedder, closed at the end."""
        embedder = await self.open_embedder()
        try:
            yield embedder
        finally:
            await embedder.close()

    async def test_it_is_an_embedder(self) -> None:
        """It has what the protocol names, known before the first text."""
        async with self.opened() as embedder:
            assert isinstance(embedder, Embedder)
            assert embedder.model_id
            assert embedder.model_id == embedder.model_id.strip()
            assert embedder.dimensions > 0

    async def test_two_of_a_kind_have_one_model_id(self) -> None:
        """Vectors are compared by it, from one start to the next."""
        async with self.opened() as one, self.opened() as other:
            assert (one.model_id, one.dimensions) == (other.model_id, other.dimensions)

    @pytest.mark.parametrize("query", [True, False], ids=["questions", "passages"])
    async def test_vectors_have_the_stated_length_and_are_of_length_one(self, query: bool) -> None:
        """One for each text, in three languages."""
        async with self.opened() as embedder:
            _check(await embedder.embed(TEXTS, query=query), embedder, len(TEXTS))

    async def test_no_texts_give_no_vectors(self) -> None:
        """And no error."""
        async with self.opened() as embedder:
            assert list(await embedder.embed([], query=False)) == []
            assert list(await embedder.embed((), query=True)) == []

    @pytest.mark.parametrize("query", [True, False], ids=["questions", "passages"])
    async def test_a_text_has_one_vector(self, query: bool) -> None:
        """Asked again, in another order, alone or among others; and not another text's."""
        async with self.opened() as embedder:
            first = await embedder.embed(TEXTS, query=query)
            again = await embedder.embed([*reversed(TEXTS), *TEXTS], query=query)
            for one, other in zip([*reversed(first), *first], again, strict=True):
                assert _cosine(one, other) > 1 - TOLERANCE
            (alone,) = await embedder.embed([TEXTS[1]], query=query)
            assert _cosine(alone, first[1]) > 1 - TOLERANCE
            assert _cosine(first[0], first[2]) < 1 - TOLERANCE

    async def test_a_question_finds_the_passage_with_its_words(self) -> None:
        """Questions and passages live in one space."""
        async with self.opened() as embedder:
            passages = await embedder.embed(TEXTS, query=False)
            questions = await embedder.embed(TEXTS, query=True)
            for number, question in enumerate(questions):
                near = [_cosine(question, passage) for passage in passages]
                assert max(range(len(near)), key=near.__getitem__) == number

    @pytest.mark.parametrize("query", [True, False], ids=["questions", "passages"])
    async def test_any_text_at_all_has_a_vector(self, query: bool) -> None:
        """Empty ones, halves of characters and control characters too."""
        async with self.opened() as embedder:
            _check(await embedder.embed(AWKWARD, query=query), embedder, len(AWKWARD))

    @pytest.mark.parametrize("query", [True, False], ids=["questions", "passages"])
    async def test_a_very_long_text_has_a_vector(self, query: bool) -> None:
        """In any script; what it begins with counts."""
        async with self.opened() as embedder:
            _check(await embedder.embed(LONG, query=query), embedder, len(LONG))

    async def test_a_text_a_person_could_write_has_a_vector(self) -> None:
        """Whatever it is made of."""
        texts: list[str] = []

        @settings(max_examples=30, database=None, deadline=None)
        @given(st.text(alphabet=st.characters(), max_size=60))
        def collect(text: str) -> None:
            texts.append(text)

        collect()
        async with self.opened() as embedder:
            _check(await embedder.embed(texts, query=False), embedder, len(texts))

    async def test_a_large_batch_keeps_its_order(self) -> None:
        """However many calls it takes."""
        texts = [f"Line {number} of the timetable." for number in range(130)]
        async with self.opened() as embedder:
            vectors = await embedder.embed(texts, query=False)
            _check(vectors, embedder, len(texts))
            for number in (0, 65, 129):
                (alone,) = await embedder.embed([texts[number]], query=False)
                assert _cosine(alone, vectors[number]) > 1 - TOLERANCE

    async def test_a_closed_embedder_says_so(self) -> None:
        """Closing twice is no mistake; using it afterwards is."""
        embedder = await self.open_embedder()
        await embedder.embed(TEXTS, query=False)
        await embedder.close()
        await embedder.close()
        with pytest.raises(ModelError) as raised:
            await embedder.embed(TEXTS, query=False)
        assert raised.value.cause == "closed"

    async def test_one_that_was_never_used_can_be_closed(self) -> None:
        """An assistant may end before anybody spoke."""
        await (await self.open_embedder()).close()

    async def test_closing_one_leaves_another_open(self) -> None:
        """Two assistants of one process have an embedder each."""
        one, other = await self.open_embedder(), await self.open_embedder()
        await one.embed(TEXTS[:1], query=False)
        await one.close()
        _check(await other.embed(TEXTS[:1], query=False), other, 1)
        await other.close()


def _check(vectors: Sequence[Sequence[float]], embedder: Embedder, count: int) -> None:
    assert len(vectors) == count
    for vector in vectors:
        assert len(vector) == embedder.dimensions
        assert abs(math.hypot(*vector) - 1) < TOLERANCE


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    return float(sum(map(mul, one, other)))
