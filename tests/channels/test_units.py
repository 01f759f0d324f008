"""Lengths and offsets as platforms count them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche.channels import TextUnit, code_points_to_utf16, length_of, utf16_to_code_points

any_text = st.text(st.characters())  # half pairs too: a platform may cut where it likes


@pytest.mark.parametrize(
    ("unit", "length"), [("characters", 5), ("utf16", 6), ("bytes", 1 + 2 + 3 + 4 + 1)]
)
def test_a_text_is_as_long_as_the_platform_counts(unit: TextUnit, length: int) -> None:
    assert length_of("aé中🌱b", unit) == length


@pytest.mark.parametrize(
    ("offset", "index"), [(-3, 0), (0, 0), (1, 1), (2, 1), (3, 2), (4, 3), (5, 3), (99, 3)]
)
def test_an_offset_inside_a_character_is_its_start(offset: int, index: int) -> None:
    assert utf16_to_code_points("a🌱b", offset) == index


@given(any_text, st.data())
def test_an_index_comes_back_from_utf16(text: str, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, len(text)))
    offset = code_points_to_utf16(text, index)
    assert utf16_to_code_points(text, offset) == index
    assert offset == length_of(text[:index], "utf16")
    assert length_of(text, "utf16") == sum(1 + (char > "\uffff") for char in text)
    assert code_points_to_utf16(text, len(text) + 5) == length_of(text, "utf16")
    assert code_points_to_utf16(text, -1) == 0
