"""What goes into a model and what comes out of it."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche.embedding.vectors import both_ends, prepared, unit_vectors
from cloche.errors import ModelError
from cloche.testing import FakeEmbedder

ANY_TEXT = st.text(alphabet=st.characters(codec=None), max_size=80) | st.text(
    alphabet="\ufdfa\ufdfb\u0301\ud800\x00 长é", max_size=80
)


@given(ANY_TEXT, st.integers(8, 200))
def test_a_prepared_text_is_well_formed_short_and_not_empty(text: str, limit: int) -> None:
    made = prepared(text, limit)
    assert 1 <= len(made.encode()) <= limit
    assert "\x00" not in made
    assert made == made.strip()
    assert "\ufdfa" not in made
    assert prepared(made, limit) == made


@pytest.mark.parametrize("text", ["Hola, ¿qué tal?", "明天几点？", "plain", "a b  c"])
def test_a_usual_text_stays_as_it_is(text: str) -> None:
    assert prepared(text, 100).replace("?", "？") == text.replace("?", "？")


def test_an_accent_typed_apart_is_the_same_letter() -> None:
    assert prepared("cafe\u0301", 100) == prepared("café", 100)


@given(ANY_TEXT, st.integers(8, 200))
def test_both_ends_of_a_question_are_kept(text: str, limit: int) -> None:
    made = both_ends(text, limit)
    assert len(made.encode(errors="replace")) <= limit + 1
    if len(text.encode(errors="replace")) <= limit:
        assert made == text


def test_where_a_question_stands_at_the_end_it_is_embedded() -> None:
    assert both_ends("so " * 500 + "where is my key?", 64).endswith("where is my key?")
    assert both_ends("啊" * 500 + "我的钥匙在哪里？", 64).endswith("我的钥匙在哪里？")
    assert both_ends("pues " * 500 + "¿dónde está mi llave?", 64).endswith("¿dónde está mi llave?")


@given(st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=3).filter(lambda v: math.hypot(*v) > 1))
def test_a_vector_keeps_its_direction(vector: list[float]) -> None:
    (unit,) = unit_vectors([vector], count=1, dimensions=3, who="test")
    assert math.hypot(*unit) == pytest.approx(1)
    length = math.hypot(*vector)
    assert [value * length for value in unit] == pytest.approx(vector)


@pytest.mark.parametrize(
    "vectors", [[[0.0, 0.0]], [[math.nan, 1.0]], [[math.inf, 1.0]], [], [[1.0, 0.0]] * 2, [[1.0]]]
)
def test_what_is_no_answer_is_refused(vectors: list[list[float]]) -> None:
    with pytest.raises(ModelError):
        unit_vectors(vectors, count=1, dimensions=2, who="test")


def test_the_fake_embedder_knows_what_a_test_tells_it_in_three_languages() -> None:
    fake = FakeEmbedder({"bread": ("bread", "pan", "面包"), "price": ("cost", "cuesta", "多少钱")})
    asked = fake.vector("How much does the bread cost?")
    said = [
        fake.vector(text)
        for text in ("El pan cuesta dos euros", "面包多少钱", "The pane is broken")
    ]
    near = [sum(map(float.__mul__, asked, one)) for one in said]
    assert min(near[:2]) > 0.8 > 0.5 > near[2]
    assert fake.vector("Panadería") != fake.vector("Otra cosa")
